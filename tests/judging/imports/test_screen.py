"""The one screen of a file: its first rows with roles, the check beside them, and adding it."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.urls import reverse

from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset, Question, Source
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.protocols.models.protocol import Protocol
from judging.work.models.judgment import Judgment
from tests import factories
from tests.judging.formats.test_open import workbook
from tests.judging.importing import added_by, at, form_of, mapped, send, sent, use
from tests.working import WorkingClient

pytestmark = pytest.mark.django_db

STUDY = """id,passage,system,question,annotator,Clarity
p1,The mill closed in 1904.,Alder,When did the mill close?,Ann,1
p1,The mill closed in 1904.,Alder,When did the mill close?,Bo,2
p1,The mill closed in 1904.,Birch,What closed?,Ann,3
p1,The mill closed in 1904.,Birch,What closed?,Bo,7
p2,Tea grows on wet hills.,Alder,Where does tea grow?,Ann,5
p2,Tea grows on wet hills.,Alder,Where does tea grow?,Bo,6
p2,Tea grows on wet hills.,Birch,What is tea?,Ann,4
p2,Tea grows on wet hills.,Birch,What is tea?,Bo,4
"""
RATED = STUDY.replace("Clarity", "Correctness").replace(",7", ",3").replace(",6", ",3")
RATED = RATED.replace(",5", ",3").replace(",4\n", ",2\n")  # on a scale of 1 to 3
TABLE = """passage,answer,system,question,BLEU
The lock was built by Agnes.,Agnes,Alba,Who built the lock?,0.5
The lock was built by Agnes.,Agnes,Brisa,What did Agnes build?,0.4
"""


@pytest.fixture
def page() -> WorkingClient:
    client = WorkingClient()
    client.force_login(factories.researcher())
    return client


def header_of(text: str) -> str:
    return text.splitlines()[0]


def column(page: WorkingClient, added: AddedFile, text: str, name: str, **entered: str) -> Any:
    form = use(form_of(page.get(at("file", added))), header_of(text), name, **entered)
    return page.post(at("file_mapping", added), form)


def errors_at(shown: HttpResponse, name: str) -> str:
    """Return what the page says of one column."""
    [cell] = [each for each in shown.context["form"].column_cells() if each["name"] == name]
    return " ".join(map(str, cell["errors"]))


# -- reading and adding ---------------------------------------------------------------------------


def test_a_study_on_a_scale_of_its_own_is_added_in_two_clicks(page: WorkingClient) -> None:
    added = sent(page, STUDY)

    shown = page.get(at("file", added))

    summary = "4 questions by 2 systems on 2 sources, 2 annotators, 8 ratings on 1 criterion."
    assert summary in shown.text
    assert "1 to 7" in shown.text
    mapped(page, added, own_scale="yes")
    added_by(page, added)
    added.refresh_from_db()
    assert added.state == AddedFile.State.ADDED
    assert Question.objects.count() == 4
    assert Judgment.objects.count() == 8
    assert not added.dataset.quarantine.exists()
    [clarity] = Protocol.objects.get().criteria.all()
    assert clarity.name == "Clarity"


IDS_ALONE = """id,system,annotator,Correctness
p1,Alder,Ann,1
p1,Birch,Ann,2
p2,Alder,Ann,3
p2,Birch,Ann,2
"""
NO_QUESTION = "The file holds no question: no column is one of questions."


def test_a_first_file_of_ratings_without_questions_is_added_after_a_yes_alone(page) -> None:
    factories.protocol()
    added = sent(page, IDS_ALONE.replace("id,", "passage,").replace("p1", "Tea is old."))

    shown = page.get(at("file", added))
    mapped(page, added, add="yes")

    assert NO_QUESTION in shown.context["surprises"]
    assert shown.text.count("0 questions by 2 systems on 2 sources") == 1
    assert not Source.objects.exists()
    added_by(page, added)
    added.refresh_from_db()
    assert added.brought["ratings_excluded"] == {"no_question": 4}


def test_ratings_of_the_questions_of_a_dataset_need_no_question(page, held) -> None:
    factories.protocol()
    upload(page, held, ratings=IDS_ALONE)
    added = held.added_files.waiting().get()

    shown = page.get(at("file", added))

    assert NO_QUESTION not in shown.context["surprises"]
    assert not any("passage" in sentence for sentence in shown.context["surprises"])
    added_by(page, added)
    assert Judgment.objects.count() == 4


def test_a_guessed_direction_is_asked_about_until_it_is_chosen(page) -> None:
    text = TABLE.replace("BLEU", "depth").replace("0.5", "1.25").replace("0.4", "3.75")
    added = sent(page, text)
    assert any("depth" in each for each in page.get(at("file", added)).context["surprises"])

    mapped(page, added, modality="document")
    assert any("depth" in each for each in page.get(at("file", added)).context["surprises"])
    column(page, added, text, "depth", direction="lower")

    assert page.get(at("file", added)).context["surprises"] == []


def test_the_protocol_that_fits_is_proposed_and_its_scale_stands_beside_the_values(page) -> None:
    protocol = factories.protocol()
    added = sent(page, RATED)

    shown = page.get(at("file", added))

    assert shown.context["form"]["protocol"].value() == protocol.pk
    [beside] = shown.context["beside"]
    assert (beside.criterion, beside.values, beside.off) == ("correctness", "1 to 3", 0)
    assert not shown.context["surprises"]
    added_by(page, added)
    campaign = Dataset.objects.get().campaigns.get()
    assert (campaign.protocol, campaign.state) == (protocol, "closed")
    assert set(campaign.enrollments.values_list("label", flat=True)) == {"Ann", "Bo"}


def test_no_protocol_is_proposed_whose_scale_is_shorter(page) -> None:
    factories.protocol()
    added = sent(page, STUDY.replace("Clarity", "Correctness"))

    shown = page.get(at("file", added))

    assert shown.context["form"]["protocol"].value() is None
    assert "cannot be added yet" in shown.text


def test_ratings_off_the_chosen_scale_need_a_yes_and_stand_in_quarantine(page) -> None:
    protocol = factories.protocol()
    added = sent(page, STUDY.replace("Clarity", "Correctness"))
    mapped(page, added, protocol=str(protocol.pk))

    shown = page.get(at("file", added))
    [beside] = shown.context["beside"]
    refused = mapped(page, added, add="yes")

    assert beside.off == 5
    assert any("scale" in sentence for sentence in shown.context["surprises"])
    assert refused.status_code == 302
    assert not Question.objects.exists()
    added_by(page, added)
    assert Judgment.objects.count() == 3
    assert added.dataset.quarantine.count() == 5


def test_a_criterion_that_the_protocol_lacks_is_named_with_those_it_has(page) -> None:
    protocol = factories.protocol()
    added = sent(page, STUDY)

    mapped(page, added, protocol=str(protocol.pk))

    shown = page.get(at("file", added))
    assert "clarity" in " ".join(shown.context["obstacles"])
    assert "Grammaticality, Correctness" in " ".join(shown.context["obstacles"])
    assert 'value="yes">Add<' not in shown.text


def test_words_among_the_ratings_get_points_and_are_stored_as_such(page) -> None:
    factories.protocol()
    words = re.sub(r",([123])\n", lambda m: f",{['bad', 'fine', 'great'][int(m[1]) - 1]}\n", RATED)
    added = sent(page, words)
    form = page.get(at("file", added)).context["form"]
    mapped(page, added, protocol=str(Protocol.objects.get().pk))
    form = page.get(at("file", added)).context["form"]
    fields = {word.word: f"point_{place}" for place, word in enumerate(form.words)}

    assert set(fields) == {"bad", "fine", "great"}
    mapped(page, added, **{fields["bad"]: "1", fields["fine"]: "2", fields["great"]: "exclude"})
    added_by(page, added)

    values = Judgment.objects.order_by("value").values_list("value", flat=True)
    assert list(values) == [1, 2, 2, 2]


def test_another_role_is_kept_and_what_it_changes_is_shown_before_adding(page) -> None:
    added = sent(page, TABLE)
    form = form_of(page.get(at("file", added)))
    changed = use(form, header_of(TABLE), "BLEU", name="BLEU-4", direction="lower")

    page.post(at("file_mapping", added), changed | {"expected": "2"})
    shown = page.get(at("file", added))

    place = header_of(TABLE).split(",").index("BLEU")
    assert shown.context["form"][f"name_{place}"].value() == "BLEU-4"
    assert shown.context["form"][f"direction_{place}"].value() == "lower"
    assert shown.context["form"]["expected"].value() == 2
    added_by(page, added)
    metric = Dataset.objects.get().metrics.get()
    assert (metric.name, metric.direction) == ("BLEU-4", "lower")


def test_adding_with_a_change_that_raises_a_question_asks_it_first(page) -> None:
    factories.protocol()
    added = sent(page, RATED)
    form = use(form_of(page.get(at("file", added))), header_of(RATED), "annotator", role="")

    answer = page.post(at("file_mapping", added), form | {"add": "yes"}, follow=True)

    assert "What you changed has other results" in answer.text
    assert not Question.objects.exists()


def test_two_columns_for_one_thing_are_named_beside_them_and_cannot_be_added(page) -> None:
    added = sent(page, TABLE)
    column(page, added, TABLE, "answer", role="question")

    shown = page.get(at("file", added))

    assert "“answer”" in errors_at(shown, "question") or "“question”" in errors_at(shown, "answer")
    assert 'value="yes">Add<' not in shown.text
    added_by(page, added)
    assert not Question.objects.exists()


def test_a_score_without_a_direction_is_told_beside_its_column(page) -> None:
    added = sent(page, TABLE)
    column(page, added, TABLE, "BLEU", direction="")

    assert "higher or lower" in errors_at(page.get(at("file", added)), "BLEU")


@pytest.mark.parametrize(
    "tampered",
    [
        {"role_0": "nonsense"},
        {"protocol": "999999"},
        {"expected": "-1"},
        {"as_is": ["x"]},
        {"delimiter": "#"},
        {"skip": "-1"},
        {"siblings": ["99"]},
    ],
)
def test_a_tampered_form_changes_nothing(page, tampered) -> None:
    added = sent(page, TABLE)
    page.get(at("file", added))
    before = AddedFile.objects.get().plan

    answer = mapped(page, added, **tampered)

    assert answer.status_code in (302, 422)
    assert AddedFile.objects.get().plan == before


def test_a_protocol_of_somebody_else_is_no_choice(page) -> None:
    theirs = protocols.install(document=documents.shipped("qgbench"), owner=factories.user())

    assert mapped(page, sent(page, STUDY), protocol=str(theirs.pk)).status_code == 422


@pytest.mark.parametrize("kept_apart", [False, True])
def test_names_in_two_spellings_are_one_after_a_yes_or_kept_apart(page, kept_apart) -> None:
    factories.protocol()
    added = sent(page, RATED.replace("Bo,2", "bo,2").replace("Birch", "BIRCH", 1))
    shown = page.get(at("file", added))
    assert any("“Bo”, “bo”" in sentence for sentence in shown.context["surprises"])

    if kept_apart:
        [place, *_] = [
            place for place, each in shown.context["fixes"] if "one_spelling" in each["fix"]
        ]
        page.post(at("file_mapping", added), form_of(shown) | {"fix": str(place)})
    added_by(page, added)

    assert Dataset.objects.get().systems.count() == 2 + kept_apart
    assert Dataset.objects.get().campaigns.get().enrollments.count() == 2 + kept_apart


@pytest.mark.parametrize("are_kept", [False, True])
def test_marked_rows_are_left_out_after_a_yes_or_kept(page, are_kept) -> None:
    factories.protocol()
    lines = RATED.splitlines()
    kinds = ["kind", *["real"] * 4, *["attention check"] * 4]
    text = "\n".join(f"{line},{kind}" for line, kind in zip(lines, kinds, strict=True))
    added = sent(page, text)
    shown = page.get(at("file", added))
    assert any("attention check" in each for each in shown.context["surprises"])

    if are_kept:
        [place] = [place for place, each in shown.context["fixes"] if "exclude_rows" in each["fix"]]
        page.post(at("file_mapping", added), form_of(shown) | {"fix": str(place)})
    added_by(page, added)

    assert Judgment.objects.count() == (8 if are_kept else 4)


def test_an_answer_that_occurs_twice_is_asked_about_and_can_be_chosen_again(page) -> None:
    text = TABLE.replace("built by Agnes", "built by Agnes for Agnes")
    added = sent(page, text)
    shown = page.get(at("file", added))
    [name] = re.findall(r'name="(start:[^"]*)"', shown.text)[:1]

    page.post(at("file_starts", added), {name: "32"})
    chosen = AddedFile.objects.get().plan["starts"]
    assert list(chosen.values()) == [32]
    page.post(at("file_starts", added), {"again": "yes"})
    assert "starts" not in AddedFile.objects.get().plan
    page.post(at("file_starts", added), {"others": "first"})
    added_by(page, added)

    assert set(Source.objects.values_list("answer_start", flat=True)) == {22}


# -- how the file is opened ------------------------------------------------------------------------


def test_another_delimiter_reads_the_columns_anew(page) -> None:
    added = sent(page, "question;b,system;c\nWhy?;1,Alba;2\n")
    assert page.get(at("file", added)).context["look"]["header"] == ["question", "b,system", "c"]

    mapped(page, added, delimiter=",")

    header = page.get(at("file", added)).context["look"]["header"]
    assert header == ["question;b", "system;c"]


def test_the_sheets_of_a_workbook_are_chosen(page) -> None:
    rows = [("id", "question"), ("P1", "Who?"), ("P2", "Why?")]
    data = workbook(texts=[("id", "passage"), ("P1", "Owls."), ("P2", "Bats.")], t5=rows, bart=rows)
    added = sent(page, data, "outputs.xlsx")
    shown = page.get(at("file", added))
    assert "t5" in " ".join(shown.context["told"]) and "bart" in " ".join(shown.context["told"])

    mapped(page, added, sheets=["bart"])

    shown = page.get(at("file", added))
    assert shown.context["look"]["header"] == ["id", "question"]
    assert list(shown.context["form"]["sheets"].value()) == ["bart"]
    offered = [name for name, _label in shown.context["form"].fields["sheets"].choices]
    assert offered == ["texts", "t5", "bart"]


def test_a_text_in_another_encoding_is_read_in_the_one_that_is_chosen(page) -> None:
    text = "passage,answer,system,question\nДом на реке.,Дом,Alba,Что на реке?\n"
    added = sent(page, text.encode("cp1251"))

    mapped(page, added, encoding="cp1251")
    added_by(page, added)

    assert Question.objects.get().text == "Что на реке?"


def test_a_file_that_cannot_be_read_says_why_and_offers_how_to_open_it(page) -> None:
    shown = page.get(at("file", sent(page, b"\x00" * 100)))

    assert shown.status_code == 200
    assert "cannot be added yet" in shown.text
    assert "How the file is opened" in shown.text


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"\xef\xbb\xbf", "a.csv", "empty"),
        (b"question,system\n", "a.csv", "no rows"),
        (bytes(range(256)) * 20, "a.csv", "encoding"),
        (b"<dataset><instance>", "a.xml", "XML"),
        (b'{"question": ', "a.jsonl", "JSON"),
        (b"PK\x03\x04 no workbook", "a.xlsx", "workbook"),
    ],
)
def test_broken_files_end_in_a_sentence(page, content, name, sentence) -> None:
    shown = page.get(at("file", sent(page, content, name)))

    assert shown.status_code == 200
    assert sentence in " ".join(shown.context["obstacles"])


def test_html_and_formulas_of_a_file_render_as_text(page) -> None:
    text = (
        'question,system,note\n"<script>alert(1)</script>",Alba,=HYPERLINK(1)\n'
        '"<img src=x onerror=a>",<b>B</b>,@x\n'
    )
    added = sent(page, text, name="<b>.csv")

    for answer in (page.get(at("file", added)), page.get(at("file_rows", added))):
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
        assert not re.search(r"<script>alert|<img src=x|<b>", answer.text)


def test_a_file_of_no_bytes_and_one_beyond_the_limit_are_refused(page, settings) -> None:
    assert "file is empty" in send(page, b"").text
    settings.UPLOAD_LIMIT = 10
    assert "larger than" in send(page, TABLE).text
    assert not AddedFile.objects.exists()


def test_a_cell_of_three_megabytes_is_told_and_the_rest_is_kept(page) -> None:
    added = sent(page, b"question,system\nWhy?,Alba\n" + b"x" * 3_000_000 + b",Brisa\n")

    shown = page.get(at("file", added))

    assert "3,000,000 characters" in shown.text
    assert len(shown.content) < 200_000
    added_by(page, added)
    assert Question.objects.count() == 1


# -- several files ---------------------------------------------------------------------------------


def upload(page: WorkingClient, dataset: Dataset, **files: str) -> HttpResponse:
    given = [SimpleUploadedFile(f"{name}.csv", text.encode()) for name, text in files.items()]
    return page.post(reverse("judging:files_upload", args=[dataset.pk]), {"files": given})


def one_rater(name: str) -> str:
    """Return the ratings of one annotator, whose name only the file's name says."""
    keep = [line for line in RATED.splitlines()[1:] if f",{name}," in line]
    return "\n".join([header_of(RATED), *keep]).replace("annotator,", "").replace(f",{name},", ",")


