"""How much an annotator's browser transfers for the first task, with nothing in its cache."""

import gzip
from typing import Any

import pytest

from tests.annotation import phones, studies
from tests.flows.sessions import enter

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_BYTES = 110_000
COMPRESSED = ("document", "stylesheet", "script")  # by WhiteNoise and nginx (deploy/nginx.conf)


def transferred(response: Any) -> int:
    body = response.body()
    is_compressed = response.request.resource_type in COMPRESSED
    return len(gzip.compress(body)) if is_compressed else len(body)


@pytest.mark.parametrize("material", [{}, {"key": "qgstec2010-a", "expected": 2}])
def test_first_page_of_judging_transfers_at_most_110_kb(page: Any, material: Any) -> None:
    campaign = phones.opened(**({"key": "qgbench"} | material))
    enter(page, studies.annotator(campaign)[1].user)
    responses: list[Any] = []
    page.on("response", lambda response: responses.append(response))
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    page.wait_for_load_state("networkidle")
    sizes = {each.url: transferred(each) for each in responses if each.ok}
    assert any(address.endswith("woff2") for address in sizes)
    assert sum(sizes.values()) <= MOST_BYTES, sizes
