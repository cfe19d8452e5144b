"""Compute the tables of a report again from its data, and compare them with expected/.

    pip install pandas quaestor-stats
    python recompute.py

README.md says which version of quaestor-stats made the report. The script reads data/*.csv and
run.json, computes every table of expected/ with the library, and prints the number of its rows and
values and the largest difference. It ends with status 1 if a number differs by more than 1e-9, or
by that part of itself if it is larger than 1.
"""

# ruff: noqa: T201  (it prints its findings)

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from itertools import combinations, product
from math import comb, isnan, nan
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

from quaestor_stats._agreement_table import coefficients_of_ratings
from quaestor_stats._associations import against_people
from quaestor_stats._correlation import METHODS
from quaestor_stats._design import Design, Facets, cluster_unit, facets
from quaestor_stats._human_ceiling import CeilingLevel, ceiling_of_arrays
from quaestor_stats._inputs import FloatArray, orient_scores
from quaestor_stats._metric_differences import metric_differences
from quaestor_stats._multiplicity import benjamini_hochberg, holm
from quaestor_stats._paired_tests import smallest_p
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._system_differences import (
    RatedOutputs,
    have_same_annotators,
    means_over_annotators,
    system_differences,
)
from quaestor_stats._system_means import by_source, system_means
from quaestor_stats._system_pairs import swaps_for, tests_of_pair
from quaestor_stats._verbal_labels import band
from quaestor_stats._williams import williams_of_columns

TOLERANCE = 1e-9
MANY_FORCED = 0.01  # share of values set by rules from which agreement is also given without them
CELLS_AT_ONCE, ORDERS = 1_000_000, 10_000  # of the columns that are correlated together
Row = dict[str, Any]


def read_table(folder: Path, name: str) -> pd.DataFrame:
    """Return a CSV file with every cell as text."""
    return pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)


def as_numbers(cells: "pd.Series[str]") -> "pd.Series[float]":
    """Return texts as numbers, nan where a cell is blank."""
    return cells.map(lambda cell: float(cell) if cell else nan).astype("float64")


def text_column(rows: pd.DataFrame, name: str) -> Any:
    """Return a column of labels as an array."""
    return rows[name].to_numpy(dtype=object)


