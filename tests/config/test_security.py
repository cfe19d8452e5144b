"""What every answer carries, whatever its kind; where a log-in leads; how passwords are kept."""

import subprocess
import sys

import pytest
from django.test import Client
from django.urls import reverse

from config.data_folder import ROOT
from judging.campaigns.actions import campaigns
from tests import factories
from tests.config.test_settings import BARE

pytestmark = pytest.mark.django_db
ELSEWHERE = [
    "https://evil.example",
    "//evil.example",
    "\\\\evil.example",
    "/\\evil.example",
    "http:///evil.example",
    "javascript:alert(1)",
    "\t//evil.example",
    "//evil.example/\x00",
]


def answers():
    """Return an answer of every kind by name."""
    campaign = factories.opened()
    over = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=0)
    client, stranger = Client(raise_request_exception=False), Client(raise_request_exception=False)
    client.force_login(campaign.created_by)
    return {
        "page": client.get("/campaigns/"),
        "form": stranger.get("/login/"),
        "redirect": stranger.get("/campaigns/"),
        "refused": client.get("/accounts/"),
        "not found": client.get("/nowhere/"),
        "wrong verb": client.post("/campaigns/"),
        "over": stranger.get(f"/join/{over.token}/"),
        "malformed": client.post(reverse("judging:invite", args=[campaign.uuid]), {}),
        "forged": Client(enforce_csrf_checks=True).post("/login/", {}),
        "foreign host": stranger.get("/login/", headers={"host": "evil.example"}),
        "api": client.get("/api/v1/campaigns/"),
        "api to a stranger": stranger.get("/api/v1/campaigns/"),
        "file": client.get(reverse("judging:codebook", args=[campaign.uuid])),
    }


STATUS = {
    "page": 200,
    "form": 200,
    "redirect": 302,
    "refused": 403,
    "not found": 404,
    "wrong verb": 405,
    "over": 410,
    "malformed": 422,
    "forged": 403,
    "foreign host": 400,
    "api": 200,
    "api to a stranger": 401,
    "file": 200,
}


def test_every_kind_of_answer_carries_the_same_protection():
    found = answers()
    assert {name: answer.status_code for name, answer in found.items()} == STATUS
    for name, answer in found.items():
        policy = answer["Content-Security-Policy"]
        assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy, name
        assert "unsafe" not in policy, name
        assert answer["X-Content-Type-Options"] == "nosniff", name
        assert answer["Referrer-Policy"] == "same-origin", name
        assert "camera=(), " in answer["Permissions-Policy"], name


def test_session_cookie_is_out_of_reach_of_scripts_and_other_sites():
    client, user = Client(), factories.user()
    client.post("/login/", {"username": user.username, "password": factories.PASSWORD})
    session, token = client.cookies["sessionid"], client.cookies["csrftoken"]
    assert (session["httponly"], session["samesite"]) == (True, "Lax")
    assert (token["httponly"], token["samesite"]) == ("", "Lax")  # autosave reads it


@pytest.mark.parametrize("where", ELSEWHERE)
def test_log_in_leads_nowhere_else(where):
    client, user = Client(), factories.user()
    form = {"username": user.username, "password": factories.PASSWORD, "next": where}
    assert client.post("/login/", form).url == "/"
    assert client.get("/login/", {"next": where}).url == "/"


def test_passwords_are_kept_as_slow_hashes():
    code = "from django.conf import settings; import os; print(settings.PASSWORD_HASHERS[0])"
    command = [sys.executable, "-c", code]
    said = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={
            **BARE,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "QUAESTOR_SECRET_KEY": "x" * 32,
            "QUAESTOR_PSEUDONYM_KEY": "y" * 32,
        },
    )
    assert "PBKDF2" in said.stdout or "Argon2" in said.stdout or "Scrypt" in said.stdout
