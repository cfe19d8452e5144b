"""People whom a crowd platform sends: each scenario from the platform's link to the code it gets
back."""

import time
import warnings
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.members import Enrollment
from judging.crowd.actions import participations
from judging.crowd.models.crowd import CrowdPlatform, Participation
from judging.quality.actions import exclusions
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import crowds, studies
from tests.annotation.crowds import CODES, Person, PreparedStudies, fake, told
from tests.annotation.fakecrowd import Message

pytestmark = pytest.mark.django_db


def states(platform: CrowdPlatform) -> dict[str, int]:
    rows = Assignment.objects.filter(round__campaign=platform.campaign).values_list(
        "state", flat=True
    )
    return {state: list(rows).count(state) for state in set(rows)}


def kept(platform: CrowdPlatform) -> int:
    return (
        Assignment.objects.open()
        .filter(round__campaign=platform.campaign, seat__isnull=False)
        .count()
    )


@pytest.fixture(scope="module")
def prepared(lasting: None) -> PreparedStudies:
    return PreparedStudies((1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 2))


@pytest.fixture
def study(prepared: PreparedStudies, db: None) -> Callable[..., CrowdPlatform]:
    return prepared.of_a_test()


def test_from_the_link_to_the_code(study) -> None:
    platform = study(tasks=3, each=2)
    person = Person(fake(platform)).opens()
    assert person.here() == f"/join/crowd/{platform.key}/"
    person.agrees().looks()
    assert (states(platform), kept(platform)) == ({"held": 1, "open": 2}, 1)
    assert person.finishes().code() == CODES["completed"]
    assert (
        f"https://app.prolific.com/submissions/complete?cc={CODES['completed']}" in person.page.text
    )
    assert Judgment.objects.count() == 4
    assert (person.own().end, states(platform), kept(platform)) == (
        "completed",
        {"submitted": 2, "open": 1},
        0,
    )
    assert Enrollment.objects.get().consented_at is not None


def test_link_leaves_the_ids_neither_in_the_address_bar_nor_in_a_referrer(study) -> None:
    platform = study()
    crowd = fake(platform)
    client = Client()
    answer = client.get(crowd.start("5f1a2b3c4d5e6f7a8b9c0d1e", signed=False))
    assert (answer.status_code, answer.url) == (303, f"/join/crowd/{platform.key}/")
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "5f1a2b3c4d5e6f7a8b9c0d1e" not in client.get(answer.url).text


@pytest.mark.long
def test_page_loaded_again_at_every_step_and_the_back_button_change_nothing(study) -> None:
    platform = study(tasks=3, each=2)
    person = Person(fake(platform)).opens()
    person.opens().agrees()
    person.opens().looks()
    first = person.task()
    person.opens().looks()
    assert person.task() == first
    sent = person.hands_in().here()
    person.client.get(f"/tasks/{first.pk}/")
    person.opens().looks()
    assert person.here() == sent
    code = person.finishes().code()
    assert [person.opens().code(), person.looks().code(), person.opens().code()] == [code] * 3
    assert (Participation.objects.count(), Enrollment.objects.count()) == (1, 1)


def test_two_windows_hand_in_the_last_task_and_show_the_same_code(study) -> None:
    platform = study(tasks=2, each=1)
    person = Person(fake(platform)).joins()
    other = Person(person.crowd, person.pid, person.client).looks()
    assert person.hands_in().code() == other.hands_in().code() == CODES["completed"]
    assert Judgment.objects.count() == 2
    assert Participation.objects.get().end == "completed"


def test_same_id_in_another_browser_goes_on_and_is_no_second_person(study) -> None:
    platform = study(tasks=4, each=2)
    person = Person(fake(platform)).joins().hands_in()
    elsewhere = Person(person.crowd, person.pid).opens()
    assert elsewhere.page.templates[0].name == "annotation/crowd_again.html"
    assert "sessionid" in elsewhere.client.cookies
    # to the log-in: not yet let in
    assert elsewhere.client.get(f"/work/{platform.campaign.uuid}/").status_code == 302
    elsewhere.agrees().looks()
    assert elsewhere.task() == person.task()
    assert elsewhere.finishes().code() == CODES["completed"]
    assert Enrollment.objects.count() == 1