class BundledStudy:
    """The data of the report: items, the judgments and scores that count, and the settings."""

    def __init__(self, folder: Path) -> None:
        self.run: Row = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        self.criteria: dict[str, Row] = {row["key"]: row for row in self.run["criteria"]}
        self.averaged = [row for row in self.run["criteria"] if row["averaged"]]
        self.design = Design.from_key(self.run["design"])
        items = read_table(folder, "data/items")
        items["item"], items["position"] = items["item"].astype(int), as_numbers(items["position"])
        items["set"] = items.groupby(["source_id", "system"])["item"].transform("min")
        items = items[~items["system"].isin(self.run["without_systems"])]
        self.items = items.set_index("item", drop=False)
        self.questions = self.items[items["position"].notna().to_numpy()]
        self.places = self.items[["system", "source_id", "set", "cluster"]]
        sources, clusters = items["source_id"].nunique(), items["cluster"].nunique()
        self.unit = cluster_unit(sources, clusters, column=self.run["clusters"])
        self.scores = read_table(folder, "data/scores")
        self._read_judgments(read_table(folder, "data/judgments"))

    def _read_judgments(self, rows: pd.DataFrame) -> None:
        """Read the judgments as annotators gave them (`given`), those that systems and metrics are
        measured by (`counted`), and those of `given` that no rule overrules (`differing`)."""
        rows["item"] = rows["item"].astype(int)
        order = {key: place for place, key in enumerate(self.criteria)}
        rows["place"] = rows["criterion"].map(order)
        counts = rows["item"].isin(self.items["item"]) & rows["place"].notna()
        rows = rows[counts & ~rows["annotator"].isin(self.run["without_annotators"])]
        rows = rows.sort_values(["place", "item", "annotator"], kind="stable")
        given = rows[rows["value"] != ""]
        # the first rating of an annotator counts; later ones are repeats
        given = given.drop_duplicates(["criterion", "item", "annotator"])
        values = as_numbers(given["value"])
        missing = {(key, float(v)) for key, row in self.criteria.items() for v in row["missing"]}
        is_missing = [pair in missing for pair in zip(given["criterion"], values, strict=True)]
        given = given.assign(value=values.mask(np.array(is_missing, dtype=bool)))
        self.given = self.counted = self.differing = given
        if self.run["adjusts"]:
            adjusted = rows.assign(value=as_numbers(rows["judgment:adjusted"]))
            self.counted = adjusted.dropna(subset=["value"])
            is_ruled = given["judgment:adjusted_by"] == "rule"
            self.differing = given[~is_ruled]

    def random(self, table: str) -> np.random.Generator:
        """Return the generator of a table, seeded by the run's seed and the table's name."""
        key = int.from_bytes(sha256(table.encode()).digest()[:8])
        return np.random.default_rng([self.run["seed"], key])

    def means(self, criterion: Row, items: pd.DataFrame) -> FloatArray:
        """Return the mean rating of each of these items."""
        rows = self.counted[self.counted["criterion"] == criterion["key"]]
        means = rows.groupby("item")["value"].mean()
        values: FloatArray = means.reindex(items["item"]).to_numpy(dtype="float64")
        return values

    def rated_items(self, criterion: Row) -> pd.DataFrame:
        """Return the items that a criterion is about: questions, or sets as a whole."""
        if criterion["unit"] == "set":
            return self.items[self.items["position"].isna()]
        return self.questions

    def placed(self, rows: pd.DataFrame, criterion: Row) -> pd.DataFrame:
        """Return the ratings of a criterion with their systems, sources and clusters."""
        rows = rows[rows["criterion"] == criterion["key"]].dropna(subset=["value"])
        return rows[["item", "annotator", "value"]].join(self.places, on="item")

    def rated_outputs(self, criterion: Row, systems: Sequence[Any]) -> RatedOutputs:
        """Return the ratings of a criterion, those of the named systems in their order first."""
        rows = self.placed(self.counted, criterion)
        if criterion["asked"] == "once_per_set":  # a rating of the set, stored with each question
            keys = ["set", "system", "source_id", "cluster", "annotator"]
            rows = rows.groupby(keys, as_index=False).agg({"value": "mean"})
            rows = rows.rename(columns={"set": "item"})
        place = {name: number for number, name in enumerate(systems)}
        rows = rows.sort_values("system", key=lambda names: names.map(place), kind="stable")
        return RatedOutputs(
            ratings=rows["value"].to_numpy(dtype="float64"),
            systems=text_column(rows, "system"),
            sources=text_column(rows, "source_id"),
            annotators=text_column(rows, "annotator"),
            outputs=text_column(rows, "item"),
            clusters=text_column(rows, "cluster"),
            unit=self.unit,
        )

    def columns(self, kind: str) -> dict[str, FloatArray]:
        """Return the scores of the questions by each metric of a kind, higher is better."""
        found = {}
        for metric in self.run["metrics"]:
            rows = self.scores[(self.scores["metric"] == metric["scores"])]
            rows = rows[rows["item"] != ""]
            values = as_numbers(rows["value"]).set_axis(rows["item"].astype(int))
            column = values.reindex(self.questions["item"]).to_numpy(dtype="float64")
            up = metric["direction"] != "lower"
            if metric["kind"] == kind and not np.isnan(column).all():
                found[metric["name"]] = orient_scores(column, higher_is_better=up)
        return found

    @cached_property
    def metrics(self) -> dict[str, FloatArray]:
        """The scores of the questions by metric."""
        return self.columns("metric")

    @cached_property
    def humans(self) -> dict[str, FloatArray]:
        """The mean ratings of the questions by criterion, and imported means."""
        found = {}
        for criterion in self.averaged:
            means = self.means(criterion, self.questions)
            if not np.isnan(means).all():
                found[criterion["key"]] = -means if criterion["best"] == "lowest" else means
        return found if self.design.random_annotators else found | self.columns("human_mean")

    @cached_property
    def ratings(self) -> dict[str, FloatArray]:
        """The ratings of the questions by annotator, if annotators are random."""
        found: dict[str, FloatArray] = {}
        for key in self.humans if self.design.random_annotators else ():
            table = rating_table(self.counted[self.counted["criterion"] == key])
            ratings = table.reindex(self.questions["item"]).to_numpy(dtype="float64")
            found[key] = -ratings if self.criteria[key]["best"] == "lowest" else ratings
        return found

    @cached_property
    def facets(self) -> Facets:
        """The source, cluster and system of every question under the declared design."""
        systems, design = text_column(self.questions, "system"), self.design
        if len(set(systems)) < 2:
            systems, design = None, replace(design, systems="fixed")
        sources, clusters = (
            text_column(self.questions, "source_id"),
            text_column(self.questions, "cluster"),
        )
        return facets(sources, systems, design=design, clusters=clusters, unit=self.unit)


