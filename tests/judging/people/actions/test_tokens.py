"""Keys for programs; what they open is the API's own test."""

import pytest
from django.utils import timezone

from judging.people.actions import tokens, visits
from judging.people.models.user import ApiToken, User
from tests import factories
from tests.judging.work.actions.test_assignments import all_at_once


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_make_at_one_moment_leaves_a_key_that_was_shown() -> None:
    user = factories.user()
    shown = all_at_once(lambda _: tokens.make_token(user=user, now=timezone.now()), list(range(6)))
    assert ApiToken.objects.get().digest in map(tokens.hash_token, shown)


@pytest.mark.django_db
def test_who_was_logged_out_everywhere_since_they_were_let_in_makes_no_key(monkeypatch) -> None:
    """Sent some milliseconds before, it opened the account for another month."""
    owner = factories.researcher()
    client, make = factories.logged_in(owner), tokens.make_token
    assert client.post("/confirm/", {"password": factories.PASSWORD}).status_code == 302

    def make_later(**asked: object) -> str:
        visits.end_all(user=User.objects.get(pk=owner.pk))
        return make(**asked)

    monkeypatch.setattr(tokens, "make_token", make_later)
    assert client.post("/key/", {"scope": "read", "days": 30}).url == "/login/"
    assert not ApiToken.objects.exists()
