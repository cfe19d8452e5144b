"""The only bridge from the database to arrays: a campaign's slots, judgments and scores as
frames."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from judging.base.texts import normalize_text
from judging.campaigns.actions import selections
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Reference, Source
from judging.datasets.models.score import Metric
from judging.llm_judges.models.llm_judge import SAME_TEXT
from judging.protocols import documents
from judging.protocols.protocol_schema import ProtocolDocument, without_criteria
from quaestor_stats._design import ClusterUnit, cluster_unit
from quaestor_stats._inputs import Patterns, value_counts

if TYPE_CHECKING:
    import pandas as pd

SLOTS = """
    SELECT u.id AS unit, s.name AS system, src.key AS source, src.position AS source_position,
        qs.id AS question_set,
           coalesce(u.position, 0) AS position, q.text AS text, p.text AS passage,
           src.answer AS answer,
           src.id AS source_id, src.target_type AS target_type,
           q.submitted_answer AS submitted_answer
    FROM judging_unit u
    JOIN judging_questionset qs ON qs.id = u.question_set_id
    JOIN judging_source src ON src.id = qs.source_id
    JOIN judging_system s ON s.id = qs.system_id
    LEFT JOIN judging_passage p ON p.id = src.passage_id
    LEFT JOIN judging_question q ON q.unit_id = u.id
    WHERE src.dataset_id = %(dataset)s AND src.repeat_of_id IS NULL
      AND (NOT %(part)s OR u.id IN (SELECT unit_id FROM judging_selectedunit
          WHERE campaign_id = %(campaign)s))
    ORDER BY src.position, s.name, qs.id, u.position NULLS FIRST
"""
# units of copies that hold repeated ratings of an annotator: an analysis takes the first of each
REPEATED = """
    SELECT u.id FROM judging_unit u
    JOIN judging_questionset qs ON qs.id = u.question_set_id
    JOIN judging_source src ON src.id = qs.source_id
    WHERE src.dataset_id = %(dataset)s AND src.repeat_of_id IS NOT NULL
"""
# values given to hidden repeats of the campaign's own tasks, beside the first ones; never judgments
# of the study
HIDDEN = """
    SELECT said.unit_id AS unit, c.key AS criterion, e.label AS annotator, first.value AS first,
        said.value AS again
    FROM judging_checktask met
    JOIN judging_enrollment e ON e.id = met.enrollment_id
    JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
    JOIN judging_judgment said ON said.assignment_id = own.id AND said.superseded_at IS NULL
    JOIN judging_assignment earlier
        ON earlier.task_id = met.of_task_id AND earlier.enrollment_id = met.enrollment_id
    JOIN judging_judgment first ON first.assignment_id = earlier.id AND first.unit_id = said.unit_id
        AND first.criterion_id = said.criterion_id AND first.superseded_at IS NULL
    JOIN judging_criterion c ON c.id = said.criterion_id
    JOIN judging_scalepoint one ON one.criterion_id = c.id AND one.value = first.value
        AND NOT one.missing
    JOIN judging_scalepoint two ON two.criterion_id = c.id AND two.value = said.value
        AND NOT two.missing
    WHERE met.kind = 'repeat' AND e.campaign_id = %(campaign)s
    ORDER BY c.position, said.unit_id, e.label
