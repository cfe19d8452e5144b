"""Orders are drawn from a secret whose hash is in the protocol, and can be checked once it is
revealed."""

import copy
import io
import json
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.urls import reverse

from judging.campaigns.actions import campaigns, draw_checks, draws, rounds
from judging.campaigns.models.campaign import Campaign, TaskUnit
from judging.enrolments.actions import enrollments
from tests import factories
from tests.refusing import refusals_on, refused

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def closed(**fields) -> Campaign:
    material = factories.dataset(sources=5, systems=("Alba", "Brisa", "Corvo"))
    campaign = factories.opened(dataset=material, **fields)
    enrollments.enroll(campaign=campaign, user=factories.user())
    campaigns.close_campaign(campaign=campaign, now=NOW)
    return campaign


def revealed(**fields) -> dict:
    campaign = closed(**fields)
    draws.reveal_secret(campaign=campaign, now=NOW)
    return json.loads("".join(draws.json_document_pieces(draws.draws_document(campaign))))


def test_lock_makes_a_secret_of_256_bits_and_publishes_its_hash() -> None:
    one, other = factories.campaign(), factories.campaign()
    for each in (one, other):
        campaigns.lock_plan(campaign=each, now=NOW)
    assert one.secret != other.secret
    assert len(bytes.fromhex(one.secret)) == 32
    assert one.locked_plan["draws"] == {
        "method": draws.METHOD,
        "secret_sha256": draws.hash_secret(one.secret),
    }


def test_secret_of_a_pilot_is_that_of_the_campaign() -> None:
    campaign = factories.campaign()
    pilot = campaign.rounds.create(kind="pilot")
    rounds.open_round(round=pilot, now=NOW)
    before = Campaign.objects.get(pk=campaign.pk).secret
    campaigns.lock_plan(campaign=campaign, now=NOW)
    assert campaign.secret == before != ""


@pytest.mark.parametrize(
    ("origin", "secret"), [("judged", "5" * 64), ("simulated", "2026"), ("simulated", "5" * 65)]
)
def test_secret_is_given_to_simulations_only_and_whole(origin: str, secret: str) -> None:
    with pytest.raises(draws.GuessableSecret):
        campaigns.lock_plan(campaign=factories.campaign(origin=origin), now=NOW, secret=secret)


def test_database_refuses_a_running_campaign_without_secret() -> None:
    campaign = factories.opened()
    with pytest.raises(IntegrityError, match="campaign_running_has_secret"), transaction.atomic():
        Campaign.objects.filter(pk=campaign.pk).update(secret="")


def test_systems_stand_in_another_order_on_each_source() -> None:
    material = factories.dataset(sources=12, systems=("Alba", "Brisa", "Corvo", "Dorso"))
    factories.opened(dataset=material)
    rows = TaskUnit.objects.order_by("task__number", "position")
    orders: dict[int, tuple[str, ...]] = {}
    for number, system in rows.values_list("task__number", "unit__question_set__system__name"):
        orders[number] = (*orders.get(number, ()), system)
    assert len(set(orders.values())) > 3


def test_secret_stays_one_until_the_campaign_is_closed_and_then_it_opens_no_more(client) -> None:
    campaign = factories.opened()
    client.force_login(campaign.created_by)
    address, document = (
        reverse(f"judging:{name}", args=[campaign.uuid]) for name in ("reveal_draws", "draws")
    )
    assert refusals_on(client.post(address, follow=True)) == ["draws_not_revealed"]
    assert client.get(document).status_code == 404
    with pytest.raises(draws.NotOverYet):
        draws.draws_document(campaign)
    campaigns.close_campaign(campaign=campaign, now=NOW)
    assert client.get(document).status_code == 404
    client.post(address)
    given = client.get(document)
    assert given.streaming, "there may be millions of places"
    assert json.loads(given.getvalue())["secret"] == campaign.secret
    with refused("draws_revealed"):
        campaigns.open_campaign(campaign=campaign, now=NOW)


@pytest.mark.parametrize("key", ["depth", "breadth", "panel"])
def test_draws_of_a_closed_campaign_are_those_of_its_secret(key: str, tmp_path) -> None:
    protocol = factories.protocol(task="question_set") if key == "panel" else factories.protocol()
    path = tmp_path / "draws.json"
    path.write_text(json.dumps(revealed(order=key, protocol=protocol)))
    said = io.StringIO()
    call_command("check_draws", str(path), stdout=said)
    places = 3 * 5 * (3 if key == "panel" else 1)
    assert (
        said.getvalue() == f"As drawn: 1 rounds, {places} assignments; the secret has its hash.\n"
    )


def test_draws_that_somebody_changed_are_found(tmp_path) -> None:
    document = revealed()
    assert draw_checks.find_draw_problems(document) == []
    round = document["rounds"][0]
    swapped = copy.deepcopy(document)
    places = swapped["rounds"][0]["places"]
    places[0][1], places[-1][1] = places[-1][1], places[0][1]
    turned = copy.deepcopy(document)
    turned["rounds"][0]["tasks"][0]["units"].reverse()
    cases = {
        "assignments are not": swapped,
        f"systems on {round['sources'][0][0]} are not": turned,
        "not the one whose hash": {**document, "secret": "0" * 64},
        "not the one that was locked": {
            **document,
            "plan": {**document["plan"], "order": "breadth"},
        },
    }
    for reason, changed in cases.items():
        path = tmp_path / "draws.json"
        path.write_text(json.dumps(changed))
        with pytest.raises(CommandError, match=reason):
            call_command("check_draws", str(path))
