"""The protocol editor in a real browser: from nothing to a finished version, with scripts and
without."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.people.models.user import User
from judging.protocols import documents, protocol_edits
from judging.protocols.actions import protocol_drafts
from judging.protocols.models.protocol import Protocol, ProtocolDraft
from tests import factories
from tests.flows.axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WORDS = {
    "title": "Clear and useful",
    "summary": "Two criteria, one question at a time.",
    "citation": "Unpublished.",
    "criteria[0].name": "Clarity",
    "criteria[0].prompt": "Is it clear what is asked?",
    "criteria[0].definition": "Whether the question alone tells what is wanted.",
    "criteria[0].points[0].label": "unclear",
    "criteria[0].points[1].label": "nearly clear",
    "criteria[0].points[2].label": "clear",
    "guideline": "Read each question twice.",
}
SECOND = {
    "criteria[1].name": "Use",
    "criteria[1].prompt": "Would a teacher ask it?",
    "criteria[1].definition": "Whether it tests that the passage was understood.",
    "criteria[1].points[0].label": "no",
    "criteria[1].points[1].label": "perhaps",
    "criteria[1].points[2].label": "yes",
}


@pytest.fixture
def owner() -> User:
    return factories.researcher()


def enter(page, owner: User) -> None:
    client = factories.logged_in(owner)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    page.context.add_cookies([cookie | {"domain": "localhost", "path": "/"}])


def fill(page, words: dict[str, str]) -> None:
    for name, text in words.items():
        page.locator(f'[name="{name}"]').fill(text)


def test_protocol_of_two_criteria_from_nothing_with_a_live_preview(page, owner):
    enter(page, owner)
    page.goto(reverse("judging:protocol_new"))
    page.get_by_role("button", name="Start from nothing").click()
    fill(page, WORDS)
    page.locator("#live").get_by_text("nearly clear").wait_for()
    page.get_by_role("button", name="Add a criterion").click()
    page.wait_for_selector('[name="criteria[1].name"]:focus')
    fill(page, SECOND)
    page.locator("#live").get_by_text("Would a teacher ask it?").wait_for()
    page.get_by_role("button", name="Preview as annotator").click()
    page.get_by_role("button", name="Show all").click()
    assert page.get_by_role("radiogroup", name="Use").count() == 3
    assert "Jonas Lind" in page.locator("#source").inner_text()
    assert violations(page) == []
    page.get_by_role("link", name="Back to the protocol").click()
    page.get_by_role("button", name="Finish this version").click()

    page.wait_for_url("**/protocols/*/")
    protocol = Protocol.objects.get(owner=owner)
    assert list(protocol.criteria.values_list("key", flat=True)) == ["clarity", "use"]
    assert (
        documents.protocol_from_document(protocol.document).criterion("use").points[1].label
        == "perhaps"
    )


@pytest.mark.long
def test_protocol_of_two_criteria_on_a_small_screen_without_javascript(new_page, owner):
    page = new_page(width=360, height=740, java_script_enabled=False)
    enter(page, owner)
    page.goto(reverse("judging:protocol_new"))
    page.get_by_role("button", name="Start from nothing").click()
    fill(page, WORDS)
    page.get_by_role("button", name="Add a criterion").click()
    fill(page, SECOND)
    page.get_by_role("button", name="Add a point to criterion 2").click()
    assert page.locator('[name="criteria[1].points[3].value"]').input_value() == "4"
    page.get_by_role("button", name="Remove Criterion 2, Point 4").click()
    page.get_by_role("button", name="Preview as annotator").click()
    assert page.get_by_role("radiogroup", name="Use").count() == 3
    page.go_back()
    page.get_by_role("button", name="Finish this version").click()

    assert Protocol.objects.get(owner=owner).criteria.count() == 2


@pytest.mark.long
def test_draft_says_what_is_missing_and_leads_there(page, owner):
    enter(page, owner)
    made = protocol_drafts.start_protocol_draft(
        by=owner, text=documents.write_yaml(protocol_edits.blank_protocol()), now=timezone.now()
    )
    page.goto(reverse("judging:protocol_draft", args=[made.pk]))
    page.get_by_role("button", name="Save the draft").click()
    page.get_by_role("link", name="Criterion 1: Definition").click()

    assert page.evaluate("document.activeElement.name || location.hash").endswith(
        "criteria[0].definition"
    )
    assert violations(page) == []


def test_leaving_unsaved_entries_is_asked_about(page, owner):
    enter(page, owner)
    made = protocol_drafts.start_protocol_draft(by=owner, text=factories.SMALL, now=timezone.now())
    page.goto(reverse("judging:protocol_draft", args=[made.pk]))
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    page.locator('[name="title"]').press_sequentially("!")
    page.goto(reverse("judging:protocols"))

    assert asked == ["beforeunload"]
    assert ProtocolDraft.objects.get().title == "Small"
