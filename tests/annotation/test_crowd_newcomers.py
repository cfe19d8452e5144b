"""Newcomers from a crowd platform who do nothing, and people whom a full study turned away: a share
is kept for those who are there, and a full study ends a submission, not a person."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.crowd.actions import crowd_platforms, participations
from judging.crowd.models.crowd import CrowdPlatform, Participation
from judging.people.models.user import User, Visit
from judging.quality.actions import exclusions
from judging.quality.models.exercise import Exercise
from judging.work.actions import assignments
from tests import factories
from tests.annotation import studies
from tests.annotation.crowds import CODES, Person, PreparedStudies, fake, platform_of
from tests.judging.quality.actions.test_qualifications import item
from tests.refusing import refused

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def prepared(lasting: None) -> PreparedStudies:
    return PreparedStudies((1, 1), (2, 2))


@pytest.fixture
def study(prepared: PreparedStudies, db: None) -> Callable[..., CrowdPlatform]:
    return prepared.of_a_test()


def minutes_pass(minutes: int, *people: Person) -> int:
    """Let all that is kept of time lie so much further back, also in the sessions of these people;
    return how many shares are due then."""
    by = timedelta(minutes=minutes)
    Participation.objects.update(
        came_at=F("came_at") - by,
        reserved_until=F("reserved_until") - by,
        ended_at=F("ended_at") - by,
    )
    Visit.objects.update(seen_at=F("seen_at") - by)
    Assignment.objects.update(
        last_seen_at=F("last_seen_at") - by,
        lease_expires_at=F("lease_expires_at") - by,
        submitted_at=F("submitted_at") - by,
    )
    for person in people:
        session = person.client.session
        session["seen"] -= minutes * 60
        session.save()
    return participations.free_due_shares(now=timezone.now())


def rows_of(person: Person) -> list[tuple[str, bool]]:
    """Return the ends of a person's rows, the earliest first, and whether it is the one with their
    work."""
    theirs = person.rows().order_by("came_at", "pk")
    return [(row.end, row.enrollment_id is not None) for row in theirs]


def work_of(person: Person) -> Person:
    """Lead somebody with several submissions to wherever their work is now."""
    uuid = person.platform().campaign.uuid
    person.page = person.client.get(f"/work/{uuid}/?begin", follow=True)
    return person


def returns(person: Person, submission: str) -> Person:
    """Open the study with an earlier submission."""
    person.crowd.submissions[person.pid] = submission
    return person.opens()


# ---- who does nothing


@pytest.mark.long
def test_stranger_who_agrees_and_does_nothing_keeps_a_study_full_for_a_quarter_of_an_hour(
    study,
) -> None:
    platform = study(tasks=1)
    crowd = fake(platform)
    stranger = Person(crowd).joins()
    assert minutes_pass(10, stranger) == 0
    assert Person(crowd).opens().code() == CODES["quota_full"]
    minutes_pass(10)
    honest = Person(crowd).joins()
    assert stranger.own().left == "expired"
    assert honest.finishes().code() == CODES["completed"]


def test_stranger_who_never_opens_a_page_after_the_door_keeps_nothing_longer(study) -> None:
    platform = study(tasks=1)
    stranger = Person(fake(platform)).opens()
    stranger.client.post(stranger.here(), {"agree": "on"})
    assert not Visit.objects.exists()
    assert minutes_pass(10) == 0
    assert minutes_pass(10) == 1


def test_share_is_kept_no_longer_than_the_platform_says_however_often_somebody_is_there(
    study,
) -> None:
    platform = study(tasks=2)
    person = Person(fake(platform)).joins()
    Participation.objects.update(reserved_until=timezone.now() + timedelta(minutes=20))
    assert minutes_pass(10, person) == 0
    person.looks()
    assert minutes_pass(11, person) == 1


@pytest.mark.long
@pytest.mark.parametrize("page", ["guideline", "start", "pause", "done", "consent", "here", "task"])
def test_every_request_is_a_sign_of_life(study, page) -> None:
    platform = study(tasks=1)
    person = Person(fake(platform)).joins()
    task, uuid = person.task(), platform.campaign.uuid
    address = {"here": "/work/here/", "task": f"/tasks/{task.pk}/"}.get(
        page, f"/work/{uuid}/{page}/"
    )
    for _ in range(2):
        assert minutes_pass(10, person) == 0
        assert person.client.get(address).status_code in (200, 204, 302)
    assert minutes_pass(10, person) == 0
    assert person.looks().finishes().code() == CODES["completed"]


@pytest.mark.long
def test_first_long_task_stays_somebodys_own_while_its_page_is_open(study) -> None:
    platform = study(tasks=1)
    person = Person(fake(platform)).joins()
    for _ in range(4):
        assert minutes_pass(10, person) == 0
        person.client.get("/work/here/")
        assignments.release_expired()  # the lease of the task is over, the place stays theirs
    assert Person(person.crowd).opens().code() == CODES["quota_full"]
    assert person.hands_in().code() == CODES["completed"]
    assert person.own().enrollment.assignments.get().state == "submitted"


def test_draft_that_is_saved_is_a_sign_of_life(study) -> None:
    platform = study(tasks=1)
    person = Person(fake(platform)).joins()
    minutes_pass(10, person)
    own = Assignment.objects.select_related("task", "enrollment", "round__campaign__protocol").get(
        state="held"
    )
    [(name, value), *_rest] = [
        pair for pair in studies.filled(own).items() if pair[0].startswith("q")
    ]
    sent = {"name": name, "value": value, "sequence": 1}
    assert person.client.post(f"/tasks/{own.pk}/draft/", sent).status_code == 204
    Visit.objects.all().delete()  # as where a browser was logged out: what was saved counts
    assert minutes_pass(10, person) == 0


@pytest.mark.long
def test_training_and_qualification_take_as_long_as_they_take() -> None:
    campaign = factories.campaign(
        dataset=factories.dataset(sources=1, systems=("Alba",)),
        annotators_per_task=1, tasks_per_annotator=1, consent="I agree.", tries=2,
    )  # fmt: skip
    item(campaign, kind=Exercise.Kind.TRAINING)
    item(campaign)
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    campaigns.open_campaign(campaign=campaign, now=timezone.now())
    platform = platform_of(Campaign.objects.get(pk=campaign.pk))
    person = Person(fake(platform)).joins()
    training, gate = (
        reverse(f"annotation:{name}", args=[platform.campaign.uuid])
        for name in ("training", "qualification")
    )
    assert person.here() == training
    right = {"i1.grammaticality": 3, "i1.correctness": 3}
    for address, sent in ((training, right), (gate, right | {"number": 1})):
        assert minutes_pass(10, person) == 0
        assert person.client.post(address, sent, follow=True).status_code == 200
    assert minutes_pass(10, person) == 0
    assert person.looks().finishes().code() == CODES["completed"]


def test_whoever_has_handed_in_keeps_the_share_as_long_as_the_platform_says(study) -> None:
    platform = study(tasks=2, each=2)
    person = Person(fake(platform)).joins().hands_in()
    assert minutes_pass(80, person) == 0
    assert minutes_pass(11, person) == 1


@pytest.mark.long
def test_who_comes_back_after_a_lapse_gets_a_share_again_where_nobody_took_it(study) -> None:
    platform = study(tasks=2, each=2)
    person = Person(fake(platform)).joins()
    assert minutes_pass(17, person) == 1
    assert (person.own().left, person.own().share) == ("expired", 2)
    assert person.looks().task() is not None
    assert minutes_pass(10, person) == 0  # from then on as somebody new
    assert person.looks().finishes().code() == CODES["completed"]


@pytest.mark.long
def test_answer_to_the_first_task_is_taken_after_a_lapse(study) -> None:
    platform = study(tasks=2, each=2)
    person = Person(fake(platform)).joins()
    assert minutes_pass(17, person) == 1
    assert person.hands_in().looks().finishes().code() == CODES["completed"]


def test_who_opens_a_page_while_their_share_is_about_to_lapse_keeps_it(study, monkeypatch) -> None:
    platform = study(tasks=1)
    person = Person(fake(platform)).joins()
    locked = participations._locked

    def looks_before_the_lock(own: Participation, **how: Any) -> Participation:
        Visit.objects.update(seen_at=timezone.now())
        return locked(own, **how)

    monkeypatch.setattr(participations, "_locked", looks_before_the_lock)
    assert minutes_pass(17, person) == 0
    assert person.own().left == ""


def test_pages_of_annotators_say_that_they_are_open_unless_an_account_has_a_password(study) -> None:
    platform = study(tasks=1)
    person = Person(fake(platform)).joins()
    pages = [person.page.text]
    for name in ("guideline", "start"):
        pages.append(person.client.get(f"/work/{platform.campaign.uuid}/{name}/").text)
    assert all('data-here="/work/here/"' in page for page in pages)
    assert person.client.get("/work/here/").status_code == 204
    user = User.objects.get(enrollments__isnull=False)
    user.set_password("a heron at dusk")
    user.save()
    person.client.force_login(user)
    assert "data-here" not in person.looks().page.text  # an open page would keep it from idling
    assert Client().get("/work/here/").status_code == 302


# ---- whom a full study turned away


def full(study: Callable[..., CrowdPlatform]) -> tuple[CrowdPlatform, Person, Person]:
    """Return a study whose one share is somebody's, and a person who was turned away."""
    platform = study(tasks=1)
    crowd = fake(platform)
    holder, late = Person(crowd).joins(), Person(crowd).opens()
    assert late.code() == CODES["quota_full"]
    return platform, holder, late


