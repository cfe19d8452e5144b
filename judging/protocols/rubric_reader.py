"""Reading sections of a tree as the parts of a rubric, each part checked by itself."""

from __future__ import annotations

from typing import get_args

from judging.protocols import rubric_schema as schema
from judging.protocols.rubric_nodes import OpenMapping
from judging.protocols.rubric_schema import (
    FACT_KINDS,
    RULE_KINDS,
    Aggregate,
    AskedSpan,
    CriterionPoint,
    Fact,
    Quota,
    ReportedAgreement,
    RubricCriterion,
    RubricDocument,
    Stage,
    StandardCriterion,
    TypeDiversity,
    WorkedItem,
)
from judging.rules import Applied, Fatal, Force, Identical, Lone, Missing, Others, Rule

LOWEST_VALUE, HIGHEST_VALUE = -32_768, 32_767  # as the database holds them


def read_rubric(top: OpenMapping) -> RubricDocument:
    """Return the rubric of a tree's top section, noting the problems of each part in its report."""
    rubric = RubricDocument(
        key=top.key(),
        version=top.version(),
        title=top.text("title", longest=200),
        summary=top.text("summary"),
        citation=top.text("citation"),
        language=top.text("language", default="en", longest=20),
        task=top.choice("task", get_args(schema.TaskCut)),
        page_size=top.number("page_size", default=1, least=1, most=100),
        broken_items=top.choice("broken_items", get_args(schema.BrokenItems), default="reported"),
        expected=top.number("expected", default=1, least=1, most=1000),
        annotators=top.number("annotators", least=1, most=1000),
        estimated_seconds=top.number("estimated_seconds", least=1),
        stages=tuple(_stage(section) for section in top.sections("stages", required=True)),
        criteria=tuple(_criterion(section) for section in top.sections("criteria", required=True)),
        span_mark=_span_mark(top.section("span_mark")),
        rules=tuple(_rule(section) for section in top.sections("rules")),
        facts=tuple(_fact(section) for section in top.sections("facts")),
        aggregate=_aggregate(top.section("aggregate", required=True)),
        agreement=tuple(_agreement(section) for section in top.sections("agreement")),
        guideline=top.text("guideline"),
        quality_control=top.texts("quality_control"),
        worked_item=_worked_item(top.section("worked_item")),
        translations=_translations(top),
    )
    for key in ("stages", "criteria"):
        if top.has(key) and not getattr(rubric, key):
            top.report.add(key, "is empty; give one or more")
    top.close()
    return rubric


def _stage(section: OpenMapping) -> Stage:
    shows = section.texts("shows")
    known = get_args(schema.ShownPart)
    for index, name in enumerate(shows):
        if name not in known:
            section.report.add(
                f"{section.at('shows')}[{index}]", f"{name!r} is none of {', '.join(known)}"
            )
    stage = Stage(
        section.key(), section.text("title", longest=200), tuple(n for n in known if n in shows)
    )
    section.close()
    return stage


def _criterion(section: OpenMapping) -> RubricCriterion:
    can_decline = section.flag("cannot_judge")
    criterion = RubricCriterion(
        key=section.key(),
        name=section.text("name", longest=100),
        prompt=section.text("prompt"),
        definition=section.text("definition"),
        unit=section.choice("unit", get_args(schema.UnitKind), default="question"),
        asked=section.choice("asked", get_args(schema.AskedPer), default="per_unit"),
        level=section.choice("level", get_args(schema.ScaleLevel)),
        best=section.choice("best", get_args(schema.Best)),
        stage=section.key("stage"),
        optional=section.flag("optional"),
        visibility_note=section.text("visibility_note", default="", longest=200),
        standard=_standard(section.section("standard")),
        points=(
            *_range(section),
            *(_point(point) for point in section.sections("points")),
            *([schema.CANNOT_JUDGE] if can_decline else []),
        ),
        cannot_judge=can_decline,
    )
    if not section.has("points") and not section.has("scale"):
        section.report.add(
            section.at("points"),
            "is missing; give labelled points, or a scale from one number to another",
        )
    section.close()
    return criterion


def _standard(section: OpenMapping | None) -> StandardCriterion | None:
    if section is None:
        return None
    standard = StandardCriterion(
        kind=section.choice("kind", get_args(schema.StandardKind)),
        part=section.choice("part", get_args(schema.StandardPart)),
        frame=section.choice("frame", get_args(schema.StandardFrame)),
        name=section.text("name", default="", longest=100),
    )
    section.close()
    return standard


def _point(section: OpenMapping) -> CriterionPoint:
    point = CriterionPoint(
        value=section.number("value", least=LOWEST_VALUE, most=HIGHEST_VALUE),
        label=section.text("label", longest=300),
        description=section.text("description", default=""),
        missing=section.flag("missing"),
        examples=section.texts("examples"),
    )
    section.close()
    return point