@pytest.fixture
def held(page: WorkingClient) -> Dataset:
    """A dataset with four questions."""
    text = "\n".join(line.rsplit(",", 2)[0] for line in STUDY.splitlines()[::2])
    added = sent(page, f"{header_of(STUDY).rsplit(',', 2)[0]}\n{text.partition(chr(10))[2]}\n")
    added_by(page, added)
    return added.dataset


def test_files_of_two_annotators_are_read_alike_and_added_at_once(page, held) -> None:
    factories.protocol()
    upload(page, held, Ann=one_rater("Ann"), Bo=one_rater("Bo"))
    first, second = held.added_files.waiting().order_by("number")
    assert "Bo.csv" in page.get(at("file", first)).text

    mapped(page, first, siblings=[str(second.number)])
    listed = page.get(reverse("judging:files", args=[held.pk]))
    assert "Ann.csv" in listed.text and "Bo.csv" in listed.text
    page.post(reverse("judging:files_add", args=[held.pk]), {"accepted": "on", "confirmed": "on"})

    campaign = held.campaigns.get()
    assert set(campaign.enrollments.values_list("label", flat=True)) == {"Ann", "Bo"}
    assert Judgment.objects.count() == 8


def test_a_sibling_that_is_not_ticked_keeps_its_own_mapping(page, held) -> None:
    factories.protocol()
    upload(page, held, Ann=one_rater("Ann"), Bo=one_rater("Bo"))
    first, second = held.added_files.waiting().order_by("number")
    page.get(at("file", first))
    page.get(at("file", second))
    second.refresh_from_db()
    before = second.plan

    mapped(page, first, modality="image", siblings=[])

    second.refresh_from_db()
    assert second.plan == before


