"""Fields and parameters that the schema does not declare are refused, with the nearest name."""

from typing import Any

import pytest

from judging.campaigns.models.campaign import Campaign
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, program

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return studies.opened()


@pytest.fixture
def api(campaign: Campaign) -> Any:
    return program(campaign.created_by)


def refusal(answer: Any) -> tuple[str, str, str]:
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    return error["field"], error["code"], error["detail"]


def test_new_campaign_with_a_misspelt_field_is_not_created(campaign, api):
    content = {
        "title": "Locks again",
        "dataset": campaign.dataset_id,
        "protocol": campaign.protocol_id,
        "annotator_per_task": 3,
    }
    field, code, sentence = refusal(api.post(f"{API}/campaigns/", content))
    assert (field, code) == ("annotator_per_task", "unknown_field")
    assert "annotators_per_task" in sentence
    assert Campaign.objects.count() == 1


def test_list_with_a_misspelt_parameter_is_refused(api):
    field, code, sentence = refusal(api.get(f"{API}/campaigns/", {"stat": "open"}))
    assert (field, code) == ("stat", "unknown_parameter")
    assert "state" in sentence


def test_object_takes_no_parameter_of_its_list(campaign, api):
    answer = api.get(f"{API}/campaigns/{campaign.uuid}/", {"state": "open"})
    assert refusal(answer)[:2] == ("state", "unknown_parameter")


@pytest.mark.parametrize(
    ("path", "parameters", "sentence"),
    [
        ("campaigns/", {"state": "opn"}, "archived, closed, draft, locked, open, paused"),
        ("campaigns/", {"limit": "0"}, "0 is not between 1 and 1,000."),
        ("campaigns/", {"limit": "many"}, "“many” is not a whole number."),
        ("campaigns/", {"state": ["open", "closed"]}, "Give this parameter once."),
        ("protocols/", {"shipped": "perhaps"}, "“perhaps” is neither true nor false."),
        ("judgments/", {"value": "3.5"}, "“3.5” is not a whole number."),
        ("judgments/", {"extras": "yes"}, "“yes” is neither true nor false."),
    ],
)
def test_parameter_with_a_value_that_it_cannot_have_is_refused(
    campaign, api, path, parameters, sentence
):
    within = f"campaigns/{campaign.uuid}/" if path == "judgments/" else ""
    field, code, detail = refusal(api.get(f"{API}/{within}{path}", parameters))
    assert (field, code) == (next(iter(parameters)), "invalid")
    assert sentence in detail


def test_choice_that_there_is_not_is_refused_with_those_there_are(campaign, api):
    content = {"title": "A", "dataset": campaign.dataset_id, "protocol": campaign.protocol_id}
    answer = api.post(f"{API}/campaigns/", content | {"order": "dpth"})
    field, code, sentence = refusal(answer)
    assert (field, code) == ("order", "invalid_choice")
    assert sentence == "“dpth” is not one of the choices. Choose one of: depth, breadth, panel."


def test_act_without_content_takes_no_field(campaign, api):
    answer = api.post(f"{API}/campaigns/{campaign.uuid}/pause/", {"reason": "Holidays"})
    assert refusal(answer)[:2] == ("reason", "unknown_field")
    campaign.refresh_from_db()
    assert campaign.state == Campaign.State.OPEN


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({"sample": {"size": 1, "seed": 1, "sise": 2}}, "sample.sise"),
        ({"list": [["s1", "Alba"]], "system": ["Alba"]}, "system"),
    ],
)
def test_field_within_a_field_is_named_with_its_path(campaign, api, content, field):
    answer = api.put(f"{API}/campaigns/{campaign.uuid}/selection/", content)
    assert refusal(answer)[0] == field


def test_foreign_object_is_404_before_its_parameters_are_read(campaign):
    stranger = program(factories.researcher())
    answer = stranger.get(f"{API}/campaigns/{campaign.uuid}/tasks/", {"stat": "open"})
    assert answer.status_code == 404


def test_upload_with_a_misspelt_field_is_refused(campaign):
    path = f"{API}/datasets/{campaign.dataset_id}/files/"
    owner = program(campaign.dataset.owner)
    answer = owner.post(path, {"fil": "a,b"}, format="multipart")
    assert refusal(answer)[0] == "fil"
