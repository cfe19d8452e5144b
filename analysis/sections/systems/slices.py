"""The core numbers for every value of a chosen attribute: question type, source, domain, language,
day."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from analysis import frames
from analysis.frames import Material, align_values
from analysis.reports.cells import estimate_cell
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, PageTable
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.agreement.agreement import alpha_of
from analysis.sections.metrics.columns import averaged_criteria, human_columns, metric_columns
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.systems import declared_means
from judging.campaigns.models.campaign import Campaign
from quaestor_stats._correlation import correlate_columns
from quaestor_stats._result import Result

if TYPE_CHECKING:
    import pandas as pd

OWN = ("target_type", "source", "day")
FROM_FILE = "column: "  # before the name of a metadata column, which could be any word
Columns: TypeAlias = "Mapping[str, pd.Series[Any]]"  # of the file, by name, each by unit
MEASURES = {
    "krippendorff_alpha": "Krippendorff's α",
    "mean": "means",
    "spearman": "Spearman's ρ",
}
METRIC_MEAN = "metric_mean"


@table_row
class SliceRow:
    """A core number over one value of an attribute."""

    attribute: str = row_field("name of the attribute")
    label: str = row_field("its value")
    slices: int = row_field("number of its values, over which the eye can wander")
    measure: str = row_field(
        "krippendorff_alpha (of what annotators said), mean, spearman, or metric_mean (a system's "
        "mean score by a metric)"
    )
    criterion: str = row_field(
        "key of the criterion, or the name of an imported column of means; empty for metric_mean"
    )
    system: str = row_field("name of the system, for means")
    metric: str = row_field("name of the metric, for correlations and metric_mean")
    estimate: Result = row_field("the number")


class Slices(Section[SliceRow]):
    """Alpha, system means, Spearman's rho and metric scores for every value of every chosen
    attribute."""

    key = "slices"
    title = "Slices"
    identity = ("attribute", "label", "measure", "criterion", "system", "metric")
    by_reading = True
    note = (
        "The more slices are compared, the more differ by chance. Each slice has fewer questions and wider intervals "
        "than the whole study. Correlations are given without interval and test."
    )

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        attributes = inputs.settings["slices"]
        if not attributes:
            return {}
        material = inputs.counted
        systems, metrics = material.slots["system"].nunique(), len(metric_columns(material))
        means = systems * len(averaged_criteria(material))
        rhos = len(human_columns(material)) * metrics
        of_value = len(material.protocol.criteria) + means + rhos
        columns = _columns(material, attributes)
        values = {name: int(_labels(material, name, columns).nunique()) for name in attributes}
        return {
            name: count * (of_value + (0 if name == "day" else systems * metrics))
            for name, count in values.items()
        }

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[SliceRow]:
        rows: list[SliceRow] = []
        excluded = found.excluded(Slices)
        wanted = [each for each in inputs.settings["slices"] if each not in excluded]
        columns = _columns(inputs.counted, wanted)
        for attribute in wanted:
            tell = partial(chance.step, f"Slices by {attribute.removeprefix(FROM_FILE)}")
            tell()
            rows += _of_attribute(inputs, attribute, columns, tell)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        core = ReportTable[SliceRow](
            split="measure",
            title=lambda rows: f"{_values_of(rows[0])}: {MEASURES[rows[0].measure]}",
            lines="label",
            first="Slice",
            columns=Pivot(
                ("criterion", "system", "metric"),
                lambda row: estimate_cell(row.estimate, items=_items(row)),
                head=lambda row: ", ".join(
                    filter(None, [found.name_of(row.criterion), row.system or row.metric])
                ),
            ),
            folded=True,
        )
        by_attribute: dict[str, list[SliceRow]] = {}
        for row in found.of(Slices):
            by_attribute.setdefault(row.attribute, []).append(row)
        tables = []
        for rows in by_attribute.values():
            metric_means = [row for row in rows if row.measure == METRIC_MEAN]
            others = [row for row in rows if row.measure != METRIC_MEAN]
            tables += draw(core, others, found.names)
            tables += draw(METRICS_BY_SYSTEM, metric_means, found.names)
        return tables


def slice_attributes(campaign: Campaign) -> list[str]:
    """Return the attributes that a campaign's tables can be sliced by."""
    return [*OWN, *(FROM_FILE + name for name in frames.attribute_names(campaign))]


def _values_of(row: SliceRow) -> str:
    """Return a row's attribute with the number of its values."""
    values = "1 value" if row.slices == 1 else f"{row.slices} values"
    return f"{row.attribute.replace('_', ' ')}, {values}"


