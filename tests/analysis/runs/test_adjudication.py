"""Adjudication: who settles, what they see, and that judgments and agreement stay as they are."""

import csv
import re
from io import StringIO

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analysis.runs.actions import runs
from analysis.runs.forms.runs import RunForm
from judging.campaigns.actions import campaigns, clones
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.dry_run import DryRun
from judging.campaigns.models.members import Membership
from judging.datasets.models.dataset import Passage, Source, Unit
from judging.overview.actions import erasures
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality.actions import adjudications, exclusions
from judging.quality.actions.blinding import read_others
from judging.quality.models.adjudication import Adjudication, SettledValue
from judging.work.models.judgment import Judgment
from tests import factories
from tests.analysis.studies import analysed
from tests.annotation.studies import opened
from tests.judging.workers import work
from tests.refusing import refused

pytestmark = pytest.mark.django_db


def place(campaign: Campaign, source: int, system: str) -> int:
    own = {"question_set__source__dataset": campaign.dataset, "position": 1}
    units = Unit.objects.filter(question_set__system__name=system, **own)
    return units.get(question_set__source__position=source).pk


@pytest.fixture(scope="module")
def differing(lasting) -> Campaign:
    """Return a closed study: two annotators give 3 everywhere, but one of them 1 and 2 to two of
    Brisa's questions on both criteria."""
    campaign = opened(sources=4, annotators_per_task=2)
    odd = {place(campaign, 1, "Brisa"): 1, place(campaign, 2, "Brisa"): 2}
    work(factories.enrollment(campaign, label="A01"), tasks=9, choose=3)
    work(
        factories.enrollment(campaign, label="A02"),
        tasks=9,
        choose=lambda _own, asked: odd.get(asked.unit, 3),
    )
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    return campaign


@pytest.fixture
def judge(differing):
    """Return who was named to settle what lies more than a rank apart."""
    named = factories.user("settler")
    adjudications.name_adjudicator(
        campaign=differing, adjudicator=named, threshold=1, by=differing.created_by,
        now=timezone.now(),
    )  # fmt: skip
    return named


def browser(user) -> Client:
    return factories.logged_in(user)


def settle(campaign: Campaign, judge, value: int, *, place: int = 0) -> None:
    found = adjudications.find_differences(campaign, campaign.adjudication.threshold)[place]
    token = adjudications.token_of(campaign, found)
    adjudications.store_adjudicated_rating(
        campaign=campaign, token=token, value=value, reason="", by=judge, now=timezone.now()
    )


def mean_of(run, system: str, criterion: str) -> float:
    [row] = [
        row
        for row in dict(runs.StoredTables(run))["systems"]
        if (row["system"], row["criterion"]) == (system, criterion)
    ]
    return row["value"]


def test_manager_names_who_settles_and_the_page_says_how_much_is_left(differing):
    factories.user("anna")
    manager = browser(differing.created_by)
    address = reverse("judging:adjudication", args=[differing.uuid])
    wrong = manager.post(
        reverse("judging:adjudicator", args=[differing.uuid]), {"username": "x", "threshold": 1}
    )
    assert wrong.status_code == 422
    manager.post(
        reverse("judging:adjudicator", args=[differing.uuid]), {"username": "anna", "threshold": 0}
    )
    page = manager.get(address)
    assert (page.context["differing"], page.context["open"]) == (4, 4)
    assert Event.objects.filter(act="adjudication.named", campaign=differing.uuid).count() == 1
    assert address in manager.get(reverse("judging:tasks", args=[differing.uuid])).text


def test_differences_do_not_come_in_the_order_of_the_file(differing, judge):
    found = adjudications.find_differences(differing, 0)
    names = [adjudications.token_of(differing, each) for each in found]
    alike = {(each.criterion, each.apart) for each in found}
    for group in alike:
        own = [
            name
            for name, each in zip(names, found, strict=True)
            if (each.criterion, each.apart) == group
        ]
        assert own == sorted(own)


