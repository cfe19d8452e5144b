"""Whose campaign a reproduction becomes: somebody who can log in and open it."""

import io
import sys

import pytest
from django.core.management import CommandError, call_command

from judging.campaigns.models.campaign import Campaign
from judging.people.models.user import User
from tests import factories
from tests.analysis.published.actions.test_reproductions import written
from tests.judging.imports.crowd import Crowd

pytestmark = pytest.mark.django_db


class Terminal(io.StringIO):
    """A terminal on which these words are typed."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def files(tmp_path) -> list[str]:
    return list(map(str, written(tmp_path, Crowd(batches=1, hits=2))))


@pytest.fixture
def typed(monkeypatch):
    def type_(words: str) -> None:
        monkeypatch.setattr(sys, "stdin", Terminal(words))

    return type_


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))


def administrator(name: str, **fields) -> User:
    return factories.user(name, is_superuser=True, **fields)


def owner() -> str:
    return Campaign.objects.get().created_by.username


@pytest.mark.long
def test_reproduce_without_owner_takes_the_only_administrator(files):
    administrator("root")
    administrator("gone", is_active=False)
    factories.researcher("other")

    call_command("reproduce", "qgbench", *files)

    assert owner() == "root"
    page = factories.logged_in(User.objects.get(username="root"))
    assert page.get(f"/campaigns/{Campaign.objects.get().uuid}/").status_code == 200
    assert not User.objects.filter(username="reproductions").exists()


@pytest.mark.parametrize("names", [["one", "two"], []], ids=["several", "none"])
def test_reproduce_without_owner_and_terminal_is_refused(files, names):
    for name in names:
        administrator(name)
    factories.researcher("other")

    with pytest.raises(CommandError, match="--owner") as refused:
        call_command("reproduce", "qgbench", *files)

    assert not Campaign.objects.exists()
    assert not User.objects.filter(username="reproductions").exists()
    assert all(name in str(refused.value) for name in names)


@pytest.mark.parametrize("names", [["one", "two"], []], ids=["several", "none"])
def test_reproduce_without_owner_on_a_terminal_asks(files, names, typed, capsys):
    for name in names:
        administrator(name)
    factories.researcher("other")
    typed("other\n")

    call_command("reproduce", "qgbench", *files)

    assert owner() == "other"


@pytest.mark.parametrize("words", ["", "\n", "nobody\n"], ids=["end of file", "blank", "unknown"])
def test_reproduce_terminal_without_a_known_name_is_refused(files, typed, words):
    administrator("one")
    administrator("two")
    typed(words)

    with pytest.raises(CommandError, match="--owner"):
        call_command("reproduce", "qgbench", *files)

    assert not Campaign.objects.exists()


def test_reproduce_without_any_account_says_how_to_make_one(files, typed):
    typed("other\n")

    with pytest.raises(CommandError, match="createsuperuser"):
        call_command("reproduce", "qgbench", *files)


def test_reproduce_named_owner_is_taken_whoever_is_administrator(files):
    administrator("one")
    factories.researcher("other")

    call_command("reproduce", "qgbench", *files, "--owner", "other")

    assert owner() == "other"


@pytest.mark.parametrize("name", ["gone", "nobody"])
def test_reproduce_owner_who_cannot_log_in_is_refused(files, name):
    administrator("one")
    factories.user("gone", is_active=False)

    with pytest.raises(CommandError, match=f"--owner: .*{name}"):
        call_command("reproduce", "qgbench", *files, "--owner", name)

    assert not Campaign.objects.exists()
