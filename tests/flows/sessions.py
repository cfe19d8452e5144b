"""A browser that is logged in without going through the form, and how long it waits to press."""

from collections.abc import Iterable

from playwright.sync_api import Page

from judging.people.models.user import User
from tests import factories


def enter(page: Page, user: User) -> None:
    """Give the browser a session of the user."""
    client = factories.logged_in(user)
    cookie = {
        "name": "sessionid",
        "value": client.cookies["sessionid"].value,
        "domain": "localhost",
        "path": "/",
    }
    page.context.add_cookies([cookie])


def wait_until_pressable(page: Page) -> None:
    """Wait until criteria that have just appeared take pointer input: 350 ms after their paint.
    Without scripts they take it at once."""
    if not page.locator("#judging.scripted").count():
        return
    page.evaluate("new Promise(painted => requestAnimationFrame(() => setTimeout(painted)))")
    page.wait_for_timeout(400)


def press_keys(page: Page, keys: Iterable[str]) -> None:
    """Press keys one after the other, so slowly that the same digit counts each time: 100 ms."""
    for key in keys:
        page.keyboard.press(key, delay=150)