def test_adjudicator_sees_what_was_said_without_systems_and_settles_it(differing, judge):
    address = reverse("judging:settle", args=[differing.uuid])
    own = browser(judge)
    page = own.get(address)

    assert page.text.count("2 ranks apart") == 2  # one question on two criteria
    assert 'A01: <span translate="no"><b>3</b> yes</span>' in page.text
    assert 'A02: <span translate="no"><b>1</b> no</span>' in page.text
    assert not any(name in page.text for name in ("Alba", "Brisa"))
    before = list(Judgment.objects.order_by("pk").values_list("pk", "value", "superseded_at"))
    assert "2 of 2 ratings are not adjudicated yet" in page.text
    assert "<legend>Does it ask for the answer?</legend>" in page.text
    token, other = (each.token for each in page.context["places"])
    answer = own.post(address, {"token": token, "value": "2", "reason": "Half right."}, follow=True)
    assert answer.redirect_chain == [(f"{address}?page=1#d{other}", 302)]  # the next that is open
    assert "1 of 2 ratings is not adjudicated yet" in answer.text
    kept = SettledValue.objects.standing().get()
    assert (kept.value, kept.reason, kept.settled_by) == (2, "Half right.", judge)
    assert (
        list(Judgment.objects.order_by("pk").values_list("pk", "value", "superseded_at")) == before
    )
    own.post(address, {"token": token, "value": "1"})
    assert [each.value for each in SettledValue.objects.all()] == [2, 1]
    assert SettledValue.objects.standing().get().value == 1
    assert Event.objects.filter(act="adjudication.settled").count() == 2
    for wrong, why in (
        ({"token": token}, "Choose a value."),
        ({"token": token, "value": "9"}, "9 is not on the scale"),
        ({"token": "x", "value": "2"}, "do not differ there any more"),
    ):
        assert why in own.post(address, wrong, follow=True).text
    assert SettledValue.objects.count() == 2


def test_page_shows_a_piece_of_a_long_passage_around_the_answer(
    differing, judge, client, monkeypatch
):
    Passage.objects.update(text="b" * 500_000 + "ANSWER" + "e" * 500_000)
    Source.objects.update(answer_start=500_000, answer="ANSWER")
    client.force_login(judge)
    told = client.get(reverse("judging:settle", args=[differing.uuid])).text
    assert "bANSWERe" in told
    assert 0 < told.count("…b") < 21
    assert len(told) < 21 * 60_000


def test_nobody_else_settles_and_nothing_before_the_end(differing, judge):
    address = reverse("judging:settle", args=[differing.uuid])
    for other in (differing.created_by, differing.enrollments.first().user, factories.researcher()):
        assert browser(other).get(address).status_code == 404
    with refused("not_adjudicator"):
        settle(differing, differing.created_by, 2)
    adjudications.name_adjudicator(
        campaign=differing, adjudicator=factories.user(), threshold=1, by=differing.created_by,
        now=timezone.now(),
    )  # fmt: skip
    assert browser(judge).get(address).status_code == 404
    Adjudication.objects.update(adjudicator=judge)
    Campaign.objects.filter(pk=differing.pk).update(state="paused")
    with refused("campaign_not_closed"):
        settle(differing, judge, 2)


def test_report_uses_settled_values_on_request_says_so_and_agreement_never_does(differing, judge):
    raw = analysed(differing, mixed_model="never", metrics=[])
    [where] = [
        number
        for number, each in enumerate(adjudications.find_differences(differing, 1))
        if each.criterion == differing.protocol.criteria.get(key="correctness").pk
    ]
    settle(differing, judge, 3, place=where)
    without = analysed(differing, mixed_model="never", metrics=[])
    used = analysed(differing, mixed_model="never", metrics=[], adjudicated=True)

    # Brisa's four questions: (3 + 1) / 2, (3 + 2) / 2, 3, 3 make 2.625; adjudicated 3, 2.5, 3, 3
    assert mean_of(raw, "Brisa", "correctness") == pytest.approx(2.625)
    assert mean_of(without, "Brisa", "correctness") == pytest.approx(2.625)
    assert mean_of(used, "Brisa", "correctness") == pytest.approx(2.875)
    assert mean_of(used, "Brisa", "grammaticality") == pytest.approx(2.625)
    raw_tables, tables = dict(runs.StoredTables(raw)), dict(runs.StoredTables(used))
    for key in ("agreement", "annotators", "pairwise_kappa"):
        assert tables[key] == raw_tables[key]
    page = browser(differing.created_by).get(
        reverse("analysis:run", args=[differing.uuid, used.number])
    )
    assert "use 1 adjudicated rating instead of" in page.text
    assert (
        "adjudicated rating instead of"
        not in browser(differing.created_by)
        .get(reverse("analysis:run", args=[differing.uuid, without.number]))
        .text
    )
    settle(differing, judge, 2, place=where)
    assert runs.changed_since(used) == ["adjudicated ratings"]
    assert runs.changed_since(without) == []


