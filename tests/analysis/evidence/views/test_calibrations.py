"""The page of a calibration round: differences of more than one rank, alpha round by round, and who
is missing."""

import pytest
from django.urls import reverse

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis.evidence.actions import calibrations
from analysis.evidence.rounds import compare_ratings
from judging.campaigns.actions import campaigns, discussions, rounds
from judging.campaigns.models.campaign import Campaign, Round, TaskUnit
from judging.campaigns.models.guideline import GuidelineVersion
from judging.campaigns.models.members import Enrollment
from judging.enrolments.actions import enrollments
from judging.quality.actions import exclusions
from tests import factories
from tests.judging.trials import NOW, begun, judged
from tests.working import carry_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return factories.campaign(dataset=factories.dataset(sources=8))


@pytest.fixture
def people(campaign) -> list[Enrollment]:
    return [enrollments.enroll(campaign=campaign, user=factories.user()) for _ in range(2)]


def opposed(text: str, key: str) -> int:
    """Say 1 of the correctness of one system's questions, 2 of its grammaticality, else 3."""
    if "Alba" not in text:
        return 3
    return 1 if key == "correctness" else 2


def closed(campaign: Campaign, people: list[Enrollment], *says) -> Round:
    round = begun(campaign)
    for each, say in zip(people, says, strict=True):
        judged(each, round, say)
    rounds.end_round(round=round, by=campaign.created_by, now=NOW)
    return Round.objects.select_related("campaign").get(pk=round.pk)


def all_three(text: str, key: str) -> int:
    return 3


def page(campaign: Campaign, round: Round) -> str:
    """Return the page after the jobs that it began."""
    client = factories.logged_in(campaign.created_by)
    address = reverse("analysis:calibration", args=[campaign.uuid, round.pk])
    client.get(address)
    for job in campaign.jobs.unfinished().filter(kind=calibrations.KIND):
        assert carry_out(job).error == ""
    return client.get(address).text


def test_differences_are_those_of_more_than_one_rank_with_who_said_what(campaign, people) -> None:
    round = closed(campaign, people, all_three, opposed)
    found = compare_ratings(round)
    # two sources, two systems, two criteria: Alba's correctness is 3 against 1, its grammaticality
    # 3 against 2
    assert (found.judged, found.equal, len(found.differences)) == (8, 4, 2)
    assert found.within == 0.75
    assert {each.criterion.key for each in found.differences} == {"correctness"}
    first = found.differences[0]
    assert first.apart == 2
    assert [(voice.annotator, voice.value, voice.label) for voice in first.said] == [
        ("A01", 3, "yes"),
        ("A02", 1, "no"),
    ]


def test_rounds_stand_side_by_side_and_the_rule_says_when_to_stop(campaign, people) -> None:
    first = closed(campaign, people, all_three, opposed)
    text = page(campaign, first)
    assert "75% within one rank" in text
    second = closed(campaign, people, opposed, opposed)
    text = page(campaign, second)
    assert "<b>2 → 0</b>" in text
    measures = calibrations.measured(campaign)
    assert [each.is_enough for each in measures] == [False, True]
    assert measures[1].alphas["correctness"].value == 1.0
    assert measures[0].alphas["correctness"].value < 0.5
    # the questions of these tests name it
    assert "Alba" not in page(campaign, second).replace("asks Alba", "")


def test_calibration_alphas_are_computed_once_by_a_job(campaign, people) -> None:
    trial = closed(campaign, people, all_three, opposed)
    client = factories.logged_in(campaign.created_by)
    address = reverse("analysis:calibration", args=[campaign.uuid, trial.pk])
    for _ in range(2):
        waiting = client.get(address).text
    job = campaign.jobs.get(kind=calibrations.KIND)
    assert reverse("judging:job", args=[job.pk]) in waiting
    assert carry_out(job).state == "done"
    [measure] = calibrations.measured(campaign)
    assert set(measure.alphas) == {"grammaticality", "correctness"}
    text = client.get(address).text
    assert campaign.jobs.filter(kind=calibrations.KIND).count() == 1
    place = round(50 * (1 + measure.alphas["correctness"].value), 2)
    assert f'class="estimate" x1="{place}"' in text  # on an axis from -1 to 1
    assert "95% intervals" not in text  # of two sources


@pytest.mark.long
def test_calibration_alphas_are_computed_again_after_an_exclusion(campaign, people) -> None:
    round = closed(campaign, people, all_three, opposed)
    page(campaign, round)
    exclusions.exclude_annotator(
        enrollment=people[1], reason="asleep", by=campaign.created_by, now=NOW
    )
    assert calibrations.measured(campaign)[0].alphas == {}
    page(campaign, round)
    [measure] = calibrations.measured(campaign)
    assert not measure.alphas["correctness"].defined


