"""The password in the middle of an act: the form that was sent before it is not lost."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page

from judging.people.guards import CONFIRMED, CONFIRMED_FOR
from judging.people.models.user import ApiToken
from tests import factories
from tests.flows.axe import violations
from tests.flows.sessions import enter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def forget_password(page: Page) -> None:
    """Let the time pass after which the password is asked for again."""
    key = next(each["value"] for each in page.context.cookies() if each["name"] == "sessionid")
    stored = Session.objects.get(pk=key)
    data = stored.get_decoded()
    data[CONFIRMED] -= int((CONFIRMED_FOR + timedelta(seconds=1)).total_seconds())
    stored.session_data = Session.objects.encode(data)
    stored.save()


@pytest.mark.parametrize("scripts", [pytest.param(True, marks=pytest.mark.long), False])
def test_token_asked_for_before_the_password_is_shown_after_it(
    new_page: Callable[..., Page], scripts: bool
) -> None:
    page = new_page(width=360, height=640, java_script_enabled=scripts)
    user = factories.researcher()
    enter(page, user)
    page.goto("/tokens/")
    forget_password(page)
    page.locator("[name=name]").fill("Nightly script")
    page.locator("[name=scope]").select_option("manage")
    page.locator("[name=days]").fill("30")
    page.get_by_role("button", name="Create a token").click()
    page.locator("[name=password]").fill("wrong")
    page.get_by_role("button", name="Go on").click()
    if scripts:
        assert violations(page) == []
    page.locator("[name=password]").fill(factories.PASSWORD)
    page.get_by_role("button", name="Go on").click()
    assert len(page.locator("#api-token").inner_text()) > 20
    assert page.url.endswith("/tokens/")
    key = ApiToken.objects.get(user=user)
    assert (key.scope, (key.expires_at - key.made_at).days) == ("manage", 30)