def test_id_of_a_platform_opens_no_account_that_has_a_password(study) -> None:
    platform = study(tasks=4, each=2)
    person = Person(fake(platform)).joins()
    secret = {"new_password1": "a heron at dusk", "new_password2": "a heron at dusk"}
    person.client.post("/work/account/", secret)
    elsewhere = Person(person.crowd, person.pid).opens()
    door = reverse("annotation:crowd", args=[platform.key])
    assert elsewhere.here() == f"/login/?next={door}"
    pressed = elsewhere.client.post(door)
    assert pressed.url == f"/login/?next={door}"
    assert "_auth_user_id" not in elsewhere.client.session
    user = person.own().enrollment.user
    said = {"username": user.username, "password": "a heron at dusk"}
    elsewhere.page = elsewhere.client.post(pressed.url, said, follow=True)
    assert elsewhere.looks().task() == person.looks().task()


@pytest.mark.long
def test_second_submission_of_the_same_person_goes_on(study) -> None:
    platform = study(tasks=4, each=2)
    person = Person(fake(platform)).joins().hands_in()
    before = person.own().session
    person.opens(again=True).looks()
    assert person.own().session != before
    assert person.finishes().code() == CODES["completed"]
    assert Participation.objects.count() == 1


@pytest.mark.long
def test_two_ids_in_one_browser_are_two_people(study) -> None:
    platform = study(tasks=4, each=2)
    crowd, client = fake(platform), Client()
    one, two = Person(crowd, client=client).joins(), Person(crowd, client=client)
    of_one = one.task()
    two.opens().agrees().looks()
    assert two.task() != of_one
    assert client.post(f"/tasks/{of_one.pk}/submit/?step=0", {}).status_code == 404
    assert two.finishes().code() == CODES["completed"]
    one.opens().agrees().looks()
    assert one.task() == of_one
    assert one.finishes().code() == CODES["completed"]
    assert [own.assignments.submitted().count() for own in Enrollment.objects.all()] == [2, 2]


def test_whoever_declines_gets_that_code_and_leaves_no_answer(study) -> None:
    platform = study(tasks=1)
    person = Person(fake(platform)).opens().declines()
    assert person.code() == CODES["no_consent"]
    assert person.opens().code() == CODES["no_consent"]
    assert not Enrollment.objects.exists()
    assert Person(person.crowd).joins().finishes().code() == CODES["completed"]


def test_nobody_begins_without_agreeing(study) -> None:
    person = Person(fake(study())).opens()
    assert person.client.post(person.here(), {}).status_code == 422
    assert not Participation.objects.exists()


def test_whoever_comes_when_all_is_taken_gets_the_code_of_the_full_quota(study) -> None:
    platform = study(tasks=1)
    crowd = fake(platform)
    Person(crowd).joins()
    late = Person(crowd).opens()
    assert late.code() == CODES["quota_full"]
    assert late.opens().code() == CODES["quota_full"]
    assert Enrollment.objects.count() == 1


def test_study_that_is_paused_takes_nobody_and_that_is_closed_is_full(study) -> None:
    platform = study()
    crowd = fake(platform)
    campaigns = type(platform.campaign).objects
    campaigns.update(state="paused")
    waiting = Person(crowd).opens()
    assert (waiting.page.status_code, waiting.code()) == (409, "")
    campaigns.update(state="closed")
    assert waiting.opens().code() == CODES["quota_full"]


def test_whoever_returns_mid_way_frees_their_places_at_once(study) -> None:
    platform = study(tasks=3, each=3)
    crowd = fake(platform)
    gone = Person(crowd).joins().hands_in()
    assert Person(crowd).opens().code() == CODES["quota_full"]
    crowd.gives_back(gone.pid)
    assert (states(platform), kept(platform)) == ({"submitted": 1, "released": 1, "open": 2}, 0)
    assert Person(crowd).joins().finishes().code() == CODES["completed"]
    assert states(platform) == {"submitted": 3, "released": 1}
    assert gone.looks().code() == ""
    assert gone.end() == "left"