"""
# There may be millions of rows, so only what sections read comes along; moments as microseconds since 1970.
JUDGMENTS = """
    SELECT j.unit_id AS unit, c.key AS criterion, e.label AS annotator,
           CASE WHEN NOT sp.missing THEN j.value END AS value,
           CASE WHEN forced.judgment_id IS NULL THEN j.origin ELSE 'rule' END AS origin,
           t.number AS task,
           (extract(epoch FROM j.created_at) * 1000000)::bigint AS created_at,
           EXISTS (SELECT 1 FROM judging_exclusion x
               WHERE x.enrollment_id = e.id AND x.lifted_at IS NULL) AS excluded
    FROM judging_judgment j
    JOIN judging_assignment a ON a.id = j.assignment_id
    JOIN judging_round r ON r.id = a.round_id
    JOIN judging_task t ON t.id = a.task_id
    JOIN judging_enrollment e ON e.id = a.enrollment_id
    JOIN judging_criterion c ON c.id = j.criterion_id
    JOIN judging_scalepoint sp ON sp.criterion_id = j.criterion_id AND sp.value = j.value
    LEFT JOIN judging_judgmentattribute forced ON forced.judgment_id = j.id  -- in an imported file
        AND forced.name = 'forced' AND forced.value = 'yes'
    WHERE r.campaign_id = %(campaign)s AND r.kind = %(round)s AND j.superseded_at IS NULL
      AND a.state = ANY(%(states)s) AND j.unit_id NOT IN ({repeated})
    ORDER BY c.position, j.unit_id, e.label
"""
SCORES = """
    SELECT sc.unit_id AS unit, sc.metric_id AS metric, sc.value AS value
    FROM judging_score sc JOIN judging_metric m ON m.id = sc.metric_id
    WHERE m.dataset_id = %(dataset)s AND sc.unit_id IS NOT NULL
    ORDER BY sc.metric_id, sc.unit_id
"""
OF_SYSTEMS = """
    SELECT s.name AS system, m.fingerprint AS metric, sc.value AS value
    FROM judging_score sc
    JOIN judging_metric m ON m.id = sc.metric_id
    JOIN judging_system s ON s.id = sc.system_id
    WHERE m.dataset_id = %(dataset)s
    ORDER BY s.name, m.fingerprint
"""
ATTRIBUTES = """
    SELECT at.unit_id AS unit, at.name AS attribute, at.value AS label
    FROM judging_attribute at
    JOIN judging_unit u ON u.id = at.unit_id
    JOIN judging_questionset qs ON qs.id = u.question_set_id
    JOIN judging_source src ON src.id = qs.source_id
    WHERE src.dataset_id = %(dataset)s AND at.name = ANY(%(names)s)
"""
COUNTS = """
    SELECT c.key AS criterion, {columns}, count(*) AS times
    FROM (
        SELECT j.criterion_id, j.unit_id, {counters}
        FROM judging_judgment j
        JOIN judging_assignment a ON a.id = j.assignment_id
        JOIN judging_round r ON r.id = a.round_id
        WHERE r.campaign_id = %(campaign)s AND r.kind = %(round)s AND r.number = %(number)s
          AND j.superseded_at IS NULL AND a.state = ANY(%(states)s)
              AND j.unit_id NOT IN ({repeated})
          AND NOT EXISTS (
              SELECT 1 FROM judging_exclusion x
                  WHERE x.enrollment_id = a.enrollment_id AND x.lifted_at IS NULL
          )
        GROUP BY j.criterion_id, j.unit_id
    ) AS units
    JOIN judging_criterion c ON c.id = units.criterion_id
    {joins}
    GROUP BY c.key, {columns}
    ORDER BY c.key, {columns}
"""
SOURCES = """
    JOIN judging_unit u ON u.id = units.unit_id
    JOIN judging_questionset qs ON qs.id = u.question_set_id
"""
MARKS = """
    SELECT m.unit_id AS unit, e.label AS annotator, m.nothing AS nothing, s.start AS start,
        s."end" AS "end"
    FROM judging_marking m
    JOIN judging_assignment a ON a.id = m.assignment_id
    JOIN judging_round r ON r.id = a.round_id
    JOIN judging_enrollment e ON e.id = a.enrollment_id
    LEFT JOIN judging_spanmark s ON s.assignment_id = m.assignment_id AND s.unit_id = m.unit_id
    WHERE r.campaign_id = %(campaign)s AND r.kind = %(round)s AND a.state IN ('submitted', 'extra')
      AND (m.nothing OR s.id IS NOT NULL)
    ORDER BY m.unit_id, e.label, s.start