def _range(owner: OpenMapping) -> tuple[CriterionPoint, ...]:
    """Return all points of a scale given by its two ends; both ends need a label."""
    section = owner.section("scale")
    if section is None:
        return ()
    first = section.number("from", least=LOWEST_VALUE, most=HIGHEST_VALUE)
    last = section.number("to", least=LOWEST_VALUE, most=HIGHEST_VALUE)
    labels = section.words("labels")
    section.close()
    if last <= first:
        owner.report.add(section.at("to"), f"must be above {first}")
        return ()
    for end in (first, last):
        if str(end) not in labels:
            owner.report.add(
                section.at("labels"), f"{end} is an end of the scale and needs a label"
            )
    for value in labels.keys() - {str(value) for value in range(first, last + 1)}:
        owner.report.add(f"{section.at('labels')}.{value}", "is not on the scale")
    return tuple(
        CriterionPoint(value, labels.get(str(value), "")) for value in range(first, last + 1)
    )


def _span_mark(section: OpenMapping | None) -> AskedSpan | None:
    if section is None:
        return None
    mark = AskedSpan(
        section.key(), section.text("prompt"), section.key("stage"), section.flag("optional")
    )
    section.close()
    return mark


def _worked_item(section: OpenMapping | None) -> WorkedItem | None:
    if section is None:
        return None
    item = WorkedItem(
        question=section.text("question"),
        values=section.values("values"),
        why=section.words("why"),
        shows=section.words("shows"),
        siblings=section.texts("siblings"),
    )
    section.close()
    return item


def _rule(section: OpenMapping) -> Rule:
    kind = section.choice("kind", tuple(RULE_KINDS))
    key = section.key(default=kind)
    rule = _force(section, key) if kind == "force" else _set_rule(section, kind, key)
    section.close()
    return rule


def _force(section: OpenMapping, key: str) -> Force:
    return Force(
        key=key,
        criterion=section.key("criterion"),
        value=section.number("value", least=LOWEST_VALUE, most=HIGHEST_VALUE),
        sets=section.values("sets"),
        explanation=section.text("explanation", longest=500),
    )


def _set_rule(section: OpenMapping, kind: str, key: str) -> Rule:
    explanation = section.text("explanation", default="")
    if kind == "missing":
        return Missing(key, section.values("sets") if section.has("sets") else None, explanation)
    if kind == "identical":
        return Identical(key, section.values("sets"), explanation)
    if kind == "lone":
        return Lone(key, section.values("sets"), explanation)
    return Fatal(
        key=key,
        when=section.values("when"),
        named=section.texts("named"),
        applied=section.choice("applied", get_args(Applied), default="per_rating"),
        others=section.choice("others", get_args(Others), default="all_remaining"),
        explanation=explanation,
    )


def _fact(section: OpenMapping) -> Fact:
    kind = section.choice("kind", tuple(FACT_KINDS))
    key = section.key(default=kind)
    explanation = section.text("explanation")
    fact = (
        _quota(section, key, explanation)
        if kind == "quota"
        else _type_diversity(section, key, explanation)
    )
    section.close()
    return fact


def _quota(section: OpenMapping, key: str, explanation: str) -> Quota:
    quota = {}
    for level, count in section.values("quota").items():
        try:
            quota[int(level)] = count
        except ValueError:
            section.report.add(
                f"{section.at('quota')}.{level}", "must be a value of the criterion's scale"
            )
    return Quota(
        key,
        section.key("criterion"),
        quota,
        section.number("kept"),
        section.number("surplus"),
        explanation,
    )


def _type_diversity(section: OpenMapping, key: str, explanation: str) -> TypeDiversity:
    return TypeDiversity(
        key, section.key("beside"), section.share("share"), section.share("balance"), explanation
    )


def _aggregate(section: OpenMapping | None) -> Aggregate:
    if section is None:
        return Aggregate("mean")
    aggregate = Aggregate(
        kind=section.choice("kind", get_args(schema.AggregateKind)),
        combined=section.choice("combined", get_args(schema.Combined), default="none"),
        criteria=section.texts("criteria"),
        weights=section.values("weights", least=1) if section.has("weights") else {},
        note=section.text("note", default=""),
    )
    section.close()
    return aggregate


def _agreement(section: OpenMapping) -> ReportedAgreement:
    statistic = section.choice("statistic", get_args(schema.ReportedStatistic))
    level = section.choice("level", get_args(schema.ScaleLevel)) if section.has("level") else None
    agreement = ReportedAgreement(statistic, level, section.text("note", default=""))
    section.close()
    return agreement


def _translations(top: OpenMapping) -> dict[str, dict[str, str]]:
    section = top.section("translations")
    return (
        {} if section is None else {language: section.words(language) for language in section.nodes}
    )
