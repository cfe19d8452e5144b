"""The numbers of published studies, computed from imported data: one computation for all studies."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from analysis import frames
from analysis.frames import Material, align_values
from analysis.reports.rows import stable_number
from analysis.scoring.actions.site_metrics import registry
from analysis.sections.agreement.agreement import of_table
from analysis.sections.section import Found, Inputs, chance_of
from analysis.sections.systems.aggregates import AggregateRow, Aggregates
from analysis.sections.systems.systems import means_of
from judging.datasets.models.score import Metric
from quaestor_metrics import Preparation, ScoredQuestion, score_items
from quaestor_stats._cohen_kappa import WEIGHTS, kappa_matrix
from quaestor_stats._correlation import correlate_columns
from quaestor_stats._design import Design
from quaestor_stats._inputs import FloatArray
from quaestor_stats._williams import williams_matrix

Values = Iterator[tuple[tuple[str, ...], float]]  # values by the parts of their paths
Numbers = dict[str, Any]
RELEASED_AS = {"Bleu_4": "bleu_4", "ROUGE_L": "rouge_l"}
LITERAL = "per_rating_all_remaining"  # the form of the fatal rule as protocols write it
ANNOTATORS_OF_COHEN = 2  # Cohen's kappa is of two annotators


class Computation:
    """The numbers of a study's data; each public method is named as in `NUMBERS`."""

    def __init__(self, read: Material) -> None:
        self.read = read

    def numbers(self, names: Sequence[str]) -> Numbers:
        """Return the numbers of these names as a tree with a level for each part of a path."""
        return {name: tree_of(getattr(self, name)()) for name in names}

    def facts(self) -> dict[str, int | str]:
        """Return what the conditions in a study's file are about."""
        judgments, systems = self.read.judgments, self.read.questions["system"].unique()
        counts = sorted(judgments.groupby(["criterion", "unit"]).size().unique()) or [0]
        return {
            "questions": self._questions_in_table(),
            "systems": len(systems),
            "annotators": judgments["annotator"].nunique(),
            "ratings_per_question": " or ".join(map(str, counts)),
            "rated": len(judgments) > 0,
            "letters": all(len(system) == 1 for system in systems),
        }

    def _questions_in_table(self) -> int:
        """Return how many questions the table of scores has; without a table, how many were
        returned.

        Batches can add questions of a system that the table has under another answer.
        """
        kinds = (Metric.Kind.HUMAN_MEAN, Metric.Kind.IMPORTED)
        table = [values for kind in kinds for values in self._columns(kind).values()]
        in_table = np.isfinite(table).any(axis=0) if table else self.read.questions["text"].notna()
        return int(in_table.sum())

    def _columns(self, kind: str) -> dict[str, FloatArray]:
        """Return the values of each question in the released columns of a kind."""
        questions = self.read.questions["unit"]
        metrics = [metric for metric in self.read.metrics if metric.kind == kind]
        return {metric.name: align_values(questions, self.read.score(metric)) for metric in metrics}

    @cached_property
    def human(self) -> dict[str, FloatArray]:
        """The mean human rating of each question by criterion, as released or from ratings."""
        questions, criteria = self.read.questions["unit"], self.read.judgments["criterion"].unique()
        rated = {
            criterion: align_values(questions, self.read.human(criterion)) for criterion in criteria
        }
        return self._columns(Metric.Kind.HUMAN_MEAN) | rated

    @cached_property
    def scores(self) -> dict[str, FloatArray]:
        """The score of each question by released metric."""
        return self._columns(Metric.Kind.IMPORTED)

    @cached_property
    def oriented(self) -> dict[str, FloatArray]:
        """The scores with their sign changed where lower is better."""
        metrics = self.read.metrics
        lower = {metric.name for metric in metrics if metric.direction == Metric.Direction.LOWER}
        return {name: -column if name in lower else column for name, column in self.scores.items()}

    # -- agreement and aggregates -------------------------------------------------------------------

    def agreement(self) -> Values:
        """Yield every coefficient, for two annotators also Cohen's kappa and their correlation."""
        for criterion in self.read.protocol.criteria if len(self.read.judgments) else ():
            table = self.read.ratings(criterion.key).to_numpy()
            for row in of_table(table, criterion):
                level = f"_{row.level}" if row.coefficient == "krippendorff_alpha" else ""
                yield (criterion.key, row.coefficient + level), row.estimate.value
            if table.shape[1] == ANNOTATORS_OF_COHEN:
                for weights in WEIGHTS:
                    kappa = kappa_matrix(table, scale=criterion.values(), weights=weights).mean
                    yield (criterion.key, f"cohen_kappa_{weights}"), kappa
                for method in ("pearson", "spearman"):
                    r = correlate_columns(table[:, 0], table[:, 1], method=method)
                    yield (criterion.key, method), r.value

    @cached_property
    def aggregates(self) -> list[AggregateRow]:
        """The protocol's aggregates in every reading and under every form of the fatal rule."""
        read = self.read
        inputs = Inputs(said=read, counted=read, design=Design(), settings={}, failures={})
        chance = chance_of("published", seed=1, resamples=0, step=lambda message: None)
        return Aggregates().compute(inputs, Found({}), chance)

    def aggregate(self) -> Values:
        """Yield the protocol's aggregate, with the fatal rule as it is written."""
        for row in self.aggregates:
            if form_of(row) == LITERAL and not row.criterion:
                yield (row.reading, row.system), row.aggregate

    def sums(self) -> Values:
        """Yield what the aggregate is summed from."""
        for row in self.aggregates:
            if not row.fatal_applied:
                yield (row.reading, row.system, row.criterion or "total"), row.aggregate

    def fatal_rule(self) -> Values:
        """Yield the aggregate under every form of the fatal rule."""
        for row in self.aggregates:
            if row.fatal_applied and not row.criterion:
                yield (row.reading, form_of(row), row.system), row.aggregate

    # -- systems ------------------------------------------------------------------------------------

    def returned(self) -> Values:
        """Yield the number of questions that each system returned."""
        for system, count in self.read.questions.groupby("system")["text"].count().items():
            yield (str(system),), int(count)

    def mean_returned(self) -> Values:
        """Yield the mean over returned questions, without the protocol's rules about others."""
        for mean in means_of(self.read):
            yield (mean.system, mean.criterion), mean.mean.value

    def system_mean(self) -> Values:
        """Yield the mean human rating of each system."""
        yield from self._by_system(self.human)

    def system_score(self) -> Values:
        """Yield the mean of each released metric over the questions of each system."""
        yield from self._by_system(self.scores)

    def _by_system(self, columns: Mapping[str, FloatArray]) -> Values:
        import pandas as pd

        systems = self.read.questions["system"]
        for name, values in columns.items():
            for system, mean in pd.Series(values).groupby(systems).mean().items():
                yield (str(system), name), float(mean)

    # -- correlations -------------------------------------------------------------------------------

    def spearman(self) -> Values:
        """Yield Spearman's rho of criteria with metrics."""
        for criterion, human in self.human.items():
            for metric, scores in self.scores.items():
                yield (criterion, metric), correlate_columns(human, scores).value

    def spearman_criteria(self) -> Values:
        """Yield Spearman's rho of each two criteria."""
        yield from pairs_of(self.human)

    def spearman_metrics(self) -> Values:
        """Yield Spearman's rho of each two metrics."""
        yield from pairs_of(self.oriented)

    def williams_p_two_sided(self) -> Values:
        """Yield the p of Williams' test of each two metrics.

        It is over the questions that have all metrics, and on ranks, as published studies have it.
        """
        names = list(self.oriented)
        for criterion, human in self.human.items() if len(names) > 1 else ():
            scores = np.column_stack(list(self.oriented.values()))
            try:
                _, p = williams_matrix(human, scores, method="spearman")
            except ValueError:
                continue  # fewer than four questions have all
            for first, second in combinations(range(len(names)), 2):
                yield (criterion, names[first], names[second]), float(p[first, second])

    def williams_p_one_sided(self) -> Values:
        """Yield the p for the metric that correlates more; half of it is the two-sided one's."""
        for path, p in self.williams_p_two_sided():
            yield path, p / 2

    # -- released scores ----------------------------------------------------------------------------

    def metrics(self) -> Values:
        """Yield how far BLEU-4 and ROUGE-L, computed here as their authors did, are from the
        released columns."""
        questions, references = self.read.questions, frames.human_references(self.read.campaign)
        returned = questions["text"].notna()
        texts = questions.loc[returned, ["text", "source"]].itertuples(index=False)
        batch = [ScoredQuestion(str(text), references.get(source, ())) for text, source in texts]
        for name in [name for name in RELEASED_AS if references and name in self.scores]:
            metric, preparation = registry().get(RELEASED_AS[name]), Preparation("nqg", "raw")
            ours = [item.value for item in score_items(metric, batch, preparation=preparation)]
            released = self.scores[name][returned]
            gaps = np.abs(released - np.array(ours, dtype=np.float64))[np.isfinite(released)]
            yield (name, "largest_difference"), float(np.nanmax(gaps))
            yield (name, "within_1e-6"), float((gaps < 1e-6).mean())


def pairs_of(columns: Mapping[str, FloatArray]) -> Values:
    """Yield Spearman's rho of each two columns."""
    for first, second in combinations(columns, 2):
        yield (first, second), correlate_columns(columns[first], columns[second]).value


def form_of(row: AggregateRow) -> str:
    """Return the name of a form of the fatal rule."""
    return f"{row.fatal_applied}_{row.fatal_others}"


def tree_of(values: Values) -> Numbers:
    """Return values as a tree with a level for each part of their paths; None for undefined ones."""
    tree: Numbers = {}
    for (*outer, last), value in values:
        branch = tree
        for part in outer:
            branch = branch.setdefault(part, {})
        branch.setdefault(last, value if isinstance(value, int) else stable_number(value))
    return tree
