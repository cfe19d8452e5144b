"""Tuning a metric's weights for programs."""

import pytest

import analysis.tasks  # noqa: F401  # registers the jobs
from judging.jobs.models.job import Job
from tests import factories
from tests.analysis.scoring.actions.test_tuning import ASKED, tunable
from tests.judging.programs import API, done, fields_of, program

pytestmark = pytest.mark.django_db


def address(campaign):
    return f"{API}/campaigns/{campaign.uuid}/tunings/"


def test_tuning_returns_the_weights_that_its_job_found():
    campaign = tunable()
    api = program(campaign.created_by)
    choices = api.get(f"{address(campaign)}choices/").json()
    assert "correctness" in [each["key"] for each in choices["criteria"]]
    assert "bleu_1" in [each["key"] for each in choices["metrics"]]
    answer = api.post(address(campaign), ASKED)
    assert done(answer).state == "done"
    found = api.get(f"{address(campaign)}{answer.json()['id']}/").json()
    assert found["parameters"] == ASKED
    assert {row["part"] for row in found["result"]["weights"]} >= {"delta", "content"}
    assert api.get(address(campaign)).json()["results"] == [found]


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"criterion": "charm"}, "criterion"),
        ({"criterion": "correctness", "metric": "charm"}, "metric"),
        ({"criterion": "correctness", "formula": "paper", "method": "exact"}, "method"),
        ({"criterion": "correctness", "seed": -1}, "seed"),
    ],
)
def test_tuning_wrong_content_names_the_field(body, field):
    campaign = factories.campaign()
    assert fields_of(program(campaign.created_by).post(address(campaign), body)) == {field}
    assert not Job.objects.exists()
