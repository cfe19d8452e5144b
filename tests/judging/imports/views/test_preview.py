"""The preview of a file: every column, what it becomes, and what needs the user's yes."""

import random
import re

import pytest
from django.test import Client
from django.urls import reverse

from judging import storage
from judging.imports.actions import adding, proposals, reading_plans
from judging.imports.actions.reading_plans import Plan
from judging.models import AddedFile, Collection, Enrollment, Job, Judgment, Question
from tests import factories
from tests.judging.imports.accepting import table
from tests.judging.imports.readers.shape.reading import as_workbook
from tests.judging.imports.test_pages import at, mapped
from tests.judging.imports.views.test_roles import protocol
from tests.judging.studies import NOW

pytestmark = pytest.mark.django_db
ROWS = 30


def ratings(seed: int, most: int = 5) -> list[int]:
    return random.Random(seed).choices(range(1, most + 1), k=ROWS)


ANNA, BEN = ratings(1), ratings(2)


@pytest.fixture
def dataset() -> Collection:
    return adding.start(name="Mills", by=factories.researcher())


@pytest.fixture
def page(client: Client, dataset: Collection) -> Client:
    client.force_login(dataset.owner)
    return client


def sent(dataset: Collection, data: bytes, name: str = "ratings.csv") -> AddedFile:
    return adding.upload(collection=dataset, name=name, file=storage.keep(data), by=dataset.owner)


def planned(dataset: Collection, data: bytes, name: str = "ratings.csv", rubric=None) -> AddedFile:
    """Return a waiting file whose proposed columns are accepted."""
    added = sent(dataset, data, name)
    head = reading_plans.read_head(name=name, data=data, plan=Plan())
    head = proposals.proposed(head, added=added)
    plan = Plan(format=head.format, columns=head.proposed)
    adding.decide(added=added, plan=plan, rubric=rubric)
    return added


def words_of(page: str) -> str:
    """Return the words of a page's main part, without its markup."""
    return " ".join(re.sub("<[^>]*>", " ", page.partition("<main")[2]).split())


def test_file_page_every_column_is_listed_with_what_it_becomes_and_why(page, dataset):
    protocol()
    means = [(one + other) / 2 for one, other in zip(ANNA, BEN, strict=True)]
    columns = {"fluency_A": ANNA, "fluency_B": BEN, "fluency_avg": means, "bleu": [0.25] * ROWS}
    added = sent(dataset, table({**columns, "topic": ["mills"] * ROWS}))
    mapped(page, added)

    shown = page.get(at("file", added), follow=True)

    listed = {row["column"]: row for row in shown.context["preview"]["columns"]}
    assert list(listed) == ["passage", "system", "question", *columns, "topic"]
    assert listed["fluency_A"]["becomes"] == "ratings of “fluency” by the annotator “A”"
    assert listed["fluency_avg"]["becomes"] == "excluded"
    assert "is the mean of" in listed["fluency_avg"]["why"]
    assert listed["bleu"] | {"why": ""} == {
        "column": "bleu",
        "becomes": "the metric “bleu”",
        "why": "",
        "first": "0.25",
        "rating_range": "",
        "is_shown": True,
    }
    assert listed["passage"]["first"] == "Town 0 has a mill."
    assert "ratings of “fluency” by the annotator “A”" in words_of(shown.text)
    counts = (
        "The file has 2 annotators, 1 criterion, 1 system and 30 questions; no output is missing."
    )
    assert counts in words_of(shown.text)
    assert 'name="accepted"' not in shown.text


def test_file_page_missing_outputs_are_counted(page, dataset):
    rows = ["passage,system,question", "A mill.,Alba,What?", "A mill.,Brisa,", "A dam.,Alba,Who?"]
    added = planned(dataset, "\n".join([*rows, "A dam.,Brisa,Why?"]).encode())

    shown = page.get(at("file", added), follow=True)

    assert "2 systems and 3 questions; 1 output is missing." in words_of(shown.text)


