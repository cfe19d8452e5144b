"""Annotators whom a header calls by their names, on criteria that no protocol has."""

import json
import random
from collections.abc import Mapping, Sequence

import pytest

from tests.judging.imports.accepting import accepted, by_annotator, proposed, table
from tests.judging.imports.readers.shape.reading import as_workbook

ROWS = 60


def ratings(seed: int, points: Sequence[int] = (1, 2, 3, 4, 5)) -> list[int]:
    return random.Random(seed).choices(points, k=ROWS)


ANNA, BEN, CARLA, MODEL = (ratings(seed) for seed in (1, 2, 3, 4))
MEANS = [(one + other) / 2 for one, other in zip(ANNA, BEN, strict=True)]


def german(columns: Mapping[str, Sequence[object]]) -> bytes:
    """Return a table as spreadsheets with German settings write it."""
    lines = [";".join(["Passage", "System", "Frage", *columns])]
    for number, cells in enumerate(zip(*columns.values(), strict=True)):
        shown = [str(cell).replace(".", ",") for cell in cells]
        lines.append(
            f"Stadt {number} hat eine Mühle.;Alba;Was hat Stadt {number}?;" + ";".join(shown)
        )
    return "\n".join(lines).encode()


def test_roles_of_a_german_file_are_annotators_a_mean_and_an_llm_judge() -> None:
    data = german(
        {
            "Verständlichkeit_Anna": ANNA,
            "Verständlichkeit_Ben": BEN,
            "Verständlichkeit_Mittel": MEANS,
            "gpt4_Verständlichkeit": MODEL,
        }
    )

    columns = proposed(data)
    study = accepted(data)

    assert by_annotator(study, "verständlichkeit") == {"Anna": ANNA, "Ben": BEN}
    assert study.llm_judges == ("gpt4",)
    assert "Verständlichkeit_Mittel" not in set(columns.named())
    assert "is the mean of" in columns.evidence["Verständlichkeit_Mittel"]
    assert f"{ROWS} of {ROWS} rows" in columns.evidence["Verständlichkeit_Mittel"]
    assert "please confirm" in columns.evidence["Verständlichkeit_Anna"]


def in_csv(columns: Mapping[str, Sequence[object]]) -> tuple[str, bytes]:
    return "ratings.csv", table(columns)


def records(columns: Mapping[str, Sequence[object]]) -> list[dict[str, object]]:
    return [
        {
            "passage": f"Town {number} has a mill.",
            "system": "Alba",
            "question": f"What has town {number}?",
            **dict(zip(columns, cells, strict=True)),
        }
        for number, cells in enumerate(zip(*columns.values(), strict=True))
    ]


def in_json(columns: Mapping[str, Sequence[object]]) -> tuple[str, bytes]:
    return "ratings.json", json.dumps(records(columns)).encode()


@pytest.mark.parametrize("written", [in_csv, in_json])
@pytest.mark.parametrize(
    ("names", "criterion", "annotators"),
    [
        (("clarity_Anna", "clarity_Ben"), "clarity", ("Anna", "Ben")),
        (("Anna: clarity", "Ben: clarity"), "clarity", ("Anna", "Ben")),
        (("Anna: zest", "Ben: zest"), "zest", ("Anna", "Ben")),
        (("zest (Anna)", "zest (Ben)"), "zest", ("Anna", "Ben")),
        (("zest (Anna Mole)", "zest (Ben Vole)"), "zest", ("Anna Mole", "Ben Vole")),
        (("Anna Mole: zest", "Ben Vole: zest"), "zest", ("Anna Mole", "Ben Vole")),
        (("zest_AM", "zest_BV"), "zest", ("AM", "BV")),
        (("zest (A.M.)", "zest (B.V.)"), "zest", ("A.M.", "B.V.")),
        (("anna_zest", "ben_zest"), "zest", ("anna", "ben")),
        (("流畅_李", "流畅_王"), "流畅", ("李", "王")),
        (("Lisibilité Anne", "Lisibilité Benoît"), "lisibilité", ("Anne", "Benoît")),
    ],
)
def test_roles_of_columns_under_personal_names_are_annotators(
    written, names, criterion, annotators
) -> None:
    name, data = written(dict(zip(names, (ANNA, BEN), strict=True)))

    found = by_annotator(accepted(data, name), criterion)

    assert found == dict(zip(annotators, (ANNA, BEN), strict=True))


