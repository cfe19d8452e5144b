"""A crowd annotator's whole way through what a study can put on it: the platform's link, consent,
a qualification failed and passed, tasks with hidden repeats, and the one code."""

import re
from html import unescape

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse

from judging.campaigns import quality_plan
from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.campaigns.quality_plan import QualityPlan
from judging.crowd import crowd_kinds
from judging.crowd.actions import crowd_platforms, participations
from judging.crowd.models.crowd import CrowdPlatform, Participation
from judging.quality.actions import snapshots
from tests import factories
from tests.annotation import studies
from tests.annotation.crowds import CODES, Person, fake, platform_of
from tests.annotation.fakecrowd import FakeConnect, FakeCrowd, FakeSona
from tests.judging.quality.actions.test_qualifications import item

pytestmark = pytest.mark.django_db
RIGHT = {"i1.grammaticality": 3, "i1.correctness": 3}
WRONG = {"i1.grammaticality": 1, "i1.correctness": 1}


@pytest.fixture
def platform():
    """Return the platform of a study of six tasks to each annotator, with a qualification before
    them and a hidden repeat after every task that lies more than one back."""
    campaign = factories.campaign(
        dataset=factories.dataset(sources=6, systems=("Alba",)),
        annotators_per_task=1, tasks_per_annotator=6, consent="I agree.", tries=2,
    )  # fmt: skip
    plan = quality_plan.quality_plan_to_document(QualityPlan(repeats=100, gap=1))
    campaigns.change_plan(campaign=campaign, plan={"quality": plan})
    item(campaign)
    campaign.refresh_from_db()
    campaigns.lock_plan(campaign=campaign, now=factories.timezone.now())
    campaigns.open_campaign(campaign=campaign, now=factories.timezone.now())
    return platform_of(Campaign.objects.get(pk=campaign.pk))


def test_platform_qualification_and_checks_on_one_way_with_every_page_reloaded(platform):
    crowd = fake(platform)
    person = Person(crowd).opens()
    assert "I agree." in person.page.text
    person.opens().agrees().looks()
    gate = reverse("annotation:qualification", args=[platform.campaign.uuid])
    assert person.here() == gate
    person.page = person.client.post(gate, WRONG | {"number": 1}, follow=True)
    assert (person.looks().here(), Assignment.objects.filter(state="held").count()) == (gate, 0)
    person.page = person.client.post(gate, RIGHT | {"number": 2}, follow=True)
    person.looks()
    kinds = []
    while (task := person.task()) is not None:
        assert person.looks().task() == task  # the page again
        kinds.append(task.round.kind)
        assert "repeat" not in person.page.text
        person.hands_in()

    assert kinds.count("main") == 6
    assert kinds.count("checks") >= 3
    assert person.code() == person.looks().code() == CODES["completed"]
    assert person.goes_back().opens().code() == CODES["completed"]
    assert crowd.codes[person.pid] == [CODES["completed"]]
    own = Participation.objects.get()
    assert (own.end, own.enrollment.qualified_at is not None) == ("completed", True)
    [standing] = snapshots.campaign_counts(platform.campaign).annotators.values()
    assert standing.work.tasks == 6
    assert standing.work.checked.repeat_agreement == 1
    assert standing.work.checked.pairs == 2 * kinds.count("checks")
    assert Enrollment.objects.count() == 1


def elsewhere(kind: str, made: type[FakeCrowd], **changes) -> tuple[CrowdPlatform, FakeCrowd]:
    """Return a study of two tasks on another platform, and its other side."""
    campaign = studies.opened(
        sources=2, systems=("Alba",), annotators_per_task=1, tasks_per_annotator=2,
        consent="I agree.",
    )  # fmt: skip
    platform = crowd_platforms.add_crowd_platform(
        campaign=campaign, kind=kind, by=campaign.created_by
    )
    CrowdPlatform.objects.filter(pk=platform.pk).update(codes=CODES, **changes)
    platform.refresh_from_db()
    names = (platform.person_param, platform.study_param, platform.session_param)
    entry = "http://testserver" + reverse("annotation:crowd", args=[platform.key])
    link = crowd_kinds.study_address(crowd_kinds.KINDS[kind], entry, names)
    return platform, made(link)


@pytest.mark.long
def test_connect_adds_its_ids_by_itself_and_takes_the_code(client):
    platform, crowd = elsewhere("connect", FakeConnect)
    person = Person(crowd).opens()
    assert person.here() == f"/join/crowd/{platform.key}/"
    assert crowd.submissions[person.pid] not in person.page.text
    assert person.agrees().looks().finishes().code() == CODES["completed"]
    assert person.opens().code() == CODES["completed"]
    again = Person(crowd, pid=person.pid)
    assert again.opens().code() == CODES["completed"]  # another browser
    assert Participation.objects.get().person == participations.hash_external_id(
        platform, "person", person.pid
    )
    late = Person(crowd).opens()
    assert late.code() == CODES["quota_full"]


TEMPLATE = "https://school.sona-systems.com/webstudy_credit.aspx?experiment_id=17&credit_token=token&survey_code={person}"


@pytest.mark.long
def test_sona_credits_by_the_survey_code_that_is_kept_nowhere_but_in_the_session():
    platform, crowd = elsewhere("sona", FakeSona, return_template=TEMPLATE)
    person = Person(crowd, pid="482135709264").opens().agrees().looks()
    assert "482135709264" not in person.page.text
    assert "webstudy_credit" not in person.page.text
    person.finishes()
    [address] = re.findall(r'href="([^"]+webstudy_credit[^"]+)"', person.page.text)
    crowd.credit(unescape(address))
    crowd.credit(unescape(address))
    assert dict(crowd.credits) == {"482135709264": 1}
    assert person.code() == ""
    stored = [*Participation.objects.values_list("person", "session").get()]
    assert not any("482135709264" in each for each in stored)
    kept = Session.objects.get(session_key=person.client.session.session_key)
    assert "482135709264" not in str(kept.get_decoded())

    stranger = factories.logged_in(Participation.objects.get().enrollment.user)
    page = stranger.get(reverse("annotation:work", args=[platform.campaign.uuid]), follow=True).text
    assert "webstudy_credit" not in page
    another = Person(crowd, pid="482135709264").opens()
    assert "survey_code=482135709264" in unescape(another.page.text)


def test_sona_gives_no_credit_to_whoever_declines_and_says_what_its_address_lacks():
    platform, crowd = elsewhere("sona", FakeSona)
    person = Person(crowd, pid="7").opens().declines()
    assert "webstudy_credit" not in person.page.text
    held = {each.rule: each for each in crowd_platforms.policy_checks(platform)}
    assert (held["way_back"].state, "credit token" in held["way_back"].remedy) == ("fails", True)
    assert "codes" not in held
