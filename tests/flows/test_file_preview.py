"""The preview of a file in a browser: nothing is added before the user accepts its surprises."""

from typing import Any

import pytest

from judging.imports.actions import adding
from judging.models import Job, Question, Rubric
from tests import factories
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter
from tests.judging.imports.accepting import table
from tests.judging.imports.test_pages import at
from tests.judging.imports.views.test_preview import ANNA, BEN, ROWS, planned, sent
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


def test_columns_page_own_scale_becomes_the_protocol_in_one_click(still: Any) -> None:
    dataset = adding.start(name="Mills", by=factories.researcher())
    protocol([(value, "") for value in (1, 2)])
    added = sent(dataset, table({"fluency_A": ANNA, "fluency_B": BEN}))
    enter(still, dataset.owner)
    still.goto(at("file_columns", added))
    carry_out(Job.objects.get(kind="judging.read_columns"))

    still.goto(at("file_columns", added))
    found = looks.problems(still)
    still.set_viewport_size({"width": 360, "height": 640})
    width = still.evaluate("document.documentElement.scrollWidth")
    still.get_by_role("button", name="Create a protocol with this scale").click()
    still.wait_for_url("**/jobs/**")

    assert not found
    assert width <= 360
    own = Rubric.objects.get(owner=dataset.owner)
    assert sorted(own.criteria.get().points.values_list("value", flat=True)) == [1, 2, 3, 4, 5]
