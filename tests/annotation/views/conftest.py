"""Tasks as they lie before an annotator, each with their client. Imported late: Django is set up
after this is read."""

import pytest


def held(campaign):
    """Return the client of somebody in a campaign, and the task they hold."""
    from tests.annotation import studies

    client, enrollment = studies.annotator(campaign)
    return client, studies.held(enrollment)


def again(held):
    """Return a client of the same person and the task, both as a test finds them."""
    from tests import factories
    from tests.annotation import studies

    _client, task = held
    return factories.logged_in(task.enrollment.user), studies.held(task.enrollment)


@pytest.fixture(scope="module")
def made_small(lasting):
    from tests.annotation import studies

    return held(studies.opened())


@pytest.fixture
def small(made_small, db):
    return again(made_small)


@pytest.fixture(scope="module")
def made_staged(lasting):
    from tests.annotation import studies

    return held(studies.opened("qgbench-staged"))


@pytest.fixture
def staged(made_staged, db):
    return again(made_staged)
