"""The schema of the REST API, its documentation page, and requests that are done once."""

import io
import json
import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone
from drf_spectacular.drainage import GENERATOR_STATS

from config.openapi import PAGES, WORDS
from judging.campaigns.actions import campaigns, webhooks
from judging.campaigns.models.webhook import Webhook
from judging.datasets.models.dataset import Dataset
from judging.jobs.api.resources import Resource
from tests import factories, openapi
from tests.annotation import studies
from tests.judging.programs import API, program
from tests.webhook_server import Received, WebhookServer

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"
METHODS = ("get", "post", "put", "patch", "delete")
SECRET_NAME = re.compile("secret|token|link|password")
# Fields with such names that hold no secret. A task's token names a version of it.
NOT_SECRET = {
    "AnnotatorCampaigns.task.token",
    "AnnotatorTasks.token",
    "CrowdPlatforms.has_webhook_secret",
    "LlmJudges.tokens_in",
    "LlmJudges.tokens_out",
}
PARTS = {"uuid": "00000000-0000-0000-0000-000000000000", "integer": "1", "string": "a"}


@pytest.fixture(scope="module")
def schema() -> str:
    written = io.StringIO()
    GENERATOR_STATS.reset()
    call_command("spectacular", stdout=written)
    return written.getvalue()


def operations(schema: str) -> list[dict[str, Any]]:
    items = yaml.safe_load(schema)["paths"].values()
    return [item[method] for item in items for method in METHODS if method in item]


def test_schema_as_committed_is_not_stale(schema):
    assert schema == COMMITTED.read_text(), "manage.py spectacular --file docs/openapi.yaml"


def test_schema_is_generated_without_a_warning(schema):
    assert not GENERATOR_STATS._error_cache
    assert not GENERATOR_STATS._warn_cache


def test_schema_every_operation_has_a_summary_and_an_id_of_its_own(schema):
    found = operations(schema)
    assert [each["operationId"] for each in found if not each.get("summary")] == []
    ids = [each["operationId"] for each in found]
    assert len(set(ids)) == len(ids)
    assert [each for each in ids if each[-1].isdigit()] == []