def test_the_same_bytes_are_not_taken_twice_and_their_place_is_named(page, held) -> None:
    text = bytes(held.added_files.get().file.content).decode()

    answer = page.post(
        reverse("judging:files_upload", args=[held.pk]),
        {"files": [SimpleUploadedFile("again.csv", text.encode())]},
        follow=True,
    )

    assert "canals.csv" in answer.text and "already" in answer.text
    assert held.added_files.count() == 1


def test_a_file_that_was_imported_before_is_told_with_its_dataset(page) -> None:
    added_by(page, sent(page, TABLE))
    first = Dataset.objects.get()

    shown = page.get(at("file", sent(page, TABLE)))

    assert "You imported this file on" in shown.text
    assert reverse("judging:dataset", args=[first.pk]) in shown.text


# -- matching --------------------------------------------------------------------------------------

SCORES = """passage,system,question,BLEU
The mill closed in 1904.,Alder,When did the mill close?,0.5
Tea grows on wet hills.,Birch,What is tea?,0.4
Nobody knows.,Alder,Why not?,0.3
"""


def test_rows_that_match_nothing_are_listed_and_added_after_a_choice(page, held) -> None:
    upload(page, held, scores=SCORES)
    added = held.added_files.waiting().get()

    shown = page.get(at("file", added))
    csv = b"".join(page.get(at("file_examples", added)).streaming_content).decode()
    assert shown.context["expected"]["matched"] == 2
    assert "Rows without a match" in shown.text
    assert csv.splitlines()[1].startswith("unmatched,4,Why not?")

    choices = {"by": "auto", "unmatched": "add", "conflicts": "leave"}
    page.post(at("file_choices", added), choices)
    added_by(page, added)
    assert Question.objects.count() == 5
    assert held.metrics.get().scores.count() == 3


