"""The columns page says why a column is proposed as what it is, and asks where that is open."""

import statistics
from dataclasses import replace

import krippendorff
import pytest
from django.utils import timezone

from judging.actions import rubrics
from judging.imports.actions import adding, datasets, reading_plans, refusals
from judging.models import Collection, Enrollment, Judgment, MachineJudge
from judging.protocols.rubric_schema import CriterionPoint
from tests import factories, shared_data
from tests.judging.imports.accepting import proposed, table
from tests.judging.imports.readers.test_derived import given, long, named
from tests.judging.imports.studies import assembled, waiting
from tests.judging.views.importing import added_by, at, form_of, mapped, sent, use

pytestmark = [pytest.mark.long, pytest.mark.django_db]
POINTS = [(1, "Bad"), (2, ""), (3, "Fair"), (4, ""), (5, "Good")]


def protocol(points=POINTS, best="highest", key="quills", keys=("fluency",)):
    """Return a protocol whose criteria have these points, fluency alone if no keys are given."""
    small = factories.small()
    criteria = tuple(
        replace(
            small.criteria[0],
            key=each,
            name=each.title(),
            best=best,
            points=tuple(CriterionPoint(value, label) for value, label in points),
        )
        for each in keys
    )
    document = replace(small, key=key, criteria=criteria)
    return rubrics.install(document=document)


@pytest.fixture
def rubric():
    return protocol()


def stored():
    """Return the stored values of each annotator."""
    found: dict[str, list[int]] = {}
    judgments = Judgment.objects.order_by(
        "unit__question_set__source__position", "unit__question_set__system__name"
    )
    for label, value in judgments.values_list("assignment__enrollment__label", "value"):
        found.setdefault(label, []).append(value)
    return found


def test_a_derived_column_is_excluded_and_the_page_says_why(page, rubric):
    annotators = given(2)
    means = [statistics.fmean(values) for values in zip(*annotators, strict=True)]
    upload = sent(page, table({**named(annotators), "fluency_avg": means}))

    shown = page.get(at("columns", upload))
    assert mapped(page, upload).url == at("preview", upload)
    page.get(at("preview", upload))
    added_by(page, upload)

    sentence = (
        "“fluency_avg” is the mean of “fluency_A” and “fluency_B” in 80 of 80 rows: excluded."
    )
    assert sentence in shown.text
    assert set(Enrollment.objects.values_list("label", flat=True)) == {"A", "B"}
    alpha = krippendorff.alpha(list(stored().values()), level_of_measurement="ordinal")
    assert alpha == pytest.approx(krippendorff.alpha(annotators, level_of_measurement="ordinal"))


def test_an_adjudicated_column_is_taken_or_excluded_by_the_user(page, rubric):
    first, second, third = given()
    data = table({**named([first, second]), "fluency_final": third})
    upload, header = sent(page, data), data.decode().partition("\n")[0]

    refused = mapped(page, upload)
    assert refused.status_code == 422
    assert "Say whether it holds the ratings of an annotator, or exclude it." in refused.text
    form = form_of(page.get(at("columns", upload)))
    excluded = page.post(at("columns", upload), use(form, header, "fluency_final", use=""))

    assert excluded.url == at("preview", upload)
    assert page.get(at("preview", upload)).context["found"]["annotator_count"] == 2


def test_a_rater_who_may_be_no_annotator_is_asked_about(page, rubric):
    first, second, third = given()
    data = long({"Anna": first, "Ben": second, "gold": third}).replace(b"clarity", b"fluency")
    upload = sent(page, data, "ratings.jsonl")

    refused = mapped(page, upload)
    assert refused.status_code == 422
    assert "Say whether this is an annotator, or exclude the rater." in refused.text
    assert mapped(page, upload, rater_0="annotator").url == at("preview", upload)
    assert page.get(at("preview", upload)).context["found"]["annotator_count"] == 3
    assert page.get(at("columns", upload)).context["form"]["rater_0"].value() == "annotator"
    mapped(page, upload, rater_0="exclude")

    assert page.get(at("preview", upload)).context["found"]["annotator_count"] == 2


