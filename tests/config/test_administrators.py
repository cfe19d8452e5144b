"""Administrators made by a command: what they may do, and what the history says of them."""

from io import BytesIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from config import serving
from config.bodies import MAY_SEND_FILES
from judging.datasets.models.dataset import Dataset
from judging.people.models.event import Event
from judging.people.models.user import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(monkeypatch) -> User:
    """Return an administrator whom Django's command makes of its environment alone."""
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long word of many letters")
    call_command(
        "createsuperuser", interactive=False, username="root", email="r@example.org", verbosity=0
    )
    return User.objects.get(username="root")


def made() -> list[tuple[str, str, int | None]]:
    events = Event.objects.filter(act=Event.Act.ACCOUNT_MADE)
    return list(events.values_list("about", "after", "who"))


def test_createsuperuser_bare_administrator_imports_a_file(root, client):
    client.force_login(root)
    assert client.get(MAY_SEND_FILES).status_code == 204
    file = BytesIO(b"passage,system,question\nA lock.,Alba,What is it?\n")
    file.name = "questions.csv"
    answer = client.post(
        reverse("judging:dataset_new"), {"name": "Locks", "language": "en", "files": file}
    )
    assert answer.status_code == 302
    assert Dataset.objects.get().added_files.get().added_by == root


@pytest.mark.parametrize("password", ["", "a long word of many letters"])
def test_first_administrator_has_one_event_and_may_create_campaigns(monkeypatch, password):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    for name, value in (("USERNAME", "root"), ("EMAIL", "r@example.org"), ("PASSWORD", password)):
        monkeypatch.setenv(f"DJANGO_SUPERUSER_{name}", value)
    waits = serving.first_administrator(lambda _said: None)
    administrator = User.objects.get(is_superuser=True)
    assert waits == (None if password else administrator)
    assert made() == [(f"account {administrator.pk}", "administrator", None)]
    browser = Client()
    browser.force_login(administrator)
    assert browser.get(reverse("judging:campaign_new")).status_code == 200
    serving.first_administrator(lambda _said: None)
    assert len(made()) == 1
