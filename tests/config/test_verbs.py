"""An address that takes only a form says so where it is opened without one."""

import pytest
from django.urls import reverse

from tests import factories

pytestmark = pytest.mark.django_db


def test_address_of_a_form_opened_without_one_says_that_nothing_was_sent(client):
    """A log-in in the middle of a form leads there."""
    campaign = factories.campaign()
    client.force_login(campaign.created_by)
    answer = client.get(reverse("judging:lock", args=[campaign.uuid]))
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "Nothing was sent" in answer.text
    assert client.post(reverse("judging:campaigns")).content == b""