def test_systems_of_a_first_file_are_renamed_before_they_are_stored(page) -> None:
    added = sent(page, TABLE)
    form = page.get(at("file", added)).context["choices"]
    assert "Matched" not in page.get(at("file", added)).text
    named = {"system-0": "T5 Large", "system-1": "BART"}

    said = {field.html_name: field.value() for field in form if field.value()} | named
    page.post(at("file_choices", added), said)
    added_by(page, added)

    assert set(Dataset.objects.get().systems.values_list("name", flat=True)) == {
        "T5 Large",
        "BART",
    }


OWLS = "passage,system,question,id\n" + "".join(
    f"Owls hunt by ear {n}.,{system},How do {system} owls hunt {n}?,{n}\n"
    for n in range(3)
    for system in ("Corvo", "Dora", "Alder")
)


def test_a_file_that_is_mostly_new_is_added_after_a_tick_alone(page, held) -> None:
    upload(page, held, owls=OWLS)
    added = held.added_files.waiting().get()
    shown = page.get(at("file", added))
    assert "Most of this file" in shown.text
    assert re.search(r'name="confirmed"', shown.text)

    refused = page.post(at("file_mapping", added), form_of(shown) | {"add": "yes"}, follow=True)
    assert "Tick that you want to add it" in refused.text
    assert Question.objects.count() == 4
    added_by(page, added)
    assert Question.objects.count() == 13


