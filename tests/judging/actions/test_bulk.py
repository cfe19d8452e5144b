"""Many rows at once."""

from itertools import islice
from uuid import RFC_4122, UUID

import pytest
from django.db import IntegrityError, connection, transaction

from judging.actions.bulk import copy, let_planner_know, random_uuids, take_ids
from judging.models import Campaign, Collection, Passage, Question, Source
from tests import factories
from tests.judging.actions.test_enrollments import waiting_for_us

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
    made = Collection.objects.create(name="Owls", owner=factories.researcher())
    told: list[int] = []
    rows = [
        (made.pk, f"{number:064d}", "text" if number < 12_000 else "") for number in range(13_000)
    ]
    with pytest.raises(IntegrityError, match="passage_has_text"), transaction.atomic():
        copy(Passage, ("collection_id", "digest", "text"), rows, stored=told.append)
    assert told == [10_000]


def test_texts_and_members_of_enumerations_come_out_of_the_database_as_they_went_in() -> None:
    made = Collection.objects.create(name="Owls", owner=factories.researcher())
    texts = ["a\tb\nc\r\\d\\N", "\\.", Campaign.State.OPEN]
    rows = [(made.pk, f"{number:064d}", text) for number, text in enumerate(texts)]
    copy(Passage, ("collection_id", "digest", "text"), rows)
    kept = Passage.objects.filter(collection=made).order_by("digest")
    assert list(kept.values_list("text", flat=True)) == ["a\tb\nc\r\\d\\N", "\\.", "open"]


def test_random_uuids_are_of_version_4_and_never_the_same() -> None:
    drawn = [UUID(each) for each in islice(random_uuids(), 25_000)]
    assert {(each.version, each.variant) for each in drawn} == {(4, RFC_4122)}
    assert len(set(drawn)) == 25_000
    assert {each.hex[16] for each in drawn} == set("89ab")


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
        made = Collection.objects.create(name="Owls", owner=factories.researcher())
        let_planner_know(Nowhere)
    assert Collection.objects.filter(pk=made.pk).exists()
    assert "judging_nowhere" in caplog.text
