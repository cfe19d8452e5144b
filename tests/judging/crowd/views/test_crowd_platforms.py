"""The page about a campaign's crowd platform: what to paste, what is missing, what may still
change."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.base.actions import seals
from judging.campaigns.actions import campaigns
from judging.crowd.actions import crowd_platforms
from judging.crowd.models.crowd import CrowdPlatform, Participation
from judging.people.models.event import Event
from tests import factories
from tests.annotation.crowds import CODES, Person, fake, study
from tests.judging import trials
from tests.judging.campaign_pages import address

pytestmark = pytest.mark.django_db


def settings_of(platform: CrowdPlatform, **changes) -> dict:
    """Return what the form sends."""
    fields = {
        "minutes": 60,
        "person_param": "PROLIFIC_PID",
        "study_param": "STUDY_ID",
        "session_param": "SESSION_ID",
        "return_template": platform.return_template,
        "keys_url": "",
        "audience": "",
        "webhook_secret": "",
        **{f"code_{end}": code for end, code in platform.codes.items()},
    }
    return fields | changes


@pytest.fixture
def platform(client) -> CrowdPlatform:
    made = study(tasks=3)
    client.force_login(made.campaign.created_by)
    return made


def test_platform_is_chosen_and_its_page_says_what_to_paste(page, open_campaign):
    url = address("crowd", open_campaign)
    assert page.post(url, {"kind": "mechanical"}).status_code == 422
    assert page.post(url, {"kind": "prolific"}).status_code == 302
    made, text = CrowdPlatform.objects.get(), page.get(url).text
    entry = "http://testserver" + reverse("annotation:crowd", args=[made.key])
    ids = "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID={{%SESSION_ID%}}"
    assert f"{entry}?{ids}" in text
    assert all(made.codes[end] in text for end in Participation.End.values)
    assert len(set(made.codes.values())) == 6


def test_locked_study_that_breaks_rules_is_opened_only_by_saying_so(page, owner):
    campaign = factories.campaign(manager=owner, pay="By the task.", contact="a@example.org")
    crowd_platforms.add_crowd_platform(campaign=campaign, kind="prolific", by=owner)
    overview = page.get(address("campaign", campaign)).text
    assert "3 rules of the crowd platform are not met" in overview
    campaigns.lock_plan(campaign=campaign, now=timezone.now(), by=owner)

    answer = page.post(address("open", campaign))
    assert answer.url == address("crowd", campaign)
    campaign.refresh_from_db()
    assert campaign.state == "locked"

    page.post(address("open", campaign), {"anyway": "1"})
    campaign.refresh_from_db()
    assert campaign.state == "open"
    said = Event.objects.filter(act="crowd.changed").latest("pk").after
    assert said == "opened against rules: pay, share, consent"


def test_time_of_a_pilot_counts_in_the_place_of_what_was_planned(page, owner):
    rate = {"amount": "0.20", "currency": "GBP", "minutes": "1"}
    campaign = factories.campaign(manager=owner, rate=rate)
    platform = crowd_platforms.add_crowd_platform(campaign=campaign, kind="prolific", by=owner)
    platform.campaign = campaign

    def told() -> str:
        return next(
            each.sentence for each in crowd_platforms.policy_checks(platform) if each.rule == "pay"
        )

    assert "12.00 GBP" in told()
    pilot = trials.begun(campaign, kind="pilot", size=2, annotators=1)
    trials.judged(factories.enrollment(campaign), pilot)
    pilot.assignments.update(active_seconds=180)
    assert "4.00 GBP" in told()


def test_settings_are_kept_and_a_secret_is_never_shown_again(client, platform):
    url, secret = address("crowd", platform.campaign), "hush-hush-hush"
    assert client.post(url, settings_of(platform, webhook_secret=secret)).status_code == 302
    held = CrowdPlatform.objects.get()
    assert (held.minutes, seals.unseal_secret(held.webhook_secret)) == (60, secret)
    assert secret not in held.webhook_secret
    text = client.get(url).text
    assert secret not in text
    assert held.webhook_secret not in text
    client.post(url, settings_of(platform))
    assert seals.unseal_secret(CrowdPlatform.objects.get().webhook_secret) == secret
    said = Event.objects.filter(act="crowd.changed").values_list("about", "before", "after")
    assert "webhook_secret" in str(list(said))
    assert secret not in str(list(said))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"code_completed": "SAME-1", "code_quota_full": "SAME-1"}, "__all__"),
        ({"code_completed": "no/slash"}, "code_completed"),
        ({"minutes": 1}, "minutes"),
        ({"study_param": "PROLIFIC_PID"}, "__all__"),
        ({"person_param": "a b"}, "person_param"),
        ({"return_template": "javascript:alert({code})"}, "return_template"),
        ({"return_template": "https://x.example/"}, "return_template"),
        ({"signed": "on"}, "keys_url"),
        ({"keys_url": "http://169.254.169.254/keys"}, "keys_url"),
    ],
)
def test_settings_malformed_are_refused_at_their_field(client, platform, changes, field):
    answer = client.post(address("crowd", platform.campaign), settings_of(platform, **changes))

    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {field}
    assert CrowdPlatform.objects.get().codes == CODES


def test_parameters_stay_once_somebody_has_come_and_codes_once_they_were_given(client, platform):
    url = address("crowd", platform.campaign)
    Person(fake(platform)).opens().declines()
    for changes in (
        {"person_param": "other"},
        {"code_no_consent": "ANOTHER-1"},
        {"code_no_consent": ""},
    ):
        answer = client.post(url, settings_of(platform, **changes))
        assert answer.status_code == 422
        assert answer.context["form"].errors
    assert client.post(url, settings_of(platform, code_completed="ANOTHER-1")).status_code == 302
    assert CrowdPlatform.objects.get().codes == CODES | {"completed": "ANOTHER-1"}


def test_page_counts_who_came_and_how_it_ended(client, platform):
    crowd = fake(platform)
    Person(crowd).joins().finishes()
    Person(crowd).opens().declines()
    gone = Person(crowd).joins()
    crowd.gives_back(gone.pid)
    found = crowd_platforms.platform_standing(platform)
    assert (
        found.came,
        found.at_work,
        found.left,
        found.ends["completed"],
        found.ends["no_consent"],
    ) == (3, 0, 1, 1, 1)
    assert "1 message was received" in client.get(address("crowd", platform.campaign)).text


def test_a_new_site_key_keeps_the_secrets_of_platforms(platform, settings):
    old = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [old]
    assert crowd_platforms.rotate_platform_secrets() == 1
    settings.SECRET_KEY_FALLBACKS = []
    assert (
        seals.unseal_secret(CrowdPlatform.objects.get().webhook_secret)
        == "the secret of its messages"
    )


def test_ids_of_studies_are_kept_once_each(client, platform, settings):
    settings.CROWD_ORIGINS = ["https://keys.example"]
    url = address("crowd", platform.campaign)
    trust = {"signed": "on", "keys_url": "https://keys.example/", "audience": "http://testserver"}
    assert client.post(url, settings_of(platform, **trust)).status_code == 302
    ids = {"studies": "5f1a2b3c4d5e, 6f1a2b3c4d5e 5f1a2b3c4d5e"}
    assert client.post(url, settings_of(platform, **trust, **ids)).status_code == 302
    platform.refresh_from_db()
    assert platform.studies == ["5f1a2b3c4d5e", "6f1a2b3c4d5e"]
    text = client.get(url).text
    assert 'value="5f1a2b3c4d5e 6f1a2b3c4d5e"' in text
