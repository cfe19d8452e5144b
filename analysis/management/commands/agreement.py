"""manage.py agreement TABLE: how far raters agree, from a table with a row per rating; no campaign, no database."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from analysis.management.plain_tables import (
    Record,
    all_numbers,
    as_json,
    as_text,
    categories,
    labels,
    numbers,
    of_check,
    of_estimate,
    read,
)
from analysis.stats.alpha import LEVELS, Level, krippendorff_alpha
from analysis.stats.arrays import FloatArray, grouped
from analysis.stats.crosscheck import check_alpha, check_fleiss
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.fleiss import fleiss_kappa, randolph_kappa
from analysis.stats.gwet import gwet_ac
from analysis.stats.icc import intraclass
from analysis.stats.kappa import WEIGHTS, Weights, kappa_matrix
from analysis.stats.percent import percent_agreement
from analysis.stats.raters import intra_raters
from analysis.stats.ratings import OffScale, TooManyValues, observed_scale, transposed

SHOWN = ("criterion", "coefficient", "rater", "value", "low", "high", "n", "dropped", "reason")
FEW_POINTS = 101
ASSUMED = "\nNo --scale was given: Randolph and Gwet took the points seen and those between."


class Command(BaseCommand):
    help = "Agreement of raters, from a plain table with one row per rating."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="CSV, TSV, JSON Lines or workbook")
        parser.add_argument("--unit", required=True, help="column that names what was judged")
        parser.add_argument("--rater", required=True, help="column that names who judged")
        parser.add_argument("--value", required=True, help="column of the ratings; blank where not judged")
        parser.add_argument("--criterion", help="column that names the criterion: one result each")
        parser.add_argument("--level", choices=LEVELS, default="ordinal", help="level of measurement (ordinal)")
        parser.add_argument("--scale", help="all points, as 1,2,3,4,5; else the points seen and those between")
        parser.add_argument(
            "--repeats",
            action="store_true",
            help="raters may have judged a unit again, in a later row: the first time counts, and each rater's "
            "agreement with themselves is given",
        )
        parser.add_argument("--json", action="store_true", help="a list of records at full precision")

    def handle(
        self, *, table: Path, level: Level, scale: str | None, repeats: bool, json: bool, **columns: Any
    ) -> None:
        rows = read(table)
        if level == "nominal" and not all_numbers(rows, columns["value"]):
            values, _ = categories(rows, columns["value"])
        else:
            values = numbers(rows, columns["value"])
        units, raters = (labels(rows, columns[name]) for name in ("unit", "rater"))
        criteria = labels(rows, columns["criterion"]) if columns["criterion"] else [""] * len(values)
        points = _points(scale) if scale else None
        found: list[Record] = []
        for name, part in _parts(criteria):
            part, again = _told_apart(part, units, raters) if repeats else (part, [])
            ratings = _pivot([units[i] for i in part], [raters[i] for i in part], [values[i] for i in part])
            if warning := transposed(ratings):
                self.stderr.write(f"{name or table}: {warning}")
            try:
                found += [{"criterion": name, **record} for record in _coefficients(ratings, level, points)]
                found += [{"criterion": name, **record} for record in _intra(again, raters, values, level, points)]
            except OffScale as error:
                raise CommandError(f"{name or table}: {error}") from None
        self.stdout.write(as_json(found) if json else as_text(found, SHOWN))
        if points is None and not json:
            self.stdout.write(ASSUMED)


def _points(text: str) -> list[float]:
    try:
        return [float(point) for point in text.split(",")]
    except ValueError:
        raise CommandError(f"--scale: {text!r} is not a list of numbers like 1,2,3") from None


def _parts(criteria: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    names, codes = grouped(criteria, name="criterion")
    for code, name in enumerate(names):
        yield str(name), np.flatnonzero(codes == code).tolist()


def _told_apart(
    part: Sequence[int], units: Sequence[str], raters: Sequence[str]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the rows in which raters judged a unit first, and (row before, row) for each time they judged it again."""
    last: dict[tuple[str, str], int] = {}
    first, again = [], []
    for row in part:
        if (before := last.get((units[row], raters[row]))) is None:
            first.append(row)
        else:
            again.append((before, row))
        last[units[row], raters[row]] = row
    return first, again


def _intra(
    again: Sequence[tuple[int, int]],
    raters: Sequence[str],
    values: Sequence[float],
    level: Level,
    points: list[float] | None,
) -> Iterator[Record]:
    """Yield each rater's agreement with themselves, on scales that are no continuum."""
    if not again:
        return
    one, two = (np.asarray([values[row] for row in rows]) for rows in zip(*again, strict=True))
    scale = observed_scale(np.column_stack([one, two])) if points is None else np.asarray(points)
    if scale.size > FEW_POINTS:
        return
    weights: Weights = "unweighted" if level == "nominal" else "quadratic"
    whose = [raters[row] for row, _ in again]
    for rater, found in intra_raters(one, two, raters=whose, scale=scale, weights=weights).items():
        yield of_estimate(found.percent, coefficient="intra_rater_percent", level="nominal", rater=rater)
        yield of_estimate(found.kappa, coefficient=f"intra_rater_kappa_{weights}", level=level, rater=rater)


def _pivot(units: Sequence[str], raters: Sequence[str], values: Sequence[float]) -> FloatArray:
    """Return (n_units, n_raters); a rater who judged one unit twice is an error."""
    names, unit = grouped(units, name="unit")
    people, rater = grouped(raters, name="rater")
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
    table[cells] = values
    return table.reshape(len(names), len(people))


def _coefficients(table: FloatArray, level: Level, points: list[float] | None) -> Iterator[Record]:
    scale = observed_scale(table) if points is None else np.asarray(points)
    alpha = krippendorff_alpha(table, level=level, scale=points)
    check = check_alpha(table, level=level, ours=alpha.value)
    yield {**of_estimate(alpha, coefficient="krippendorff_alpha", level=level), **of_check(check)}
    yield _categories("percent_agreement", lambda: percent_agreement(table, scale=scale))
    if 2 <= scale.size <= FEW_POINTS:
        fleiss = fleiss_kappa(table, scale=scale)
        check = check_fleiss(table, scale=scale, ours=fleiss.value)
        yield {**of_estimate(fleiss, coefficient="fleiss_kappa", level="nominal"), **of_check(check)}
        if np.isnan(table).any():
            yield _categories("fleiss_kappa_listwise", lambda: fleiss_kappa(table, scale=scale, unequal="listwise"))
        yield _categories("randolph_kappa", lambda: randolph_kappa(table, scale=scale))
        yield _categories("gwet_ac1", lambda: gwet_ac(table, scale=scale))
        if level != "nominal":
            weighted = gwet_ac(table, scale=scale, weights="quadratic")
            yield of_estimate(weighted, coefficient="gwet_ac2_quadratic", level=level)
        yield from _cohen(table, scale, level)
    if level in ("interval", "ratio"):
        for form, estimate in intraclass(table, forms=("1,1", "2,1", "3,1", "2,k")).items():
            yield of_estimate(estimate, coefficient=f"icc_{form}", level=level)


def _categories(coefficient: str, compute: Callable[[], Estimate]) -> Record:
    """Return a coefficient of categories, undefined where the values are practically continuous."""
    try:
        found = compute()
    except TooManyValues as error:
        found = undefined(coefficient, str(error))
    return of_estimate(found, coefficient=coefficient, level="nominal")


def _cohen(table: FloatArray, scale: FloatArray, level: Level) -> Iterator[Record]:
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
            mean, coefficient=f"cohen_kappa_mean_{weights}", level="nominal" if weights == "unweighted" else level
        )
