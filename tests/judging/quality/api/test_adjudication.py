"""Adjudication for programs."""

import pytest
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.quality.actions import adjudications
from judging.quality.models.adjudication import SettledValue
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, counted, fields_of, program
from tests.judging.workers import work

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    """Return a closed campaign whose two annotators differ by two ranks on every criterion."""
    made = studies.opened(sources=2, annotators_per_task=2)
    for label, value in (("A01", 1), ("A02", 3)):
        work(factories.enrollment(made, label=label), tasks=2, choose=value)
    campaigns.close_campaign(campaign=made, by=made.created_by, now=timezone.now())
    return made


@pytest.fixture
def adjudicator(campaign):
    user = factories.user("adjudicator")
    adjudications.name_adjudicator(
        campaign=campaign, adjudicator=user, threshold=1, by=campaign.created_by, now=timezone.now()
    )
    return user


def address(campaign, part=""):
    return f"{API}/campaigns/{campaign.uuid}/adjudication/{part}"


def test_adjudicator_is_named_by_a_manager_and_read_by_staff(campaign):
    api = program(campaign.created_by)
    empty = api.get(address(campaign)).json()
    assert empty == {
        "adjudicator": None,
        "threshold": None,
        "differences": None,
        "open": None,
        "adjudicated": 0,
    }
    factories.user("adjudicator")
    named = api.put(address(campaign), {"adjudicator": "adjudicator"})
    assert named.status_code == 200, named.content
    assert named.json() | {"differences": 0, "open": 0} == {
        "adjudicator": "adjudicator",
        "threshold": 1,
        "differences": 0,
        "open": 0,
        "adjudicated": 0,
    }
    assert named.json()["open"] == named.json()["differences"] > 0
    assert fields_of(api.put(address(campaign), {"adjudicator": "nobody"})) == {"adjudicator"}
    analyst = factories.researcher()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst", by=campaign.created_by)
    assert program(analyst).get(address(campaign)).json() == named.json()
    assert program(analyst).put(address(campaign), {"adjudicator": "x"}).status_code == 403


def test_difference_is_listed_without_a_system_and_adjudicated(campaign, adjudicator):
    api = program(adjudicator)
    listed = api.get(address(campaign, "differences/"))
    assert listed.status_code == 200, listed.content
    first = listed.json()["results"][0]
    assert [each["value"] for each in first["ratings"]] == [1, 3]
    assert first["ranks_apart"] == 2
    assert first["adjudicated"] is None
    for name in ("Alba", "Brisa", "system", "unit"):
        assert name not in listed.text

    one = address(campaign, f"differences/{first['token']}/")
    stored = api.put(one, {"value": 2, "reason": "Half right."})
    assert stored.status_code == 200, stored.content
    assert stored.json() == first | {"adjudicated": {"value": 2, "reason": "Half right."}}
    assert SettledValue.objects.standing().get().settled_by == adjudicator
    assert api.get(address(campaign, "differences/")).json()["results"][0] == stored.json()
    manager = program(campaign.created_by)
    assert manager.get(address(campaign)).json()["adjudicated"] == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"value": 10**30}, "value"),
        ({"value": 2, "reason": "a" * 501}, "reason"),
    ],
)
def test_adjudicated_rating_wrong_content_names_the_field(campaign, adjudicator, body, field):
    api = program(adjudicator)
    token = api.get(address(campaign, "differences/")).json()["results"][0]["token"]
    assert fields_of(api.put(address(campaign, f"differences/{token}/"), body)) == {field}
    assert not SettledValue.objects.exists()


def test_differences_are_for_the_adjudicator_of_a_closed_campaign_who_judges_no_more(
    campaign, adjudicator
):
    differences = address(campaign, "differences/")
    assert program(campaign.created_by).get(differences).status_code == 404
    api = program(adjudicator)
    unknown = api.put(address(campaign, f"differences/{'a' * 24}/"), {"value": 2})
    assert unknown.status_code == 404
    campaigns.open_campaign(campaign=campaign, by=campaign.created_by, now=timezone.now())
    assert api.get(differences).status_code == 409
    factories.enrollment(campaign, account=adjudicator)
    assert api.get(differences).status_code == 403


@pytest.mark.long
def test_differences_come_in_pages_with_a_constant_number_of_queries(campaign, adjudicator):
    api = program(adjudicator)

    def queries(limit: int) -> int:
        with counted() as found:
            answer = api.get(f"{address(campaign, 'differences/')}?limit={limit}")
            assert len(answer.json()["results"]) == limit
        return len(found)

    queries(1)  # the first request also notes that the token was used
    assert queries(1) == queries(4)
