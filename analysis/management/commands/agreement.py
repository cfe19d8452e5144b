"""manage.py agreement TABLE: how far raters agree, from a table with a row per rating; no campaign,
no database."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from analysis.management.plain_tables import (
    PlainRecord,
    PlainTable,
    add_encoding,
    all_numbers,
    as_json,
    as_text,
    categories,
    labels,
    numbers,
    of_estimate,
    read,
)
from judging.imports.texts import is_number
from quaestor_stats._alpha import LEVELS, Level, krippendorff_alpha
from quaestor_stats._arrays import FloatArray, grouped
from quaestor_stats._cohen_kappa import WEIGHTS, Weights, kappa_matrix
from quaestor_stats._fleiss import fleiss_kappa, randolph_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._icc import Form, intraclass
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._raters import intra_raters
from quaestor_stats._ratings import RatingOffScale, TooManyValues, observed_scale, transposed
from quaestor_stats._result import Estimate, undefined

SHOWN = (
    "criterion",
    "coefficient",
    "rater",
    "value",
    "low",
    "high",
    "n",
    "dropped",
    "clusters",
    "reason",
    "caution",
)
FEW_POINTS = 101
ASSUMED = "\nNo --scale was given: Randolph and Gwet took the points seen and those between."


@dataclass(frozen=True)
class RatingRows:
    """The rows of a table, column by column."""

    units: Sequence[str]
    raters: Sequence[str]
    values: Sequence[float]
    sources: Sequence[str]  # empty where no column names them


class Command(BaseCommand):
    help = "Agreement of raters, from a plain table with one row per rating."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="CSV, TSV, JSON Lines or workbook")
        add_encoding(parser)
        parser.add_argument("--unit", required=True, help="column that names what was judged")
        parser.add_argument("--rater", required=True, help="column that names who judged")
        parser.add_argument(
            "--value", required=True, help="column of the ratings; blank where not judged"
        )
        parser.add_argument(
            "--source",
            help="column that names the source of a unit: intervals are then over whole sources, which "
            "they must be where several units (of several systems, say) share one",
        )
        parser.add_argument("--criterion", help="column that names the criterion: one result each")
        parser.add_argument(
            "--level", choices=LEVELS, default="ordinal", help="level of measurement (ordinal)"
        )
        parser.add_argument(
            "--scale", help="all points, as 1,2,3,4,5; else the points seen and those between"
        )
        parser.add_argument(
            "--repeats",
            action="store_true",
            help="raters may have judged a unit again, in a later row: the first time counts, and each rater's "
            "agreement with themselves is given",
        )
        parser.add_argument(
            "--json", action="store_true", help="a list of records at full precision"
        )

    def handle(
        self,
        *,
        table: Path,
        encoding: str,
        level: Level,
        scale: str | None,
        repeats: bool,
        json: bool,
        **columns: Any,
    ) -> None:
        rows = read(table, encoding)
        if level == "nominal" and not all_numbers(rows, columns["value"]):
            values, _ = categories(rows, columns["value"])
        else:
            values = numbers(rows, columns["value"])
        if level == "ratio":
            _refuse_negative(rows, values, columns["value"])
        units, raters = (labels(rows, columns[name]) for name in ("unit", "rater"))
        sources = labels(rows, columns["source"]) if columns["source"] else []
        said = RatingRows(units, raters, values, sources)
        criteria = (
            labels(rows, columns["criterion"]) if columns["criterion"] else [""] * len(values)
        )
        points = _points(scale) if scale else None
        found: list[PlainRecord] = []
        for name, part in _parts(criteria):
            part, again = _told_apart(part, said) if repeats else (part, [])
            ratings, clusters = _pivot(part, said)
            if warning := transposed(ratings):
                self.stderr.write(f"{name or table}: {warning}")
            try:
                records = [
                    *_coefficients(ratings, level, points, clusters),
                    *_intra(again, said, level, points),
                ]
            except RatingOffScale as error:
                raise CommandError(f"{name or table}: {error}") from None
            found += [{"criterion": name, **record} for record in records]
        shown = [column for column in SHOWN if column != "clusters" or sources]
        self.stdout.write(as_json(found) if json else as_text(found, shown))
        if points is None and not json:
            self.stdout.write(ASSUMED)


def _refuse_negative(rows: PlainTable, values: Sequence[float], column: str) -> None:
    """Raise an error if a value is negative, which a ratio scale does not have."""
    for row, value in zip(rows.rows, values, strict=True):
        if value < 0:
            raise CommandError(
                f"row {row.number}, column {column}: {value:g} is negative, and a ratio scale has "
                "no negative values. Correct the value, or choose --level interval."
            )


def _points(text: str) -> list[float]:
    words = [word.strip() for word in text.split(",")]
    if not all(map(is_number, words)):
        raise CommandError(f"--scale: {text!r} is not a list of numbers like 1,2,3")
    points = [float(word) for word in words]
    if len(points) < 2:
        raise CommandError("--scale: a scale has two points or more")
    if twice := [point for point in points if points.count(point) > 1]:
        raise CommandError(f"--scale: {twice[0]:g} is given twice; give each point once")
    return points


def _parts(criteria: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    names, codes = grouped(criteria, name="criterion")
    for code, name in enumerate(names):
        yield str(name), np.flatnonzero(codes == code).tolist()


def _told_apart(part: Sequence[int], said: RatingRows) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the rows in which raters judged a unit first, and (row before, row) for each time they
    judged it again."""
    last: dict[tuple[str, str], int] = {}
    first, again = [], []
    for row in part:
        whose = said.units[row], said.raters[row]
        if (before := last.get(whose)) is None:
            first.append(row)
        else:
            again.append((before, row))
        last[whose] = row
    return first, again


