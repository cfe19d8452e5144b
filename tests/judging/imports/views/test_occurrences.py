"""Answers that occur more than once in their passage: the page asks, and marks the chosen
occurrence."""

import pytest
from django.test import Client

from judging.models import AddedFile, Collection, Source
from tests import factories
from tests.judging.views.importing import added_by, at, form_of, imported, mapped, sent, use
from tests.working import WorkingClient

pytestmark = [pytest.mark.long, pytest.mark.django_db]
TWICE = (
    "passage,answer,system,question\nA lock is a lock.,lock,Alba,Why?\nThe weir.,weir,Alba,Who?\n"
)


@pytest.fixture(scope="module")
def seen(lasting) -> tuple[Client, AddedFile]:
    """Return an upload whose columns were mapped, with the browser in which they were."""
    client = WorkingClient()
    client.force_login(factories.researcher())
    upload = sent(client, TWICE)
    mapped(client, upload)
    return client, upload


@pytest.fixture
def page(seen) -> Client:
    browser = WorkingClient()
    browser.cookies.update(seen[0].cookies)
    return browser


@pytest.fixture
def upload(seen) -> AddedFile:
    return AddedFile.objects.get(pk=seen[1].pk)


def test_an_answer_that_occurs_twice_is_asked_about_and_marked_where_the_user_says(page, upload):
    preview = page.get(at("preview", upload)).context["found"]
    assert preview["ask_count"] == 1
    assert [start for start, _ in preview["asks"][0]["places"]] == [2, 12]
    assert page.post(at("starts", upload), {"start:1": "12", "others": "ask"}).url == at(
        "preview", upload
    )
    assert page.get(at("preview", upload)).context["found"]["ask_count"] == 0
    added_by(page, upload)

    assert list(Source.objects.values_list("key", "answer_start")) == [("1", 12), ("2", 4)]


def test_an_answer_that_occurs_twice_may_stay_unmarked(page):
    imported(page, sent(page, TWICE))
    assert Source.objects.get(key="1").answer_start is None


def test_an_answer_that_occurs_twice_may_be_marked_at_its_first_occurrence(page):
    added = sent(page, TWICE)
    mapped(page, added)
    page.post(at("starts", added), {"others": "first"})
    page.get(at("preview", added))
    added_by(page, added)

    assert Source.objects.get(key="1").answer_start == 2


def test_chosen_places_survive_going_back_but_not_another_passage(page, upload):
    page.post(at("starts", upload), {"start:1": "12"})
    mapped(page, upload)
    assert page.get(at("preview", upload)).context["found"]["ask_count"] == 0

    form = use(
        form_of(page.get(at("columns", upload))), TWICE.splitlines()[0], "passage", use="sentence"
    )
    page.post(at("columns", upload), form)

    assert page.get(at("preview", upload)).context["found"]["ask_count"] == 1


def test_places_can_be_chosen_anew(page, upload):
    page.post(at("starts", upload), {"start:1": "12"})
    assert "Choose again" in page.get(at("preview", upload)).text

    page.post(at("starts", upload), {"again": "yes"})

    assert page.get(at("preview", upload)).context["found"]["ask_count"] == 1


def test_malformed_places_are_passed_over(page, upload):
    for start in ("x", "-1", "9" * 30, ""):
        assert page.post(at("starts", upload), {"start:1": start}).status_code == 302
        assert page.get(at("preview", upload)).context["found"]["ask_count"] == 1


def test_a_place_under_a_key_no_text_may_hold_is_passed_over(page):
    upload = sent(page)
    mapped(page, upload)
    page.get(at("preview", upload))
    page.post(at("starts", upload), {"start:zero \x00 byte": "3"})
    assert imported(page, upload).status_code == 302
    assert Collection.objects.get(pk=upload.collection_id).mapping["columns"]["starts"] == {}


def test_an_answer_written_otherwise_is_marked_and_the_difference_is_shown(page):
    added = sent(
        page, "passage,answer,system,question\nIt opened “In\u00a0Autumn”.,in autumn,Alba,When?\n"
    )
    mapped(page, added)

    preview = page.get(at("preview", added)).content.decode()

    assert "as “In Autumn” (different: blanks, case); it is marked there." in preview
    assert "<mark>In\u00a0Autumn</mark>" in preview
    added_by(page, added)
    assert list(Source.objects.values_list("answer", "answer_start")) == [("in autumn", 11)]