"""
BY_MACHINES = """
    SELECT mj.name AS judge, m.unit_id AS unit, c.key AS criterion, m.value AS value,
        sp.missing AS missing,
           m.repeat AS repeat, m.place AS place, m.rationale AS rationale,
           m.id AS id
    FROM judging_llmjudgment m
    JOIN judging_llmjudge mj ON mj.id = m.judge_id
    JOIN judging_criterion c ON c.id = m.criterion_id
    JOIN judging_scalepoint sp ON sp.criterion_id = m.criterion_id AND sp.value = m.value
    WHERE mj.campaign_id = %(campaign)s
    ORDER BY mj.id, c.position, m.unit_id, m.repeat
"""
SETTLED = """
    SELECT sv.unit_id AS unit, c.key AS criterion, sv.value AS value
    FROM judging_settledvalue sv JOIN judging_criterion c ON c.id = sv.criterion_id
    WHERE sv.campaign_id = %(campaign)s AND sv.superseded_at IS NULL
    ORDER BY c.position, sv.unit_id
"""
REQUIRED_SHARED_SCORES = (
    3  # scores that two columns must share before one can count as repeating the other
)
COARSE = 0.05  # of a column's range: if half a unit of its last digit is more, it is too coarse
TRUE = "t"  # as COPY writes it
IN_MEMORY = 50_000_000  # bytes of what COPY writes
TEXT = {
    "text": "string",
    "passage": "string",
    "answer": "string",
    "source": "string",
    "system": "string",
    "target_type": "string",
    "submitted_answer": "string",
    "criterion": "string",
    "annotator": "string",
    "name": "string",
    "judge": "string",
    "rationale": "string",
    "attribute": "category",
    "label": "string",  # "01" is no number
}


@dataclass(frozen=True)
class DoubledColumn:
    """An imported column that a computed one repeats, as far as the digits of the file can tell."""

    computed: Metric
    imported: Metric
    n: int  # scores that both have
    largest: float  # largest difference
    tolerance: float  # half a unit of the last digit of the imported scores


@dataclass(frozen=True)
class DeclaredClusters:
    """The sources that belong together by a metadata column, such as an article or document."""

    column: str
    of_source: Mapping[str, str]  # the column's value by key of the source


def _no_system_scores() -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(columns=["system", "metric", "value"])


@dataclass(frozen=True)
class Material:
    """The data of one analysis: slots, valid judgments, scores, and the protocol they were judged
    by."""

    campaign: Campaign
    protocol: ProtocolDocument
    slots: pd.DataFrame
    judgments: pd.DataFrame
    scores: pd.DataFrame
    metrics: tuple[Metric, ...]
    system_scores: pd.DataFrame = field(default_factory=_no_system_scores)

    doubled: tuple[
        DoubledColumn, ...
    ] = ()  # imported columns that are omitted, because a computed metric repeats them
    declared: DeclaredClusters | None = None  # sources that belong together by a metadata column

    @cached_property
    def clusters(self) -> pd.Series[str]:
        """The cluster of every unit, named by its first source: the sources that the declared
        column says belong together, else those with the same passage, else the source alone."""
        import pandas as pd

        source = self.slots.drop_duplicates("source").set_index("source")
        if self.declared is not None:
            labels = pd.Series(self.declared.of_source, dtype="object").reindex(source.index)
        else:
            same = {text: normalize_text(text) for text in source["passage"].dropna().unique()}
            labels = source["passage"].map(same)
        named = labels.notna() & (labels != "")
        first = pd.Series(source.index, index=source.index)
        first[named] = first[named].groupby(labels[named]).transform("first")
        return self.slots.set_index("unit")["source"].map(first)

    @cached_property
    def places(self) -> pd.DataFrame:
        """The system, source, question set and cluster of every unit."""
        place = self.slots.set_index("unit")[["system", "source", "question_set"]]
        place = place.assign(cluster=self.clusters)
        return place.fillna({"system": "", "source": "", "cluster": ""})

    @cached_property
    def cluster_unit(self) -> ClusterUnit:
        """The unit that intervals and tests leave out or swap as a whole, with its name."""
        return cluster_unit(
            self.slots["source"].nunique(),
            self.clusters.nunique(),
            column="" if self.declared is None else self.declared.column,
        )

    @cached_property
    def questions(self) -> pd.DataFrame:
        """The expected questions, returned or not: slots without the sets as a whole."""
        return self.slots[self.slots["position"] > 0].reset_index(drop=True)

    def ratings(self, criterion: str, *, judgments: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return a criterion's values as a table of units by annotators, NaN where not judged or
        "cannot say"."""
        rows = self.judgments if judgments is None else judgments
        rows = rows[rows["criterion"] == criterion]
        return (
            rows.pivot(index="unit", columns="annotator", values="value")
            .sort_index()
            .sort_index(axis=1)
        )

    def human(self, criterion: str) -> pd.Series:
        """Return each unit's mean over its annotators."""
        rows = self.judgments[self.judgments["criterion"] == criterion]
        return rows.groupby("unit")["value"].mean()

    def scores_of_systems(self, metric: Metric) -> dict[str, float]:
        """Return the scores that a metric gives systems as a whole."""
        rows = self.system_scores[self.system_scores["metric"] == metric.fingerprint].dropna(
            subset=["value"]
        )
        return {
            str(name): float(value)
            for name, value in zip(rows["system"], rows["value"], strict=True)
        }

    def score(self, metric: Metric) -> pd.Series:
        """Return one metric's values by unit."""
        rows = self.scores[self.scores["metric"] == metric.pk]
        return rows.set_index("unit")["value"]


