"""What the next page says once."""

import pytest
from django.contrib import messages
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest, HttpResponse

from config.notices import MOST, LatestMessages

pytestmark = pytest.mark.django_db


def test_messages_that_wait_for_a_page_do_not_pile_up() -> None:
    request = HttpRequest()
    request.session = SessionStore()
    for number in range(2 * MOST):
        waiting = LatestMessages(request)
        waiting.add(messages.ERROR, f"{number} " + "x" * 1000)
        waiting.update(response := HttpResponse())
        request.COOKIES |= {name: morsel.value for name, morsel in response.cookies.items()}
    said = [str(each).split()[0] for each in LatestMessages(request)]
    assert said == [str(number) for number in range(MOST, 2 * MOST)]