@pytest.mark.long
def test_whoever_returned_begins_anew_with_another_submission(study) -> None:
    platform = study(tasks=3, each=3)
    crowd = fake(platform)
    person = Person(crowd).joins().hands_in()
    crowd.gives_back(person.pid)
    assert person.opens().looks().end() == "left"
    person.opens(again=True).looks()
    assert person.finishes().code() == CODES["completed"]
    assert states(platform) == {"submitted": 3}


@pytest.mark.long
def test_returned_before_anybody_came_takes_no_place(study) -> None:
    platform = study(tasks=1)
    crowd = fake(platform)
    person = Person(crowd)
    person.opens()
    crowd.gives_back(person.pid)
    assert person.agrees().end() == "left"
    assert kept(platform) == 0
    assert Person(crowd).joins().finishes().code() == CODES["completed"]


@pytest.mark.long
def test_late_answer_after_time_ran_out_is_taken_and_has_the_code(study) -> None:
    platform = study(tasks=1)
    crowd = fake(platform)
    late = Person(crowd).joins()
    crowd.runs_out(late.pid)
    assert late.hands_in().code() == CODES["completed"]
    assert states(platform) == {"submitted": 1}


def test_late_answer_whose_place_is_gone_is_kept_as_extra_and_has_the_code(study) -> None:
    platform = study(tasks=1)
    crowd = fake(platform)
    late = Person(crowd).joins()
    crowd.runs_out(late.pid)
    assert Person(crowd).joins().finishes().code() == CODES["completed"]
    assert late.hands_in().code() == CODES["completed"]
    assert states(platform) == {"submitted": 1, "extra": 1}
    assert Judgment.objects.count() == 4


@pytest.mark.long
def test_time_that_ran_out_unheard_frees_the_share_and_whoever_comes_back_goes_on_where_something_is_free(
    study,
) -> None:
    platform = study(tasks=2, each=2)
    crowd = fake(platform)
    slow = Person(crowd).joins()
    Participation.objects.update(reserved_until="2020-01-01T00:00Z")
    quick = Person(crowd).joins()
    assert quick.task() is not None
    assert slow.own().left == "expired"
    slow.looks()
    assert slow.code() == CODES["timed_out"]
    assert quick.finishes().code() == CODES["completed"]
    other = study(tasks=2, each=2)
    alone = Person(fake(other)).joins().hands_in()
    Participation.objects.filter(end="").update(reserved_until="2020-01-01T00:00Z")
    Person(alone.crowd).opens()  # sweeps on the way
    assert alone.looks().finishes().code() == CODES["completed"]


def test_screened_out_has_the_code_of_that_and_no_task_more(study) -> None:
    platform = study(tasks=2, each=2)
    person = Person(fake(platform)).joins()
    participations.screen_out(enrollment=Enrollment.objects.get(), now=timezone.now())
    assert person.looks().code() == CODES["screened_out"]
    assert person.opens().code() == CODES["screened_out"]
    assert (states(platform), kept(platform)) == ({"open": 2, "released": 1}, 0)


def test_whoever_is_excluded_while_they_work_is_told_so_and_never_rejected(study) -> None:
    platform = study(tasks=3, each=2)
    person = Person(fake(platform)).joins().hands_in()
    by = platform.campaign.created_by
    exclusions.exclude_annotator(
        enrollment=Enrollment.objects.get(), reason="failed checks", by=by, now=timezone.now()
    )
    assert person.looks().code() == CODES["failed_checks"]
    assert person.end() == "failed_checks"
    assert kept(platform) == 0


