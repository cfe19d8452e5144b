"""A new secret key: links, sessions and second factors of the old one go on until it is
forgotten."""

import stat
from pathlib import Path

import pyotp
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from config import settings as site
from judging.campaigns.actions import campaigns
from judging.enrolments.actions import enrollments
from judging.people.actions import two_factors
from judging.people.models.event import Event
from judging.people.models.two_factor import TwoFactor
from tests.annotation import studies

pytestmark = pytest.mark.django_db


@pytest.fixture
def home(settings, tmp_path: Path, monkeypatch) -> Path:
    """Have a data folder with a key of its own."""
    monkeypatch.delenv("QUAESTOR_SECRET_KEY", raising=False)
    monkeypatch.setattr(site, "HOME", tmp_path)
    settings.HOME = tmp_path
    started(settings)
    return tmp_path


def started(settings) -> None:
    """Read the keys as a process does when it starts."""
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = (
        site._secret("secret_key"),
        site._old_secrets(),
    )


def test_new_key_keeps_links_sessions_and_two_factors_until_the_old_one_is_forgotten(
    home, settings
) -> None:
    campaign = studies.opened()
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=5)
    client, own = studies.annotator(campaign)
    own.user.set_unusable_password()
    own.user.save()
    client.force_login(own.user)
    personal, token, old = enrollments.personal_link(own.user), link.token, settings.SECRET_KEY
    manager = campaign.created_by
    two_factors.start_two_factor(user=manager)
    device = pyotp.TOTP(two_factors.pending_two_factor(manager).secret)
    two_factors.confirm_two_factor(user=manager, code=device.now(), now=timezone.now())

    call_command("rotate_secret_key")
    started(settings)

    assert old != settings.SECRET_KEY
    assert [old] == settings.SECRET_KEY_FALLBACKS
    assert {stat.S_IMODE(each.stat().st_mode) for each in home.glob("secret_key*")} == {0o600}
    assert client.get("/work/").status_code == 200
    assert enrollments.user_of_link(personal) == own.user
    assert link.token == token
    assert Client().get(f"/join/{token}/").status_code == 200

    call_command("rotate_secret_key", forget=True)
    started(settings)

    assert settings.SECRET_KEY_FALLBACKS == []
    fresh = Client()
    fresh.cookies = client.cookies
    assert fresh.get("/work/").status_code == 302
    assert enrollments.user_of_link(personal) is None
    # known by its hash, though nobody can show it again
    assert Client().get(f"/join/{token}/").status_code == 200
    assert link.token == ""
    assert two_factors._secret(TwoFactor.objects.get()) == device.secret
    assert list(
        Event.objects.filter(act="site.key").order_by("pk").values_list("after", flat=True)
    ) == [
        "older keys kept",
        "older keys forgotten",
    ]
