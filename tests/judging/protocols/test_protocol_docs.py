"""The example in docs/protocol-schema.md is a valid protocol, and the page names all there is to write."""

from dataclasses import fields
from pathlib import Path
from typing import get_args

from judging.protocols import protocol_schema as schema
from judging.protocols.documents import localized, parse

PAGE = Path(__file__).resolve().parents[3] / "docs" / "protocol-schema.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_example_is_a_protocol() -> None:
    protocol = parse(TEXT.split("```yaml\n")[1].split("```")[0], "protocol-schema.md")
    assert protocol.key == "clear-and-short"
    assert localized(protocol, "nl").title == "Helder en kort"


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