def test_file_page_column_chosen_otherwise_says_so(page, dataset):
    added = sent(dataset, table({"topic": ["mills"] * ROWS}))
    form_field = "columns-3-use"
    mapped(page, added, **{form_field: ""})

    shown = page.get(at("file", added), follow=True)

    [topic] = [row for row in shown.context["preview"]["columns"] if row["column"] == "topic"]
    assert (topic["becomes"], topic["why"]) == ("excluded", "You chose this.")


SURPRISES = {
    "metadata": (table({"zest": ANNA}), "becomes metadata of the question"),
    "slider": (table({"zest": [n * 20 for n in ANNA]}), "from 20 to 100"),
    "metric": (table({"zest": ANNA}), "becomes the metric “zest”"),
    "mean": (
        table({"fluency": [1, *ANNA[1:]], "naturalness": BEN}),
        "becomes the mean human score “fluency”",
    ),
}


def surprising(dataset: Collection, kind: str) -> AddedFile:
    data, _ = SURPRISES[kind]
    added = planned(dataset, data)
    if kind == "metric":
        plan = adding.plan_of(added).as_dict()
        plan["columns"]["metadata"] = []
        plan["columns"]["scores"] = [{"column": "zest", "name": "zest", "direction": "higher"}]
        adding.decide(added=added, plan=reading_plans.plan_from(plan))
    if kind == "mean":
        plan = adding.plan_of(added).as_dict()
        names = ("fluency", "naturalness")
        scores = [
            {"column": name, "name": name, "direction": "higher", "kind": "human_mean"}
            for name in names
        ]
        plan["columns"] |= {"ratings": [], "scores": scores}
        adding.decide(added=added, plan=reading_plans.plan_from(plan))
    return added


@pytest.mark.parametrize("kind", SURPRISES)
def test_file_page_surprise_needs_a_yes(page, dataset, kind):
    added, said = surprising(dataset, kind), SURPRISES[kind][1]

    shown = page.get(at("file", added), follow=True)
    refused = page.post(at("file_add", added), follow=True)

    assert said in words_of(shown.text)
    assert re.search(r'<input type="checkbox" name="accepted"[^>]* required', shown.text)
    assert "tick that you want to add the file" in refused.text
    assert not Question.objects.exists()

    page.post(at("file_add", added), {"accepted": "on"})

    assert Question.objects.count() == ROWS


@pytest.mark.long
@pytest.mark.parametrize("system", [["system", "Alba"], ["passage", "A mill."]])
def test_file_page_sheets_that_become_annotators_need_a_yes(page, dataset, system):
    protocol()
    rows = [
        [
            [system[0], "question", "fluency"],
            *([system[1], f"What is in town {n}?", value] for n, value in enumerate(each)),
        ]
        for each in (ANNA, BEN)
    ]
    data = as_workbook(Coder1=rows[0], Coder2=rows[1])
    added = sent(dataset, data, "ratings.xlsx")
    mapped(page, added, default_system="Alba")

    shown = page.get(at("file", added), follow=True)
    page.post(at("file_add", added))
    before = Enrollment.objects.count()
    page.post(at("file_add", added), {"accepted": "on"})

    assert "The sheets “Coder1” and “Coder2” become annotators." in words_of(shown.text)
    assert (before, set(Enrollment.objects.values_list("label", flat=True))) == (
        0,
        {"Coder1", "Coder2"},
    )


def test_add_all_does_not_bypass_a_surprise(page, dataset):
    surprising(dataset, "metadata")
    every = reverse("judging:files_add", args=[dataset.pk])

    page.post(every, {"accepted": "on"})  # no user has seen a preview
    assert Job.objects.latest("pk").state == Job.State.FAILED
    page.post(reverse("judging:files_preview", args=[dataset.pk]))
    listed = page.get(reverse("judging:files", args=[dataset.pk]))
    assert "Column “zest”" in words_of(listed.text)
    assert "Check the columns" in page.post(every, follow=True).text
    assert not Question.objects.exists()

    page.post(every, {"accepted": "on"})
    assert Question.objects.exists()