def rating_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return ratings as a table of items by annotators."""
    table = rows.pivot(index="item", columns="annotator", values="value")
    return table.sort_index().sort_index(axis=1)


def numbers_of(result: Result, *, tested: bool = False) -> Row:
    """Return the numbers of a result by the columns of a report."""
    found = {"value": result.value, "low": result.ci.low, "high": result.ci.high, "df": result.df}
    found |= {"n": result.n, "dropped": result.dropped, "clusters": result.clusters}
    return {**found, "statistic": result.statistic, "p": result.pvalue} if tested else found


def add_corrected(rows: Sequence[Row], family: Callable[[Row], Any], p: str, column: str) -> None:
    """Add Holm's p over the rows of each family."""
    for key in {family(row) for row in rows}:
        members = [row for row in rows if family(row) == key]
        corrected = holm(np.array([row[p] for row in members], dtype="float64"))
        for row, value in zip(members, corrected, strict=True):
            row[column] = float(value)


def agreement(study: BundledStudy) -> Iterator[Row]:
    """Yield every coefficient of agreement on every criterion."""
    for key, criterion in study.criteria.items():
        rows = study.given[study.given["criterion"] == key]
        is_forced = rows["judgment:forced"] == "yes"
        bases = {"all": rows}
        if len(rows) and is_forced.mean() > MANY_FORCED:
            bases["without forced values"] = rows[~is_forced]
        if len(rows) and criterion["asked"] == "once_per_set":
            judged = study.questions[study.questions["item"].isin(rows["item"])]
            first = judged.drop_duplicates("set")["item"]
            bases["once per set"] = rows[rows["item"].isin(first)]
        for basis, judgments in bases.items():
            table = rating_table(judgments)
            found = coefficients_of_ratings(
                table.to_numpy(dtype="float64"),
                scale=criterion["scale"],
                level=criterion["level"],
                clusters=text_column(study.places.loc[table.index], "cluster"),
                unit=study.unit,
                by_annotator=table.size * len(criterion["scale"]) <= study.run["most_cells"],
            )
            for name, level, estimate in found:
                row = {"criterion": key, "basis": basis, "coefficient": name, "level": level}
                probability = nan
                if name == "krippendorff_alpha":
                    probability = band(estimate, author="krippendorff").probability
                elif name != "percent_agreement" and not name.startswith("icc"):
                    probability = band(estimate).probability
                yield {**row, **numbers_of(estimate), "band_probability": probability}


def systems(study: BundledStudy) -> Iterator[Row]:
    """Yield every system's mean on every criterion."""
    for criterion in study.averaged:
        items = study.rated_items(criterion)
        scale = min(criterion["scale"]), max(criterion["scale"])
        if study.design.random_annotators:
            names = items["system"].unique().tolist()
            means = means_over_annotators(study.rated_outputs(criterion, names), scale=scale)
        else:
            means = system_means(
                study.means(criterion, items),
                systems=text_column(items, "system"),
                sources=text_column(items, "cluster"),
                unit=study.unit,
                scale=scale,
            )
            # if different annotators rated the systems, a mean mixes quality with severity
            if not have_same_annotators(study.rated_outputs(criterion, [])):
                without = {"ci": ConfidenceInterval(), "df": nan}
                means = {name: replace(mean, **without) for name, mean in means.items()}  # type: ignore[arg-type]
        for name, mean in means.items():
            yield {"criterion": criterion["key"], "system": name, **numbers_of(mean)}


