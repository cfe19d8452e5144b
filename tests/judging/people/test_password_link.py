"""manage.py password_link."""

from io import StringIO
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client

from tests import factories

pytestmark = pytest.mark.django_db


def test_password_link_leads_to_a_new_password_once() -> None:
    user = factories.researcher()
    out = StringIO()
    call_command("password_link", user.username, site="https://rate.example.org/", stdout=out)
    link = urlsplit(out.getvalue().strip())
    assert (link.scheme, link.netloc) == ("https", "rate.example.org")
    client = Client()
    form = client.get(link.path, follow=True)
    chosen = {"new_password1": "a heron at dusk", "new_password2": "a heron at dusk"}
    client.post(form.redirect_chain[-1][0], chosen)
    user.refresh_from_db()
    assert user.check_password("a heron at dusk")
    assert not Client().get(link.path, follow=True).redirect_chain
