"""Many rows at once."""

import pytest
from django.db import IntegrityError, connection, transaction

from judging.base.actions import bulk
from judging.base.actions.bulk import check_at_once, copy_rows, let_planner_know, take_ids
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign, Round
from judging.datasets.models.dataset import Dataset, Passage, Question, QuestionSet, Source
from judging.enrolments.actions import enrollments
from judging.imports.actions import adding, files
from judging.overview.actions import erasures
from judging.people.models.event import Event
from judging.protocols.models.protocol import Protocol
from tests import factories
from tests.judging.enrolments.actions.test_enrollments import waiting_for_us
from tests.judging.imports.studies import MATERIAL, assembled, waiting
from tests.judging.trials import NOW

pytestmark = pytest.mark.django_db


def test_ids_are_taken_once_also_where_somebody_takes_others_in_between() -> None:
    with connection.cursor() as cursor:
        first = take_ids(Passage, 3)
        cursor.execute("ALTER SEQUENCE judging_passage_id_seq INCREMENT BY 2")
        second = take_ids(Passage, 3)
    assert list(first) == [first[0], first[0] + 1, first[0] + 2]
    assert len({*first, *second}) == 6
    assert list(take_ids(Passage, 0)) == []


def test_a_refused_row_stops_everything_and_says_what_was_wrong() -> None:
    made = Dataset.objects.create(name="Owls", owner=factories.researcher())
    told: list[int] = []
    rows = [
        (made.pk, f"{number:064d}", "text" if number < 12_000 else "") for number in range(13_000)
    ]
    with pytest.raises(IntegrityError, match="passage_has_text"), transaction.atomic():
        copy_rows(Passage, ("dataset_id", "digest", "text"), rows, stored=told.append)
    assert told == [10_000]


def test_texts_and_members_of_enumerations_come_out_of_the_database_as_they_went_in() -> None:
    made = Dataset.objects.create(name="Owls", owner=factories.researcher())
    texts = ["a\tb\nc\r\\d\\N", "\\.", Campaign.State.OPEN]
    rows = [(made.pk, f"{number:064d}", text) for number, text in enumerate(texts)]
    copy_rows(Passage, ("dataset_id", "digest", "text"), rows)
    kept = Passage.objects.filter(dataset=made).order_by("digest")
    assert list(kept.values_list("text", flat=True)) == ["a\tb\nc\r\\d\\N", "\\.", "open"]


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_counting_for_the_planner_holds_no_table_while_it_waits_for_another() -> None:
    def count() -> None:
        with transaction.atomic():
            let_planner_know(Source, Question)

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE judging_question IN ACCESS EXCLUSIVE MODE")
        counting = waiting_for_us(count)
        cursor.execute("LOCK TABLE judging_source IN ACCESS EXCLUSIVE MODE NOWAIT")
    counting.join()


@pytest.mark.django_db(transaction=True)
def test_failure_to_count_for_the_planner_leaves_what_was_stored(caplog) -> None:
    class Nowhere:
        class _meta:
            db_table = "judging_nowhere"

    with transaction.atomic():
        made = Dataset.objects.create(name="Owls", owner=factories.researcher())
        let_planner_know(Nowhere)
    assert Dataset.objects.filter(pk=made.pk).exists()
    assert "judging_nowhere" in caplog.text


def others_write_history() -> bool:
    """Return whether another session could write to the history now: whether its lock, which the
    seal of an event takes, is free."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext('judging_event'))")
            return bool(cursor.fetchone()[0])
    finally:
        other.close()


def test_others_write_history_while_a_campaign_that_noted_its_opening_is_laid_out() -> None:
    campaign, free = factories.campaign(), []
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(
        campaign=campaign, now=NOW, progress=lambda *_told: free.append(others_write_history())
    )
    assert free
    assert all(free)


def test_others_write_history_while_files_are_added_after_one_that_was_noted() -> None:
    dataset = assembled()
    texts = [
        f"source_id,passage,answer,system,question\n{n},Owls hunt at {n}.,{n},Alba,When?\n"
        for n in range(3)
    ]
    batch = [
        waiting(
            dataset,
            text,
            name=f"{n}.csv",
            columns=MATERIAL | {"source_id": {"role": "source_id"}},
        )
        for n, text in enumerate(texts)
    ]
    free: list[bool] = []
    files.confirm_new(files=batch)
    adding.add_waiting_files(
        waiting=batch,
        by=dataset.owner,
        now=NOW,
        protocols=Protocol.objects.none(),
        accept_surprises=True,
        progress=lambda *_told: free.append(others_write_history()),
    )
    assert free
    assert all(free)


def test_others_write_history_while_somebody_is_erased_whose_erasure_is_noted() -> None:
    campaign = factories.opened()
    enrollment = enrollments.enroll(campaign=campaign, user=factories.user())
    erasures.erase_annotator(enrollment=enrollment, by=campaign.created_by, now=NOW)
    assert Event.objects.filter(act=Event.Act.ERASED).exists()
    with (
        pytest.raises(IntegrityError),
        transaction.atomic(),
    ):  # foreign keys do not wait for the end
        Round.objects.filter(campaign=campaign).update(campaign=0)
    assert others_write_history()


def test_rows_are_deleted_a_batch_at_a_time_and_progress_may_stop_it(monkeypatch) -> None:
    monkeypatch.setattr(bulk, "BATCH", 2)
    made, told = factories.dataset(sources=3), []
    parts = made.passages.all(), made.sources.all()
    assert parts[0].count() == parts[1].count() == 3
    with pytest.raises(IntegrityError), transaction.atomic():
        check_at_once()
        bulk.delete_rows(*parts)
    QuestionSet.objects.filter(source__dataset=made).delete()

    def tell(*said: object) -> None:
        told.append(said)

    assert bulk.delete_rows(*reversed(parts), progress=tell) == 6
    assert told == [
        (0, 6, "Removing sources"),
        (2, 6, "Removing sources"),
        (3, 6, "Removing passages"),
        (5, 6, "Removing passages"),
    ]
    assert not Source.objects.exists() and not Passage.objects.exists()