WORDS = "cases/12-words-for-points"
LABELS = [(1, "bad"), (2, "fair"), (3, "good")]
NUMBERS = [(1, "broken"), (2, "so-so"), (3, "lovely")]


@pytest.mark.parametrize("name", ["25.csv", "26.csv"])
@pytest.mark.parametrize("points", [LABELS, NUMBERS])
def test_words_become_the_points_that_the_page_proposes(page, name, points):
    chosen = protocol(points)
    upload = sent(page, shared_data.path(f"{WORDS}/{name}").read_bytes(), name)

    form = form_of(page.get(at("columns", upload)))
    assert form["rubric"] == chosen.pk
    assert page.post(at("columns", upload), form).url == at("preview", upload)
    page.get(at("preview", upload))
    added_by(page, upload)

    assert stored() == {"A": [3, 1, 3, 2, 3, 2, 3, 1], "B": [3, 2, 3, 1, 2, 2, 3, 1]}


@pytest.mark.parametrize(
    ("words", "points", "best", "expected"),
    [
        (("TRUE", "FALSE"), [(0, "broken"), (1, "fine")], "highest", [1, 0]),
        (("yes", "no"), [(1, "one"), (2, "two")], "lowest", [1, 2]),
        (("٣", "１"), NUMBERS, "highest", [3, 1]),
        (("3 - Correct", "1 - Wrong"), NUMBERS, "highest", [3, 1]),
    ],
)
def test_words_of_a_long_table_become_points(page, words, points, best, expected):
    protocol(points, best)
    values = [words[place % 2] for place in range(80)]
    data = long({"Anna": values, "Ben": values}).replace(b"clarity", b"fluency")
    upload = sent(page, data, "ratings.jsonl")

    shown = page.get(at("columns", upload))
    assert f"“{words[0]}”, 80 × fluency" in shown.text
    mapped(page, upload)
    page.get(at("preview", upload))
    added_by(page, upload)

    assert stored() == {"Anna": expected * 40, "Ben": expected * 40}


def test_a_word_that_is_neither_mapped_nor_excluded_stops_the_import(page):
    protocol(LABELS)
    values = ["good", "bad", "good", "splendid"] * 4
    upload = sent(page, table({"fluency_A": values, "fluency_B": values}))
    address = at("columns", upload)

    refused = page.post(address, form_of(page.get(address)))
    assert refused.status_code == 422
    assert "Choose a point, or exclude the word." in refused.text
    form = form_of(page.get(address))
    assert (form["point_0"], form["point_1"]) == ("3", "1")
    assert page.post(address, form | {"point_2": "exclude", "point_1": "2"}).status_code == 302
    page.get(at("preview", upload))
    again = form_of(page.get(address))
    assert (again["point_1"], again["point_2"]) == ("2", "exclude")
    added_by(page, upload)

    assert set(stored()["A"]) == {3, 2}
    assert len(stored()["A"]) == 12


def test_points_of_a_protocol_that_was_chosen_on_the_page_are_shown_before_they_count(page):
    chosen = protocol(NUMBERS)
    values = ["excellent", "good", "fair", "poor"] * 4
    header = "passage,system,question,fluency_A,fluency_B"
    upload = sent(page, table({"fluency_A": values, "fluency_B": values}))
    address = at("columns", upload)
    form = form_of(page.get(address))
    assert "point_0" not in form  # four words fit no scale of three

    first = page.post(address, use(form, header, "fluency_B", use="") | {"rubric": chosen.pk})
    assert first.status_code == 422
    answers = {f"point_{place}": str(1 + place % 3) for place in range(4)}
    sent_again = use(form, header, "fluency_B", use="") | {"rubric": chosen.pk} | answers

    assert page.post(address, sent_again).url == at("preview", upload)
    assert page.get(at("preview", upload)).context["expected"]["ratings"] == 16