def protocol_of(campaign: Campaign) -> ProtocolDocument:
    """Return the protocol that a campaign judges by."""
    return documents.protocol_from_document(campaign.protocol.document)


def read_campaign(
    campaign: Campaign,
    *,
    round: str = "main",
    extras: bool = False,
    excluded: Sequence[str] | None = None,
) -> Material:
    """Read a campaign's material.

    `extras`: also judgments submitted after their assignment was given to another annotator.
    `excluded`: labels of annotators to exclude; by default those with an exclusion in force.
    """
    states = ["submitted", "extra"] if extras else ["submitted"]
    query = JUDGMENTS.format(repeated=REPEATED)
    judgments = _frame(
        query, campaign=campaign.pk, dataset=campaign.dataset_id, round=round, states=states
    )
    judgments["value"] = judgments["value"].astype("float64")
    # pilots and calibrations may be judged on units that the main round omits
    part = bool(campaign.selection) and campaign.state != Campaign.State.DRAFT and round == "main"
    slots = _frame(SLOTS, dataset=campaign.dataset_id, campaign=campaign.pk, part=part)
    scores = _frame(SCORES, dataset=campaign.dataset_id)
    of_systems = _frame(OF_SYSTEMS, dataset=campaign.dataset_id)
    if part:  # scores of units that are not judged are irrelevant to the campaign
        scores = scores[scores["unit"].isin(slots["unit"])].reset_index(drop=True)
        of_systems = of_systems[of_systems["system"].isin(slots["system"])].reset_index(drop=True)
    out = (
        (judgments["excluded"] == TRUE)
        if excluded is None
        else judgments["annotator"].isin(excluded)
    )
    return Material(
        campaign=campaign,
        protocol=protocol_of(campaign),
        slots=slots,
        judgments=judgments[~out].reset_index(drop=True),
        scores=scores,
        metrics=tuple(Metric.objects.filter(dataset=campaign.dataset_id).order_by("pk")),
        system_scores=of_systems,
    )