# -- rows ------------------------------------------------------------------------------------------

MANY = "source_id,passage,system,question\n" + "".join(
    f"L{n},Lock {n} is old.,{system},Which lock is number {n} of {system}?\n"
    for n in range(1, 61)
    for system in ("Alba", "Brisa")
)


def texts(answer: HttpResponse) -> list[str]:
    return [each.text for each in answer.context["page"]]


def test_the_questions_of_a_file_are_listed_in_pages_and_searched(page) -> None:
    added = sent(page, MANY)
    assert at("file_rows", added) in page.get(at("file", added)).text

    first = page.get(at("file_rows", added))
    second = page.get(at("file_rows", added) + "?page=2")
    some = page.get(at("file_rows", added) + "?text=NUMBER+1&system=Brisa&kind=new")

    assert (len(texts(first)), len(texts(second))) == (100, 20)
    assert texts(first)[0] == "Which lock is number 1 of Alba?"
    assert texts(some) == [f"Which lock is number {n} of Brisa?" for n in (1, *range(10, 20))]


@pytest.mark.parametrize("asked", ["system=Nobody", "kind=odd", "text=%00"])
def test_a_malformed_search_says_what_is_wrong(page, asked) -> None:
    added = sent(page, MANY)
    page.get(at("file_rows", added))

    answer = page.get(f"{at('file_rows', added)}?{asked}")

    assert answer.status_code == 422


