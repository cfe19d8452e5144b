"""The methods text of a report, as for a paper: protocol, material, annotators, tests, and how to
repeat the analysis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.reports.making import LIBRARIES, describe_preparation
from analysis.reports.numerals import (
    coefficient,
    format_count,
    format_list,
    inside_sentence,
    with_interval,
)
from analysis.sections.about import are_means, places_without_values, ratings_not_used, run_facts
from analysis.sections.agreement.agreement import alpha_row
from analysis.sections.criteria import criterion_rows
from analysis.sections.external_checks import ExternalChecks
from analysis.sections.metrics.correlations import LEVELS, Correlations, headline_level
from analysis.sections.metrics.metric_definitions import MetricDefinitions
from analysis.sections.section import Found
from analysis.sections.systems.equivalence import Equivalences
from analysis.sections.systems.primary_hypotheses import (
    PrimaryHypotheses,
    across_criteria,
    how_tested,
)
from analysis.sections.systems.system_comparisons import (
    SystemComparisons,
    SystemPair,
    contrast_reasons,
    deciding_pairs,
    is_compared,
)
from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument
from quaestor_stats._design import REQUIRED_CLUSTERS
from quaestor_stats._system_differences import CONTRAST, PERMUTATION

UNCITED = ("", "none", "unpublished")
MANY_POINTS = 12


@dataclass(frozen=True)
class RunMade:
    """The facts about a run that its methods text states."""

    protocol: ProtocolDocument
    protocol_version: str
    plan_sha256: str
    seed: int
    resamples: int
    parameters: Mapping[str, Any]
    versions: Mapping[str, str]
    input_sha256: str


def methods(found: Found, made: RunMade) -> list[tuple[str, str]]:
    """Return the paragraphs of a methods section: what each is about, and its text."""
    parts = {
        "Material": _material(found),
        "Protocol": _protocol(made, of_means=are_means(found)),
        "Annotators": _annotators(found),
        "Hypotheses": _hypotheses(found),
        "Agreement": _agreement(found),
        "Systems": _systems(found),
        "Metrics": _metrics(found),
        "Computation": (*_computation(made), *_external_checks(found)),
    }
    return [(about, text) for about, said in parts.items() if (text := " ".join(said))]


def _material(found: Found) -> Iterator[str]:
    study = run_facts(found)
    yield (
        f"{format_count(study.expected, 'question')} of {format_count(len(study.systems), 'system')} "
        f"({format_list(study.systems)}) on {format_count(study.sources, 'source')} were expected"
        + ("." if not study.missing else f", of which {study.returned:,} are present.")
    )
    if study.sources_judged < study.sources and not are_means(found):
        yield (
            f"{study.sources_judged:,} of the sources have judgments; agreement, means and tests are of "
            "those."
        )
    if study.clusters:
        together = (
            f"have the same {study.cluster_column}" if study.cluster_column else "share a passage"
        )
        yield (
            f"Sources that {together} are not independent; resampling kept them together "
            f"({study.sample})."
        )
        if study.clusters < REQUIRED_CLUSTERS:
            yield f"No interval is given for fewer than {REQUIRED_CLUSTERS} {study.unit.plural}."
    if study.excluded_by_run:
        yield f"Excluded from this analysis by choice: {format_list(study.excluded_by_run)}."


def _protocol(made: RunMade, *, of_means: bool) -> Iterator[str]:
    protocol = made.protocol
    cited = (
        f" ({protocol.citation})" if protocol.citation.rstrip(".").casefold() not in UNCITED else ""
    )
    if of_means:
        yield f"The criteria are those of {protocol.title}, version {made.protocol_version}{cited}."
        return
    yield f"Questions were judged by {protocol.title}, version {made.protocol_version}{cited}."
    yield " ".join(_asked(criterion) for criterion in protocol.criteria)
    if made.plan_sha256:
        yield f"The plan was locked before the first judgment (SHA-256 {made.plan_sha256})."


def _asked(criterion: ProtocolCriterion) -> str:
    """Write a criterion's question and its scale word for word."""
    points = criterion.points
    if len(points) > MANY_POINTS:
        scale = (
            f"from {points[0].value} ({points[0].label}) to {points[-1].value} ({points[-1].label})"
        )
    else:
        scale = format_list([f"{point.value} ({point.label})" for point in points])
    ends = {"highest": "high is best", "lowest": "low is best", "none": "no end is best"}
    standard = f" (in standard terms: {criterion.standard.in_words})" if criterion.standard else ""
    return (
        f"{criterion.name}{standard}: “{criterion.prompt}”, {criterion.level}, {scale}; "
        f"{ends[criterion.best]}."
    )


def _annotators(found: Found) -> Iterator[str]:
    study = run_facts(found)
    if are_means(found):
        yield "The human scores were imported as means over annotators, without the individual ratings."
        return
    if study.origin == "simulated":
        yield "The ratings are simulated; they are no evidence about human judgment."
    yield (
        f"{format_count(study.annotators, 'annotator')} gave {format_count(study.judgments, 'judgment')} "
        f"in {format_count(study.tasks, 'task')}."
    )
    yield from study.people
    if study.has_times:
        yield f"The median active time per question was {study.seconds_a_question:.0f} s."
    if study.forced:
        yield f"A rule of the protocol set {format_count(study.forced, 'value')} of these."
    for each in study.excluded:
        yield f"Annotator {each['annotator']} was excluded: {each['reason'].rstrip('.')}."
    if study.unblinded:
        yield f"{format_list(study.unblinded)} could have known which system made which question."
    if study.read_others:
        yield (
            f"{format_list(study.read_others)} may have read other annotators' ratings before submitting a task, "
            "because they were named to adjudicate."
        )
    if study.ratings_excluded:
        yield ratings_not_used(study)
    if study.unfinished:
        yield f"The study is unfinished: {study.filled:,} of {study.places:,} assignments are submitted."
    if study.without_values:
        yield places_without_values(study)