def exclude_parts(
    read: Material,
    *,
    systems: Sequence[str] = (),
    criteria: Sequence[str] = (),
    metrics: Sequence[str] = (),
    annotators: Sequence[str] = (),
) -> Material:
    """Return the material without systems, criteria (keys), metrics (fingerprints) or annotators
    (labels)."""
    slots = read.slots[~read.slots["system"].isin(systems)].reset_index(drop=True)
    said = read.judgments
    kept = (
        said["unit"].isin(slots["unit"])
        & ~said["criterion"].isin(criteria)
        & ~said["annotator"].isin(annotators)
    )
    chosen = tuple(metric for metric in read.metrics if metric.fingerprint not in metrics)
    scored = read.scores["unit"].isin(slots["unit"]) & read.scores["metric"].isin(
        [metric.pk for metric in chosen]
    )
    return replace(
        read,
        protocol=without_criteria(read.protocol, criteria) if criteria else read.protocol,
        slots=slots,
        judgments=said[kept].reset_index(drop=True),
        scores=read.scores[scored].reset_index(drop=True),
        metrics=chosen,
        system_scores=read.system_scores[~read.system_scores["system"].isin(systems)],
    )


def without_excluded(read: Material) -> Material:
    """Return the material without annotators whom a manager excludes at present."""
    excluded = read.judgments["excluded"] == TRUE
    if not excluded.any():
        return read
    return replace(read, judgments=read.judgments[~excluded].reset_index(drop=True))


def without_doubles(read: Material) -> Material:
    """Return the material with each metric once: an imported column that a computed one repeats is
    omitted.

    Columns on different scales, columns that do not vary, and those with too few digits to
    distinguish scores are kept.
    """
    of_kind = {
        kind: [metric for metric in read.metrics if metric.kind == kind]
        for kind in Metric.Kind.values
    }
    columns = (
        {metric.pk: read.score(metric).dropna() for metric in read.metrics}
        if of_kind["computed"]
        else {}
    )
    doubled = []
    for imported in of_kind["imported"]:
        found = (_doubled(each, imported, columns) for each in of_kind["computed"])
        doubled += [each for each in found if each is not None][:1]
    gone = {each.imported.pk for each in doubled}
    return replace(
        read,
        metrics=tuple(metric for metric in read.metrics if metric.pk not in gone),
        doubled=tuple(doubled),
    )


def _doubled(
    computed: Metric, imported: Metric, columns: Mapping[int, pd.Series]
) -> DoubledColumn | None:
    given, own = columns[imported.pk], columns[computed.pk]
    if (
        len(given) < REQUIRED_SHARED_SCORES
        or computed.direction != imported.direction
        or not given.index.isin(own.index).all()
    ):
        return None
    unit = (
        100.0
        if (computed.scale, imported.scale) == (Metric.Scale.FRACTION, Metric.Scale.PERCENT)
        else 1.0
    )
    values, other = given.to_numpy("float64"), own.reindex(given.index).to_numpy("float64") * unit
    tolerance = 0.5 * 10.0 ** -max(_decimals(value) for value in values)
    largest = float(np.abs(values - other).max())
    if tolerance > COARSE * float(np.ptp(values)) or largest > tolerance * (1 + 1e-6) + 1e-12:
        return None
    return DoubledColumn(computed, imported, len(given), largest, tolerance)


def _decimals(value: float) -> int:
    """Return the number of decimals of a number as written, as far as a float preserves them."""
    return len(f"{value:.12f}".rstrip("0").partition(".")[2])


