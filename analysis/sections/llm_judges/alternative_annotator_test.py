"""May an LLM judge replace an annotator? The alternative annotator test, and the human ceiling to
compare with."""

from collections.abc import Iterator
from math import isnan, nan

import numpy as np

from analysis.reports.cells import difference_cell, estimate_cell
from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import coefficient, is_defined, or_dash, p_alone, with_interval
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import ReportColumn, ReportTable, draw
from analysis.sections.agreement.agreement import level_of
from analysis.sections.llm_judges.judge_descriptions import (
    Judged,
    judged_criteria,
    repeated_answers,
)
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.percentages import percent
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._alternative_annotator import (
    COPIES,
    EPSILONS,
    AgainstPerson,
    AlternativeTest,
    alternative_test,
)
from quaestor_stats._cohen_kappa import Weights, cohen_kappa
from quaestor_stats._correlation import correlate_columns
from quaestor_stats._inputs import FloatArray, Labels
from quaestor_stats._llm_judges import compare_judge, most_given, severity_of
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._resampling import Jackknife
from quaestor_stats._result import Result, undefined_result

NO_ORDER = "the values have no order: nothing can be followed"
NOT_REPEATED = "it was asked nothing twice"


@table_row
class VerdictRow:
    """One judge on one criterion: the alternative annotator test, and values to be read with it."""

    criterion: str = row_field("key of the criterion")
    judge: str = row_field("name of the judge, or the jury of all")
    epsilon: float = row_field("what replacing an annotator may cost")
    epsilon_reason: str = row_field("the annotators for whom that epsilon is meant")
    items: int = row_field("units judged by the judge and two or more annotators")
    excluded: int = row_field("units judged by the judge and fewer than two annotators")
    people: int = row_field("annotators that it was tested against")
    winning_rate: float = row_field(
        "share of them against whom it wins, a source's items kept together"
    )
    passes: bool | None = row_field("whether that is a half or more; empty if it cannot be tested")
    winning_rate_published: float = row_field(
        "the winning rate with items as independent, as the method was published"
    )
    passes_published: bool | None = row_field("whether that is a half or more")
    reason: str = row_field("why it cannot be tested")
    caution: str = row_field("what makes the test weak")
    advantage: Result = row_field(
        "average advantage probability: the mean over annotators of the share of items on which "
        "the judge is at least as near to the others as the annotator",
        prefix="advantage_",
    )
    follows: Result = row_field(
        "Spearman's rho of the judge with the mean of all annotators but one, averaged over the "
        "left-out annotators",
        prefix="follows_",
    )
    person: Result = row_field(
        "the same rho of the left-out annotator, which is the human ceiling on these items",
        prefix="person_",
    )
    difference: Result = row_field("follows minus person", prefix="difference_")
    severity: Result = row_field(
        "mean of the judge minus the mean of the annotators", prefix="severity_"
    )
    again: Result = row_field(
        "share of values that are the same when the judge is asked again", prefix="again_"
    )
    most_given: float = row_field("value that it gives most often")
    most_given_share: float = row_field("share of that value among its own")
    most_given_by_people: float = row_field("share of that value among the annotators' values")


@table_row
class AgainstPersonRow:
    """One judge against one annotator on one criterion."""

    criterion: str = row_field("key of the criterion")
    judge: str = row_field("name of the judge")
    person: str = row_field("label of the annotator who is left out and compared")
    n: int = row_field("units that the judge, this annotator and another annotator judged")
    advantage: float = row_field(
        "share of them on which the judge is at least as near to the others"
    )
    person_advantage: float = row_field(
        "share of them on which the annotator is at least as near to the others"
    )
    p: float = row_field(
        "one-sided p that the annotator is better by epsilon or more, a source's items kept "
        "together"
    )
    p_adjusted: float = row_field(
        "p after Benjamini and Yekutieli's correction over the annotators"
    )
    p_published: float = row_field("p with items as independent, as the method was published")
    p_published_adjusted: float = row_field(
        "p_published after Benjamini and Yekutieli's correction"
    )
    wins: bool | None = row_field(
        "whether the judge wins against the annotator; empty if it was not tested"
    )
    not_tested: str = row_field("why it was not tested")
    rho: float = row_field("Spearman's rho of judge and annotator")
    kappa: Result = row_field(
        "Cohen's kappa of the two, with quadratic weights where the values have an order",
        prefix="kappa_",
    )
    alpha: Result = row_field("Krippendorff's alpha of the two", prefix="alpha_")