def test_full_study_ends_a_submission_and_not_the_person(study) -> None:
    platform, holder, late = full(study)
    first = late.crowd.submissions[late.pid]
    holder.crowd.gives_back(holder.pid)
    assert late.opens().code() == CODES["quota_full"]  # the same submission: it may be claimed
    late.opens(again=True)
    assert late.here() == f"/join/crowd/{platform.key}/"
    assert "I agree." in late.page.text
    work_of(late.agrees())
    assert late.finishes().code() == CODES["completed"]
    assert returns(late, first).code() == CODES["quota_full"]
    assert rows_of(late) == [("quota_full", False), ("completed", True)]
    counted = crowd_platforms.platform_standing(platform)
    assert (counted.came, counted.at_work, counted.left) == (2, 0, 1)
    assert (counted.ends["quota_full"], counted.ends["completed"]) == (1, 1)


def test_study_that_is_full_still_turns_a_new_submission_away_too(study) -> None:
    platform, _holder, late = full(study)
    assert late.opens(again=True).code() == CODES["quota_full"]
    assert late.opens().code() == CODES["quota_full"]
    counted = crowd_platforms.platform_standing(platform)
    assert (counted.came, counted.at_work, counted.ends["quota_full"]) == (2, 1, 2)
    assert Enrollment.objects.count() == 1


