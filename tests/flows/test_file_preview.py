"""The page of a file in a browser: nothing is added before the user accepts its surprises."""

import random
from typing import Any

import pytest

from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset, Question
from judging.imports.actions import files
from judging.jobs import storage
from judging.jobs.models.job import Job
from judging.protocols.models.protocol import Protocol
from judging.work.models.judgment import Judgment
from tests import factories
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter
from tests.judging.importing import at
from tests.working import carry_out

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still
ROWS = 30


def sent(ratings: dict[str, list[Any]]) -> AddedFile:
    """Return the waiting file of a new dataset, with a question in each row."""
    dataset = files.create_dataset(name="Mills", by=factories.researcher())
    rows = [
        f"Town {number} has a mill.,Alba,What has town {number}?,{','.join(map(str, cells))}"
        for number, cells in enumerate(zip(*ratings.values(), strict=True))
    ]
    text = "\n".join([f"passage,system,question,{','.join(ratings)}", *rows])
    kept = storage.store_bytes(text.encode())
    return files.upload_file(dataset=dataset, name="mills.csv", file=kept, by=dataset.owner)


def of_one(seed: int, most: int = 5) -> list[int]:
    return random.Random(seed).choices(range(1, most + 1), k=ROWS)


def add(dataset: Dataset, still: Any) -> None:
    still.wait_for_url("**/jobs/**")
    carry_out(Job.objects.get(kind=files.ADD, dataset=dataset))


def test_file_surprise_keeps_the_file_out_until_it_is_accepted(still: Any) -> None:
    topics = {f"topic_{number}": ["mills"] * ROWS for number in range(30)}
    added = sent({"fluency_A": of_one(1), "fluency_B": of_one(2), "zest": of_one(3), **topics})
    enter(still, added.dataset.owner)

    still.goto(at("file", added))
    found = looks.problems(still)
    still.set_viewport_size({"width": 1440, "height": 900})
    still.get_by_role("button", name="Make a protocol with this scale").click()
    still.get_by_label("Role of zest").select_option("metadata")
    still.get_by_role("button", name="Check again").click()
    still.get_by_role("button", name="Add", exact=True).click()  # the page asks for the tick
    assert not Question.objects.exists()
    still.get_by_label("This is right").check()
    still.get_by_role("button", name="Add", exact=True).click()
    add(added.dataset, still)

    assert not found
    assert Question.objects.count() == ROWS


def test_own_scale_becomes_the_protocol_in_one_click(still: Any) -> None:
    added = sent({"fluency_A": of_one(1), "fluency_B": of_one(2)})
    enter(still, added.dataset.owner)

    still.goto(at("file", added))
    found = looks.problems(still)
    still.set_viewport_size({"width": 360, "height": 640})
    width = still.evaluate("document.documentElement.scrollWidth")
    still.get_by_role("button", name="Make a protocol with this scale").click()
    still.get_by_role("button", name="Add", exact=True).click()
    add(added.dataset, still)

    assert not found
    assert width <= 360
    own = Protocol.objects.get(owner=added.dataset.owner)
    assert sorted(own.criteria.get().points.values_list("value", flat=True)) == [1, 2, 3, 4, 5]
    assert Judgment.objects.count() == 2 * ROWS
