"""Degraded copies of a dataset for programs."""

import pytest

import analysis.tasks  # noqa: F401  # registers the jobs
from judging.datasets.models.dataset import Dataset, System
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, done, fields_of, program

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset():
    return factories.dataset()


@pytest.fixture
def api(dataset):
    return program(dataset.owner)


def address(dataset):
    return f"{API}/datasets/{dataset.pk}/degraded-copies/"


def test_degraded_copy_is_made_by_a_job_that_names_it(dataset, api):
    alba = dataset.systems.get(name="Alba").pk
    answer = api.post(address(dataset), {"systems": [alba], "noise": ["entities"]})
    assert done(answer).state == "done"
    made = api.get(f"{address(dataset)}{answer.json()['id']}/").json()
    assert made["parameters"]["percent"] == 100
    copy = Dataset.objects.get(pk=made["copy"])
    assert copy.name == f"{dataset.name}, degraded"
    assert copy.systems.filter(kind=System.Kind.DEGRADATION).count() == 1
    assert api.get(address(dataset)).json()["results"] == [made]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"systems": []}, "systems"),
        ({"references": True}, "references"),
        ({"noise": ["thunder"]}, "noise"),
        ({"percent": 101}, "percent"),
        ({"beside": "half"}, "beside"),
        ({"name": "a" * 201}, "name"),
    ],
)
def test_degraded_copy_wrong_content_names_the_field(dataset, api, change, field):
    body = {"systems": [dataset.systems.get(name="Alba").pk]} | change
    assert fields_of(api.post(address(dataset), body)) == {field}


def test_degraded_copies_are_refused_to_an_owner_who_judges_and_to_readers():
    campaign = studies.opened()
    dataset = campaign.dataset
    api = program(dataset.owner)
    assert api.get(address(dataset)).status_code == 200
    factories.enrollment(campaign, account=dataset.owner)
    assert api.get(address(dataset)).status_code == 403
    assert program(campaign.created_by).get(address(dataset)).status_code == 403
