"""A protocol in the making as annotators would see it, on our own material, however little of it is
there."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.people.models.user import User
from judging.protocols import documents, protocol_edits
from judging.protocols.models.protocol import ProtocolDraft
from judging.work.models.assignment import Draft
from tests import factories
from tests.annotation import studies
from tests.judging.forms_of import fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return factories.researcher()


@pytest.fixture
def page(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def draft(owner: User, text: str) -> ProtocolDraft:
    return ProtocolDraft.objects.create(owner=owner, text=text, updated_at=timezone.now())


def whole(page: Client, made: ProtocolDraft, query: str = "") -> str:
    return page.get(reverse("annotation:protocol_preview", args=[made.pk]) + query).text


def pane(page: Client, made: ProtocolDraft, **more: str) -> str:
    form = fields(page.get(reverse("judging:protocol_draft", args=[made.pk])).text, "editor-form")
    return page.post(reverse("annotation:protocol_pane", args=[made.pk]), form | more).text


@pytest.mark.parametrize("key", documents.shipped_keys())
def test_preview_asks_every_criterion_of_each_shipped_protocol(page, owner, key):
    protocol = documents.shipped(key)
    made = draft(owner, documents.to_yaml(protocol))

    html = whole(page, made, f"?step={len(protocol.stages) - 1}")

    asked = {name.partition(".")[2] for name in studies.fields(html)}
    assert {criterion.key for criterion in protocol.criteria} <= asked
    assert not Assignment.objects.exists()
    assert not Draft.objects.exists()


@pytest.mark.long
@pytest.mark.parametrize("key", documents.shipped_keys())
def test_pane_shows_the_first_question_by_the_form_as_it_stands(page, owner, key):
    made = draft(owner, documents.to_yaml(documents.shipped(key)))

    html = pane(page, made)

    assert "q1." in html or "s1." in html
    assert "q2." not in html
    assert "<form" not in html


def test_pane_follows_what_is_not_saved_yet(page, owner):
    made = draft(owner, factories.SMALL)

    assert "Is it right so?" in pane(page, made, **{"criteria[0].prompt": "Is it right so?"})
    made.refresh_from_db()
    assert "Is it right so?" not in made.text


def test_first_stage_hides_what_the_second_shows(page, owner):
    made = draft(owner, documents.to_yaml(documents.shipped("qgbench-staged")))

    assert "Jonas Lind" not in whole(page, made)
    assert "<mark>Jonas Lind</mark>" in whole(page, made, "?step=1")
    assert "Jonas Lind" not in pane(page, made)
    assert "<mark>Jonas Lind</mark>" in pane(page, made, step="1")
    going = page.post(
        reverse("annotation:protocol_preview", args=[made.pk]), {"action": "continue"}
    )
    assert going.url.endswith("?step=1")


INCOMPLETE = {
    "points and nothing else": "criteria: [{points: [{value: 1}, {value: 1}, {}]}]",
    "unknown stages": "stages: [{}]\ncriteria: [{name: A, stage: nowhere, points: [{value: 1, label: a}]}]",
    "circle": factories.SMALL
    + "rules:\n"
    + "- {kind: force, key: a, criterion: grammaticality, value: 1, sets: {correctness: 1}, explanation: e}\n"
    + "- {kind: force, key: b, criterion: correctness, value: 1, sets: {grammaticality: 1}, explanation: e}\n",
    "keys given twice": factories.SMALL.replace("key: correctness", "key: grammaticality"),
}


@pytest.mark.long
@pytest.mark.parametrize("text", INCOMPLETE.values(), ids=INCOMPLETE)
def test_what_is_there_of_an_incomplete_protocol_is_shown(page, owner, text):
    made = draft(owner, text)

    assert studies.fields(whole(page, made))
    assert "q1." in pane(page, made)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "key: [",
        "title: T",
        documents.write_yaml(protocol_edits.blank_protocol() | {"criteria": []}),
    ],
)
def test_nothing_to_show_leads_back_and_says_so(page, owner, text):
    made = draft(owner, text)

    answer = page.get(reverse("annotation:protocol_preview", args=[made.pk]))

    assert answer.url == reverse("judging:protocol_draft", args=[made.pk])
    assert "appears here" in page.post(reverse("annotation:protocol_pane", args=[made.pk])).text


def test_submitting_a_preview_stores_nothing(page, owner):
    made = draft(owner, factories.SMALL)

    page.post(
        reverse("annotation:protocol_preview", args=[made.pk]),
        {"action": "submit", "q1.correctness": "3"},
    )

    assert not Draft.objects.exists()