def parts(node: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path and the description of each parameter and property below a node."""
    if isinstance(node, list):
        for number, inner in enumerate(node):
            yield from parts(inner, f"{place}/{number}")
    elif isinstance(node, dict):
        properties, parameters = node.get("properties"), node.get("parameters")
        if isinstance(properties, dict):
            yield from ((f"{place}.{name}", part) for name, part in properties.items())
        if isinstance(parameters, list):
            named = (part for part in parameters if "name" in part)
            yield from ((f"{place}.{part['name']}", part) for part in named)
        for name, inner in node.items():
            if name != "example":
                yield from parts(inner, f"{place}/{name}")


def test_every_parameter_and_property_is_described_in_words():
    described = {place: part.get("description", "") for place, part in parts(openapi.document())}
    lacking = [place for place, words in described.items() if not words or words.startswith("* `")]
    assert lacking == []
    used = {(place.rpartition(".")[2], words.split("\n")[0]) for place, words in described.items()}
    known = [*WORDS["names"].items(), *WORDS["properties"].items()]
    unused = [name for name, words in known if (name.rpartition(".")[2], words) not in used]
    assert unused == []


def test_every_operation_has_the_tag_of_its_page():
    document = openapi.document()
    named = {tag["name"]: tag["description"] for tag in document["tags"]}
    tags = [operation["tags"] for operation in openapi.operations().values()]
    assert {tag for (tag,) in tags} == set(named)
    assert set(named) - {page.stem for page in PAGES.glob("*.md")} == {"api"}  # of README.md
    assert all(named.values())


def json_contents(operation: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the JSON that an operation takes, and what it answers with, if any."""
    successes = [
        response for code, response in operation["responses"].items() if code.startswith("2")
    ]
    for side, parts in (("request", [operation.get("requestBody", {})]), ("response", successes)):
        contents = [part.get("content", {}).get("application/json") for part in parts]
        if any(contents):
            yield side, list(filter(None, contents))


def test_every_operation_with_json_has_an_example_that_is_valid():
    lacking = []
    for operation in openapi.operations().values():
        for side, contents in json_contents(operation):
            examples = [content for content in contents if "example" in content]
            lacking += [] if examples else [f"{operation['operationId']}: {side}"]
            for content in examples:
                openapi.validator(content["schema"]).validate(content["example"])
    assert lacking == [], "see tests/write_examples.py"


@pytest.mark.django_db
def test_message_of_each_event_is_valid_against_the_document(settings):
    settings.PRIVATE_WEBHOOKS = True
    server, campaign = WebhookServer(), studies.opened(sources=1, annotators_per_task=1)
    own = {"campaign": campaign, "by": campaign.created_by}
    webhook, _secret = webhooks.create_webhook(
        **own, url=server.url, events=list(Webhook.Event.values)
    )
    client, annotator = studies.annotator(campaign)
    assignment = studies.held(annotator)
    address = reverse("annotation:submit", args=[assignment.pk])
    client.post(f"{address}?step=0", studies.filled(assignment))
    webhooks.note_reached_targets()
    webhooks.note_run(campaign=campaign, number=1, state="done")
    campaigns.move_campaign(campaign=campaign, to="paused", now=timezone.now())
    webhooks.queue_test_message(webhook=webhook)
    webhooks.send_due(webhook=webhook.pk)
    server.close()
    messages = {message["type"]: message for message in map(sent_message, server.received)}
    described = openapi.document()["webhooks"]
    assert set(messages) == set(described) == {*Webhook.Event.values, webhooks.PING}
    for event, message in messages.items():
        [content] = described[event]["post"]["requestBody"]["content"].values()
        openapi.validator(content["schema"]).validate(message)
        assert set(message["data"]) == set(content["schema"]["properties"]["data"]["properties"])


def sent_message(received: Received) -> Any:
    names = {header["name"] for header in WORDS["webhook_headers"]}
    assert names <= {name.lower() for name in received.headers}
    return json.loads(received.body)


@pytest.mark.django_db
def test_schema_and_documentation_are_served_under_a_policy():
    assert Client().get(f"{API}/schema/").status_code == 200
    page = Client().get(f"{API}/docs/")
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_same_idempotency_key_twice_at_once_creates_one_object():
    client, answers = program(factories.researcher()), []
    start = threading.Barrier(4)

    def create() -> None:
        start.wait()
        try:
            answers.append(
                client.post(f"{API}/datasets/", {"name": "Locks"}, HTTP_IDEMPOTENCY_KEY="a")
            )
        finally:
            connection.close()

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.status_code for each in answers] == [201] * 4
    assert len({each.json()["id"] for each in answers}) == 1
    assert Dataset.objects.count() == 1


def created_webhook(api: Any, path: str, **headers: str) -> Any:
    return api.post(f"{path}webhooks/", {"url": "https://lab.example/"}, **headers)


def replaced_secret(api: Any, path: str, **headers: str) -> Any:
    [webhook] = api.get(f"{path}webhooks/").json()["results"] or [created_webhook(api, path).json()]
    return api.post(f"{path}webhooks/{webhook['id']}/replace-secret/", **headers)


def created_invitation(api: Any, path: str, **headers: str) -> Any:
    return api.post(f"{path}invitations/", {"places": 3}, **headers)


def tables_that_contain(text: str) -> list[str]:
    """Return the tables of the database with a row that contains a text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(
                f'SELECT 1 FROM "{table}" found WHERE strpos(found::text, %s) > 0', [text]
            )
            found += [table] if cursor.fetchone() else []
    return found


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("send", "secret_fields"),
    [
        (created_webhook, {"secret"}),
        (replaced_secret, {"secret"}),
        (created_invitation, {"link", "token"}),
    ],
)
def test_repeated_request_for_a_secret_returns_the_object_without_it(send, secret_fields):
    campaign = studies.opened()
    api, path = program(campaign.created_by), f"{API}/campaigns/{campaign.uuid}/"
    first, again = (send(api, path, HTTP_IDEMPOTENCY_KEY="a") for _ in range(2))
    shown = first.json()
    secrets = {shown.pop(name) for name in secret_fields}
    assert again.json() == shown | {"code": "secret_shown_once"}
    assert again.status_code == first.status_code
    for secret in secrets:
        assert tables_that_contain(secret) == []


def fields(part: dict[str, Any], schemas: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of each field of a part of the schema."""
    if "$ref" in part:
        yield from fields(schemas[part["$ref"].rpartition("/")[2]], schemas, path)
    for kind in ("allOf", "oneOf", "anyOf"):
        for inner in part.get(kind, []):
            yield from fields(inner, schemas, path)
    if "items" in part:
        yield from fields(part["items"], schemas, path)
    for name, inner in part.get("properties", {}).items():
        yield f"{path}{name}"
        yield from fields(inner, schemas, f"{path}{name}.")