def system_comparisons(study: BundledStudy) -> list[Row]:
    """Return every pair of systems under every test, with corrected p."""
    rng, rows = study.random("system_comparisons"), list[Row]()
    for criterion in study.averaged:
        if criterion["key"] not in study.run["omitted"]["system_comparisons"]:
            rows += pairs_of_systems(study, criterion, rng)
    together = study.run["corrected_together"]

    def family(row: Row) -> tuple[bool, str, str]:
        is_together = row["criterion"] in together
        return is_together, "" if is_together else row["criterion"], row["test"]

    add_corrected(rows, family, "p", "p_holm")
    for key in {family(row) for row in rows}:
        members = [row for row in rows if family(row) == key]
        p = np.array([row["p"] for row in members])
        tested = int(np.sum(~np.isnan(p)))
        for row, p_bh in zip(members, benjamini_hochberg(p), strict=True):
            row |= {"floor": min(tested * row["floor"], 1.0), "p_bh": float(p_bh)}
    return rows


def smallest_exact_p(difference: Any, swaps: int) -> float:
    """Return the smallest p that an exact test of a difference could give; nan for other tests."""
    if not difference.is_exact or isnan(difference.pvalue):
        return nan
    return smallest_p(difference.clusters or difference.n, resamples=swaps)


def pairs_of_systems(
    study: BundledStudy, criterion: Row, rng: np.random.Generator
) -> Iterator[Row]:
    """Yield the tests of every pair of systems on one criterion."""
    items = study.rated_items(criterion)
    values = study.means(criterion, items)
    items, values = items[~np.isnan(values)], values[~np.isnan(values)]
    if items["system"].nunique() < 2:
        return
    of = text_column(items, "system")
    table, names, sources = by_source(values, systems=of, sources=text_column(items, "source_id"))
    swaps = swaps_for(comb(len(names), 2), len(sources), study.run["resamples"])
    rated = study.rated_outputs(criterion, names)
    found = system_differences(rated, design=study.design, rng=rng, resamples=swaps)
    cluster_of = dict(zip(items["source_id"], items["cluster"], strict=True))
    for first, second in combinations(range(len(names)), 2):
        pair = names[first], names[second]
        difference, floor = found[pair], smallest_exact_p(found[pair], swaps)
        tests = tests_of_pair(
            difference,
            table[[first, second]],
            [values[of == name] for name in pair],
            clusters=[cluster_of[source] for source in sources],
            unit=study.unit,
        )
        for test, estimate in tests:
            row = {"criterion": criterion["key"], "test": test, "first": pair[0]}
            row |= {"second": pair[1], "floor": floor if test == "difference" else nan}
            yield {**row, **numbers_of(estimate, tested=True)}


def ceiling(study: BundledStudy) -> Iterator[Row]:
    """Yield how well one annotator follows the mean of the others."""
    for criterion in study.averaged:
        rows = study.placed(study.differing, criterion)
        if rows["annotator"].nunique() < 2:
            continue
        for level, method in product(get_args(CeilingLevel), METHODS):
            found = ceiling_of_arrays(
                rows["value"].to_numpy(dtype="float64"),
                systems=text_column(rows, "system"),
                sources=text_column(rows, "source_id"),
                annotators=text_column(rows, "annotator"),
                questions=text_column(rows, "item"),
                clusters=text_column(rows, "cluster"),
                unit=study.unit,
                method=method,
                level=level,
            )
            row = {"criterion": criterion["key"], "level": level, "coefficient": method}
            yield {**row, **numbers_of(found)}


