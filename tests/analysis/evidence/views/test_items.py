"""The pages from a number to its questions: works, forbidden, unknown, malformed, blind, flat in
size."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from analysis.evidence import source as evidence
from analysis.evidence.actions import examples
from analysis.models import KeptExample
from analysis.scoring.actions import degradations
from analysis.scoring.actions.degrading import WantedDegradation
from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.live_agreement import LiveAgreement
from judging.campaigns.models.members import Enrollment, Membership
from judging.datasets.actions import datasets
from judging.datasets.models.dataset import Dataset, Reference, Source, Unit
from judging.enrolments.actions import enrollments
from judging.work.models.assignment import Note
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def study(lasting):
    return studies.imported()


@pytest.fixture
def manager(client, study):
    client.force_login(study.created_by)
    return client


def list_of(study, query=""):
    return reverse("analysis:items", args=[study.uuid]) + query


def item_of(study, key="1", query=""):
    source = Source.objects.get(dataset=study.dataset, key=key)
    return reverse("analysis:item", args=[study.uuid, source.pk]) + query


def unit_of(study, key, system):
    return Unit.objects.get(
        question_set__source__dataset=study.dataset,
        question_set__source__key=key,
        question_set__system__name=system,
        position=1,
    )


def test_list_shows_questions_with_every_annotators_values(manager, study):
    page = manager.get(list_of(study)).content.decode()
    assert page.count("Who is it lock") == 6
    assert "Grammaticality" in page
    assert "unit=" in page


def test_list_without_an_order_begins_with_the_most_disputed_questions_once_they_are_known(
    manager, study
):
    assert manager.get(list_of(study)).context["chosen"].sort == "file"
    LiveAgreement.objects.create(campaign=study, computed_at=timezone.now(), items=[{"unit": 1}])
    disputed = manager.get(list_of(study))
    assert disputed.context["chosen"].sort == "disagreement"
    keys = [float(line.key) for line in disputed.context["lines"]]
    assert keys == sorted(keys, reverse=True)
    assert 0 < keys[0] <= 1
    for query in ("?sort=file", "?system=Alba"):
        assert manager.get(list_of(study, query)).context["chosen"].sort == "file"


@pytest.mark.long
def test_list_sorted_by_a_gap_says_both_ranks(manager, study):
    answer = manager.get(list_of(study, "?sort=gap&metric=meteor&criterion=correctness"))
    assert answer.status_code == 200
    assert "18 questions in this order: Correctness" in answer.content.decode()
    first = answer.context["lines"][0]
    assert first.under.startswith("people: ")
    assert f'{first.key}<span class="under">{first.under}' in answer.content.decode()


def test_item_shows_passage_question_ratings_comments_scores_and_reference(manager, study):
    unit = unit_of(study, "1", "Corvo")
    judgment = unit.judgments.order_by("pk").first()
    Note.objects.create(assignment=judgment.assignment, unit=unit, text="What of it?", sequence=1)
    page = manager.get(item_of(study, "1", f"?unit={unit.pk}")).content.decode()
    assert "Lock 1 was built by <mark>Ada Lind</mark> in 1701." in page
    assert "Who built lock 1?" in page  # the reference, and Alba's question
    assert "Corvo" in page
    assert "What of it?" in page
    assert "0.260" in page  # meteor of Corvo: 1/4 + 1/100
    assert f'id="unit-{unit.pk}" class="now"' in page
    assert Reference.objects.filter(source__dataset=study.dataset).count() == 6


def test_item_has_a_column_for_each_criterion_that_somebody_rated_and_names_the_others(
    manager, study
):
    factories.criterion(study.protocol, "variety", position=9)
    factories.criterion(study.protocol, "clarity", position=10)
    page = manager.get(item_of(study)).text
    assert page.count('<th scope="col">') == 3  # the question, grammaticality, correctness


def test_item_leads_to_the_ones_beside_it_in_the_same_order(manager, study):
    query = "?sort=disagreement&criterion=correctness"
    lines = manager.get(list_of(study, query)).context["lines"]
    page = manager.get(
        item_of(study, lines[1].source_key, f"{query}&unit={lines[1].unit}")
    ).content.decode()
    assert f"sort=disagreement&amp;criterion=correctness&amp;unit={lines[0].unit}" in page
    assert f"sort=disagreement&amp;criterion=correctness&amp;unit={lines[2].unit}" in page
    assert "2 of 18: 1.00" in page


@pytest.mark.parametrize(
    "query",
    [
        "?sort=gap",
        "?sort=nonsense",
        "?metric=x&sort=score",
        "?value=99999",
    ],
)
def test_list_that_cannot_be_made_says_what_is_missing(manager, study, query):
    answer = manager.get(list_of(study, query))
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()


def test_item_of_another_dataset_is_unknown(manager, study):
    other = factories.dataset()
    source = Source.objects.filter(dataset=other).first()
    assert manager.get(reverse("analysis:item", args=[study.uuid, source.pk])).status_code == 404


def test_dataset_pages_show_questions_and_scores_but_no_ratings(manager, study):
    answer = manager.get(
        reverse("analysis:dataset_items", args=[study.dataset_id]) + "?sort=score&metric=meteor"
    )
    assert answer.status_code == 200
    assert [line.key for line in answer.context["lines"][:2]] == ["0.25", "0.26"]
    source = Source.objects.get(dataset=study.dataset, key="2")
    page = manager.get(
        reverse("analysis:dataset_item", args=[study.dataset_id, source.pk])
    ).content.decode()
    assert "0.270" in page
    assert "Correctness" not in page
    assert "keep/" not in page


def test_whoever_judges_the_material_still_sees_no_system_no_rating_and_no_score(
    client, monkeypatch
):
    study = studies.imported()
    later = factories.opened(dataset=study.dataset, manager=study.created_by)
    client.force_login(study.created_by)
    unit = unit_of(study, "1", "Corvo")
    asked = [
        list_of(study, "?system=Corvo"),
        list_of(study, "?sort=gap&metric=meteor"),
        item_of(study, "1", f"?unit={unit.pk}&system=Corvo"),
        reverse("analysis:dataset_items", args=[study.dataset_id]),
        reverse("analysis:dataset_item", args=[study.dataset_id, unit.question_set.source_id]),
        list_of(later),
    ]
    assert "Corvo" in client.get(asked[2]).content.decode()
    factories.enrollment(later, account=study.created_by)
    for address in asked:
        page = client.get(address).content.decode()
        assert not [name for name in studies.SYSTEMS if name in page]
        assert "meteor" not in page
        assert "Correctness" not in page
        assert f"unit={unit.pk}" not in page
        assert f"unit-{unit.pk}" not in page
    shown = client.get(asked[2]).content.decode()
    texts = ["What?", "Who built lock 1?", "Who is it lock 1?"]
    places = [shown.index(f'dir="auto">{text}</li>') for text in texts]
    assert places == sorted(places)
    kept = client.post(reverse("analysis:keep_example", args=[study.uuid]), {"unit": unit.pk})
    assert kept.status_code == 404
    examples.keep_example(
        campaign=study, unit=unit.pk, note="kept note", by=study.created_by, now=study.created_at
    )
    studies.analysed(study)
    report = reverse("analysis:report", args=[study.uuid])
    assert "kept note" not in client.get(report).content.decode()
    Campaign.objects.filter(pk=later.pk).update(state="closed")
    assert "kept note" in client.get(report).content.decode()
    assert "Corvo" in client.get(asked[2]).content.decode()


def test_membership_as_annotator_blinds_before_the_first_task(client):
    study = studies.imported()
    later = factories.campaign(dataset=study.dataset, manager=study.created_by)
    Membership.objects.create(user=study.created_by, campaign=later, role="annotator")
    client.force_login(study.created_by)
    assert "Corvo" not in client.get(list_of(study)).content.decode()


def test_owner_is_blinded_by_judging_and_by_no_role_that_somebody_else_names_them_in(client):
    study = studies.imported()
    other = factories.researcher()
    right = datasets.share_dataset(dataset=study.dataset, user=other)
    theirs = factories.campaign(dataset=study.dataset, manager=other)
    campaigns.add_member(campaign=theirs, user=study.created_by, role="annotator", by=other)
    client.force_login(study.created_by)
    assert "Corvo" in client.get(list_of(study)).text
    enrollments.enroll(campaign=theirs, user=study.created_by)
    assert "Corvo" not in client.get(list_of(study)).text
    dataset_uses.end_use(dataset=study.dataset, user=right.user, now=timezone.now())
    assert "Corvo" in client.get(list_of(study)).text


def test_nobody_is_blinded_by_a_role_in_somebody_elses_copy_of_the_file(client):
    study = studies.imported()
    reader = factories.researcher()
    datasets.share_dataset(dataset=study.dataset, user=reader)
    Dataset.objects.filter(pk=study.dataset_id).update(file_sha256="d" * 64)
    copied = factories.dataset(file_sha256="d" * 64)
    elsewhere = factories.campaign(dataset=copied)
    campaigns.add_member(campaign=elsewhere, user=reader, role="annotator")
    client.force_login(reader)
    items = reverse("analysis:dataset_items", args=[study.dataset_id])
    assert "Corvo" in client.get(items).text
    enrollments.enroll(campaign=elsewhere, user=reader)
    assert "Corvo" not in client.get(items).text


@pytest.mark.parametrize("judged", ["original", "copy", "copy of the copy"])
def test_who_judges_a_dataset_is_blind_in_degraded_copies_and_in_what_they_are_of(judged):
    original = factories.dataset()
    wanted = WantedDegradation(
        name="Worse", systems=["Alba"], noise=["question_type"], beside="all"
    )
    copy = degradations.degrade_dataset(dataset=original, wanted=wanted, by=original.owner)
    last = degradations.degrade_dataset(dataset=copy, wanted=wanted, by=original.owner)
    held = {"original": original, "copy": copy, "copy of the copy": last}
    own = factories.campaign(dataset=held[judged], manager=original.owner)
    joined = factories.enrollment(own, account=original.owner)
    reader = factories.logged_in(original.owner)
    for each in held.values():
        page = reader.get(reverse("analysis:dataset_items", args=[each.pk])).text
        assert "Alba" not in page
    joined.delete()
    own.memberships.filter(role="annotator").delete()
    assert "Alba" in reader.get(reverse("analysis:dataset_items", args=[copy.pk])).text


def test_blind_page_of_a_source_shows_no_references_for_they_may_be_a_systems_questions():
    campaign = factories.opened()
    source = campaign.dataset.sources.first()
    Reference.objects.create(source=source, position=1, text="What did Tolliver build?")
    owner = campaign.dataset.owner
    reader = factories.logged_in(owner)
    address = reverse("analysis:dataset_item", args=[campaign.dataset_id, source.pk])
    assert "What did Tolliver build?" in reader.get(address).text
    Membership.objects.create(user=owner, campaign=campaign, role="annotator")
    page = reader.get(address).text
    assert "Who built lock 1" in page
    assert "What did Tolliver build?" not in page


def test_who_judges_a_file_is_blind_in_another_dataset_of_it():
    first, again = (factories.dataset(file_sha256="a" * 64) for _ in range(2))
    factories.dataset()
    own = factories.campaign(dataset=first)
    factories.enrollment(own, account=again.owner)
    reader = factories.logged_in(again.owner)
    address = reverse("analysis:dataset_items", args=[again.pk])
    assert "Alba" not in reader.get(address).text
    Dataset.objects.filter(pk=first.pk).update(file_sha256="b" * 64)
    assert "Alba" in reader.get(address).text


def test_question_is_kept_with_a_note_shown_and_let_go(manager, study):
    unit = unit_of(study, "1", "Corvo")
    address = reverse("analysis:keep_example", args=[study.uuid])
    answer = manager.post(
        address, {"unit": unit.pk, "note": "too short", "sort": "gap", "metric": "meteor"}
    )
    assert answer.url.endswith(f"?sort=gap&metric=meteor&unit={unit.pk}")
    assert 'value="too short"' in manager.get(answer.url).content.decode()
    manager.post(address, {"unit": unit.pk, "note": "much too short"})
    assert list(KeptExample.objects.values_list("note", flat=True)) == ["much too short"]
    [row] = examples.example_rows(study)
    assert (row["question"], row["system"], row["correctness"], row["note"]) == (
        "What?",
        "Corvo",
        "1 2",
        "much too short",
    )
    manager.post(address, {"unit": unit.pk, "act": "let-go"})
    assert not KeptExample.objects.exists()


def test_question_of_another_dataset_cannot_be_kept(manager, study):
    other = Unit.objects.filter(question_set__source__dataset=factories.dataset()).first()
    assert (
        manager.post(
            reverse("analysis:keep_example", args=[study.uuid]), {"unit": other.pk}
        ).status_code
        == 404
    )


def test_list_asks_as_often_for_three_questions_as_for_fifty(manager, study):
    def asked(query):
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert manager.get(list_of(study, query)).status_code == 200
        return len(found)

    asked("")  # the first request of a session writes down the visit
    assert asked("?system=Alba&text=lock+1") == asked("")


def test_list_of_a_study_without_ratings_or_metrics(client):
    campaign = factories.campaign()
    client.force_login(campaign.created_by)
    assert "asks Alba" in client.get(list_of(campaign)).content.decode()
    page = client.get(list_of(campaign, "?sort=disagreement"))
    assert page.context["lines"] == []
    assert not Enrollment.objects.filter(campaign=campaign).exists()


@pytest.mark.long
def test_page_of_a_source_with_very_many_questions_shows_some_and_the_one_that_is_asked_for(
    client, monkeypatch
):
    own = factories.dataset(sources=1, expected=2)
    client.force_login(own.owner)
    held = Unit.objects.filter(question_set__source__dataset=own, question__isnull=False)
    asked = held.order_by("question_set__system__name", "pk")
    for number, unit in zip((9, 8, 1, 2), asked.select_related("question"), strict=True):
        unit.question.text = f"{number}: what is it?"
        unit.question.save()
    at = reverse("analysis:dataset_item", args=[own.pk, own.sources.get().pk])

    def shown(**query: object) -> list[int]:
        page = client.get(at, query).text
        assert ("more are not shown" in page) == (evidence.MAX_PAGE_ROWS == 2)
        return [number for number in (1, 2, 8, 9) if f"{number}: what is it?" in page]

    assert shown() == [1, 2, 8, 9]
    monkeypatch.setattr(evidence, "MAX_PAGE_ROWS", 2)
    assert shown() == [8, 9]
    assert shown(unit=asked[2].pk) == [1, 8, 9]
    # to who judges it, no system decides which are shown, nor does the address
    factories.enrollment(factories.campaign(dataset=own, manager=own.owner), account=own.owner)
    assert shown(unit=asked[0].pk) == [1, 2]