def test_the_rows_of_a_file_go_when_it_is_added_and_when_it_is_read_anew(page) -> None:
    added = sent(page, MANY)
    page.get(at("file_rows", added))
    assert added.rows.count() == 120
    mapped(page, added, modality="image")
    assert not added.rows.exists()

    page.get(at("file_rows", added))
    added_by(page, added)

    assert not added.rows.exists()
    assert page.get(at("file_rows", added)).status_code == 302


def test_a_judge_of_the_dataset_sees_nothing_of_a_waiting_file(page, held) -> None:
    upload(page, held, scores=SCORES)
    added = held.added_files.waiting().get()
    page.get(at("file", added))
    campaign = factories.opened(dataset=held, manager=held.owner)
    factories.enrollment(campaign, account=held.owner)

    for name in ("file", "file_rows", "file_examples"):
        assert page.get(at(name, added)).status_code == 403, name
    assert "what a file would add" in page.get(at("file", added)).text


# -- afterwards ------------------------------------------------------------------------------------


def test_the_list_of_files_says_what_each_added(page, held) -> None:
    upload(page, held, scores=SCORES)
    added_by(page, held.added_files.waiting().get())

    shown = page.get(reverse("judging:files", args=[held.pk])).text

    assert "scores.csv" in shown
    assert "2 scores" in shown
    assert held.added_files.last().file.sha256[:12] in shown