class AlternativeAnnotatorTest(Section[VerdictRow]):
    """The verdict on each judge, criterion by criterion, with the human ceiling beside it."""

    key = "alternative_annotator_test"
    title = "Alternative annotator test"
    identity = ("criterion", "judge")
    beside = (("judge_against_annotators", "LLM judges against each annotator"),)
    note = (
        "The alternative annotator test (Calderon, Reichart and Dror 2025) leaves out each annotator in turn and "
        "asks which is nearer to the others, the judge or that annotator; ε is what replacing an annotator may "
        "cost. A judge passes if it wins against at least half of the annotators. Passing is not enough: a judge "
        "that gives nearly everything the most frequent value can pass. So the report also shows the human "
        "ceiling, the use of the scale and the bias by system. The authors take items as independent; if several "
        "systems share a source that test is wrong in 7 to 15% of studies instead of 5%, so the verdict keeps a "
        "source's items together."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[VerdictRow]:
        epsilon = float(inputs.settings["judge_epsilon"])
        rows = []
        for judged in judged_criteria(inputs.said):
            chance.step(f"LLM judges on {judged.criterion.key}")
            for name in judged.judges:
                rows.append(_verdict(judged, name, run_alternative_test(judged, name, epsilon)))
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[VerdictRow](
            split="criterion",
            lines="judge",
            under=_sample,
            chip=lambda row: "LLM judge",
            columns=[
                ReportColumn("Passes", lambda row: Cell(VERDICT[row.passes], _rate(row))),
                ReportColumn("Advantage", lambda row: _coefficient_cell(row.advantage)),
                ReportColumn("Follows people", lambda row: _coefficient_cell(row.follows)),
                ReportColumn("A person does", lambda row: _coefficient_cell(row.person)),
                ReportColumn("Difference", lambda row: difference_cell(row.difference)),
                ReportColumn("Severity", lambda row: difference_cell(row.severity)),
                ReportColumn("Most given", _most_given_cell),
            ],
            caption=lambda rows: f"ε = {rows[0].epsilon:g}, for {rows[0].epsilon_reason}.",
            reasons=lambda rows: [
                f"{row.judge}: {text}" for row in rows for text in (row.reason, row.caution) if text
            ],
        )
        return draw(table, found.of(AlternativeAnnotatorTest), found.names)

    def sentences(self, found: Found) -> Iterator[str]:
        for row in found.of(AlternativeAnnotatorTest):
            yield _sentence(row, found.name_of(row.criterion))


class JudgeAgainstAnnotators(Section[AgainstPersonRow]):
    """Each judge against each person."""

    key = "judge_against_annotators"
    title = "LLM judges against each annotator"
    identity = ("criterion", "judge", "person")
    people = ("person",)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[AgainstPersonRow]:
        epsilon = float(inputs.settings["judge_epsilon"])
        return [
            _against(judged, name, place, one)
            for judged in judged_criteria(inputs.said)
            for name in judged.judges
            for place, one in enumerate(run_alternative_test(judged, name, epsilon).people)
        ]

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[AgainstPersonRow](
            split=("criterion", "judge"),
            lines="person",
            under=lambda row: row.not_tested or f"n = {row.n:,}",
            columns=[
                ReportColumn("Judge nearer", lambda row: Cell(percent(row.advantage))),
                ReportColumn("Person nearer", lambda row: Cell(percent(row.person_advantage))),
                ReportColumn(
                    "p", lambda row: Cell(p_alone(row.p_adjusted), "judge wins" if row.wins else "")
                ),
                ReportColumn("κ", lambda row: _coefficient_cell(row.kappa)),
                ReportColumn("α", lambda row: _coefficient_cell(row.alpha)),
                ReportColumn("ρ", lambda row: Cell(or_dash(row.rho))),
            ],
            caption="p after Benjamini and Yekutieli over the people, a source's items kept together.",
            folded=True,
        )
        return draw(table, found.of(JudgeAgainstAnnotators), found.names)


def run_alternative_test(judged: Judged, name: str, epsilon: float) -> AlternativeTest:
    """Return the alternative annotator test of one judge on one criterion."""
    return alternative_test(
        judged.people,
        judged.judges[name],
        level=level_for(judged.criterion),
        epsilon=epsilon,
        names=judged.names,
        sources=judged.clusters,
        unit=judged.unit,
    )


def level_for(criterion: ProtocolCriterion) -> str:
    """Return how values are compared: by their distance, or by equality where they have no
    order."""
    return "ordinal" if criterion.is_averaged and criterion.level != "nominal" else "nominal"


def _verdict(judged: Judged, name: str, found: AlternativeTest) -> VerdictRow:
    values = judged.judges[name]
    follows, person, difference, severity = _distances(judged, values)
    share, value = most_given(values)
    given = judged.people[~np.isnan(judged.people)]
    return VerdictRow(
        criterion=judged.criterion.key,
        judge=name,
        epsilon=found.epsilon,
        epsilon_reason=EPSILONS.get(found.epsilon, "these annotators"),
        items=found.items,
        excluded=found.dropped,
        people=sum(not one.reason for one in found.people),
        winning_rate=found.winning_rate,
        passes=found.passed,
        winning_rate_published=found.winning_rate_items,
        passes_published=found.passed_items,
        reason=found.reason,
        caution=found.caution,
        advantage=found.advantage,
        follows=follows,
        person=person,
        difference=difference,
        severity=severity,
        again=_again(judged, name),
        most_given=value,
        most_given_share=share,
        most_given_by_people=float((given == value).mean()) if given.size else nan,
    )


def _distances(judged: Judged, values: FloatArray) -> tuple[Result, Result, Result, Result]:
    """Return rho of a judge, rho of a person, their difference, and the judge's severity."""
    if level_for(judged.criterion) != "ordinal":
        rho = undefined_result("Spearman's rho", NO_ORDER)
        return rho, rho, rho, undefined_result("mean of the judge minus people", NO_ORDER)
    beside = compare_judge(judged.people, values, sources=judged.clusters, unit=judged.unit)
    severity = severity_of(judged.people, values, sources=judged.clusters, unit=judged.unit)
    return beside.judge, beside.person, beside.difference, severity


def _again(judged: Judged, name: str) -> Result:
    """Return how often a judge says the same again: the first two times that it was asked."""
    answers = repeated_answers(judged, name)
    table = answers.pivot(index="unit", columns="time", values="value")
    if 1 not in table.columns:
        return undefined_result("share of equal values when asked again", NOT_REPEATED)
    table = table[[0, 1]].dropna()
    return percent_agreement(
        table.to_numpy("float64"),
        scale=judged.criterion.values(),
        clusters=judged.clusters_of(table.index),
        interval=Jackknife(unit=judged.unit),
    )


def _against(judged: Judged, name: str, place: int, one: AgainstPerson) -> AgainstPersonRow:
    ordered = level_for(judged.criterion) == "ordinal"
    table = np.stack([judged.judges[name], judged.people[:, place]], axis=1)
    both = ~np.isnan(table).any(axis=1)
    pair, clusters = table[both], np.asarray(judged.clusters, dtype=object)[both]
    kappa, alpha = _pair_agreement(pair, judged, clusters)
    return AgainstPersonRow(
        criterion=judged.criterion.key,
        judge=name,
        person=one.person,
        n=one.n,
        advantage=one.advantage,
        person_advantage=one.person_advantage,
        p=one.p,
        p_adjusted=one.adjusted,
        p_published=one.p_items,
        p_published_adjusted=one.adjusted_items,
        wins=None if one.reason else one.won,
        not_tested=one.reason,
        rho=correlate_columns(*pair.T).value if ordered and len(pair) > 2 else nan,
        kappa=kappa,
        alpha=alpha,
    )


def _pair_agreement(pair: FloatArray, judged: Judged, clusters: Labels) -> tuple[Result, Result]:
    """Return kappa and alpha of a judge and an annotator (n_units, 2)."""
    criterion, interval = judged.criterion, Jackknife(unit=judged.unit)
    on_scale = bool(np.isin(pair[:, 0], criterion.values()).all())
    weights: Weights = "quadratic" if level_for(criterion) == "ordinal" else "unweighted"
    kappa = undefined_result("Cohen's kappa", "a jury's means are no points of the scale")
    if on_scale and len(pair):
        kappa = cohen_kappa(
            *pair.T,
            scale=criterion.values(),
            weights=weights,
            clusters=clusters,
            interval=interval,
        )
    level = level_of(criterion) if on_scale else "interval"
    alpha = undefined_result("Krippendorff's alpha", "the two share no unit")
    if len(pair):
        alpha = krippendorff_alpha(pair, level=level, clusters=clusters, interval=interval)
    return kappa, alpha


VERDICT = {True: "yes", False: "no", None: "–"}


def _sample(row: VerdictRow) -> str:
    """Return in words the judge's items, and how often it says the same again."""
    again = f", the same again {percent(row.again.value)}" if row.again.defined else ""
    return f"{row.items:,} items{again}"


def _rate(row: VerdictRow) -> str:
    """Return in words the winning rate, and the verdict as published if it differs."""
    rate = ""
    if is_defined(row.winning_rate):
        rate = f"wins against {percent(row.winning_rate)} of {row.people}"
    if row.passes_published != row.passes:
        rate += f"; as published {VERDICT[row.passes_published]}"
    return rate


def _most_given_cell(row: VerdictRow) -> Cell:
    under = ""
    if is_defined(row.most_given):
        under = f"{row.most_given:g}, people {percent(row.most_given_by_people)}"
    return Cell(percent(row.most_given_share), under)


def _coefficient_cell(estimate: Result) -> Cell:
    return estimate_cell(estimate, coefficient, with_n=False)


def _sentence(row: VerdictRow, criterion: str) -> str:
    if row.passes is None:
        return f"{criterion}: {row.judge} cannot be tested: {row.reason}."
    verdict = "passes" if row.passes else "does not pass"
    said = (
        f"{criterion}: {row.judge} {verdict} the alternative annotator test at ε = {row.epsilon:g}"
    )
    if row.most_given_share == 1:
        return f"{said}; it gives every item {row.most_given:g}, so it distinguishes no items."
    if COPIES in row.caution:
        return f"{said}; {COPIES}."
    gap = row.difference
    if not gap.defined or isnan(gap.ci.high):
        return f"{said}."
    follows, person = coefficient(row.follows.value), coefficient(row.person.value)
    differs = "does not differ significantly from"
    if gap.ci.high < 0:
        differs = "is significantly lower than"
    elif gap.ci.low > 0:
        differs = "is significantly higher than"
    return (
        f"{said}; its correlation with human ratings (ρ = {follows}) {differs} that of one "
        f"annotator (ρ = {person}; difference {with_interval(gap, coefficient)})."
    )