@pytest.mark.long
def test_whoever_is_excluded_after_the_last_task_has_the_code_of_the_others(study) -> None:
    platform = study(tasks=2, each=1)
    person = Person(fake(platform)).joins().finishes()
    by = platform.campaign.created_by
    exclusions.exclude_annotator(
        enrollment=Enrollment.objects.get(), reason="failed checks", by=by, now=timezone.now()
    )
    assert person.opens().code() == person.looks().code() == CODES["completed"]


def test_code_is_on_no_page_before_the_last_answer_is_stored(study) -> None:
    platform = study(tasks=2, each=2)
    person = Person(fake(platform)).opens()
    seen = [
        person.page.text,
        person.agrees().page.text,
        person.looks().page.text,
        person.hands_in().page.text,
    ]
    paths = ("start", "guideline", "pause", "done")
    seen += [
        person.client.get(f"/work/{platform.campaign.uuid}/{path}/", follow=True).text
        for path in paths
    ]
    assert not [code for code in CODES.values() for page in seen if code in page]


@pytest.mark.parametrize("pid", ["", "x" * 65, "a b", "a%00b", "<b>", "ü", "a/b", "a'--"])
def test_link_with_an_id_that_is_none_lets_nobody_in(study, pid) -> None:
    platform = study()
    answer = Client().get(
        f"/join/crowd/{platform.key}/", {"PROLIFIC_PID": pid, "STUDY_ID": "s1", "SESSION_ID": "s2"}
    )
    assert answer.status_code == 400
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "sessionid" not in answer.cookies
    assert not Participation.objects.exists()


def test_link_without_ids_or_cookies_says_what_to_do(study) -> None:
    platform = study()
    crowd = fake(platform)
    link = crowd.start("5f1a2b3c4d5e6f7a8b9c0d1e", signed=False)
    without_cookies = Client().get(Client().get(link).url)
    assert without_cookies.status_code == 400
    assert "accepts cookies" in without_cookies.text
    assert Client().get("/join/crowd/nothing/").status_code == 404
    assert Client().put(f"/join/crowd/{platform.key}/").status_code == 405


def test_withdrawal_takes_everything_and_the_share_is_free(study) -> None:
    platform = study(tasks=3, each=3, withdrawal=True)
    person = Person(fake(platform)).joins().hands_in()
    person.client.post(f"/work/{platform.campaign.uuid}/withdraw/")
    assert not Participation.objects.exists()
    assert (states(platform), kept(platform)) == ({"open": 3}, 0)
    assert Person(person.crowd).joins().finishes().code() == CODES["completed"]


@pytest.mark.long
def test_rotated_panel_gives_seats_and_one_that_is_left_goes_to_the_next() -> None:
    material, protocol = factories.dataset(sources=2), factories.protocol(task="question_set")
    panel = {"order": "panel", "annotators_per_task": 1, "consent": "I agree."}
    campaign = factories.opened(dataset=material, protocol=protocol, **panel)
    platform = crowds.platform_of(campaign)
    crowd = fake(platform)
    people = [Person(crowd).joins() for _ in range(2)]
    assert Person(crowd).opens().code() == CODES["quota_full"]
    crowd.gives_back(people[0].pid)
    people.append(Person(crowd).joins())
    assert [person.finishes().code() for person in people[1:]] == [CODES["completed"]] * 2
    assert states(platform)["submitted"] == 4


def test_annotators_who_came_by_a_link_do_not_get_what_is_kept(study) -> None:
    platform = study(tasks=3, each=2, consent="")
    crowd = fake(platform)
    person = Person(crowd).joins()
    client, enrollment = studies.annotator(platform.campaign)
    own = Person(crowd, client=client)
    own.page = client.get(f"/work/{platform.campaign.uuid}/?begin", follow=True)
    own.hands_in()
    assert own.task() is None
    assert enrollment.assignments.submitted().count() == 1
    assert person.finishes().code() == CODES["completed"]
    assert states(platform) == {"submitted": 3}