def test_a_file_is_taken_back_and_what_rests_on_it_is_named(page, held) -> None:
    upload(page, held, scores=SCORES)
    scores = held.added_files.waiting().get()
    added_by(page, scores)
    first = held.added_files.get(number=1)
    assert "scores.csv" in page.get(at("file", first)).text

    answer = page.post(at("file_take_back", scores), follow=True)

    assert "is taken back" in answer.text
    assert not held.metrics.exists()
    assert page.get(at("file", scores)).status_code == 200


def test_a_discarded_file_is_gone(page, held) -> None:
    upload(page, held, scores=SCORES)

    page.post(at("file_discard", held.added_files.waiting().get()))

    assert held.added_files.count() == 1


def test_a_file_that_is_being_judged_cannot_bring_questions(page, held) -> None:
    campaign = factories.opened(dataset=held, manager=held.owner)
    upload(page, held, owls=OWLS)
    added = held.added_files.waiting().get()

    shown = page.get(at("file", added))

    assert campaign.title in " ".join(shown.context["obstacles"])
    added_by(page, added)
    assert Question.objects.count() == 4


def test_ids_behind_labels_are_handed_out_once(page) -> None:
    factories.protocol()
    text = RATED.replace("annotator", "WorkerId").replace(",Ann,", ",A3F5K2J9XQ1LMN,")
    added = sent(page, text.replace(",Bo,", ",A2ZZK2J9XQ1LMN,"))
    added_by(page, added)
    labels = set(Dataset.objects.get().campaigns.get().enrollments.values_list("label", flat=True))
    assert all(label.startswith("P-") for label in labels)
    assert "A3F5K2J9XQ1LMN" not in page.get(at("file", added)).text

    first, second = (page.post(at("file_ids", added), follow=True) for _ in range(2))

    ids = dict(line.split(",") for line in first.text.splitlines()[1:])
    assert set(ids) == labels
    assert set(ids.values()) == {"A3F5K2J9XQ1LMN", "A2ZZK2J9XQ1LMN"}
    assert "already downloaded" in second.text


def test_pages_of_files_ask_for_the_right_method(page, held) -> None:
    added = held.added_files.get()

    assert page.get(at("file_mapping", added)).status_code == 405
    assert page.post(reverse("judging:files", args=[held.pk])).status_code == 405
    assert page.get(reverse("judging:file", args=[held.pk, 99])).status_code == 404


def test_a_malformed_language_tag_and_a_dataset_without_files_are_refused(page) -> None:
    assert send(page, TABLE, language="not a tag").status_code == 422
    answer = page.post(reverse("judging:dataset_new"), {"name": "Canals"})

    assert answer.status_code == 422
    assert not Dataset.objects.exists()
