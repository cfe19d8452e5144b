"""Who is named in a report as having judged while knowing the systems."""

import pytest
from django.utils import timezone

from analysis.sections import study
from analysis.sections.page import in_short
from judging.actions import campaigns, collections, enrollments
from judging.models import Assignment, Campaign, User
from tests import factories
from tests.analysis.sections import stored
from tests.analysis.sections.computing import records
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def begun(campaign: Campaign, person: User) -> Assignment:
    campaigns.add_member(campaign=campaign, user=person, role="annotator")
    return studies.held(enrollments.enroll(campaign=campaign, user=person))


def handed_in(task: Assignment) -> tuple[str, str]:
    """Submit a task and return its annotator's label and what became of it."""
    client = factories.logged_in(task.enrollment.user)
    client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task))
    task.refresh_from_db()
    return task.enrollment.label, task.state


def unblinded(campaign: Campaign) -> list[str]:
    return study.unblinded(campaign)


def test_unblinded_are_managers_who_judged() -> None:
    campaign, manager = studies.opened(annotators_per_task=3), factories.researcher()
    handed_in(begun(campaign, factories.user()))
    campaigns.add_member(campaign=campaign, user=manager, role="manager")
    task = begun(campaign, manager)
    assert unblinded(campaign) == []
    label, state = handed_in(task)
    assert state == "submitted"
    assert unblinded(campaign) == [label]


def test_unblinded_are_managers_whose_task_came_too_late() -> None:
    campaign = studies.opened()
    task = begun(campaign, campaign.created_by)
    campaigns.close(campaign=campaign, now=timezone.now())
    label, state = handed_in(task)
    assert state == "extra"
    assert unblinded(campaign) == [label]


def test_unblinded_are_former_managers_as_far_as_the_data_can_tell() -> None:
    campaign, other, judge = (
        studies.opened(annotators_per_task=3),
        factories.researcher(),
        factories.user(),
    )
    campaigns.add_member(campaign=campaign, user=other, role="manager")
    maker, excluder = campaign.created_by, factories.researcher()
    labels = [handed_in(begun(campaign, person))[0] for person in (maker, excluder, judge)]
    campaigns.remove_member(campaign=campaign, user=maker, role="manager")
    assert unblinded(campaign) == [labels[0]]
    left_out = campaign.enrollments.get(user=judge)
    enrollments.exclude(enrollment=left_out, reason="A trial.", by=excluder, now=timezone.now())
    assert unblinded(campaign) == labels[:2]


def test_unblinded_are_those_who_gave_a_role_up_before_they_judged_or_see_the_material() -> None:
    campaign = studies.opened(annotators_per_task=5)
    was_analyst, of_another, user_of_it, nobody = (factories.researcher() for _ in range(4))
    campaigns.add_member(campaign=campaign, user=was_analyst, role="analyst")
    campaigns.remove_member(campaign=campaign, user=was_analyst, role="analyst")
    again = factories.campaign(collection=campaign.collection, manager=campaign.created_by)
    campaigns.add_member(campaign=again, user=of_another, role="analyst")
    collections.share(collection=campaign.collection, user=user_of_it)
    used_it, owner = factories.researcher(), campaign.collection.owner
    collections.share(collection=campaign.collection, user=used_it)
    collections.end_use(collection=campaign.collection, user=used_it, now=timezone.now())
    collections.hand_over(collection=campaign.collection, to=user_of_it)
    collections.end_use(collection=campaign.collection, user=owner, now=timezone.now())
    people = (was_analyst, of_another, user_of_it, used_it, nobody)
    labels = [handed_in(begun(campaign, person))[0] for person in people]
    assert unblinded(campaign) == labels[:4]


def test_unblinded_are_analysts_who_judged() -> None:
    campaign, analyst = studies.opened(annotators_per_task=3), factories.researcher()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst")
    label, _ = handed_in(begun(campaign, analyst))
    assert unblinded(campaign) == [label]


def test_an_unfinished_study_says_how_many_places_were_filled() -> None:
    campaign = studies.opened(annotators_per_task=3)
    handed_in(begun(campaign, factories.user()))
    [row] = records(study.Study, campaign)
    places = campaign.rounds.get(kind="main").tasks.count() * 3
    assert (row["filled"], row["places"], row["sources_judged"]) == (1, places, 1)
    told = " ".join(study.Study().sentences(stored.found(about=[row])))
    assert (
        f"1 of {places} places were handed in, and 1 of {row['sources']} sources have judgments"
        in told
    )


@pytest.mark.parametrize(
    ("origin", "word"), [("simulated", "not by people"), ("imported", "not collected here")]
)
def test_origin_that_is_not_people_here_is_said_first(origin: str, word: str) -> None:
    found = in_short(stored.found(about=[stored.about(origin=origin)]))
    assert found[0]["about"] == "Study"
    assert word in found[0]["text"]


def test_ratings_by_people_here_need_no_word_on_their_origin() -> None:
    assert in_short(stored.found()) == []


def test_nothing_judged_is_said() -> None:
    told = in_short(stored.found(about=[stored.about(judgments=0)]))
    assert "Nobody has judged anything yet" in told[0]["text"]


def test_means_without_ratings_are_not_called_a_study_nobody_judged() -> None:
    told = in_short(stored.found(about=[stored.about(origin="imported", judgments=0)]))
    assert told[0]["text"].startswith("What people said was imported as means over annotators")
    assert "Nobody" not in told[0]["text"]


def test_sources_that_nobody_judged_are_said() -> None:
    told = in_short(stored.found(about=[stored.about(sources=50, sources_judged=12)]))
    assert "12 of 50 sources have judgments" in told[0]["text"]