def count_values(
    campaign: Campaign,
    *,
    round: str = "main",
    number: int = 1,
    extras: bool = False,
    by_source: bool = False,
) -> dict[str, Patterns]:
    """Return how often units got each value, criterion by criterion: all that most coefficients of
    agreement need.

    The database counts, so that millions of judgments come as a few hundred rows; with `by_source`,
    for intervals over sources, as one row for each pattern on each source, at most one for each
    unit and criterion. Sources with the same passage are one cluster.
    """
    criteria = {criterion.key: criterion.values() for criterion in protocol_of(campaign).criteria}
    values = sorted({value for points in criteria.values() for value in points})
    columns = [f"v{place}" for place in range(len(values))]
    counters = [
        f"count(*) FILTER (WHERE j.value = {value:d}) AS v{place}"
        for place, value in enumerate(values)
    ]
    query = COUNTS.format(
        columns=", ".join(["source_id", *columns] if by_source else columns),
        counters=", ".join(counters),
        joins=SOURCES if by_source else "",
        repeated=REPEATED,
    )
    states = ["submitted", "extra"] if extras else ["submitted"]
    asked = {
        "campaign": campaign.pk,
        "dataset": campaign.dataset_id,
        "round": round,
        "number": number,
    }
    rows = _frame(query, **asked, states=states)
    if by_source:
        rows["cluster"] = rows["source_id"].map(clusters_of_passages(campaign).of_source)
    return {
        key: _patterns(rows[rows["criterion"] == key], values, own) for key, own in criteria.items()
    }


@dataclass(frozen=True)
class SourceClusters:
    """The cluster of each source by its row in the database, and what the clusters are called."""

    of_source: Mapping[int, int]
    unit: ClusterUnit


def clusters_of_passages(campaign: Campaign) -> SourceClusters:
    """Return the sources of a campaign's dataset by identical passages, as `Material.clusters` has
    them, without reading the material."""
    sources = Source.objects.filter(dataset=campaign.dataset_id, repeat_of=None)
    first: dict[str, int] = {}
    of_source: dict[int, int] = {}
    for source, text in sources.order_by("position").values_list("pk", "passage__text").iterator():
        same = normalize_text(text or "")
        of_source[source] = first.setdefault(same, source) if same else source
    return SourceClusters(of_source, cluster_unit(len(of_source), len({*of_source.values()})))


def shared_clusters(campaign: Campaign, column: str) -> dict[str, str]:
    """Return the cluster of each source, both by key; empty where every source is its own cluster.

    A metadata column declares the clusters; without one they are the sources with the same passage.
    """
    sources = Source.objects.filter(dataset=campaign.dataset_id, repeat_of=None)
    key_of = dict(sources.order_by("position").values_list("pk", "key"))
    if column:
        slots = _frame(SLOTS, dataset=campaign.dataset_id, campaign=campaign.pk, part=False)
        declared = _values_of_sources(slots, campaign, column)
        label_of = dict(zip(declared["source"], declared["label"], strict=True))
        first: dict[str, str] = {}
        found = {
            key: first.setdefault(label, key) if (label := label_of.get(key, "")) else key
            for key in key_of.values()
        }
    else:
        of_source = clusters_of_passages(campaign).of_source
        found = {key: key_of[of_source[source]] for source, key in key_of.items()}
    return found if len({*found.values()}) < len(found) else {}


def _patterns(rows: pd.DataFrame, values: Sequence[int], own: Sequence[int]) -> Patterns:
    columns = [f"v{values.index(value)}" for value in own]
    return value_counts(
        own,
        rows[columns].to_numpy("float64"),
        rows["times"].to_numpy("float64"),
        clusters=rows["cluster"].to_numpy() if "cluster" in rows else None,
    )


def marks(read: Material, *, round: str = "main") -> pd.DataFrame:
    """Return the spans marked by the annotators whose judgments are read, a row for each; a
    question that nothing in the passage answers has one row without a span."""
    found = _frame(MARKS, campaign=read.campaign.pk, round=round)
    kept = read.judgments[["unit", "annotator"]].drop_duplicates()
    return found.merge(kept, on=["unit", "annotator"]).sort_values(
        ["unit", "annotator", "start"], ignore_index=True
    )