def _intra(
    again: Sequence[tuple[int, int]], said: RatingRows, level: Level, points: list[float] | None
) -> Iterator[PlainRecord]:
    """Yield each rater's agreement with themselves, on scales that are no continuum."""
    if not again:
        return
    one, two = (np.asarray([said.values[row] for row in rows]) for rows in zip(*again, strict=True))
    scale = _scale(np.column_stack([one, two]), points)
    if scale.size > FEW_POINTS:
        return
    weights: Weights = "unweighted" if level == "nominal" else "quadratic"
    whose = [said.raters[row] for row, _ in again]
    clusters = [said.sources[row] for row, _ in again] if said.sources else None
    repeats = intra_raters(one, two, raters=whose, scale=scale, weights=weights, clusters=clusters)
    for rater, found in repeats.items():
        yield of_estimate(
            found.percent, coefficient="intra_rater_percent", level="nominal", rater=rater
        )
        yield of_estimate(
            found.kappa, coefficient=f"intra_rater_kappa_{weights}", level=level, rater=rater
        )


def _pivot(part: Sequence[int], said: RatingRows) -> tuple[FloatArray, list[str] | None]:
    """Return (n_units, n_raters) of some rows and the units' sources.

    A rater who judged one unit twice, and a unit with two sources, are errors.
    """
    names, unit = grouped([said.units[row] for row in part], name="unit")
    people, rater = grouped([said.raters[row] for row in part], name="rater")
    cells = unit * len(people) + rater
    different, counts = np.unique(cells, return_counts=True)
    if (counts > 1).any():
        cell = int(different[counts > 1][0])
        unit_name, rater_name = names[cell // len(people)], people[cell % len(people)]
        raise CommandError(
            f"rater {rater_name} judged unit {unit_name} more than once; name --criterion or a finer unit, "
            "or say --repeats"
        )
    table = np.full(len(names) * len(people), np.nan)
    table[cells] = [said.values[row] for row in part]
    return table.reshape(len(names), len(people)), _sources(part, said) if said.sources else None


def _sources(part: Sequence[int], said: RatingRows) -> list[str]:
    """Return the source of each unit, in the order in which units first come."""
    found: dict[str, str] = {}
    for row in part:
        unit, source = said.units[row], said.sources[row]
        if found.setdefault(unit, source) != source:
            raise CommandError(
                f"unit {unit} has the sources {found[unit]} and {source}; name a finer unit"
            )
    return list(found.values())


def _scale(table: FloatArray, points: list[float] | None) -> FloatArray:
    """Return the points given, or seen; where only one was seen any second changes no
    coefficient."""
    seen = observed_scale(table) if points is None else np.asarray(points)
    return np.append(seen, seen + 1) if seen.size == 1 else seen


def _coefficients(
    table: FloatArray, level: Level, points: list[float] | None, clusters: list[str] | None
) -> Iterator[PlainRecord]:
    scale = _scale(table, points)
    alpha = krippendorff_alpha(table, level=level, scale=points, clusters=clusters)
    yield of_estimate(alpha, coefficient="krippendorff_alpha", level=level)
    how: dict[str, Any] = {"scale": scale, "clusters": clusters}
    yield _categories("percent_agreement", lambda: percent_agreement(table, **how))
    if 2 <= scale.size <= FEW_POINTS:
        fleiss = fleiss_kappa(table, **how)
        yield of_estimate(fleiss, coefficient="fleiss_kappa", level="nominal")
        if np.isnan(table).any():
            listwise = "fleiss_kappa_listwise"
            yield _categories(listwise, lambda: fleiss_kappa(table, unequal="listwise", **how))
        yield _categories("randolph_kappa", lambda: randolph_kappa(table, **how))
        yield _categories("gwet_ac1", lambda: gwet_ac(table, **how))
        if level != "nominal":
            weighted = gwet_ac(table, weights="quadratic", **how)
            yield of_estimate(weighted, coefficient="gwet_ac2_quadratic", level=level)
        yield from _cohen(table, scale, level)
    if level in ("interval", "ratio"):
        forms: tuple[Form, ...] = ("1,1", "2,1", "3,1", "2,k")
        for form, estimate in intraclass(table, forms=forms, clusters=clusters).items():
            yield of_estimate(estimate, coefficient=f"icc_{form}", level=level)


def _categories(coefficient: str, compute: Callable[[], Estimate]) -> PlainRecord:
    """Return a coefficient of categories, undefined where the values are practically continuous."""
    try:
        found = compute()
    except TooManyValues as error:
        found = undefined(coefficient, str(error))
    return of_estimate(found, coefficient=coefficient, level="nominal")


def _cohen(table: FloatArray, scale: FloatArray, level: Level) -> Iterator[PlainRecord]:
    """Yield the mean of Cohen's kappa over all pairs of raters who share units."""
    for weights in WEIGHTS[: 1 if level == "nominal" else 3]:
        matrix = kappa_matrix(table, scale=scale, weights=weights)
        upper = np.triu_indices(table.shape[1], 1)
        defined = int((~np.isnan(matrix.values[upper])).sum())
        mean = Estimate(
            value=matrix.mean,
            n=defined,
            dropped=upper[0].size - defined,
            method=f"{matrix.method}, mean; n counts pairs of raters",
            reason="" if defined else "no pair of raters has a defined kappa",
        )
        yield of_estimate(
            mean,
            coefficient=f"cohen_kappa_mean_{weights}",
            level="nominal" if weights == "unweighted" else level,
        )
