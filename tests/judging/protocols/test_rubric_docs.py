"""The example in docs/rubric-schema.md is a valid rubric, and the page names all there is to write."""

from dataclasses import fields
from pathlib import Path
from typing import get_args

from judging.protocols import protocol_schema as schema
from judging.protocols.documents import localized, parse

PAGE = Path(__file__).resolve().parents[3] / "docs" / "rubric-schema.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_example_is_a_rubric() -> None:
    rubric = parse(TEXT.split("```yaml\n")[1].split("```")[0], "rubric-schema.md")
    assert rubric.key == "clear-and-short"
    assert localized(rubric, "nl").title == "Helder en kort"


def test_every_key_and_choice_is_told() -> None:
    parts = (
        schema.ProtocolDocument,
        schema.Stage,
        schema.ProtocolCriterion,
        schema.StandardCriterion,
        schema.CriterionPoint,
        schema.Aggregate,
        schema.ReportedAgreement,
    )
    words = [field.name for part in parts for field in fields(part)]
    words += [*schema.RULE_KINDS, *schema.FACT_KINDS]
    for choices in (
        schema.ShownPart,
        schema.TaskCut,
        schema.ScaleLevel,
        schema.Best,
        schema.AskedPer,
        schema.ReportedStatistic,
        schema.StandardKind,
        schema.StandardPart,
        schema.StandardFrame,
    ):
        words += get_args(choices)
    assert [word for word in words if f"`{word}" not in TEXT and f"{word}:" not in TEXT] == []
