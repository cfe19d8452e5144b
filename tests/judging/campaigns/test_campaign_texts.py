"""Texts of a campaign in several languages: fallback, agreement and amendments."""

import pytest
from django.utils import timezone

from judging.campaigns import campaign_texts
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.enrolments.actions import enrollments
from tests import factories

pytestmark = pytest.mark.django_db
GERMAN = {"de": {"introduction": "Hallo.", "consent": "Ja."}}


def study() -> Campaign:
    return factories.opened(
        introduction="Hello.", consent="Yes.", pay="Cake", translated_texts=GERMAN
    )


def test_text_without_a_translation_is_returned_with_its_own_language() -> None:
    campaign = study()
    found = [
        campaign_texts.text_in(campaign, name, language)
        for name, language in (("consent", "de-AT"), ("pay", "de"), ("consent", "en-GB"))
    ]
    assert [(each.text, each.language) for each in found] == [
        ("Ja.", "de"),
        ("Cake", "en"),
        ("Yes.", "en"),
    ]


def test_consent_is_asked_again_when_a_text_changes_and_its_translation_goes() -> None:
    campaign = study()
    enrollment = factories.enrollment(campaign)
    enrollments.store_consent(enrollment=enrollment, now=timezone.now())
    enrollment.refresh_from_db()
    assert enrollments.has_agreed(enrollment)

    campaigns.amend_field(
        campaign=campaign,
        what="consent",
        value="Yes, I do.",
        reason="clearer",
        by=campaign.created_by,
        now=timezone.now(),
    )

    enrollment.refresh_from_db()
    enrollment.campaign.refresh_from_db()
    assert enrollment.campaign.translated_texts == {"de": {"introduction": "Hallo."}}
    assert not enrollments.has_agreed(enrollment)


def test_plan_takes_texts_in_another_language_and_fixes_them_by_the_lock() -> None:
    campaign = factories.campaign()
    client = factories.logged_in(campaign.created_by)
    sent = {"introduction": "Hello.", "introduction_de": "Hallo."}
    answer = client.post(f"/campaigns/{campaign.uuid}/plan/parts/introduction/", sent)
    assert answer.status_code == 302, answer.context["form"].errors
    campaign.refresh_from_db()
    assert campaign.translated_texts == {"de": {"introduction": "Hallo."}}
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    assert campaign.locked_plan["texts"]["translated_texts"] == campaign.translated_texts


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_lines_divide_paragraphs_also_as_browsers_send_them(end: str) -> None:
    text = end.join(["First line", "goes on.", " ", "Second."])
    lines = campaign_texts.CampaignText(text, "en").paragraphs
    assert lines == ["First line\ngoes on.", "Second."]
