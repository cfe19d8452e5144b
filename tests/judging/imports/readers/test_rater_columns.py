"""Columns of several raters, known by their shape."""

import pytest

from judging.imports.readers.guessing import guess
from judging.imports.readers.registry import sniff
from tests import shared_data
from tests.judging.imports.accepting import accepted, proposed, table


def found(header: str, *rows: str) -> list[tuple[str, str]]:
    columns = guess(("question", *header.split("|")), [("Who?", *row.split("|")) for row in rows])
    return [(each.criterion, each.rater) for each in columns.ratings]


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("User Score 1|User Score 2", "3|2", [("score", "User 1"), ("score", "User 2")]),
        ("rater_2|rater_3", "3|2", [("rating", "rater 2"), ("rating", "rater 3")]),
        (
            "Annotator A|Annotator B|Annotator C",
            "yes|no|no",
            [("rating", "Annotator A"), ("rating", "Annotator B"), ("rating", "Annotator C")],
        ),
        (
            "Answerability Score User 1|Answerability Score User 2",
            "3|2",
            [("answerability", "User 1"), ("answerability", "User 2")],
        ),
        (
            "fluency_anna|fluency_ben|adequacy_anna|adequacy_ben",
            "3|2|1|1",
            [("fluency", "anna"), ("fluency", "ben"), ("adequacy", "anna"), ("adequacy", "ben")],
        ),
        ("clarityRater1|clarityRater2", "3|2.5", [("clarity", "Rater 1"), ("clarity", "Rater 2")]),
        ("J1|J2|J3", "3|2|2", [("rating", "J1"), ("rating", "J2"), ("rating", "J3")]),
        (
            "Natürlichkeit 1|Natürlichkeit 2",
            "3|2",
            [("natürlichkeit", "1"), ("natürlichkeit", "2")],
        ),
    ],
)
def test_raters_are_found_in_a_family_of_columns(
    header: str, row: str, expected: list[tuple[str, str]]
) -> None:
    assert found(header, row, row) == expected


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("model_1|model_2", "3|2"),
        ("Bleu_1|Bleu_2|ROUGE_1|ROUGE_2", "1|0|1|0"),
        ("Q1|Q2|Q3", "3|2|1"),
        ("R1|R2", "0.31|0.22"),
        ("User Score 1|User Score 2", "a long remark about this|another one of some length"),
        ("User Score 1|User Score 2", "|"),
        ("rater_1|rater_2", "12345|54321"),
        ("reference_1|reference_2", "Who?|Whom?"),
    ],
)
def test_other_families_are_no_ratings(header: str, row: str) -> None:
    assert found(header, row) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Gold Question", "Noisy Question"),
        ("Original Question", "Noised"),
        ("gold", "Noised"),
        ("Gold", "NOISY TEXT"),
        ("original", "corrupted question"),
    ],
)
def test_a_file_of_tabs_with_other_names_for_raters_imports_by_itself(
    before: str, after: str
) -> None:
    header = f"{before}\t{after}\tUser Score 1\tUser Score 2\n"
    data = header.encode() + b"Who was it?\tWho was\t3\t2\nWhy?\tWhy\t5\t5\n"
    study = sniff("mine.tsv", data).read(data)
    assert (study.raters, study.criteria, len(study.ratings)) == (
        ("User 1", "User 2"),
        ("score",),
        4,
    )
    assert (study.systems, study.sources[0].references) == (("noised",), ("Who was it?",))


REPEATED = "cases/03-repeated-names-pandas-suffix"


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Fluency|Fluency.1|Fluency.2", [("fluency", "1"), ("fluency", "2"), ("fluency", "3")]),
        ("clarity|clarity_1", [("clarity", "1"), ("clarity", "2")]),
        ("Klarheit|Klarheit (2)|Klarheit (3)", [("klarheit", str(n)) for n in (1, 2, 3)]),
        ("tone_1|tone_2", [("tone", "1"), ("tone", "2")]),
        ("Rater 1 Fluency|Rater 2 Fluency", [("fluency", "Rater 1"), ("fluency", "Rater 2")]),
        ("R1: clarity|R2: clarity", [("clarity", "R1"), ("clarity", "R2")]),
        ("A - Wording|B - Wording", [("wording", "A"), ("wording", "B")]),
    ],
)
def test_numbered_names_are_one_criterion_with_one_annotator_a_column(
    header: str, expected: list[tuple[str, str]]
) -> None:
    row = "|".join("3" for _ in expected)
    assert found(header, row, row) == expected


@pytest.mark.parametrize(("name", "annotators"), [("68.csv", 2), ("68c.csv", 3)])
def test_columns_that_pandas_numbered_are_ratings_of_several_annotators(
    name: str, annotators: int
) -> None:
    study = accepted(shared_data.path(f"{REPEATED}/{name}").read_bytes(), name)

    assert len(study.raters) == annotators
    assert not study.score_columns


def test_the_mean_in_front_of_numbered_columns_is_none_of_them() -> None:
    first, second = [1, 2, 3, 3] * 5, [2, 2, 1, 3] * 5
    mean = [(one + other) / 2 for one, other in zip(first, second, strict=True)]
    columns = proposed(table({"tone": mean, "tone_1": first, "tone_2": second}))

    assert [rating.column for rating in columns.ratings] == ["tone_1", "tone_2"]
    assert "tone" not in set(columns.named())


def test_sliders_with_decimals_are_ratings() -> None:
    data = shared_data.path("cases/14-slider-ratings-as-metric/66.csv").read_bytes()

    study = accepted(data, "66.csv")

    assert study.raters == ("A", "B")
    assert [score.name for score in study.score_columns] == ["bleu"]


@pytest.mark.parametrize("names", [("naturalness_1", "naturalness_2"), ("Judge A", "Judge B")])
def test_sliders_under_other_names_are_ratings(names: tuple[str, str]) -> None:
    first = [f"{place * 1.7:.1f}" for place in range(50)]
    columns = proposed(table(dict(zip(names, (first, first[::-1]), strict=True))))

    assert [rating.column for rating in columns.ratings] == list(names)


def test_one_odd_cell_in_twenty_decides_nothing() -> None:
    values: list[object] = [1 + place % 3 for place in range(200)]
    odd = [*values[:10], *["see note", 2.25] * 5, *values[20:]]
    columns = proposed(table({"fluency_A": odd, "fluency_B": values}))

    assert [rating.column for rating in columns.ratings] == ["fluency_A", "fluency_B"]


def test_cells_behind_the_first_rows_decide_too() -> None:
    first = [3] * 60
    columns = proposed(
        table({"tone_1": first + [f"0.{n:03}" for n in range(200)], "tone_2": first + [2] * 200})
    )

    assert not columns.ratings


@pytest.mark.parametrize("name", ["64.csv", "64f.csv"])
def test_a_row_of_totals_makes_no_metric_of_ratings(name: str) -> None:
    data = shared_data.path(f"cases/04-summary-row/{name}").read_bytes()

    assert [rating.rater for rating in proposed(data, name).ratings] == ["A", "B"]
