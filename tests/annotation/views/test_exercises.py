"""Training and qualification as annotators meet them, and that no address leads past them."""

import pytest
from django.test import Client
from django.urls import reverse

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.enrolments.actions import enrollments
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.annotation.crowds import CODES, Person, fake, platform_of
from tests.judging.quality.actions.test_qualifications import opened

pytestmark = pytest.mark.django_db
RIGHT = {"i1.grammaticality": 3, "i1.correctness": 3}
WRONG = {"i1.grammaticality": 1, "i1.correctness": 1}


def entered(who: Enrollment) -> Client:
    return factories.logged_in(who.user)


def at(name: str, campaign: Campaign) -> str:
    return reverse(f"annotation:{name}", args=[campaign.uuid])


def work(client: Client, campaign: Campaign) -> str:
    return str(client.get(at("work", campaign) + "?begin").headers.get("Location", ""))


def test_training_tells_what_is_right_and_why_and_keeps_no_answer() -> None:
    campaign, who = opened("training")
    client = entered(who)
    assert work(client, campaign) == at("training", campaign)
    assert "It asks for her." not in client.get(at("training", campaign)).text
    wrong = client.post(at("training", campaign), WRONG).text
    assert "not quite" in wrong
    assert "It asks for her." in wrong
    assert "<b>3</b> yes" in wrong
    assert "not quite" not in client.post(at("training", campaign), RIGHT).text
    assert not Judgment.objects.exists()
    assert "/tasks/" in work(client, campaign)


def test_training_without_an_answer_is_not_done() -> None:
    campaign, who = opened("training")
    client = entered(who)
    for sent in (
        {},
        {"i1.grammaticality": 3},
        RIGHT | {"i1.correctness": 31},
        RIGHT | {"i1.correctness": "x"},
    ):
        answer = client.post(at("training", campaign), sent)
        assert answer.status_code == 422
        assert "It asks for her." not in answer.text
    assert work(client, campaign) == at("training", campaign)
    for item in ("0", "2", "9" * 30):
        found = client.get(at("training", campaign) + f"?item={item}").status_code
        assert found == (200 if len(item) > 5 else 404)


def test_qualification_failed_passed_and_never_in_between() -> None:
    campaign, who = opened("qualification", contact="Ada")
    client, address = entered(who), at("qualification", campaign)
    assert work(client, campaign) == address
    assert client.get(address).context["standing"].left == 2
    assert client.get(address + "?item=1").text.count("<article") == 1
    assert client.post(address, RIGHT | {"i1.correctness": ""} | {"number": 1}).status_code == 422
    assert not who.tries.exists()
    failed = client.post(address, WRONG | {"number": 1}, follow=True)
    assert (failed.context["last"].right, failed.context["last"].asked) == (0, 2)
    assert failed.context["standing"].left == 1
    assert "It asks for her." not in failed.text
    client.post(address, RIGHT | {"number": 1})  # the same page again, from another tab
    assert work(client, campaign) == address
    passed = client.post(address, RIGHT | {"number": 2}, follow=True)
    assert passed.context["standing"].outcome == "passed"
    assert "/tasks/" in work(client, campaign)


def test_who_used_up_the_tries_is_told_kindly_and_gets_no_task() -> None:
    campaign, who = opened("qualification", tries=1, contact="Ada Lind")
    client = entered(who)
    told = client.post(at("qualification", campaign), WRONG | {"number": 1}, follow=True)
    assert told.context["standing"].outcome == "failed"
    assert "Ada Lind" in told.text
    client.post(at("qualification", campaign), RIGHT | {"number": 2})
    client.post(at("qualification", campaign), RIGHT | {"number": "x"})
    assert work(client, campaign) == at("qualification", campaign)
    assert not Assignment.objects.filter(enrollment=who).exists()


def test_no_address_leads_past_the_gate() -> None:
    """Nor does a page of a task that somebody else holds, or one held before: none can be held."""
    campaign, who = opened("training", "qualification")
    client = entered(who)
    other = enrollments.enroll(campaign=campaign, user=factories.user())
    Enrollment.objects.filter(pk=other.pk).update(
        qualified_at="2026-01-01T00:00Z", trained_at="2026-01-01T00:00Z"
    )
    theirs = studies.held(Enrollment.objects.select_related("campaign").get(pk=other.pk))
    places = [theirs.pk, *Assignment.objects.filter(state="open").values_list("pk", flat=True)[:2]]
    for pk in places:
        assert client.get(reverse("annotation:task", args=[pk])).status_code == 404
        assert (
            client.post(reverse("annotation:draft", args=[pk]), {"q1.correctness": 3}).status_code
            == 404
        )
        assert client.post(reverse("annotation:submit", args=[pk]) + "?step=0").status_code == 404
    for name in ("work", "done", "pause", "start", "hand_in_again", "qualification"):
        client.get(at(name, campaign), follow=True)
        client.post(at(name, campaign), RIGHT | {"number": 1}, follow=True)
    assert client.get(at("work", campaign) + "?begin").headers["Location"] == at(
        "training", campaign
    )
    assert not who.tries.exists()  # training comes first
    assert not Assignment.objects.filter(enrollment=who).exists()


def test_who_comes_by_a_platform_and_fails_gets_the_code_for_that() -> None:
    campaign, _who = opened("qualification", tries=1, consent="I agree.", tasks_per_annotator=1)
    platform = platform_of(campaign)
    person = Person(fake(platform)).opens().agrees().looks()
    address = reverse("annotation:qualification", args=[platform.campaign.uuid])
    assert person.here() == address
    person.page = person.client.post(address, WRONG | {"number": 1}, follow=True)
    assert person.code() == CODES["screened_out"]
    assert person.looks().code() == CODES["screened_out"]