# Ushio et al. 2022, table 4
METRICS_BY_SYSTEM = ReportTable[SliceRow](
    title=lambda rows: f"{_values_of(rows[0])}: metrics by system",
    lines=("label", "system"),
    first="Slice and system",
    columns=Pivot(
        "metric", lambda row: Cell(f"{row.estimate.value:.4g}", f"n = {row.estimate.n:,}")
    ),
    caption="Means of question scores, as the metric gives them.",
    folded=True,
)


def _items(row: SliceRow) -> ItemQuery | None:
    """Return the questions of a slice by a column of the file, in the order that its number asks
    for."""
    if row.attribute in OWN:
        return None
    sort = {"krippendorff_alpha": "disagreement", "mean": "mean", "spearman": "gap"}[row.measure]
    return ItemQuery(
        sort=sort,
        criterion=row.criterion,
        metric=row.metric,
        system=row.system,
        attribute=row.attribute,
        attribute_value=row.label,
    )


def _of_attribute(
    inputs: Inputs,
    attribute: str,
    columns: Columns,
    tell: Callable[[], None],
) -> list[SliceRow]:
    """Return the rows of an attribute. `tell` is called before each of its values."""
    labels = _labels(inputs.counted, attribute, columns)
    of_said = _labels(inputs.said, attribute, columns)
    values = labels.dropna().unique().tolist()
    name = attribute.removeprefix(FROM_FILE)
    rows = []
    for value in values:
        tell()
        said, counted = _part(inputs.said, of_said, value), _part(inputs.counted, labels, value)
        core = [*_core(replace(inputs, said=said, counted=counted))]
        if attribute != "day":  # a score does not depend on the day of a judgment
            core += _metric_means(counted)
        rows += [
            SliceRow(name, str(value), len(values), measure, criterion, system, metric, estimate)
            for measure, criterion, system, metric, estimate in core
        ]
    return rows


def _columns(material: Material, asked: Sequence[str]) -> Columns:
    """Read the columns of the file that are among the attributes, all at once."""
    names = [each.removeprefix(FROM_FILE) for each in asked if each.startswith(FROM_FILE)]
    return frames.attributes(material.campaign, names)


def _labels(material: Material, attribute: str, columns: Columns) -> pd.Series[Any]:
    """Return the values of an attribute: named "judgment" by the judgments' index, else by unit."""
    import pandas as pd

    if attribute == "day":
        at = pd.to_datetime(material.judgments["created_at"], utc=True, unit="us")
        own = at.dt.tz_convert(material.campaign.time_zone)
        return own.dt.strftime("%Y-%m-%d").rename("judgment")
    units = material.slots.set_index("unit")
    if attribute.startswith(FROM_FILE):
        values = columns.get(attribute.removeprefix(FROM_FILE), pd.Series(dtype=object))
        return values.reindex(units.index).rename("unit")
    return units[attribute].mask(units[attribute] == "").rename("unit")


def _part(material: Material, labels: pd.Series[Any], label: object) -> Material:
    """Return the material of one slice: a day's judgments with their units, or the slots with that
    value."""
    import pandas as pd

    held = labels.index[labels == label]
    if labels.name == "judgment":
        judgments = material.judgments.loc[held]
        units = pd.Index(judgments["unit"].unique())
    else:
        units = held
        judgments = material.judgments[material.judgments["unit"].isin(units)]
    slots = material.slots[material.slots["unit"].isin(units)].reset_index(drop=True)
    scores = material.scores[material.scores["unit"].isin(units)]
    return replace(material, slots=slots, judgments=judgments.reset_index(drop=True), scores=scores)


def _core(inputs: Inputs) -> Iterator[tuple[str, str, str, str, Result]]:
    said, part = inputs.said, inputs.counted
    for criterion in said.protocol.criteria:
        alpha = alpha_of(said, criterion)
        yield "krippendorff_alpha", criterion.key, "", "", alpha
    for row in declared_means(inputs):
        yield "mean", row.criterion, row.system, "", row.mean
    metrics = metric_columns(part)
    for human in human_columns(part):
        for metric in metrics:
            rho = correlate_columns(human.values, metric.values, method="spearman")
            told = Result(value=rho.value, n=rho.n, dropped=rho.dropped, reason=rho.reason)
            yield (
                "spearman",
                human.key,
                "",
                metric.name,
                replace(told, method="Spearman's ρ, no test"),
            )


def _metric_means(part: Material) -> Iterator[tuple[str, str, str, str, Result]]:
    """Yield each system's mean score by each metric, over the questions that have a score."""
    for metric in metric_columns(part):
        scores = align_values(part.questions["unit"], part.score(metric.metric))
        by_system = part.questions.assign(value=scores).dropna(subset=["value"]).groupby("system")
        for system, values in by_system["value"]:
            mean = Result(
                value=float(values.mean()), n=len(values), method="mean of question scores"
            )
            yield METRIC_MEAN, "", str(system), metric.name, mean