def test_forged_doubled_and_disordered_messages(study) -> None:
    platform = study(tasks=2, each=2)
    crowd = fake(platform)
    person = Person(crowd).joins()
    returned = crowd.message(person.pid, "RETURNED")
    forged = crowd.message(person.pid, "RETURNED", secret="another")
    assert told(platform, forged) == 400
    assert told(platform, type(returned)(returned.body + b" ", returned.headers)) == 400
    assert told(platform, crowd.message(person.pid, "RETURNED", age=8 * 24 * 3600)) == 400
    assert told(platform, crowd.message(person.pid, "RETURNED", age=-3600)) == 400
    assert (person.own().left, platform.events.count()) == ("", 0)
    assert told(platform, crowd.message("d" * 24, "RETURNED", submission="f" * 24)) == 200
    # of an older submission
    assert told(platform, crowd.message(person.pid, "RETURNED", submission="f" * 24)) == 200
    assert (
        told(
            platform, crowd.message("0" * 24, "RETURNED", submission=crowd.submissions[person.pid])
        )
        == 200
    )
    assert person.own().left == ""
    assert [told(platform, returned) for _ in range(3)] == [200] * 3
    replayed = {**returned.headers, "X-Event-Id": "another"}
    assert told(platform, type(returned)(returned.body, replayed)) == 200
    assert (person.own().left, platform.events.filter(freed=True).count()) == ("returned", 1)
    # from before, heard late
    assert told(platform, crowd.message(person.pid, "ACTIVE", age=60)) == 200
    assert person.own().left == "returned"
    person.opens(again=True).looks()
    # of the submission before
    assert told(platform, type(returned)(returned.body, replayed)) == 200
    assert person.finishes().code() == CODES["completed"]
    assert told(platform, crowd.message(person.pid, "RETURNED")) == 200  # after the end
    assert told(platform, crowd.message(person.pid, "REJECTED")) == 200
    assert person.looks().code() == CODES["completed"]
    assert states(platform)["submitted"] == 2


@pytest.mark.long
@pytest.mark.parametrize(
    "status", ["TIMED-OUT", "TIMED_OUT", "TIMED OUT", "timed-out", "RETURNED", "REJECTED"]
)
def test_states_free_places_however_they_are_written(study, status) -> None:
    platform = study(tasks=2, each=2)
    crowd = fake(platform)
    person = Person(crowd).joins()
    assert told(platform, crowd.message(person.pid, status)) == 200
    assert (person.own().left != "", kept(platform), states(platform)) == (
        True,
        0,
        {"released": 1, "open": 2},
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b"no",
        b"[" * 9000,
        b'{"event_type": 5, "status": [1]}',
        b'{"event_type": "x\\u0000"}',
        b'{"event_type": "\\ud800"}',
        b'{"event_type": "x", "status": "\\udfff"}',
    ],
)
def test_signed_nonsense_changes_nothing(study, body) -> None:
    platform = study()
    assert told(platform, fake(platform).signed(body)) in (200, 400, 413)
    assert not Participation.objects.exists()


def test_a_message_signed_for_a_year_that_no_clock_shows_is_refused(study) -> None:
    platform = study()
    age = int(time.time()) - 999_999_999_999
    assert told(platform, fake(platform).signed(b"{}", age=age)) == 400


@pytest.mark.parametrize("length", [33, 3900])
def test_a_message_to_an_address_that_no_study_has_leaves_nothing_behind(length) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert told(CrowdPlatform(key="x" * length), Message(b"{}", {})) == 404


def test_platform_without_a_secret_takes_no_message(study) -> None:
    platform = study()
    CrowdPlatform.objects.update(webhook_secret="")
    assert told(platform, fake(platform).signed(b"{}", secret="")) == 400


@pytest.mark.long
def test_more_arrivals_than_a_study_has_are_told_to_try_again_unless_the_links_are_signed(
    study, monkeypatch
) -> None:
    monkeypatch.setattr(participations, "MAX_ARRIVALS_PER_MINUTE", 1)
    platform = study(tasks=5)
    crowd = fake(platform)
    Person(crowd).joins()
    assert Person(crowd).opens().agrees().page.status_code == 429
    assert Person(crowd).opens().declines().page.status_code == 429