@pytest.mark.parametrize("is_examined", [True, False])
def test_add_refuses_a_surprise_that_a_program_did_not_accept(dataset, is_examined):
    added = surprising(dataset, "metadata")
    if is_examined:
        adding.examine(added=added)

    with pytest.raises(adding.Surprising) as refused:
        adding.add(added=added, by=dataset.owner, now=NOW)
    with pytest.raises(adding.CannotImport, match=r"ratings\.csv: Column “zest”"):
        adding.add_all(files=[added], by=dataset.owner, now=NOW)
    assert not Question.objects.exists()
    adding.add(added=added, by=dataset.owner, now=NOW, accept_surprises=True)

    assert len(refused.value.surprises) == 1
    assert Question.objects.count() == ROWS


def test_accepted_surprises_are_forgotten_if_the_columns_change(page, dataset):
    added = surprising(dataset, "metadata")
    adding.examine(added=added)
    adding.accept_preview(added=added)
    adding.decide(added=added, plan=adding.plan_of(added))

    with pytest.raises(adding.Surprising):
        adding.add(added=added, by=dataset.owner, now=NOW)


@pytest.mark.long
@pytest.mark.parametrize(
    "columns",
    [
        {"num_words": ANNA},
        {"question_length": ANNA},
        {"answer_start": [n * 7 for n in ANNA]},
        {"attribute:zest": ANNA},
        {"year": [1990 + n for n in ANNA]},
        {"em": [n % 2 for n in ANNA]},
        {"row": list(range(ROWS))},
        {"topic": ["mills", "dams"] * (ROWS // 2)},
        {"fluency_A": ANNA, "fluency_B": BEN},
    ],
)
def test_other_columns_are_no_surprise(dataset, columns):
    added = planned(dataset, table(columns), rubric=protocol())

    assert not adding.unaccepted(AddedFile.objects.get(pk=added.pk))
    adding.add(added=added, by=dataset.owner, now=NOW)

    assert Question.objects.count() == ROWS


@pytest.mark.long
def test_file_page_ratings_between_points_are_told_with_the_remedy(page, dataset):
    rubric = protocol([(value, "") for value in range(101)])
    whole = [n * 17 for n in ANNA]
    decimals = [n + 0.5 for n in whole]
    added = planned(dataset, table({"fluency_A": decimals, "fluency_B": whole}), rubric=rubric)

    shown = words_of(page.get(at("file", added), follow=True).text)
    page.post(at("file_add", added), {"accepted": "on"})

    first = decimals[0]
    assert (
        f"Fluency: 30 ratings such as {first} are between the points of the protocol’s scale"
        in shown
    )
    assert "(0 to 100), which has whole numbers only. Such ratings go to quarantine." in shown
    assert Judgment.objects.count() == dataset.quarantine.count() == ROWS


@pytest.mark.long
def test_file_page_many_columns_of_metadata_are_folded_up(page, dataset):
    text = {f"topic_{n}": ["mills"] * ROWS for n in range(300)}
    added = planned(dataset, table({**text, "zest": ANNA}))

    shown = page.get(at("file", added), follow=True)

    preview = shown.context["preview"]
    assert [row["column"] for row in preview["columns"]] == [
        "passage",
        "system",
        "question",
        "zest",
    ]
    assert len(preview["further"]) == 300
    assert "300 columns of metadata or excluded" in shown.text


def test_file_page_llm_judges_and_systems_without_names_are_told(page, dataset):
    data = table({"fluency_A": ANNA, "fluency_gpt4": BEN}).replace(b"Alba,", b"")
    added = planned(dataset, data.replace(b"system,", b""), rubric=protocol())

    shown = page.get(at("file", added), follow=True)

    said = "1 annotator, 1 LLM judge, 1 criterion, no named system and 30 questions"
    assert said in words_of(shown.text)
    becomes = {row["column"]: row["becomes"] for row in shown.context["preview"]["columns"]}
    assert becomes["fluency_gpt4"] == "ratings of “fluency” by the LLM judge “gpt4”"
