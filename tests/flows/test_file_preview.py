"""The preview of a file in a browser: nothing is added before the user accepts its surprises."""

from typing import Any

import pytest

from judging.imports.actions import adding
from judging.models import Job, Question
from tests import factories
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter
from tests.judging.imports.accepting import table
from tests.judging.imports.test_pages import at
from tests.judging.imports.views.test_preview import ANNA, BEN, ROWS, planned
from tests.judging.imports.views.test_roles import protocol
from tests.working import carry_out

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still


def test_file_preview_surprise_keeps_the_file_out_until_it_is_accepted(still: Any) -> None:
    dataset = adding.start(name="Mills", by=factories.researcher())
    topics = {f"topic_{number}": ["mills"] * ROWS for number in range(30)}
    columns = {"fluency_A": ANNA, "fluency_B": BEN, "zest": ANNA, "bleu": [0.25] * ROWS}
    added = planned(dataset, table(columns | topics), rubric=protocol())
    adding.examine(added=added)
    enter(still, dataset.owner)

    still.goto(at("file", added))
    found = looks.problems(still)
    still.set_viewport_size({"width": 1440, "height": 900})
    button = still.get_by_role("button", name="Add the file")
    button.click()  # the browser asks for the tick
    assert not Question.objects.exists()
    still.get_by_label("This is right").check()
    button.click()
    still.wait_for_url("**/jobs/**")
    carry_out(Job.objects.get(kind="judging.add_files"))

    assert not found
    assert Question.objects.count() == ROWS