@pytest.mark.long
def test_who_was_turned_away_may_decline_with_another_submission_and_that_is_final(study) -> None:
    _platform, holder, late = full(study)
    holder.crowd.gives_back(holder.pid)
    assert late.opens(again=True).declines().code() == CODES["no_consent"]
    assert late.opens(again=True).code() == CODES["no_consent"]


@pytest.mark.long
def test_submission_that_was_given_back_on_the_way_here_takes_no_share(study) -> None:
    _platform, holder, late = full(study)
    holder.crowd.gives_back(holder.pid)
    late.opens(again=True)
    late.crowd.gives_back(late.pid)
    assert late.agrees().end() == "left"


@pytest.mark.long
@pytest.mark.parametrize("gone", ["returns", "lapses"])
def test_who_did_nothing_and_found_the_study_full_later_may_come_once_more(study, gone) -> None:
    platform = study(tasks=1)
    crowd = fake(platform)
    person = Person(crowd).joins()
    label = person.own().enrollment.label
    if gone == "returns":
        crowd.gives_back(person.pid)
    else:
        minutes_pass(17, person)
    holder = Person(crowd).joins()
    assert person.opens(again=True).code() == CODES["quota_full"]
    second = crowd.submissions[person.pid]
    crowd.gives_back(holder.pid)
    assert person.opens().code() == CODES["quota_full"]
    work_of(person.opens(again=True))
    assert person.finishes().code() == CODES["completed"]
    assert rows_of(person) == [("quota_full", False), ("completed", True)]
    assert Enrollment.objects.get(participation__end="completed").label == label
    assert returns(person, second).code() == CODES["quota_full"]


