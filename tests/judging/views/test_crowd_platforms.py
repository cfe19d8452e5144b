"""The page about a campaign's crowd platform: what to paste, what is missing, what may still
change."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.actions import campaigns, crowd_platforms, seals
from judging.models import CrowdPlatform, Event, Participation
from tests import factories
from tests.annotation.crowds import CODES, Person, fake, study
from tests.judging import trials
from tests.judging.views.campaign_pages import address

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
    assert "Annotators from a crowd platform" in page.get(url).text
    assert page.post(url, {"kind": "mechanical"}).status_code == 422
    assert page.post(url, {"kind": "prolific"}).status_code == 302
    made, text = CrowdPlatform.objects.get(), page.get(url).text
    entry = "http://testserver" + reverse("annotation:crowd", args=[made.key])
    ids = "PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID={{%STUDY_ID%}}&amp;SESSION_ID={{%SESSION_ID%}}"
    assert f"{entry}?{ids}" in text
    assert all(made.codes[end] in text for end in Participation.End.values)
    assert len(set(made.codes.values())) == 6
    assert "Without a share for each annotator, every annotator is given all tasks" in text
    assert "Links are not signed" in text


@pytest.mark.parametrize(
    ("kind", "shown"), [("connect", "/\n"), ("generic", "?participant=PARTICIPANT")]
)
def test_other_platforms_name_their_own_parameters(page, open_campaign, kind, shown):
    page.post(address("crowd", open_campaign), {"kind": kind})
    made = CrowdPlatform.objects.get()
    text = page.get(address("crowd", open_campaign)).text
    assert f"/join/crowd/{made.key}/{shown.strip(chr(10) + '/')}" in text
    assert "{{%" not in text


def test_locked_study_that_breaks_rules_is_opened_only_by_saying_so(page, owner):
    campaign = factories.campaign(manager=owner, pay="By the task.", contact="a@example.org")
    crowd_platforms.begin(campaign=campaign, kind="prolific", by=owner)
    overview = page.get(address("campaign", campaign)).text
    assert "3 rules of the crowd platform are not met" in overview
    campaigns.lock(campaign=campaign, now=timezone.now(), by=owner)

    answer = page.post(address("open", campaign))
    assert answer.url == address("crowd", campaign)
    campaign.refresh_from_db()
    assert campaign.state == "locked"
    text = page.get(answer.url).text
    assert "Not opened yet" in text
    assert "No rate of pay is planned" in text

    page.post(address("open", campaign), {"anyway": "1"})
    campaign.refresh_from_db()
    assert campaign.state == "open"
    said = Event.objects.filter(act="crowd.changed").latest("pk").after
    assert said == "opened against rules: pay, share, consent"


def test_time_of_a_pilot_counts_in_the_place_of_what_was_planned(page, owner):
    rate = {"amount": "0.20", "currency": "GBP", "minutes": "1"}
    campaign = factories.campaign(manager=owner, rate=rate)
    platform = crowd_platforms.begin(campaign=campaign, kind="prolific", by=owner)
    platform.campaign = campaign

    def told() -> str:
        return next(
            each.told for each in crowd_platforms.policy_checks(platform) if each.rule == "pay"
        )

    assert told() == "An hour pays 12.00 GBP as planned, the platform's least is 6.00."
    pilot = trials.begun(campaign, kind="pilot", size=2, annotators=1)
    trials.judged(factories.enrollment(campaign), pilot)
    pilot.assignments.update(active_seconds=180)
    assert (
        told() == "An hour pays 4.00 GBP by the pilot's median time, less than the platform's 6.00."
    )


def test_settings_are_kept_and_a_secret_is_never_shown_again(client, platform):
    url, secret = address("crowd", platform.campaign), "hush-hush-hush"
    assert client.post(url, settings_of(platform, webhook_secret=secret)).status_code == 302
    held = CrowdPlatform.objects.get()
    assert (held.minutes, seals.unsealed(held.webhook_secret)) == (60, secret)
    assert secret not in held.webhook_secret
    text = client.get(url).text
    assert secret not in text
    assert held.webhook_secret not in text
    client.post(url, settings_of(platform))
    assert seals.unsealed(CrowdPlatform.objects.get().webhook_secret) == secret
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
        assert "cannot change" in answer.text
    assert client.post(url, settings_of(platform, code_completed="ANOTHER-1")).status_code == 302
    assert CrowdPlatform.objects.get().codes == CODES | {"completed": "ANOTHER-1"}


def test_archived_campaign_keeps_its_platform_as_it_was(client, platform):
    type(platform.campaign).objects.update(state="archived")
    answer = client.post(address("crowd", platform.campaign), settings_of(platform, minutes=70))
    assert (answer.status_code, "archived" in answer.text) == (422, True)


def test_page_counts_who_came_and_how_it_ended(client, platform):
    crowd = fake(platform)
    Person(crowd).joins().finishes()
    Person(crowd).opens().declines()
    gone = Person(crowd).joins()
    crowd.gives_back(gone.pid)
    found = crowd_platforms.standing(platform)
    assert (
        found.came,
        found.at_work,
        found.left,
        found.ends["completed"],
        found.ends["no_consent"],
    ) == (3, 0, 1, 1, 1)
    assert "1 message was received" in client.get(address("crowd", platform.campaign)).text


def test_analysts_and_annotators_do_not_see_it(client, platform):
    analyst = factories.researcher()
    campaigns.add_member(campaign=platform.campaign, user=analyst, role="analyst")
    client.force_login(analyst)
    assert client.get(address("crowd", platform.campaign)).status_code == 403
    client.force_login(factories.researcher())
    assert client.get(address("crowd", platform.campaign)).status_code == 404
    client.logout()
    assert client.get(address("crowd", platform.campaign)).status_code == 302


def test_a_new_site_key_keeps_the_secrets_of_platforms(platform, settings):
    old = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [old]
    assert crowd_platforms.rotate() == 1
    settings.SECRET_KEY_FALLBACKS = []
    assert (
        seals.unsealed(CrowdPlatform.objects.get().webhook_secret) == "the secret of its messages"
    )


def test_page_says_that_no_study_is_entered_and_takes_their_ids(client, platform, settings):
    settings.CROWD_ORIGINS = ["https://keys.example"]
    url = address("crowd", platform.campaign)
    trust = {"signed": "on", "keys_url": "https://keys.example/", "audience": "http://testserver"}
    assert client.post(url, settings_of(platform, **trust)).status_code == 302
    assert "No study id is entered." in client.get(url).text
    ids = {"studies": "5f1a2b3c4d5e, 6f1a2b3c4d5e 5f1a2b3c4d5e"}
    assert client.post(url, settings_of(platform, **trust, **ids)).status_code == 302
    platform.refresh_from_db()
    assert platform.studies == ["5f1a2b3c4d5e", "6f1a2b3c4d5e"]
    text = client.get(url).text
    assert "id is entered." not in text
    assert 'value="5f1a2b3c4d5e 6f1a2b3c4d5e"' in text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"studies": "https://app.prolific.com/"}, "This is no id of a study"),
        ({"studies": "5f1a", "study_param": ""}, "cannot be detected without it"),
    ],
)
def test_ids_of_studies_that_say_nothing_are_refused(client, platform, changes, said):
    answer = client.post(address("crowd", platform.campaign), settings_of(platform, **changes))
    assert (answer.status_code, said in answer.text) == (422, True)
