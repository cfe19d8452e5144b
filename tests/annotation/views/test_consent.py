"""Consent has a version: a changed text is asked about again, and what is missing is said before a
campaign opens."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.enrolments.actions import enrollments
from judging.work.models.assignment import Draft
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def test_changed_text_is_asked_about_again_and_no_answer_is_lost() -> None:
    campaign = studies.opened(consent="I agree.")
    client, who = studies.annotator(campaign)
    consent = reverse("annotation:consent", args=[campaign.uuid])
    client.post(consent, {"agree": "on"})
    own = studies.held(Enrollment.objects.select_related("campaign").get(pk=who.pk))
    task = reverse("annotation:task", args=[own.pk])
    assert client.get(task).status_code == 200
    campaigns.amend_field(
        campaign=campaign,
        what="consent",
        value="I agree to more.",
        reason="The board asked.",
        by=campaign.created_by,
        now=timezone.now(),
    )
    draft, submit = (reverse(f"annotation:{name}", args=[own.pk]) for name in ("draft", "submit"))
    filled = studies.filled(own, sequence=2) | {"note": "A comment."}
    sent = {name: str(value) for name, value in filled.items()}
    said = client.post(draft, {"name": "q1.correctness", "value": 1, "sequence": 1})
    assert said.headers["Location"] == consent  # which a page takes as it takes an ended session
    by_script = client.post(f"{submit}?step=0", sent, headers={"Accept": "application/json"})
    assert by_script.json() == {"next": consent, "submitted": False}
    asked = client.post(f"{submit}?step=0", sent).text
    assert "I agree to more." in asked
    kept = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', asked))
    assert {name: kept.get(name) for name in sent} == sent
    again = reverse("annotation:hand_in_again", args=[campaign.uuid])
    assert client.post(again).headers["Location"] == consent
    assert not Draft.objects.filter(assignment=own).exists()
    for address in (
        task,
        *(reverse(f"annotation:{name}", args=[campaign.uuid]) for name in ("work", "start")),
    ):
        assert client.get(address).headers["Location"] == consent
    page = client.get(consent).text
    assert "I agree to more." in page
    client.post(f"{submit}?step=0", kept | {"agree": "on"})
    assert Judgment.objects.filter(assignment=own).count() == 4
    assert client.get(task).status_code == 200
    who.refresh_from_db()
    who.campaign.refresh_from_db()
    assert enrollments.has_agreed(who)
    assert campaign.deviations.get().what == "consent"


def test_nobody_agrees_to_a_text_that_their_page_did_not_show() -> None:
    campaign = studies.opened(consent="I agree.")
    client, who = studies.annotator(campaign)
    consent = reverse("annotation:consent", args=[campaign.uuid])
    read = r'name="read" value="([^"]+)"'
    before = re.search(read, client.get(consent).text)[1]
    Campaign.objects.update(consent="I agree to more.")
    asked = client.post(consent, {"agree": "on", "read": before})
    who.refresh_from_db()
    assert (asked.status_code, who.consented_at) == (422, None)
    assert "I agree to more." in asked.text
    client.post(consent, {"agree": "on", "read": re.search(read, asked.text)[1]})
    who.refresh_from_db()
    who.campaign.refresh_from_db()
    assert enrollments.has_agreed(who)


def test_overview_says_what_is_missing_before_it_opens(client) -> None:
    campaign = factories.campaign()
    client.force_login(campaign.created_by)
    overview = reverse("judging:campaign", args=[campaign.uuid])
    missing = ("There is no consent text", "No contact is named", "No ethics approval is named")
    assert all(said in client.get(overview).text for said in missing)
    plan = {"consent": "I agree.", "contact": "Ada", "ethics": "none"}
    campaigns.change_plan(campaign=campaign, plan=plan)
    assert not any(said in client.get(overview).text for said in missing)
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    assert campaign.locked_plan["texts"]["ethics"] == "none"