def _hypotheses(found: Found) -> Iterator[str]:
    has_tests = bool(found.of(SystemComparisons)) or bool(found.of(Correlations))
    if not has_tests or not found.knows(PrimaryHypotheses):
        return
    rows = found.of(PrimaryHypotheses)
    if not rows:
        yield "No primary hypothesis was declared before data collection; all tests are exploratory."
    for row in rows:
        yield f"Declared before data collection: {row.in_words(found)} ({row.hypothesis.sides})."
    if rows:
        were = "It was" if len(rows) == 1 else "These hypotheses were"
        yield f"{were} {how_tested(rows)}; all other tests are exploratory."
    yield from across_criteria(found)
    margins = {row.criterion: row.margin for row in found.of(Equivalences)}
    if margins:
        named = [
            f"±{margin:g} on {inside_sentence(found.name_of(key))}"
            for key, margin in margins.items()
        ]
        yield (
            f"Equivalence of systems was tested by two one-sided tests within declared margins ({format_list(named)} "
            "scale points), with Holm's correction over the pairs."
        )


def _agreement(found: Found) -> Iterator[str]:
    told = []
    for each in criterion_rows(found):
        row = alpha_row(found, each)
        if row and row.estimate.defined:
            told.append(
                f"{inside_sentence(each.name)} {with_interval(row.estimate, coefficient)} ({each.alpha_level})"
            )
    if told:
        has_intervals = any(" [" in each for each in told)
        units = run_facts(found).unit.plural
        how = f" (95% CI, cluster jackknife over {units})" * has_intervals
        yield f"We measured agreement by Krippendorff's α{how}: {format_list(told)}."


def _systems(found: Found) -> Iterator[str]:
    pairs = [rows for key in found.names if (rows := deciding_pairs(found, key))]
    untested = [key for key in found.names if key in found.excluded(SystemComparisons)]
    if not pairs and not untested:
        return
    if pairs:
        random = " and annotators" if "annotators" in run_facts(found).design else ""
        yield (
            "The mean of a system is the mean of its questions' means, with a 95% CI over "
            f"{run_facts(found).unit.plural}{random}."
        )
        yield from _system_tests(found, pairs, random)
    if untested:
        names = format_list([found.name_of(key) for key in untested])
        yield f"On {names} systems were not compared, because they have too many pairs to list."
    unaveraged = [row.name for row in criterion_rows(found) if not row.averaged]
    if unaveraged:
        has, was = ("has", "was") if len(unaveraged) == 1 else ("have", "were")
        yield f"{format_list(unaveraged)} {has} no better end and {was} neither averaged nor tested."


def _system_tests(
    found: Found, pairs: Sequence[Sequence[SystemPair]], random: str
) -> Iterator[str]:
    """Yield the tests that compare the systems. `pairs`: of each criterion; `random`: what is random
    beside the sources."""
    compared = [[row for row in rows if is_compared(row)] for rows in pairs]
    tests = {row.p_from for rows in compared for row in rows}
    most, units = max(map(len, compared)), run_facts(found).unit.plural
    if PERMUTATION in tests:
        yield (
            f"We compared systems with two-sided paired permutation tests over the {units} common to both "
            f"systems and applied Holm's correction across the {format_count(most, 'pair')} of each "
            "criterion (5% level)."
        )
    if CONTRAST in tests:
        yield from contrast_reasons(found)
        yield (
            "It is the weighted least squares estimate with fixed effects of sources and annotators, on the "
            f"{units} common to both systems; standard errors leave out one of the {units}{random} at a time, "
            f"with Holm's correction across the {format_count(most, 'pair')} of each criterion (5% level)."
        )
    if not tests:
        yield "No two systems have two sources in common, so no test compared them."


def _metrics(found: Found) -> Iterator[str]:
    rows = found.of(Correlations)
    if not rows:
        return
    names = list(dict.fromkeys(row.metric for row in rows))
    level = LEVELS.get(headline_level(found), headline_level(found))
    unit = run_facts(found).unit
    yield (
        f"We correlated each metric ({format_list(names)}) with the mean human rating (Spearman's ρ, {level}, "
        f"sign-aligned so that higher is better). Intervals and tests keep the questions on a {unit.singular} "
        "together; Holm's correction is over the metrics of a criterion."
    )
    texts: dict[str, list[str]] = {}
    for each in found.of(MetricDefinitions):
        if each.kind == "computed":
            texts.setdefault(describe_preparation(each.made.get("preparation", {})), []).append(
                each.name
            )
    told = [f"for {format_list(own)} {what}" for what, own in texts.items() if what]
    if told:
        yield f"Text preparation of the metrics computed here: {'; '.join(told)}."


def _external_checks(found: Found) -> Iterator[str]:
    rows = found.of(ExternalChecks)
    if not rows:
        return
    checks = [f"{row.statistic} ({row.package} {row.version})" for row in rows]
    largest = max(row.largest_difference for row in rows)
    yield (
        f"Other packages computed {format_list(checks)} a second time on the same ratings; the largest "
        f"difference is {largest:.1g}."
    )


def _computation(made: RunMade) -> Iterator[str]:
    versions = format_list(
        [f"{LIBRARIES.get(name, name)} {each}" for name, each in made.versions.items()]
    )
    yield (
        f"We computed all results with Quaestor ({versions}), seed {made.seed}, {made.resamples:,} resamples, "
        f"from input with SHA-256 {made.input_sha256}."
    )
