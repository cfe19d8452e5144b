"""Files of very many columns: a page asks about 200 of them."""

import pytest
from django.urls import reverse

from judging import storage
from judging.imports.actions import adding
from judging.imports.forms import mapping
from judging.imports.forms.columns import SHOWN
from judging.models import Collection, Metric
from tests.judging.views.importing import at, form_of, imported, sent

pytestmark = [pytest.mark.long, pytest.mark.django_db]
FEW, METRICS = 20, 28  # columns of a page where it matters how they go together and not how many
HEADER = ["question", "system", *(f"f{number:03}z" for number in range(METRICS))]
STUDY = ",".join(HEADER) + "\n" + ("Who owns it?,Alba" + ",0.5" * METRICS + "\n")


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(mapping, "SHOWN", FEW)


def said(page, address, **of_metrics):
    """Return what a browser sends of one page with a direction for every metric."""
    form = form_of(page.get(address))
    for name in [name for name in form if name.endswith("-use")]:
        if form[name] in ("metric", "metadata"):
            form |= {name: "metric", name.replace("-use", "-direction"): "higher"}
    return form | of_metrics


@pytest.mark.long
def test_a_page_asks_about_two_hundred_of_two_thousand_columns(page):
    names = ["question", *(f"c{number}" for number in range(1_999))]
    upload = sent(page, ",".join(names) + "\nWho owns it?" + ",x" * 1_999 + "\n")

    answer = page.get(at("columns", upload))

    assert [each.column for each in answer.context["formset"]] == names[:SHOWN]
    assert len(answer.content) < 1_000_000
    assert "columns 1 to 200 of 2000" in answer.text
    last = page.get(at("columns", upload) + "?page=10")
    assert [each.column for each in last.context["formset"]] == names[-SHOWN:]
    assert "Columns 1 to 200" in last.text


def test_columns_of_pages_that_nobody_went_to_stay_as_they_are_proposed(page, few):
    names = ["question", "system", *(f"c{number}" for number in range(METRICS))]
    upload = sent(page, ",".join(names) + "\nWho owns it?,Alba" + ",x" * METRICS + "\n")
    head = page.get(at("columns", upload)).context["head"]

    imported(page, upload)

    kept = Collection.objects.get().mapping["columns"]
    assert kept["metadata"] == list(head.proposed.metadata)
    assert len(head.proposed.metadata) > FEW


def test_what_is_said_on_each_page_of_columns_is_kept(page, few):
    upload = sent(page, STUDY)
    address = at("columns", upload)

    moved = page.post(address, said(page, address) | {"page": "2"})
    assert moved.url == address + "?page=2"
    assert page.post(moved.url, said(page, moved.url)).url == at("preview", upload)
    first = page.get(address).context["formset"]
    imported(page, upload)

    assert {each["direction"].value() for each in first.forms[2:]} == {"higher"}
    metrics = Metric.objects.filter(collection=Collection.objects.get())
    assert metrics.count() == METRICS
    assert Collection.objects.get().mapping["columns"]["scores"][-1]["column"] == HEADER[-1]


def test_what_is_missing_on_another_page_is_told(page, few):
    upload = sent(page, STUDY)
    address = at("columns", upload)
    form = said(page, address)
    name = next(name for name in form if form[name] == "metric")
    without = form | {name.replace("-use", "-direction"): ""}

    refused = page.post(address, without | {"page": "2"})
    assert refused.status_code == 422

    blank = {key: "" for key in form if key.endswith("-use")}
    moved = page.post(address, form | blank | {"page": "2"})
    assert moved.url == address + "?page=2"
    page.post(moved.url, said(page, moved.url))
    assert "Say which column holds the generated questions." in page.get(at("preview", upload)).text


def test_columns_pages_metrics_of_unknown_direction_that_nobody_saw_are_told(page, few):
    """A direction that is only proposed is accepted where it is shown."""
    upload = sent(page, STUDY)
    address = at("columns", upload)
    hidden = len(HEADER) - FEW

    refused = page.post(address, form_of(page.get(address)))
    assert refused.status_code == 422
    assert f"Columns on other pages need another look, {hidden} in all." in refused.text

    moved = page.post(address, form_of(page.get(address)) | {"page": "2"})
    assert page.post(moved.url, form_of(page.get(moved.url))).url == at("preview", upload)


def test_a_page_of_columns_is_never_taken_for_another(page, few):
    others = 2 * FEW - 1
    names = ["question", *(f"c{number}" for number in range(others))]
    upload = sent(page, ",".join(names) + "\nWho owns it?" + ",x" * others + "\n")
    first = form_of(page.get(at("columns", upload)))

    refused = page.post(at("columns", upload) + "?page=2", first)

    assert refused.status_code == 422
    assert page.get(at("columns", upload) + "?page=7").context["asked"].page.number == 1


def test_columns_of_a_collections_file_are_asked_page_by_page(page, owner, few):
    collection = adding.start(name="Canals", by=owner)
    file = storage.keep(STUDY.encode())
    added = adding.upload(collection=collection, name="a.csv", file=file, by=owner)
    address = reverse("judging:file_columns", args=[collection.pk, added.number])

    moved = page.post(address, said(page, address) | {"page": "2"})
    done = page.post(moved.url, said(page, moved.url))

    assert done.url == reverse("judging:file", args=[collection.pk, added.number])
    added.refresh_from_db()
    assert len(added.plan["columns"]["scores"]) == METRICS