def correlations(study: BundledStudy) -> list[Row]:
    """Return every metric against every human column at every level, with corrected p."""
    rng, rows = study.random("correlations"), list[Row]()
    cells = max(len(study.questions), ORDERS) * max(1, len(study.metrics))
    at_once = max(1, CELLS_AT_ONCE // cells)
    names = list(study.humans) if study.metrics else []
    for batch in (names[start : start + at_once] for start in range(0, len(names), at_once)):
        found = against_people(
            {name: study.humans[name] for name in batch},
            study.metrics,
            facets=study.facets,
            rng=rng,
            items=study.run["items"],
            ratings={name: study.ratings[name] for name in batch if name in study.ratings},
        )
        for each in found:
            estimate = each.found
            if each.measure == "pairwise_accuracy" and each.baseline == 1:
                estimate = Result(value=nan, n=estimate.n)  # people order no two questions
            row = {"criterion": each.human, "metric": each.metric, "coefficient": each.measure}
            counted = ("questions", "sources", "systems", "p_as_published", "smallest_p")
            others = ("level", *counted, "epsilon", "in_sample", "baseline")
            row |= {name: getattr(each, name) for name in others}
            rows.append({**row, **numbers_of(estimate, tested=True)})
    columns = ("criterion", "level", "coefficient")
    add_corrected(rows, lambda row: tuple(row[name] for name in columns), "p", "p_holm")
    return rows


def williams_row(columns: Sequence[FloatArray]) -> Row:
    """Return Williams' test of two metrics against a human column."""
    williams, one_sided = williams_of_columns(columns)
    return {
        "williams_t": williams.statistic,
        "p_williams": williams.pvalue,
        "p_williams_one_sided": one_sided,
    }


def metric_comparisons(study: BundledStudy) -> list[Row]:
    """Return every pair of metrics on every human column at every level, with corrected p."""
    rng, rows = study.random("metric_comparisons"), list[Row]()
    omitted = study.run["omitted"]["metric_comparisons"]
    compared = [name for name in study.humans if name not in omitted]
    for name in compared if len(study.metrics) > 1 else ():
        rows += pairs_of_metrics(study, name, rng)
    pooled = [row for row in rows if row["level"] == "pooled"]
    add_corrected(pooled, lambda row: row["criterion"], "p_williams", "p_williams_holm")
    return rows


def pairs_of_metrics(study: BundledStudy, name: str, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the tests of every pair of metrics on one human column."""
    human, metrics = study.humans[name], study.metrics
    shared = np.ones(len(human), dtype=bool)
    if study.run["items"] == "common":
        for values in metrics.values():
            shared &= ~np.isnan(values)
    omitted = study.run["omitted"]["metric_comparisons"]
    pairs = metric_differences(
        {name: human},
        metrics,
        facets=study.facets,
        rng=rng,
        items=study.run["items"],
        ratings={name: study.ratings[name]} if name in study.ratings else None,
        resamples=study.run["resamples"],
        most_swapped=study.run["most_swapped"] // max(1, len(study.humans) - len(omitted)),
    )
    identity = ("level", "better", "other", "p_holm", "questions", "sources", "systems")
    for pair in pairs:
        row = {"criterion": name} | {column: getattr(pair, column) for column in identity}
        row |= numbers_of(pair.found, tested=True)
        if pair.level == "pooled":
            columns = (human, metrics[pair.better], metrics[pair.other])
            row |= williams_row([column[shared] for column in columns])
        yield row


TABLES: dict[str, tuple[Callable[[BundledStudy], Any], list[str]]] = {
    "agreement": (agreement, ["criterion", "basis", "coefficient", "level"]),
    "systems": (systems, ["criterion", "system"]),
    "system_comparisons": (system_comparisons, ["criterion", "test", "first", "second"]),
    "ceiling": (ceiling, ["criterion", "level", "coefficient"]),
    "correlations": (correlations, ["criterion", "metric", "level", "coefficient"]),
    "metric_comparisons": (metric_comparisons, ["criterion", "level", "better", "other"]),
}


def compare(folder: Path, study: BundledStudy, name: str) -> bool:
    """Print how a table differs from the expected one; return whether it is the same."""
    compute, identity = TABLES[name]
    expected = read_table(folder, f"expected/{name}").set_index(identity)
    computed = pd.DataFrame(list(compute(study)), columns=[*identity, *expected.columns])
    computed = computed.set_index(identity)
    if len(computed) != len(expected) or not computed.index.isin(expected.index).all():
        print(f"{name}: {len(expected)} rows are expected, {len(computed)} others were computed")
        return False
    wanted = expected.apply(as_numbers).to_numpy(dtype="float64")
    found = computed.reindex(expected.index).to_numpy(dtype="float64")
    found[~np.isfinite(found)] = nan  # a report leaves these blank
    gaps = np.abs(found - wanted) / np.maximum(1, np.abs(wanted))
    gaps[np.isnan(gaps)] = np.inf
    gaps[np.isnan(found) & np.isnan(wanted)] = 0
    values, largest = int(np.sum(~np.isnan(wanted))), float(gaps.max(initial=0))
    print(f"{name}: {len(wanted)} rows, {values} values, largest difference {largest:.2g}")
    return largest <= TOLERANCE


def main(folder: Path) -> int:
    """Compare every table of expected/, and return the status to end with."""
    study = BundledStudy(folder)
    for note in study.run["notes"]:
        print(note)
    names = [name for name in TABLES if (folder / "expected" / f"{name}.csv").exists()]
    differing = [name for name in names if not compare(folder, study, name)]
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent))
