"""Rule violations, as imported ones may."""

from collections.abc import Mapping

from analysis.frames import Material
from analysis.reports.rows import row_field, table_row
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.protocols.rules import Rating, Slot
from judging.protocols.rules import violations as contradictions


@table_row
class Violation:
    """One rating that contradicts a rule; whatever the reading of a run."""

    rule: str = row_field("key of the rule")
    source: str = row_field("key of the source")
    system: str = row_field("name of the system")
    position: int | None = row_field("place of the question in its set")
    annotator: str = row_field("label of the annotator")
    criterion: str = row_field("key of the criterion")
    rated: float = row_field("the value given")
    by_rule: float = row_field("the value that the rule gives")


class Violations(Section[Violation]):
    """The ratings that contradict a rule."""

    key = "violations"
    title = "Rule violations"
    download_only = True
    people = ("annotator",)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[Violation]:
        import pandas as pd

        material, rules = inputs.said, inputs.said.protocol.rules
        if not rules or material.judgments.empty:
            return []
        rows: list[Violation] = []
        given = _values(material)
        for (source, system), slots in material.questions.groupby(["source", "system"], sort=False):
            texts = [None if pd.isna(text) else str(text) for text in slots["text"]]
            held = [
                Slot(text, tuple(given.get(unit, ())))
                for unit, text in zip(slots["unit"], texts, strict=True)
            ]
            rows += [
                Violation(
                    rule=contradiction.rule,
                    source=str(source),
                    system=str(system),
                    position=contradiction.position,
                    annotator=contradiction.rater or "",
                    criterion=contradiction.criterion,
                    rated=contradiction.rated,
                    by_rule=contradiction.expected,
                )
                for contradiction in contradictions(held, rules)
            ]
        return rows


def _values(material: Material) -> Mapping[int, list[Rating]]:
    """Return each unit's ratings, one an annotator."""
    rows = material.judgments.dropna(subset=["value"])
    by_pair: dict[tuple[int, str], dict[str, float]] = {}
    columns = (rows[name].tolist() for name in ("unit", "annotator", "criterion", "value"))
    for unit, annotator, criterion, value in zip(*columns, strict=True):
        by_pair.setdefault((unit, annotator), {})[criterion] = value
    found: dict[int, list[Rating]] = {}
    for (unit, annotator), values in by_pair.items():
        found.setdefault(unit, []).append(Rating(annotator, values))
    return found
