"""The crowd platform of a campaign for programs."""

import pytest

from judging.base.actions import seals
from judging.campaigns.actions import campaigns
from judging.crowd.actions import crowd_platforms
from judging.crowd.models.crowd import CrowdPlatform
from judging.people.models.event import Event
from tests import factories
from tests.judging.programs import API, fields_of, program

pytestmark = pytest.mark.django_db
SECRET = "whsec-of-prolific"


@pytest.fixture
def draft():
    return factories.campaign()


@pytest.fixture
def api(draft):
    return program(draft.created_by)


@pytest.fixture
def path(draft):
    return f"{API}/campaigns/{draft.uuid}/crowd-platform/"


def test_crowd_platform_is_chosen_once_and_read(draft, api, path):
    assert api.get(path).status_code == 404
    made = api.post(path, {"kind": "prolific"})
    assert made.status_code == 201, made.content
    platform = CrowdPlatform.objects.get()
    shown = made.json()
    assert shown["person_param"] == "PROLIFIC_PID"
    assert shown["codes"] == platform.codes
    assert f"/join/crowd/{platform.key}/?PROLIFIC_PID=" in shown["study_address"]
    assert shown["messages_address"].endswith(f"/crowd/{platform.key}/events/")
    assert shown["arrivals"]["came"] == 0
    assert "fails" in {each["state"] for each in shown["rules"]}
    assert api.get(path).json() == shown
    assert api.post(path, {"kind": "prolific"}).status_code == 201
    assert api.post(path, {"kind": "sona"}).status_code == 409
    assert CrowdPlatform.objects.count() == 1


def test_crowd_platform_settings_are_changed_and_a_secret_is_never_shown(draft, api, path):
    api.post(path, {"kind": "prolific"})
    changes = {
        "minutes": 45,
        "studies": ["65f0c0ffee0000000000beef"],
        "codes": {"completed": "DONE1234", "quota_full": ""},
        "webhook_secret": SECRET,
    }
    changed = api.patch(path, changes)
    assert changed.status_code == 200, changed.content
    assert changed.json()["has_webhook_secret"] is True
    platform = CrowdPlatform.objects.get()
    assert (platform.minutes, platform.studies) == (45, changes["studies"])
    assert platform.codes["completed"] == "DONE1234"
    assert "quota_full" not in platform.codes
    assert "no_consent" in platform.codes
    assert seals.unseal_secret(platform.webhook_secret) == SECRET
    for answer in (changed, api.get(path)):
        assert SECRET not in answer.text
        assert platform.webhook_secret not in answer.text
        assert "webhook_secret" not in answer.json()
    assert not Event.objects.filter(after__contains=SECRET).exists()
    assert api.patch(path, {"minutes": 50}).status_code == 200
    platform.refresh_from_db()
    assert seals.unseal_secret(platform.webhook_secret) == SECRET


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"minutes": "long"}, "minutes"),
        ({"person_param": "two words"}, "person_param"),
        ({"return_template": "http://lab.example/{code}"}, "return_template"),
        ({"studies": ["?"]}, "studies"),
        ({"keys_url": "https://lab.example/keys"}, "keys_url"),
        ({"signed": True, "audience": ""}, "audience"),
    ],
)
def test_crowd_platform_wrong_setting_names_the_field(draft, api, path, changes, field):
    crowd_platforms.add_crowd_platform(campaign=draft, kind="prolific", by=draft.created_by)
    assert fields_of(api.patch(path, changes)) == {field}


def test_crowd_platform_of_an_archived_campaign_does_not_change(draft, api, path):
    crowd_platforms.add_crowd_platform(campaign=draft, kind="prolific", by=draft.created_by)
    now = factories.timezone.now()
    campaigns.lock_plan(campaign=draft, by=draft.created_by, now=now)
    campaigns.move_campaign(campaign=draft, to="archived", by=draft.created_by, now=now)
    assert api.patch(path, {"minutes": 50}).status_code == 409
