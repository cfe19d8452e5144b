"""The rows of a file can be viewed before it is in a dataset: searched, filtered, in pages."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.actions import campaigns
from judging.imports.actions import adding
from judging.imports.readers import row_lists
from judging.imports.readers.records import QuestionRecord
from judging.imports.readers.row_lists import RowList, WantedRows, page_of
from judging.models import AddedFile, StoredFile
from tests import factories
from tests.judging.imports.studies import BATCH, MATERIAL, assembled, waiting
from tests.judging.imports.test_adding import BLEU, BY_ID
from tests.judging.views.importing import at, mapped, sent

pytestmark = pytest.mark.long

FILE = "source_id,passage,system,question\n" + "".join(
    f"L{n},Lock {n} is old.,{system},Which lock is number {n} of {system}?\n"
    for n in range(1, 41)
    for system in ("Alba", "Brisa")
)
SCORES = "id,system,Bleu_4\n9,Alba,1\n1,Alba,0.5\n2,Brisa,many\n8,Alba,1\n"


def texts(answer) -> list[str | None]:
    return [each.text for each, _ in answer.context["rows"]]


def listed(*rows: tuple[int, str, str]) -> bytes:
    made = RowList()
    for row, system, text in rows:
        question = QuestionRecord(source_key=f"s{row}", system=system, position=1, text=text)
        made.note("kept" if system else "refused", row, text, question=question)
    return b"".join(made.pieces("a test"))


def test_rows_come_in_the_order_of_the_file_however_they_were_noted() -> None:
    packed = listed((3, "A", "c"), (2, "B", "b"), (3, "", "d"), (1, "A", "Ä é"))

    assert [each.text for each in page_of(packed, WantedRows()).rows] == ["Ä é", "b", "c", "d"]
    assert [each.row for each in page_of(packed, WantedRows(text="ä É")).rows] == [1]
    assert [each.row for each in page_of(packed, WantedRows(text="S2")).rows] == [2]
    assert page_of(packed, WantedRows(system="A", kind="kept")).total == 2
    assert [each.text for each in page_of(packed, WantedRows(kind="refused")).rows] == ["d"]
    assert page_of(packed, WantedRows(kind="new")).rows == []
    [long] = page_of(packed := listed((1, "B" * 300, "e")), WantedRows()).rows
    assert len(long.system) == 200
    assert page_of(packed, WantedRows(system=long.system)).total == 1


@pytest.mark.parametrize("filtered", [{}, {"kind": "kept"}, {"system": "A"}, {"text": "q"}])
def test_a_page_behind_the_last_is_the_last(monkeypatch, filtered) -> None:
    monkeypatch.setattr(row_lists, "PAGE", 2)
    packed = listed(*((row, "A", f"q{row}") for row in range(1, 6)))

    middle = page_of(packed, WantedRows(page=2, **filtered))
    last = page_of(packed, WantedRows(page=9, **filtered))

    assert (middle.first, middle.last, middle.total) == (3, 4, 5)
    assert (middle.before, middle.after, last.before, last.after) == (1, 3, 2, None)
    assert [each.row for each in last.rows] == [5]


@pytest.mark.django_db
def test_rows_of_a_file_are_shown_in_pages_with_addresses_of_their_own(page) -> None:
    upload = sent(page, FILE + "L41,,Alba,Who?\n,,,\n")
    mapped(page, upload)
    assert at("rows", upload) in page.get(at("preview", upload)).text

    first = page.get(at("rows", upload))
    second = page.get(at("rows", upload) + "?text=&system=&kind=&page=2")
    some = page.get(at("rows", upload) + "?text=NUMBER+1&system=Brisa&kind=new")

    assert "1 to 50 of 8" in first.text
    assert 'rel="next" href="?page=2"' in first.text
    assert 'rel="prev"' not in first.text
    assert (second.context["page"].first, second.context["page"].after) == (51, None)
    assert texts(some) == [f"Which lock is number {n} of Brisa?" for n in (1, *range(10, 20))]
    assert "of Alba?" not in some.text


@pytest.mark.django_db
@pytest.mark.parametrize("asked", ["system=Nobody", "kind=odd", "page=0", "page=x", "text=%00"])
def test_a_malformed_address_says_what_is_wrong(page, asked) -> None:
    upload = sent(page, FILE)
    mapped(page, upload)
    page.get(at("preview", upload))

    answer = page.get(f"{at('rows', upload)}?{asked}")

    assert answer.status_code == 422
    assert "Show all" in answer.text


@pytest.fixture
def waits() -> AddedFile:
    """A file of scores: of its rows two are about nothing, and one has a score that is none."""
    held = assembled(
        "id," + BATCH.replace("\nThe", "\n2,The").replace("\nHer", "\n1,Her"),
        source_id="id",
        **MATERIAL,
    )
    added = waiting(held, SCORES, **BY_ID, **BLEU)
    adding.examine(added=added)
    return added


@pytest.mark.django_db
def test_rows_of_a_file_that_waits_say_what_was_found_about_them(client, waits) -> None:
    client.force_login(waits.collection.owner)
    at_rows = reverse("judging:file_rows", args=[waits.collection_id, waits.number])
    assert at_rows in client.get(reverse("judging:file", args=[waits.collection_id, 2])).text

    shown = [each for each, _ in client.get(at_rows).context["rows"]]
    unmatched = client.get(at_rows + "?kind=unmatched")

    assert [(each.row, each.kind) for each in shown] == [
        (2, "unmatched"),
        (3, "matched"),
        (4, "matched"),
        (4, "refused"),
        (5, "unmatched"),
    ]
    assert shown[1].text == "When do herons wade?", "it is named by ids"
    assert shown[3].text == "Bleu_4: many"
    assert "The dataset has no such question." in unmatched.text
    assert [each.row for each, _ in unmatched.context["rows"]] == [2, 5]


@pytest.mark.django_db
def test_who_judges_the_material_reads_no_rows_of_a_file_which_name_systems(client, waits) -> None:
    campaign = factories.opened(collection=waits.collection, manager=waits.collection.owner)
    factories.enrollment(campaign, account=waits.collection.owner)
    client.force_login(waits.collection.owner)
    at_rows = reverse("judging:file_rows", args=[waits.collection_id, waits.number])
    at_file = reverse("judging:file", args=[waits.collection_id, waits.number])
    at_table = reverse("judging:file_examples", args=[waits.collection_id, waits.number])
    pages = (at_rows, at_table, at_file)
    assert [client.get(each).status_code for each in pages] == [403, 403, 403]
    assert "Until then no page names a system here." in client.get(at_rows).text
    assert "you do not see what a file would add" in client.get(at_file).text
    campaigns.close(campaign=campaign, now=timezone.now())
    assert [client.get(each).status_code for each in (at_rows, at_table)] == [200, 200]
    assert "The dataset has no such question." in client.get(at_file).text


@pytest.mark.django_db
def test_who_judges_the_material_reads_of_an_added_file_how_many_rows_it_had_alone(
    client, waits
) -> None:
    owner = waits.collection.owner
    adding.add(added=waits, by=owner, now=timezone.now())
    campaign = factories.opened(collection=waits.collection, manager=owner)
    factories.enrollment(campaign, account=owner)
    client.force_login(owner)
    at_file = reverse("judging:file", args=[waits.collection_id, waits.number])
    blind = client.get(at_file).text
    assert "Rows without a match: 2" in blind
    assert "The dataset has no such question." not in blind
    campaigns.close(campaign=campaign, now=timezone.now())
    assert "The dataset has no such question." in client.get(at_file).text


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["added", "discarded", "decided", "looked at again"])
def test_a_list_goes_where_it_holds_no_more(client, waits, end) -> None:
    owner, sha256 = waits.collection.owner, waits.examined["listed"]["sha256"]
    if end == "added":
        adding.add(added=waits, by=owner, now=timezone.now())
    elif end == "discarded":
        adding.discard(added=waits)
    elif end == "decided":
        adding.decide(added=waits, choices=adding.choices_of(waits))
    else:
        adding.look_again(waits)
    assert not StoredFile.objects.filter(sha256=sha256).exists()

    client.force_login(owner)
    address = reverse("judging:file_rows", args=[waits.collection_id, waits.number])
    answer = client.get(address)
    assert answer.status_code == (404 if end == "discarded" else 302)
    if answer.status_code == 302:
        client.get(answer.url)
        again = client.get(address).status_code
        assert again == (302 if end == "added" else 200), "what it brought is in the dataset"
