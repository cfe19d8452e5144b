"""What the reading process does with a file: open, recipe or shape, propose, study, check."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any

import pandas as pd

from judging.base.limits import MAX_PAGE_ROWS
from judging.formats import shape
from judging.formats.check import count_study, findings, refuse_other_designs
from judging.formats.facts import Facts
from judging.formats.frames import Opened, Problem, Study, Unreadable, shorten_line
from judging.formats.mapping import RATED, Mapping, MappingRefused
from judging.formats.open import open_file
from judging.formats.propose import KnownDataset, propose_mapping
from judging.formats.pseudonyms import Pseudonyms, pseudonymised, without_ids
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.registry import recipe_for
from judging.formats.study import study_from_frame

SHOWN_ROWS = 8
SHOWN_PROBLEMS = 100
SHOWN_VALUES = 1000  # distinct values of a criterion
SHOWN_ASKS = 50
AROUND = 60  # characters shown before and after a place in a text
SHOWN_CHARACTERS = 300  # of a cell in the preview


@dataclass
class Table:
    """A file as one frame, before roles: how it was made, and the rows in quarantine."""

    frame: pd.DataFrame
    mapping: Mapping  # with what the recipe knows
    sentences: list[tuple[str, str]]  # the step, and what it did
    offers: list[tuple[str, str]] = field(default_factory=list)
    percent: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    sheets: list[str] = field(default_factory=list)
    protocol: str = ""  # of a bundle, as YAML


def read_frame(name: str, data: bytes, mapping: Mapping, key: Pseudonyms | None) -> Table:
    """Return a file as one frame, with labels in place of ids of people."""
    opened = open_file(name, data, mapping)
    recipe = recipe_for(opened, mapping)
    table = _by_recipe(opened, recipe, mapping) if recipe else _by_shape(opened, mapping)
    table.sentences = [*(("open", note) for note in opened.notes), *table.sentences]
    table.sheets = opened.sheet_names
    table.protocol = opened.tree if opened.kind == "bundle" else ""
    table.problems = [problem for sheet in opened.sheets for problem in sheet.problems]
    if key:
        table.frame = pseudonymised(table.frame, key)
        table.problems = [without_ids(problem, key) for problem in table.problems]
    if not len(table.frame):
        raise Unreadable("The file has no rows below the names of its columns.")
    return table


def _by_recipe(opened: Opened, recipe: Recipe, mapping: Mapping) -> Table:
    """Return the export of a program, whose recipe knows the columns."""
    frame = recipe.frame(opened)
    known = {**recipe.propose(frame), **mapping.as_data(), "recipe": recipe.key}
    return Table(frame, Mapping(**known), [("recipe", f"The file was read as “{recipe.title}”.")])


def _by_shape(opened: Opened, mapping: Mapping) -> Table:
    """Return any other file, after the steps that change its shape."""
    frame, done = shape.reshape(shape.tabulate(opened, mapping), mapping)
    table = Table(frame, mapping, [(each.step, each.sentence) for each in done])
    table.offers = [(repair.step, repair.sentence) for repair in shape.offered_repairs(frame)]
    table.percent = [column for each in done if each.step == "percent" for column in each.columns]
    return table


def _proposed(
    name: str, table: Table, key: Pseudonyms | None, known: KnownDataset | None = None
) -> Mapping:
    """Return the proposals for a table; ratings that name no annotator are by the one whom the file
    is named after."""
    found = propose_mapping(table.frame, table.mapping, percent=table.percent, known=known)
    nameless = any(not each.rater for each in found.of_role(*RATED).values())
    if found.has_rater_rows or found.rater or not (nameless or found.column("value")):
        return found
    stem = PurePath(name).stem
    return found.model_copy(update={"rater": (key.in_text(stem) if key else stem)[:100]})


def read_study(name: str, data: bytes, mapping: Mapping, key: Pseudonyms | None) -> Study:
    """Return the study in a file; columns that the mapping leaves open are proposed."""
    table = read_frame(name, data, mapping, key)
    refuse_other_designs(table.frame)
    chosen = table.mapping
    if not chosen.columns or not mapping.columns:
        chosen = _proposed(name, table, key)
    study = study_from_frame(table.frame, chosen, table.problems)
    if key:
        study.problems = [without_ids(problem, key) for problem in study.problems]
    return study


def preview_of(
    name: str,
    data: bytes,
    mapping: Mapping,
    key: Pseudonyms | None,
    known: KnownDataset | None = None,
) -> dict[str, Any]:
    """Return what the page of a file shows, as plain data: its first rows, a mapping for its
    columns, and the check of its study. `errors` are those of the mapping by field. `known` is what
    the dataset tells of a further file."""
    table = read_frame(name, data, mapping, key)
    refuse_other_designs(table.frame)
    chosen = table.mapping
    if not mapping.columns:
        chosen = _proposed(name, table, key, known)
    shown: dict[str, Any] = {
        "recipe": chosen.recipe,
        "sheets": table.sheets,
        "protocol": table.protocol,
        "sentences": table.sentences,
        "offers": table.offers,
        "header": list(table.frame.columns),
        "columns": [_column(table.frame, name) for name in table.frame.columns],
        "rows": _rows(table.frame),
        "mapping": chosen.as_data(),
        "errors": {},
    }
    try:
        # the words among ratings, not the points that they mean: the page asks about these
        study = study_from_frame(
            table.frame, chosen.model_copy(update={"points": {}}), table.problems
        )
    except MappingRefused as refused:
        return {**shown, "errors": refused.errors, "study": None}
    if key:
        study.problems = [without_ids(problem, key) for problem in study.problems]
    return {**shown, "study": _study(study, table, chosen)}


def _study(study: Study, table: Table, mapping: Mapping) -> dict[str, Any]:
    has_text = (study.sources["passage"] != "") | (study.sources["sentence"] != "")
    return {
        **count_study(study, mapping),
        "criteria": _criteria(study),
        "lost": [[criterion, why, count] for (criterion, why), count in study.lost.items()],
        "findings": [asdict(finding) for finding in findings(table.frame, mapping, study)],
        "problems": [asdict(problem) for problem in study.problems[:SHOWN_PROBLEMS]],
        "problem_count": len(study.problems),
        "rows_read": study.rows_read,
        "rows_kept": study.rows_kept,
        "has_passages": bool(has_text.any()),
        "per_system": _per_system(study),
        **_asks(study),
    }


def _per_system(study: Study) -> list[dict[str, Any]]:
    """Return, for the first systems, the number of their questions and of missing ones."""
    expected: Counter[str] = Counter()
    for (_source, system), slots in study.expected.items():
        expected[system] += slots
    given = study.questions[study.questions["text"].notna()]
    returned = Counter(given["system"])
    again = Counter(given.loc[given.duplicated(["source", "system", "text"]), "system"])
    return [
        {
            "name": shorten_line(system),
            "returned": returned[system],
            "missing": expected[system] - returned[system],
            "duplicates": int(again[system]),
        }
        for system in list(expected)[:MAX_PAGE_ROWS]
    ]


def _asks(study: Study) -> dict[str, Any]:
    """Return the answers that occur more than once, each with the text around its places."""
    sources = study.sources.set_index("key")
    asked = [problem for problem in study.problems if problem.kind == "ask"]
    shown = []
    for each in asked[:SHOWN_ASKS]:
        source: Any = sources.loc[each.source_key]
        text = source["passage"] or source["sentence"]
        places = [_around(text, start, len(source["answer"])) for start in each.choices[:20]]
        shown.append(
            {"row": each.row, "value": each.value, "source_key": each.source_key, "places": places}
        )
    return {"asks": shown, "ask_count": len(asked)}


def _around(text: str, start: int, length: int) -> tuple[int, str, str, str]:
    """Return a place in a text: its start, and the text before, in and after it."""
    end = start + length
    before = text[max(0, start - AROUND) : start]
    return start, before, text[start:end], text[end : end + AROUND]


def _criteria(study: Study) -> dict[str, dict[str, int]]:
    """Return, by criterion, the number of annotators' ratings with each value, the most common
    first."""
    people = study.ratings[~study.ratings["is_judge"].astype(bool)]
    found = {}
    for criterion in dict.fromkeys(people["criterion"]):
        values = people.loc[people["criterion"] == criterion, "value"].value_counts()
        found[str(criterion)] = {str(v): int(n) for v, n in values.head(SHOWN_VALUES).items()}
    return found


def _column(frame: pd.DataFrame, name: str) -> dict[str, Any]:
    """Return what the page says of a column: its different values and the range of its numbers."""
    facts = Facts(name, frame[name])
    numbers = sorted(facts.numbers) if facts.is_numeric else []
    return {
        "name": name,
        "distinct": len(facts.counts),
        "blank": len(frame) - facts.total,
        "low": f"{numbers[0]:g}" if numbers else "",
        "high": f"{numbers[-1]:g}" if numbers else "",
        "looks_rated": facts.is_whole and 1 < len(numbers) <= 11,
        "values": [value[:SHOWN_CHARACTERS] for value, _ in facts.counts.most_common(5)],
    }


def _rows(frame: pd.DataFrame) -> list[tuple[int, list[str]]]:
    head = frame.head(SHOWN_ROWS)
    cells: Sequence[Sequence[str]] = head.to_numpy().tolist()
    return [
        (int(number), [cell[:SHOWN_CHARACTERS] for cell in row])
        for number, row in zip(head.index, cells, strict=True)
    ]
