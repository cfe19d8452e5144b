"""Keys for programs; what they open is the API's own test."""

import pytest
from django.utils import timezone

from judging.actions import keys
from judging.models import AccessKey
from tests import factories
from tests.judging.actions.test_assignments import all_at_once


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_make_at_one_moment_leaves_a_key_that_was_shown() -> None:
    user = factories.user()
    shown = all_at_once(lambda _: keys.make(user=user, now=timezone.now()), list(range(6)))
    assert AccessKey.objects.get().digest in map(keys.digest, shown)