def llm_judgments(read: Material) -> pd.DataFrame:
    """Return the LLM judges' judgments of the slots and criteria that are read: judge, unit,
    criterion, value, repeat, the place at which the question was shown, and the rationale.

    They are in a frame of their own, so that code that counts human judgments cannot include them.
    """
    found = _frame(BY_MACHINES, campaign=read.campaign.pk)
    found["value"] = found["value"].astype("float64").mask(found["missing"] == TRUE)
    found["place"] = found["place"].astype("float64")
    same = found["rationale"].eq(SAME_TEXT)
    if same.any():
        said_at_once = ["judge", "unit", "repeat"]
        first = found[~same].sort_values("id").drop_duplicates(said_at_once)
        filled = found.loc[same, said_at_once].merge(first, on=said_at_once, how="left")
        found.loc[same, "rationale"] = filled["rationale"].to_numpy()
    criteria = [criterion.key for criterion in read.protocol.criteria]
    kept = found["unit"].isin(read.slots["unit"]) & found["criterion"].isin(criteria)
    return found[kept].drop(columns=["missing", "id"]).reset_index(drop=True)


def hidden_repeats(read: Material) -> pd.DataFrame:
    """Return the values of hidden repeats, a row each: unit, criterion, annotator, `first` and
    `again`; of annotators whose judgments are read."""
    found = _frame(HIDDEN, campaign=read.campaign.pk)
    return found[found["annotator"].isin(read.judgments["annotator"].unique())].reset_index(
        drop=True
    )


def human_references(campaign: Campaign) -> dict[str, tuple[str, ...]]:
    """Return the human-written questions of each source, by its key."""
    rows = Reference.objects.filter(source__dataset=campaign.dataset_id).order_by(
        "source", "position"
    )
    found: dict[str, list[str]] = {}
    for key, text in rows.values_list("source__key", "text"):
        found.setdefault(key, []).append(text)
    return {key: tuple(texts) for key, texts in found.items()}


def attributes(campaign: Campaign, names: Sequence[str]) -> dict[str, pd.Series]:
    """Return metadata columns by name, each as the texts of the units that have a value; without
    those that no unit has."""
    if not names:
        return {}
    rows = _frame(ATTRIBUTES, dataset=campaign.dataset_id, names=list(names))
    by_name = rows.set_index("unit").groupby("attribute", observed=True)["label"]
    return {str(name): labels for name, labels in by_name}


def with_declared_clusters(read: Material, column: str) -> Material:
    """Return the material with the clusters of sources that a metadata column declares.

    Raises
    ------
    ValueError
        A source has several values of the column.
    """
    pairs = _values_of_sources(read.slots, read.campaign, column)
    if several := _repeated_source(pairs):
        raise ValueError(f"column {column} has several values on source {several}")
    of_source = dict(zip(pairs["source"], pairs["label"], strict=True))
    return replace(read, declared=DeclaredClusters(column, of_source))


def source_with_several(campaign: Campaign, column: str) -> str:
    """Return the key of a source on which a metadata column has several values; an empty string if
    it has one value on each, and can declare clusters."""
    slots = _frame(SLOTS, dataset=campaign.dataset_id, campaign=campaign.pk, part=False)
    return _repeated_source(_values_of_sources(slots, campaign, column))


def _values_of_sources(slots: pd.DataFrame, campaign: Campaign, column: str) -> pd.DataFrame:
    """Return the different pairs of a source and its value of a metadata column."""
    import pandas as pd

    labels = attributes(campaign, [column]).get(column, pd.Series(dtype="string"))
    source = slots.set_index("unit")["source"]
    pairs = pd.DataFrame({"source": source.reindex(labels.index), "label": labels})
    return pairs.dropna().drop_duplicates()


def _repeated_source(pairs: pd.DataFrame) -> str:
    repeated = pairs["source"][pairs["source"].duplicated()]
    return str(repeated.iloc[0]) if len(repeated) else ""


def attribute_names(campaign: Campaign) -> list[str]:
    """Return the names of the metadata columns."""
    return selections.column_names(campaign.dataset)