def view_of(path: str, operation: dict[str, Any]) -> type:
    """Return the view of an operation of the schema."""
    for part in operation.get("parameters", []):
        if part.get("in") == "path":
            kind = part["schema"].get("format", part["schema"]["type"])
            path = path.replace(f"{{{part['name']}}}", PARTS[kind])
    return resolve(path).func.cls


def test_every_field_named_like_a_secret_is_excluded_of_stored_responses(schema):
    document = yaml.safe_load(schema)
    schemas, stored = document["components"]["schemas"], []
    for path, item in document["paths"].items():
        view = view_of(path, item["post"]) if "post" in item else None
        if view is None or not issubclass(view, Resource):
            continue  # no response is stored
        for code, response in item["post"]["responses"].items():
            for content in response.get("content", {}).values() if code[0] == "2" else ():
                named = filter(SECRET_NAME.search, fields(content["schema"], schemas))
                names = {name for name in named if name not in view.secret_fields}
                stored += [f"{view.__name__}.{name}" for name in names]
    assert set(stored) == NOT_SECRET


@pytest.mark.django_db
@pytest.mark.parametrize("cursor", ["abc", "cD0lMDA=", "cD14", "cD0" + "5" * 60])
@pytest.mark.parametrize("path", ["datasets", "jobs"])
def test_cursor_that_was_never_given_out_is_404(path, cursor):
    client = program(factories.researcher())
    assert client.get(f"{API}/{path}/", {"cursor": cursor}).status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["nowhere/", "campaigns/x/", "datasets/-1/"])
def test_address_that_does_not_exist_is_problem_details(path):
    answer = program(factories.researcher()).get(f"{API}/{path}")
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
def test_address_without_its_last_slash_is_redirected_with_method_and_content(method):
    client = program(factories.researcher())
    answer = getattr(client, method)(f"{API}/datasets", {"name": "Locks"})
    assert answer.status_code == 308
    assert answer.headers["Location"].startswith(f"{API}/datasets/")


@pytest.mark.django_db
def test_root_lists_resources_that_answer():
    client = program(factories.researcher())
    listed = client.get(f"{API}/").json()
    assert {"campaigns", "datasets", "protocols", "jobs", "me"} <= set(listed)
    assert client.get(listed["campaigns"]).status_code == 200


@pytest.mark.django_db
def test_error_in_a_browser_is_a_problem_and_no_page():
    answer = program(factories.researcher()).get(
        f"{API}/datasets/7/", HTTP_ACCEPT="text/html,application/xhtml+xml,*/*;q=0.8"
    )
    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.django_db
def test_rate_limit_counts_for_all_processes_and_names_what_is_left(monkeypatch):
    monkeypatch.setattr("judging.base.api.rate_limits.MAX_REQUESTS_OF_USER", 2)
    monkeypatch.setattr(
        "django.utils.timezone.now", lambda: datetime(2026, 11, 30, 12, 0, 15, tzinfo=UTC)
    )
    user = factories.researcher()
    first, second = program(user), program(user)
    answers = [client.get(f"{API}/me/") for client in (first, second, first)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer.headers["RateLimit"] for answer in answers] == [
        f'"minute";r={left};t=45' for left in (1, 0, 0)
    ]
    assert answers[-1].headers["Retry-After"] == "46"
    assert answers[-1].json()["code"] == "throttled"