@pytest.mark.long
def test_who_did_nothing_is_turned_away_again_where_the_study_is_full_still(study) -> None:
    platform = study(tasks=1)
    crowd = fake(platform)
    person = Person(crowd).joins()
    crowd.gives_back(person.pid)
    Person(crowd).joins()
    codes = [person.opens(again=True).code() for _ in range(3)]
    assert codes == [CODES["quota_full"]] * 3
    counted = crowd_platforms.platform_standing(platform)
    assert (counted.came, counted.ends["quota_full"]) == (2, 3)
    Campaign.objects.update(state="paused")
    assert person.opens(again=True).page.status_code == 409
    Campaign.objects.update(state="closed")
    assert person.opens(again=True).code() == CODES["quota_full"]


@pytest.mark.long
def test_who_was_left_out_meanwhile_gets_no_share_by_another_submission(study) -> None:
    platform = study(tasks=1)
    crowd = fake(platform)
    person = Person(crowd).joins()
    crowd.gives_back(person.pid)
    holder = Person(crowd).joins()
    person.opens(again=True)
    exclusions.exclude_annotator(
        enrollment=Enrollment.objects.get(participation__end="quota_full"),
        reason="a twin",
        by=platform.campaign.created_by,
        now=timezone.now(),
    )
    crowd.gives_back(holder.pid)
    assert person.opens(again=True).code() == CODES["quota_full"]


def test_full_study_ends_it_for_whoever_has_handed_in(study) -> None:
    platform = study(tasks=2, each=2)
    crowd = fake(platform)
    person = Person(crowd).joins().hands_in()
    crowd.gives_back(person.pid)
    holder = Person(crowd).joins().hands_in()
    assert person.opens(again=True).code() == CODES["quota_full"]
    crowd.gives_back(holder.pid)
    assert person.opens(again=True).code() == CODES["quota_full"]
    assert rows_of(person) == [("quota_full", True)]


@pytest.mark.long
def test_seat_of_a_panel_that_comes_free_is_for_whoever_comes_with_another_submission() -> None:
    material, protocol = factories.dataset(sources=2), factories.protocol(task="question_set")
    panel = {"order": "panel", "annotators_per_task": 1, "consent": "I agree."}
    platform = platform_of(factories.opened(dataset=material, protocol=protocol, **panel))
    crowd = fake(platform)
    people = [Person(crowd).joins() for _ in range(2)]
    crowd.gives_back(people[0].pid)
    Person(crowd).joins()
    assert people[0].opens(again=True).code() == CODES["quota_full"]
    crowd.gives_back(people[1].pid)
    work_of(people[0].opens(again=True))
    assert people[0].finishes().code() == CODES["completed"]


@pytest.mark.long
def test_code_that_was_shown_to_somebody_stays_though_they_were_let_in_later(study) -> None:
    platform, holder, late = full(study)
    holder.crowd.gives_back(holder.pid)
    work_of(late.opens(again=True).agrees())
    before = crowd_platforms.platform_settings(platform)
    changed = replace(before, codes=CODES | {"quota_full": "ANOTHER"})
    with refused("setting_fixed"):
        crowd_platforms.change_platform(
            platform=platform, settings=changed, by=platform.campaign.created_by
        )


def test_who_withdraws_leaves_no_submission_behind_by_which_they_were_turned_away(study) -> None:
    platform = study(tasks=1, withdrawal=True)
    crowd = fake(platform)
    holder, late = Person(crowd).joins(), Person(crowd).opens()
    crowd.gives_back(holder.pid)
    work_of(late.opens(again=True).agrees())
    late.client.post(f"/work/{platform.campaign.uuid}/withdraw/")
    assert rows_of(late) == []


def test_platform_without_submissions_turns_a_person_away_for_good(study) -> None:
    platform = study(tasks=1)
    CrowdPlatform.objects.update(session_param="")
    crowd = fake(platform)
    holder, late = Person(crowd).joins(), Person(crowd).opens()
    participations.free_left_share(
        participation=holder.own(), session="", left="returned", now=timezone.now()
    )
    assert late.opens(again=True).code() == CODES["quota_full"]
