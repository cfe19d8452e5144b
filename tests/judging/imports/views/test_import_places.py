"""Answers that stand more than once in their passage: asked about, and marked where somebody
says."""

import pytest
from django.test import Client

from judging.models import Collection, Source, Upload
from tests import factories
from tests.judging.views.importing import at, confirmed, form_of, imported, mapped, sent, use
from tests.working import WorkingClient

pytestmark = pytest.mark.django_db
TWICE = (
    "passage,answer,system,question\nA lock is a lock.,lock,Alba,Why?\nThe weir.,weir,Alba,Who?\n"
)


@pytest.fixture(scope="module")
def seen(lasting) -> tuple[Client, Upload]:
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
def upload(seen) -> Upload:
    return Upload.objects.get(pk=seen[1].pk)


def test_an_answer_that_stands_twice_is_asked_about_and_marked_where_one_says(page, upload):
    preview = page.get(at("preview", upload))
    assert preview.context["ask_count"] == 1
    assert [start for start, _ in preview.context["asks"][0]["places"]] == [2, 12]
    assert page.post(at("starts", upload), {"start:1": "12", "others": "ask"}).url == at(
        "preview", upload
    )
    assert page.get(at("preview", upload)).context["ask_count"] == 0
    confirmed(page, upload)

    assert list(Source.objects.values_list("key", "answer_start")) == [("1", 12), ("2", 4)]


def test_an_answer_that_stands_twice_may_stay_unmarked_or_take_its_first_place(page):
    upload = sent(page, TWICE)
    imported(page, upload)
    assert Source.objects.get(key="1").answer_start is None

    mapped(page, upload)
    page.get(at("preview", upload))
    page.post(at("check", upload), {"seed": "1", "checked": "on"})
    assert (
        "1 answer stands more than once in its text and will be left unmarked"
        in page.get(at("confirm", upload)).text
    )
    page.post(at("starts", upload), {"others": "first"})
    page.get(at("preview", upload))
    page.post(at("check", upload), {"seed": "1", "checked": "on"})
    assert "left unmarked" not in page.get(at("confirm", upload)).text
    confirmed(page, upload, again="on")

    assert Source.objects.filter(key="1", answer_start=2).count() == 1


def test_chosen_places_survive_going_back_but_not_another_passage(page, upload):
    page.post(at("starts", upload), {"start:1": "12"})
    mapped(page, upload)
    assert page.get(at("preview", upload)).context["ask_count"] == 0

    form = use(
        form_of(page.get(at("columns", upload))), TWICE.splitlines()[0], "passage", use="sentence"
    )
    page.post(at("columns", upload), form)

    assert page.get(at("preview", upload)).context["ask_count"] == 1


def test_places_can_be_chosen_anew(page, upload):
    page.post(at("starts", upload), {"start:1": "12"})
    assert "Choose anew" in page.get(at("preview", upload)).text

    page.post(at("starts", upload), {"anew": "yes"})

    assert page.get(at("preview", upload)).context["ask_count"] == 1


def test_malformed_places_are_passed_over(page, upload):
    for start in ("x", "-1", "9" * 30, ""):
        assert page.post(at("starts", upload), {"start:1": start}).status_code == 302
        assert page.get(at("preview", upload)).context["ask_count"] == 1


def test_a_place_under_a_key_no_text_may_hold_is_passed_over(page):
    upload = sent(page)
    mapped(page, upload)
    page.get(at("preview", upload))
    page.post(at("starts", upload), {"start:zero \x00 byte": "3"})
    page.get(at("preview", upload))
    assert imported(page, upload).status_code == 302
    assert Collection.objects.get().mapping["columns"]["starts"] == {}


def test_what_is_said_of_a_file_lies_with_it_and_not_in_the_session(page, upload):
    """Every request reads the session, whatever it is about."""
    page.post(at("starts", upload), {"start:1": "12"})

    assert not any("passage" in str(value) for value in page.session.values())
    elsewhere = WorkingClient()
    elsewhere.force_login(upload.owner)
    assert elsewhere.get(at("preview", upload)).context["ask_count"] == 0


def test_what_an_earlier_version_kept_in_another_form_is_asked_again(page, upload, monkeypatch):
    monkeypatch.setattr("judging.imports.views.waiting.FORM", ["something", "else"])

    assert page.get(at("preview", upload)).url == at("columns", upload)
    assert page.get(at("columns", upload)).status_code == 200


def test_an_answer_written_otherwise_is_marked_and_the_difference_is_shown(page):
    upload = sent(
        page, "passage,answer,system,question\nIt opened “In\u00a0Autumn”.,in autumn,Alba,When?\n"
    )
    mapped(page, upload)

    preview = page.get(at("preview", upload)).content.decode()

    assert "as “In Autumn” (different: blanks, case); it is marked there." in preview
    assert "<mark>In\u00a0Autumn</mark>" in preview
    confirmed(page, upload)
    assert list(Source.objects.values_list("answer", "answer_start")) == [("in autumn", 11)]