def test_words_that_no_plan_maps_are_an_obstacle(owner):
    rubric = protocol(NUMBERS)
    data = table({"fluency_A": ["good", "splendid"], "fluency_B": ["splendid", "good"]})
    plan = reading_plans.Plan(columns=proposed(data))
    study = reading_plans.read_study(name="a.csv", data=data, plan=plan)

    with pytest.raises(refusals.CannotImport) as refused:
        datasets.import_study(
            study=study,
            name="Canals",
            by=owner,
            now=timezone.now(),
            rubric=rubric,
            mapping=plan.as_dict(),
        )

    assert refused.value.reasons[-2:] == (
        "Fluency: the word “good” (2 ratings) is no point of the scale 1, 2, 3. Map it to a point, "
        "or exclude it, where the columns are named.",
        "Fluency: the word “splendid” (2 ratings) is no point of the scale 1, 2, 3. Map it to a "
        "point, or exclude it, where the columns are named.",
    )
    assert not Collection.objects.exists()


def test_ratings_of_a_column_named_after_a_model_are_an_llm_judges(page, rubric):
    first, second, third = given()
    upload = sent(page, table({**named([first, second]), "fluency_gpt4": third}))

    assert "an LLM judge is not one of the annotators" in page.get(at("columns", upload)).text
    mapped(page, upload)
    assert "80 ratings by LLM judges (gpt4)" in page.get(at("preview", upload)).text
    added_by(page, upload)

    judge = MachineJudge.objects.get()
    values = judge.judgments.order_by("unit__question_set__source__position")
    assert (judge.name, judge.model) == ("gpt4", "gpt4")
    assert list(values.values_list("value", flat=True)) == third
    assert stored() == {"A": first, "B": second}


def test_a_rater_named_after_a_model_is_an_llm_judge(page, rubric):
    first, second, third = given()
    raters = {"Anna": first, "Ben": second, "Llama-3": third}
    upload = sent(page, long(raters).replace(b"clarity", b"fluency"), "ratings.jsonl")

    mapped(page, upload)
    page.get(at("preview", upload))
    added_by(page, upload)

    assert MachineJudge.objects.get().judgments.count() == 80
    assert set(stored()) == {"Anna", "Ben"}


def test_llm_judges_alone_are_no_ratings_of_a_dataset(page, rubric):
    first, second = given(2)
    data = table({"fluency_gpt4": first, "fluency_claude": second})
    upload = sent(page, data)

    mapped(page, upload, rubric=rubric.pk)

    assert "All ratings are by LLM judges." in page.get(at("preview", upload)).text


def test_an_llm_judges_ratings_in_a_later_file_are_stored_beside_the_annotators(rubric):
    collection = assembled()
    text = "question,system,fluency_A,fluency_B,fluency_gpt4\nWhen do herons wade?,Alba,3,1,2\n"
    roles = proposed(text.encode())
    added = waiting(collection, text, rubric=rubric, **roles.as_dict())

    adding.add(added=added, by=collection.owner, now=timezone.now())

    assert stored() == {"A": [3], "B": [1]}
    judge = MachineJudge.objects.get()
    assert (judge.name, judge.judgments.get().value) == ("gpt4", 2)


def test_ratings_of_an_llm_judge_in_a_second_file_go_to_the_same_judge(rubric):
    collection = assembled()
    header = "question,system,fluency_A,fluency_B,fluency_gpt4\n"
    for row in ("When do herons wade?,Alba,3,1,2\n", "What wades at dawn?,Brisa,2,2,3\n"):
        roles = proposed((header + row).encode())
        added = waiting(collection, header + row, rubric=rubric, **roles.as_dict())
        adding.add(added=added, by=collection.owner, now=timezone.now())

    assert MachineJudge.objects.get().judgments.count() == 2


@pytest.mark.parametrize("name", ["23.csv", "24.csv"])
def test_a_survey_is_imported_through_the_pages(page, name):
    criteria = {"23.csv": ("fluency", "relevance"), "24.csv": ("fluency",)}[name]
    protocol(keys=criteria)
    upload = sent(page, shared_data.path(f"cases/11-survey-exports/{name}").read_bytes(), name)

    assert mapped(page, upload, default_system="Alba").url == at("preview", upload)
    page.get(at("preview", upload))
    added_by(page, upload)

    assert Judgment.objects.count() == {"23.csv": 16, "24.csv": 24}[name]
    assert all(label.startswith("P-") for label in stored())
