"""Pages about lists, totals and the like in a file, and how a user keeps them unchanged."""

import pytest

from judging.models import Question, Reference
from tests.judging.views.importing import at, imported, mapped, sent

pytestmark = [pytest.mark.long, pytest.mark.django_db]
LISTS = (
    "passage,system,question,reference\n"
    "The weir.,Alba,What is it?,\"['What is there?', 'Which weir?']\"\n"
    "The lock.,Alba,Who locks?,\"['Who shuts it?']\"\n"
)


def left(page, upload, *steps, **more):
    """Have a file read again without some steps."""
    address = at("reading", upload)
    return page.post(address, {"as_is": steps} | more)


def test_columns_page_says_that_a_list_was_opened_and_the_preview_too(page):
    upload = sent(page, LISTS)

    assert "Each cell holds a list." in page.get(at("columns", upload)).text
    mapped(page, upload)
    assert "Each cell holds a list." in page.get(at("preview", upload)).text
    imported(page, upload)
    assert set(Reference.objects.values_list("text", flat=True)) == {
        "What is there?",
        "Which weir?",
        "Who shuts it?",
    }


def test_format_form_leaves_lists_as_they_are(page):
    upload = sent(page, LISTS)
    left(page, upload, "lists")

    shown = page.get(at("columns", upload))
    assert "Each cell holds a list." not in shown.text
    assert shown.context["otherwise"]["as_is"].value() == ["lists"]
    imported(page, upload)
    assert "['Who shuts it?']" in Reference.objects.values_list("text", flat=True)


def test_button_on_the_columns_page_removes_special_tokens(page):
    upload = sent(page, "passage,system,question\nThe weir.,Alba,<pad> What is it?</s>\n")
    shown = page.get(at("columns", upload))
    assert "&lt;pad&gt; (1), &lt;/s&gt; (1)" in shown.text
    assert 'form="reading" name="special_tokens" value="on"' in shown.text
    assert 'id="reading"' in shown.text

    left(page, upload, special_tokens="on")
    again = page.get(at("columns", upload))
    assert "Special tokens are removed" in again.text
    assert 'form="reading"' not in again.text
    imported(page, upload)
    assert list(Question.objects.values_list("text", flat=True)) == ["What is it?"]


def test_preview_counts_special_tokens(page):
    upload = sent(page, "passage,system,question\nThe weir.,Alba,<pad> What is it?</s>\n")
    mapped(page, upload)

    assert "&lt;pad&gt; (1)" in page.get(at("preview", upload)).text


def test_columns_page_proposes_a_question_set_and_the_user_may_refuse(page):
    several = "passage,system,output\nThe weir.,Alba,1. What is it? 2. Who built it?\n"
    upload = sent(page, several)
    assert "“What is it?” and “Who built it?”" in page.get(at("columns", upload)).text

    left(page, upload, "sets")
    assert "several questions" not in page.get(at("columns", upload)).context["head"].remarks
    left(page, upload)
    imported(page, upload)
    assert set(Question.objects.values_list("unit__position", "text")) == {
        (1, "What is it?"),
        (2, "Who built it?"),
    }
