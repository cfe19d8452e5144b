"""The user of the pages, a researcher who is logged in, and their campaigns.

Factories are imported late: Django is set up after this is read.
"""

import pytest


@pytest.fixture
def owner():
    from tests import factories

    return factories.researcher()


@pytest.fixture
def page(client, owner):
    client.force_login(owner)
    return client


@pytest.fixture
def draft(owner):
    from tests import factories

    return factories.campaign(manager=owner)


@pytest.fixture
def open_campaign(owner):
    from tests import factories

    return factories.opened(manager=owner)
