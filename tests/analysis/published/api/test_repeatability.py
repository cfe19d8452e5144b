"""A study compared with its reproduction, for programs."""

import pytest

import analysis.tasks  # noqa: F401  # registers their jobs
from judging.campaigns.actions import clones
from tests.analysis.published.views.test_repeatability import two  # noqa: F401  # a fixture
from tests.judging.programs import API, done, program

pytestmark = pytest.mark.django_db


def address(campaign):
    return f"{API}/campaigns/{campaign.uuid}/reproduction/"


def test_reproduction_is_compared_with_its_study(two):  # noqa: F811
    first, second = two
    api = program(first.created_by)
    assert api.get(address(second)).status_code == 404
    assert done(api.post(address(second))).state == "done"
    found = api.get(address(second)).json()
    assert [order["value"] for order in found["orders"]] == [pytest.approx(0.8660254)] * 2
    assert (found["all_pairs"], len(found["pairs"])) == (6, 6)
    assert sum(pair["confirmed"] for pair in found["pairs"]) == 4
    assert found["is_stale"] is False
    table = b"".join(api.get(f"{address(second)}table/").streaming_content).decode("utf-8-sig")
    assert table.startswith("what,criterion,system,against,n,value")
    assert table.count("\n") == 1 + 2 + 6 + 6 + 3


def test_campaign_that_reproduces_nothing_has_no_comparison(two):  # noqa: F811
    first, _second = two
    api = program(first.created_by)
    assert api.get(address(first)).status_code == 404
    assert api.post(address(first)).status_code == 404


def test_reproduction_that_is_not_closed_is_not_compared(two):  # noqa: F811
    first, _second = two
    draft = clones.clone_study(campaign=first, by=first.created_by)
    assert program(first.created_by).post(address(draft)).status_code == 409