def test_settled_values_are_not_taken_for_those_of_other_annotators(differing, judge):
    settle(differing, judge, 3)
    given = {
        "prepare_hypothesis": "raw", "prepare_reference": "raw", "resamples": 100, "seed": 1,
    }  # fmt: skip
    told = {}
    for design in ("sources+systems", "sources+annotators", "sources+systems+annotators"):
        for adjudicated in (False, True):
            form = RunForm(
                {**given, "design": design, "adjudicated": adjudicated}, campaign=differing
            )
            told[design, adjudicated] = form.has_error("design")
    wrong = [asked for asked, is_wrong in told.items() if is_wrong]
    assert wrong == [("sources+annotators", True), ("sources+systems+annotators", True)]


def test_export_has_judgments_alone_or_settled_values_beside_them(differing, judge):
    settle(differing, judge, 2)
    manager = browser(differing.created_by)
    address = reverse("judging:export", args=[differing.uuid, "csv"])
    plain = list(csv.DictReader(StringIO(manager.get(address).getvalue().decode("utf-8-sig"))))
    both = list(
        csv.DictReader(
            StringIO(manager.get(f"{address}?adjudicated").getvalue().decode("utf-8-sig"))
        )
    )

    assert not any("adjudicated" in name for name in plain[0])
    assert [row["value"] for row in both] == [row["value"] for row in plain]
    told = [(row["annotator"], row["value"]) for row in both if row["judgment:adjudicated"] == "2"]
    assert sorted(told) == [("A01", "3"), ("A02", "1")]


def test_who_is_excluded_makes_no_difference_to_settle(differing, judge):
    assert len(adjudications.find_differences(differing, 1)) == 2
    exclusions.exclude_annotator(
        enrollment=differing.enrollments.get(label="A02"), reason="slept",
        by=differing.created_by, now=timezone.now(),
    )  # fmt: skip
    assert adjudications.find_differences(differing, 0) == []
    with refused("cannot_adjudicate"):
        adjudications.store_adjudicated_rating(
            campaign=differing, token="x", value=2, reason="", by=judge, now=timezone.now()
        )


@pytest.mark.parametrize("elsewhere", ["other study", "reopened", "reproduction"])
def test_who_judges_the_material_still_settles_nothing_and_reads_nothing(
    differing, judge, elsewhere
):
    differing.refresh_from_db()
    token = adjudications.token_of(differing, adjudications.find_differences(differing, 1)[0])
    judged = differing
    if elsewhere == "other study":
        judged = factories.opened(dataset=differing.dataset, protocol=differing.protocol)
    if elsewhere == "reproduction":
        judged = clones.clone_study(campaign=differing, by=differing.created_by)
    Membership.objects.create(user=judge, campaign=judged, role="annotator")
    if elsewhere == "reopened":
        campaigns.open_campaign(campaign=differing, now=timezone.now())
    own, address = browser(judge), reverse("judging:settle", args=[differing.uuid])
    for page in (own.get(address), own.post(address, {"token": token, "value": "2"})):
        assert page.status_code == 403
        assert not re.search(r"\bA01\b", page.text)  # a drawn token may have it in its middle
    assert not SettledValue.objects.exists()