@pytest.mark.parametrize(
    "names",
    [
        ("zest_Anna", "zest_Ben", "verve_Anna", "verve_Ben"),
        ("Anna_zest", "Ben_zest", "Anna_verve", "Ben_verve"),
        ("Anna: zest", "Ben: zest", "Anna: verve", "Ben: verve"),
        ("Zest (Anna)", "Zest (Ben)", "Verve (Anna)", "Verve (Ben)"),
    ],
)
def test_roles_of_two_criteria_under_personal_names_keep_them_apart(names) -> None:
    study = accepted(table(dict(zip(names, (ANNA, BEN, CARLA, MODEL), strict=True))))

    assert by_annotator(study, "zest") == {"Anna": ANNA, "Ben": BEN}
    assert by_annotator(study, "verve") == {"Anna": CARLA, "Ben": MODEL}


@pytest.mark.parametrize("mean", ["Moyenne", "Media", "Ergebnis", "Durchschnitt"])
def test_roles_of_a_mean_beside_personal_names_exclude_it(mean) -> None:
    columns = proposed(
        table({"Lisibilité Anne": ANNA, "Lisibilité Benoît": BEN, f"Lisibilité {mean}": MEANS})
    )

    assert [rating.rater for rating in columns.ratings] == ["Anne", "Benoît"]
    assert f"Lisibilité {mean}" not in set(columns.named())


def numbers(least: int, most: int, seed: int) -> list[int]:
    return ratings(seed, range(least, most + 1))


@pytest.mark.parametrize(
    "columns",
    [
        {"bleu_1": MEANS, "bleu_2": MEANS[::-1]},
        {"length_chars": numbers(20, 90, 1), "length_words": numbers(4, 14, 2)},
        {"year_start": numbers(1990, 2000, 1), "year_end": numbers(2001, 2011, 2)},
        {"id_x": list(range(ROWS)), "id_y": list(range(ROWS, 2 * ROWS))},
        {"contains_name": numbers(0, 1, 1), "contains_date": numbers(0, 1, 2)},
        {"entities_person": numbers(0, 3, 1), "entities_place": numbers(8, 14, 2)},
        {"words_question": numbers(1, 5, 1), "words_answer": numbers(1, 5, 2)},
        {"number_turns": numbers(1, 5, 1), "number_facts": numbers(1, 5, 2)},
        {"split_train": ["a"] * ROWS, "split_test": ["b"] * ROWS},
    ],
)
def test_roles_of_other_families_are_no_ratings(columns) -> None:
    assert not proposed(table(columns)).ratings


@pytest.mark.parametrize("name", ["fluency_A", "fluency (A)", "A: fluency", "fluencyA"])
def test_roles_of_one_annotator_alone_are_ratings_of_that_annotator(name) -> None:
    study = accepted(table({name: ANNA}))

    assert by_annotator(study, "fluency") == {"A": ANNA}
    assert not study.score_columns


@pytest.mark.parametrize("values", [[n / 7 for n in ANNA], [f"good text {n}" for n in range(ROWS)]])
def test_roles_of_a_lone_column_of_other_values_are_no_ratings(values) -> None:
    assert not proposed(table({"fluency_A": values})).ratings


def test_roles_of_a_workbook_with_personal_names_are_annotators() -> None:
    rows = records({"zest_Anna": ANNA, "zest_Ben": BEN})
    data = as_workbook(Sheet1=[list(rows[0]), *(list(row.values()) for row in rows)])

    assert by_annotator(accepted(data, "ratings.xlsx"), "zest") == {"Anna": ANNA, "Ben": BEN}