@pytest.mark.long
def test_calibration_alphas_of_other_judgments_than_asked_for_are_not_shown(
    campaign, people
) -> None:
    round = closed(campaign, people, all_three, opposed)
    client = factories.logged_in(campaign.created_by)
    client.get(reverse("analysis:calibration", args=[campaign.uuid, round.pk]))
    about = {"enrollment": people[1], "by": campaign.created_by, "now": NOW}
    exclusions.exclude_annotator(reason="asleep", **about)
    carry_out(campaign.jobs.get(kind=calibrations.KIND))
    exclusions.readmit(**about)
    assert calibrations.measured(campaign)[0].alphas == {}
    page(campaign, round)
    assert calibrations.measured(campaign)[0].alphas["correctness"].defined


@pytest.mark.long
def test_annotators_who_are_left_out_make_no_difference(campaign, people) -> None:
    round = closed(campaign, people, all_three, opposed)
    exclusions.exclude_annotator(
        enrollment=people[1], reason="asleep", by=campaign.created_by, now=NOW
    )
    assert compare_ratings(round).judged == 0


def test_open_round_shows_no_value_and_says_who_is_missing(campaign, people) -> None:
    round = begun(campaign)
    judged(people[0], round, opposed, most=1)
    text = page(campaign, round)
    assert "A01 submitted 1 of 2 tasks" in text
    assert "A02 submitted 0 of 2 tasks" in text
    assert "Differences between annotators</h3>" not in text


@pytest.mark.long
def test_round_that_nobody_finished_is_not_enough_and_says_so(campaign, people) -> None:
    round = begun(campaign)
    judged(people[0], round, all_three)
    judged(people[1], round, all_three, most=1)
    rounds.end_round(round=round, by=campaign.created_by, now=NOW)
    [measure] = calibrations.measured(campaign)
    assert (measure.is_complete, measure.is_enough) == (False, False)
    assert "A02 submitted 1 of 2 tasks" in page(campaign, round)


def test_scale_without_order_and_what_is_asked_once_for_a_set(people) -> None:
    protocol = factories.protocol("qgstec2010-b")
    material = factories.dataset(sources=4, systems=("Alba",), expected=2)
    campaign = factories.campaign(dataset=material, protocol=protocol)
    own = [enrollments.enroll(campaign=campaign, user=factories.user()) for _ in range(2)]
    lenient = closed(
        campaign,
        own,
        lambda text, key: 1,
        lambda text, key: 3 if key in ("relevance", "variety") else 1,
    )
    found = compare_ratings(lenient)
    by_key: dict[str, int] = {}
    for each in found.differences:
        by_key[each.criterion.key] = by_key.get(each.criterion.key, 0) + 1
    once = [each.key for each in protocol.criteria.all() if each.asked == "once_per_set"]
    assert once == ["variety"]
    assert by_key["variety"] == 2  # of two sets, not of four questions
    assert by_key["relevance"] == 4


def test_notes_become_the_next_version_that_annotators_read(campaign, people) -> None:
    round = closed(campaign, people, all_three, opposed)
    client = factories.logged_in(campaign.created_by)
    difference = compare_ratings(round).differences[0]
    field = f"note-{difference.criterion.pk}-{difference.unit}"
    html = page(campaign, round)
    assert f'name="{field}"' in html
    units = TaskUnit.objects.filter(task__round=round).values_list("unit", flat=True)
    assert not any(f'-{unit}"' in html for unit in units)  # in the order of the file
    notes = reverse("judging:round_notes", args=[campaign.uuid, round.pk])
    client.post(
        notes, {field: "A name is enough.", "note-999-0": "no such criterion", "note-x-1": "odd"}
    )
    assert [each.text for each in round.notes.all()] == ["A name is enough."]
    text = page(campaign, round)
    assert "- Correctness: A name is enough." in text
    assert text.count("A name is enough.") == 2
    decide = reverse("judging:decide", args=[campaign.uuid, round.pk])
    client.post(decide, {"text": "- Correctness: A name is enough."})
    client.post(decide, {"text": "- Correctness: A name is enough."})
    assert GuidelineVersion.objects.filter(campaign=campaign).count() == 1
    reader = factories.logged_in(people[0].user)
    assert (
        "A name is enough."
        in reader.get(reverse("annotation:guideline", args=[campaign.uuid])).text
    )
    begun(campaign)
    judging = reader.get(
        reverse("annotation:work", args=[campaign.uuid]) + "?begin", follow=True
    ).text
    assert "A name is enough." in judging
    assert "decisions 1" in reader.get(reverse("annotation:guideline", args=[campaign.uuid])).text
    client.post(notes, {field: "  "})
    assert not round.notes.exists()


def test_lock_fixes_the_decisions_and_names_them_in_the_protocol(campaign, people) -> None:
    round = closed(campaign, people, all_three, opposed)
    discussions.store_decisions(
        campaign=campaign, text="- Ask twice.", round=round, by=campaign.created_by, now=NOW
    )
    campaigns.lock_plan(campaign=campaign, now=NOW)
    assert campaign.locked_plan["texts"]["decisions"] == {"version": 1, "text": "- Ask twice."}
    with pytest.raises(discussions.GuidelineLocked):
        discussions.store_decisions(
            campaign=campaign, text="- No.", round=round, by=campaign.created_by, now=NOW
        )
    text = page(campaign, round)
    assert "- Ask twice." in text