def align_values(units: NDArray[Any] | pd.Series, values: pd.Series) -> NDArray[np.float64]:
    """Return the values in the order of the units, NaN where there is none."""
    return values.reindex(units).to_numpy(dtype="float64")


def with_adjudicated(read: Material) -> Material:
    """Return the material with adjudicated ratings in place of the annotators' judgments.

    Each annotator's judgment of the unit gets the value, so the number of judgments stays the same.
    """
    import pandas as pd

    values = _frame(SETTLED, campaign=read.campaign.pk)
    if values.empty or read.judgments.empty:
        return read
    wanted = values.set_index(["unit", "criterion"])["value"].astype("float64")
    places = pd.MultiIndex.from_frame(read.judgments[["unit", "criterion"]])
    found = wanted.reindex(places).to_numpy()
    kept = read.judgments["value"].to_numpy(dtype="float64")
    said = read.judgments.assign(value=np.where(np.isnan(found), kept, found))
    return replace(read, judgments=said)


def adjudicated_count(read: Material) -> int:
    """Return the number of adjudicated ratings of the judged units and criteria."""
    values = _frame(SETTLED, campaign=read.campaign.pk)
    return len(values.merge(read.judgments[["unit", "criterion"]].drop_duplicates()))


def hash_data(read: Material) -> str:
    """Return a SHA-256 over all data that an analysis reads, without row numbers of the database.

    Kinds of data that a campaign lacks add nothing, so that digests stored before these kinds were
    included stay valid.
    """
    names = read.slots.set_index("unit")[["source", "system", "position"]]
    metrics = {metric.pk: metric.fingerprint for metric in read.metrics}
    whole = hashlib.sha256(read.campaign.protocol.digest.encode())
    if read.protocol.span_mark:
        marked = marks(read).join(names, on="unit")
        columns = ["source", "system", "position", "annotator", "nothing", "start", "end"]
        whole.update(_written(marked, columns))
    machines = llm_judgments(read)
    if not machines.empty:
        columns = ["source", "system", "position", "judge", "criterion", "value", "repeat"]
        columns += ["place"] if machines["place"].notna().any() else []
        whole.update(_written(machines.join(names, on="unit"), columns))
    if not read.cluster_unit.is_source:
        clusters = read.clusters.rename("cluster").reset_index().join(names, on="unit")
        whole.update(_written(clusters.drop_duplicates("source"), ["source", "cluster"]))
    if not read.system_scores.empty:
        whole.update(_written(read.system_scores, ["system", "metric", "value"]))
    for frame, columns in (
        (read.slots, ["source", "system", "position", "text"]),
        (
            read.judgments.join(names, on="unit"),
            ["source", "system", "position", "criterion", "annotator", "value", "origin"],
        ),
        (
            read.scores.join(names, on="unit").replace({"metric": metrics}),
            ["source", "system", "position", "metric", "value"],
        ),
    ):
        whole.update(_written(frame, columns))
    return whole.hexdigest()


def _written(frame: pd.DataFrame, columns: list[str]) -> bytes:
    rows = frame[columns].sort_values(columns, kind="stable")
    return rows.to_csv(index=False, lineterminator="\n").encode()


def _frame(query: str, **parameters: Any) -> pd.DataFrame:
    """Read a query by COPY, the fastest way out of PostgreSQL. What is long lies in a file
    meanwhile, not in memory beside its table."""
    import pandas as pd

    with SpooledTemporaryFile(max_size=IN_MEMORY) as copied, connection.cursor() as cursor:
        bound = cursor.mogrify(query, parameters).decode()
        cursor.copy_expert(
            f"COPY ({bound}) TO STDOUT WITH (FORMAT csv, HEADER, NULL '\\N', ENCODING 'UTF8')",
            copied,
        )
        copied.seek(0)
        return pd.read_csv(copied, keep_default_na=False, na_values=["\\N"], dtype=TEXT)
