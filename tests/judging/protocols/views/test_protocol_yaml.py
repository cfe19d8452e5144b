"""Writing a protocol as YAML: mistakes are named with their line, and nothing written is lost."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging.protocols import documents
from judging.protocols.models.protocol import Protocol
from tests import factories
from tests.judging.drafting import document, draft, send

pytestmark = pytest.mark.django_db


def test_yaml_is_kept_as_it_is_written(page, owner):
    made = draft(owner)
    url = reverse("judging:protocol_draft_yaml", args=[made.pk])

    page.post(url, {"revision": "1", "text": "# why\r\n" + factories.SMALL})

    made.refresh_from_db()
    assert made.text == "# why\n" + factories.SMALL
    assert (
        page.get(reverse("judging:protocol_draft_file", args=[made.pk])).content.decode()
        == made.text
    )


def test_yaml_is_uploaded_and_finished(page, owner):
    made = draft(owner, "")
    file = SimpleUploadedFile("x.yaml", factories.SMALL.encode())

    answer = page.post(
        reverse("judging:protocol_draft_yaml", args=[made.pk]),
        {"revision": "1", "file": file, "act": "finish"},
    )

    assert answer.url == reverse("judging:protocol", args=[Protocol.objects.get(owner=owner).pk])


def test_yaml_from_an_older_tab_is_refused_and_kept_on_the_page(page, owner):
    made = draft(owner)
    send(page, made)

    answer = page.post(
        reverse("judging:protocol_draft_yaml", args=[made.pk]),
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
        in page.get(reverse("judging:protocol_draft", args=[made.pk]) + "?check").text
    )

    send(page, made, "prune")

    assert documents.untranslated(document(made), "de") == ()


@pytest.mark.long
def test_old_translation_of_a_changed_text_is_warned_of(page, owner):
    made = draft(owner, documents.to_yaml(documents.shipped("qgbench")))

    answer = send(page, made, **{"criteria[0].name": "Form"})

    assert "criteria.grammaticality.name (de)" in page.get(answer.url).text