@pytest.mark.long
def test_report_names_who_could_read_what_others_said_before_they_judged(differing):
    early, honest, late, lone, former = (factories.user() for _ in range(5))
    second = opened_again(differing)
    for each in (former, early):  # the first of them nobody but the history still knows
        name_to_settle(differing, each)
    begin = {
        each: factories.enrollment(second, account=each)
        for each in (early, honest, late, lone, former)
    }
    work(begin[late], tasks=1, choose=3)
    for each in (late, honest):  # the page is closed to them
        name_to_settle(differing, each)
    name_to_settle(second, lone)  # where nothing is shown before it is closed
    for each in (early, honest, lone, former):
        work(begin[each], tasks=1, choose=3)
    labels = sorted(begin[each].label for each in (early, former))
    assert read_others(second) == labels
    campaigns.close_campaign(campaign=second, now=timezone.now())
    campaigns.open_campaign(campaign=second, now=timezone.now())
    work(begin[lone], tasks=1, choose=3)
    assert read_others(second) == sorted([*labels, begin[lone].label])
    analysed(second)
    page = browser(second.created_by).get(reverse("analysis:report", args=[second.uuid])).text
    told = (
        "was named as an adjudicator before or between their own judgments and may have read other "
        "annotators' ratings."
    )
    assert f"{labels[0]} {told}" in page
    assert f"{begin[late].label} {told}" not in page


@pytest.mark.parametrize("by", ["nobody", "themselves", "somebody", "somebody later", "one erased"])
def test_report_names_nobody_for_a_study_in_which_nobody_else_had_said_anything(differing, by):
    """Who has the file plans a study of their own, closes it and names an annotator."""
    own, judged = opened_again(differing), opened_again(differing)
    honest, other = factories.user(), factories.user()
    if by == "themselves":
        work(factories.enrollment(own, account=honest), tasks=1, choose=3)
    if by in ("somebody", "one erased"):
        theirs = factories.enrollment(own, account=other)
        work(theirs, tasks=1, choose=3)
    if by == "one erased":
        erasures.erase_annotator(enrollment=theirs, by=own.created_by, now=timezone.now())
    campaigns.close_campaign(campaign=own, now=timezone.now())
    name_to_settle(own, honest)
    begun = factories.enrollment(judged, account=honest)
    work(begun, tasks=1, choose=3)
    if by == "somebody later":
        campaigns.open_campaign(campaign=own, now=timezone.now())
        work(factories.enrollment(own, account=other), tasks=1, choose=3)
    assert read_others(judged) == ([begun.label] if by in ("somebody", "one erased") else [])


def test_report_names_who_settled_values_before_they_last_judged_however_they_came_to_it(differing):
    """No page lets who judges; older versions did."""
    second = opened_again(differing)
    people = [factories.user() for _ in range(2)]
    early, late = (factories.enrollment(second, account=each) for each in people)
    work(late, tasks=1, choose=3)
    for each in people:
        name_to_settle(differing, each)
        settle(differing, each, 2)
    work(early, tasks=1, choose=3)
    assert read_others(second) == [early.label]


def opened_again(campaign: Campaign) -> Campaign:
    return factories.opened(
        dataset=campaign.dataset, protocol=campaign.protocol, annotators_per_task=4
    )


def name_to_settle(campaign: Campaign, who: User) -> None:
    adjudications.name_adjudicator(
        campaign=campaign, adjudicator=who, threshold=0, by=campaign.created_by, now=timezone.now()
    )


def test_who_leaves_a_study_settles_nothing_in_its_copies_either() -> None:
    draft, leaves = factories.campaign(), factories.researcher()
    copy = factories.campaign(dataset=draft.dataset, manager=draft.created_by)
    DryRun.objects.create(campaign=copy, draft=draft, number=1)
    for role in ("manager", "analyst"):
        campaigns.add_member(campaign=draft, user=leaves, role=role)
    Adjudication.objects.create(campaign=copy, adjudicator=leaves, named_at=timezone.now())
    client = factories.logged_in(leaves)
    address = reverse("judging:settle", args=[copy.uuid])

    campaigns.remove_member(campaign=draft, user=leaves, role="manager")
    assert Adjudication.objects.filter(campaign=copy).exists()  # who analyses still may
    campaigns.remove_member(campaign=draft, user=leaves, role="analyst")

    assert not Adjudication.objects.filter(campaign=copy).exists()
    assert client.get(address).status_code == 404
