"""Writing a protocol as YAML: mistakes are named with their line, and nothing written is lost."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging.models import Rubric
from judging.protocols import documents
from tests import factories
from tests.judging.views.drafting import document, draft, send

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("key: [", "not valid YAML"),
        ("a: &x [1]\nb: *x", "aliases are not allowed"),
        ("\tkey: 1", "not valid YAML"),
        ("a: !!python/object/apply:os.system [ls]", "type tags are not allowed"),
        ("[" * 5000, "nested more than 50 deep"),
        ("key: a\x07b", "not valid YAML"),
        ('title: "a\\0b"', "NUL is not allowed"),
        ("--- a\n--- b", "not valid YAML"),
    ],
)
def test_hostile_yaml_ends_in_a_sentence_with_its_line(page, owner, text, sentence):
    made = draft(owner)
    url = reverse("judging:rubric_draft_yaml", args=[made.pk])

    page.post(url, {"revision": "1", "text": text})

    assert sentence in page.get(url).text
    if text != "key: a\x07b":
        assert "<b>Line " in page.get(url).text
    assert page.get(reverse("judging:rubric_draft", args=[made.pk])).url == url


def test_key_written_twice_is_named_with_its_line(page, owner):
    made = draft(owner, "key: a\ntitle: T\nkey: b\n")

    text = page.get(reverse("judging:rubric_draft_yaml", args=[made.pk])).text

    assert "<code>key</code>: written twice" in text


def test_yaml_is_kept_as_it_is_written(page, owner):
    made = draft(owner)
    url = reverse("judging:rubric_draft_yaml", args=[made.pk])

    page.post(url, {"revision": "1", "text": "# why\r\n" + factories.SMALL})

    made.refresh_from_db()
    assert made.text == "# why\n" + factories.SMALL
    assert (
        page.get(reverse("judging:rubric_draft_file", args=[made.pk])).content.decode() == made.text
    )


def test_yaml_is_uploaded_and_finished(page, owner):
    made = draft(owner, "")
    file = SimpleUploadedFile("x.yaml", factories.SMALL.encode())

    answer = page.post(
        reverse("judging:rubric_draft_yaml", args=[made.pk]),
        {"revision": "1", "file": file, "act": "finish"},
    )

    assert answer.url == reverse("judging:rubric", args=[Rubric.objects.get(owner=owner).pk])


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\x00b", b"x" * 1_000_001])
def test_upload_that_is_no_text_leaves_the_draft(page, owner, data):
    made = draft(owner)
    file = SimpleUploadedFile("x.yaml", data)

    answer = page.post(
        reverse("judging:rubric_draft_yaml", args=[made.pk]), {"revision": "1", "file": file}
    )

    assert answer.status_code == 422
    assert document(made).title == "Small"


def test_yaml_from_an_older_tab_is_refused_and_kept_on_the_page(page, owner):
    made = draft(owner)
    send(page, made)

    answer = page.post(
        reverse("judging:rubric_draft_yaml", args=[made.pk]),
        {"revision": "1", "text": "title: Late"},
    )

    assert answer.status_code == 409
    assert "title: Late" in answer.text
    assert document(made).title == "Small"


@pytest.mark.long
def test_orphaned_translations_are_named_and_dropped_on_demand(page, owner):
    made = draft(owner, documents.to_yaml(documents.shipped("schlichtkrull-cheng")))
    send(page, made, "remove criteria[0]")
    assert (
        "Drop the translations"
        in page.get(reverse("judging:rubric_draft", args=[made.pk]) + "?check").text
    )

    send(page, made, "prune")

    assert documents.untranslated(document(made), "de") == ()


@pytest.mark.long
def test_old_translation_of_a_changed_text_is_warned_of(page, owner):
    made = draft(owner, documents.to_yaml(documents.shipped("qgbench")))

    answer = send(page, made, **{"criteria[0].name": "Form"})

    assert "criteria.grammaticality.name (de)" in page.get(answer.url).text
