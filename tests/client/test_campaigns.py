"""Campaigns by the client: plans, rounds, annotators, webhooks; and protocols."""

from datetime import UTC, datetime, timedelta

import pytest

from quaestor_client import Quaestor, QuaestorError
from tests import factories
from tests.analysis import studies
from tests.annotation import studies as annotated
from tests.client.clients import client_of

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def client(in_process) -> Quaestor:
    return client_of(factories.researcher())


def test_plan_changes_only_in_the_state_that_was_read() -> None:
    draft = factories.campaign()
    client = client_of(draft.created_by)
    campaign = client.campaigns.get(str(draft.uuid))
    tag = campaign.etag
    assert campaign.update(if_match=tag, annotators_per_task=2).data["annotators_per_task"] == 2
    with pytest.raises(QuaestorError) as raised:
        campaign.update(if_match=tag, annotators_per_task=3)
    assert raised.value.status == 412
    [listed] = client.campaigns.list()
    assert listed.etag == campaign.etag != tag
    assert listed.plan()["introduction"] == ""
    assert isinstance(listed.data["created_at"], datetime)


def test_draft_is_cloned_selected_and_deleted() -> None:
    draft = factories.campaign()
    client = client_of(draft.created_by)
    copy = client.campaigns.get(str(draft.uuid)).clone()
    assert copy.select({"systems": ["Alba"]})["questions"] == 2
    assert copy.selection()["systems"] == ["Alba"]
    assert copy.set_quality(repeats=10)["repeats"] == 10
    assert copy.quality()["repeats"] == 10
    assert copy.exclusion_rules()["proposals"] == []
    started = copy.begin_round(kind="pilot", size=1, annotators=1)
    assert copy.end_round(started["id"])["closed_at"]
    assert {row["kind"] for row in copy.rounds()} == {"main", "pilot"}
    client.campaigns.get(str(draft.uuid)).delete()
    assert [campaign.uuid for campaign in client.campaigns.list()] == [copy.uuid]


def test_campaign_that_is_under_way_is_followed_and_amended() -> None:
    opened = annotated.opened(sources=1)
    campaign = client_of(opened.created_by).campaigns.get(str(opened.uuid))
    factories.enrollment(opened, label="A01")
    assert campaign.exclude("A01", "Answered at random")["is_excluded"]
    assert not campaign.reinclude("A01")["is_excluded"]
    with pytest.raises(LookupError, match="A02"):
        campaign.exclude("A02", "Nobody")
    assert campaign.progress()["submitted"] == 0
    assert campaign.wait_until(submitted=0) is campaign
    with pytest.raises(TimeoutError, match="0 of"):
        campaign.wait_until(timeout=0, every=0)
    amended = campaign.amend(what="contact", value="me@lab.example", reason="Moved")
    assert [row["id"] for row in campaign.deviations()] == [amended["id"]]
    since = datetime.now(UTC) - timedelta(hours=1)
    assert "annotator.excluded" in {row["act"] for row in campaign.history(since=since)}
    assert not campaign.history(until=since)


def test_closed_campaign_is_reproduced() -> None:
    closed = studies.imported(sources=2)
    copy = client_of(closed.created_by).campaigns.get(str(closed.uuid)).reproduce()
    assert copy.data["reproduces"] == str(closed.uuid)
    assert "<td>Locks" in copy._repr_html_()


def test_webhook_is_made_changed_and_deleted() -> None:
    webhooks = (
        client_of((made := factories.campaign()).created_by).campaigns.get(str(made.uuid)).webhooks
    )
    webhook = webhooks.create(url="https://lab.example/hook", events=["run.finished"])
    assert webhook["secret"]
    assert webhooks.update(webhook["id"], is_active=False)["is_active"] is False
    webhooks.ping(webhook["id"])
    assert [row["event"] for row in webhooks.deliveries(webhook["id"])] == ["ping"]
    webhooks.delete(webhook["id"])
    assert not webhooks.list()


def test_protocol_is_read_validated_and_changed(client: Quaestor) -> None:
    factories.protocol()
    small = client.protocols.get("small")
    document = small.document()
    assert "title: Small" in small.yaml()
    assert client.protocols.validate(document)["is_valid"]
    assert not client.protocols.validate("key: mine")["is_valid"]
    mine = client.protocols.create(document | {"key": "mine", "title": "Mine"})
    assert client.protocols.get(mine.id).key == "mine"
    assert [row.id for row in client.protocols.list(key="mine")] == [mine.id]
    with pytest.raises(LookupError, match="no protocol mine2"):
        client.protocols.get("mine2")
