"""manage.py judge-test TABLE: may an LLM judge replace annotators? From a plain table, without a
database."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from analysis.management.plain_tables import (
    MISSING,
    PlainRecord,
    PlainTable,
    add_encoding,
    all_numbers,
    as_json,
    as_text,
    full,
    labels,
    numbers,
    of_estimate,
    read,
)
from analysis.reports.numerals import percent
from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._alternative_annotator import (
    EPSILONS,
    LEVELS,
    REQUIRED_ITEMS,
    AlternativeTest,
    alternative_test,
    power_by_items,
)
from quaestor_stats._arrays import FloatArray
from quaestor_stats._llm_judges import following, most_given, severity_of

PERSON = (
    "person",
    "n",
    "advantage",
    "person_advantage",
    "p_items",
    "adjusted_items",
    "p",
    "adjusted",
    "wins",
    "reason",
)
SIZES = (30, 50, 100, 200, 400, 800)
BESIDE = (
    "Passing is not enough: a judge that gives the most frequent value everywhere can pass. Check too whether the "
    "judge correlates with annotators as well as another annotator does, and which values it gives."
)


class Command(BaseCommand):
    help = "The alternative annotator test of one or several judges, from a plain table with one row per item."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="CSV, TSV, JSON Lines or workbook")
        add_encoding(parser)
        parser.add_argument(
            "--people", required=True, help="columns of the annotators' values, with commas between"
        )
        parser.add_argument(
            "--judge", required=True, help="column of the judge; several with commas between"
        )
        parser.add_argument(
            "--level", choices=LEVELS, default="ordinal", help="level of measurement (ordinal)"
        )
        told = ", ".join(f"{value:g} for {who}" for value, who in EPSILONS.items())
        parser.add_argument(
            "--epsilon", type=float, required=True, help=f"what replacing a person may cost: {told}"
        )
        parser.add_argument(
            "--source", help="column of the source: a source's items are kept together"
        )
        parser.add_argument(
            "--expert", help="column of one trusted expert, who replaces the others"
        )
        parser.add_argument(
            "--fewest", type=int, default=REQUIRED_ITEMS, help="items a person needs (30)"
        )
        parser.add_argument(
            "--power",
            action="store_true",
            help="how often it would pass with 30 to 800 items like these",
        )
        parser.add_argument("--seed", type=int, default=1, help="of --power")
        parser.add_argument("--json", action="store_true", help="records at full precision")

    def handle(self, **asked: Any) -> None:
        table = read(asked["table"], asked["encoding"])
        people, judges = _names(asked["people"], "--people"), _names(asked["judge"], "--judge")
        if both := [name for name in judges if name in people]:
            raise CommandError(
                f"--judge: {both[0]} is one of the people; a judge is never compared with itself"
            )
        expert = [asked["expert"]] if asked["expert"] else []
        columns = _values(table, [*people, *judges, *expert], asked["level"])
        persons = np.column_stack([columns[name] for name in people])
        sources = labels(table, asked["source"]) if asked["source"] else None
        records: list[PlainRecord] = []
        for judge in judges:
            try:
                tested = alternative_test(
                    persons,
                    columns[judge],
                    level=asked["level"],
                    epsilon=asked["epsilon"],
                    names=people,
                    sources=sources,
                    expert=columns[expert[0]] if expert else None,
                    fewest_items=asked["fewest"],
                )
            except ValueError as error:
                raise CommandError(str(error)) from None
            records.append(_record(judge, tested, persons, columns[judge], asked["level"], sources))
        if asked["power"]:
            for record in records:
                rng = np.random.default_rng(asked["seed"])
                found = power_by_items(
                    persons,
                    columns[record["judge"]],
                    sizes=SIZES,
                    level=asked["level"],
                    epsilon=asked["epsilon"],
                    rng=rng,
                    sources=sources,
                )
                record["power"] = [
                    {"items": size, "passes": full(share)} for size, share in found.items()
                ]
        self.stdout.write(as_json(records) if asked["json"] else "\n".join(_told(records)))


def _names(given: str, option: str) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise CommandError(f"{option}: no column is named")
    if twice := [name for name in names if names.count(name) > 1]:
        raise CommandError(f"{option}: {twice[0]} is named twice")
    return names


def _values(table: PlainTable, names: Sequence[str], level: str) -> dict[str, FloatArray]:
    """Return columns as numbers; names of categories get one number each, the same in all
    columns."""
    absent = [name for name in names if name not in table.header]
    if absent:
        raise CommandError(
            f"there is no column {absent[0]}; the table has {', '.join(table.header)}"
        )
    if level != "nominal" or all(all_numbers(table, name) for name in names):
        return {name: np.array(numbers(table, name)) for name in names}
    places = {name: table.header.index(name) for name in names}
    cells = {
        name: [row.cells[place].strip() for row in table.rows] for name, place in places.items()
    }
    words = sorted(
        {cell for column in cells.values() for cell in column if cell.lower() not in MISSING}
    )
    codes = {word: float(code) for code, word in enumerate(words)}
    return {
        name: np.array([codes.get(cell, np.nan) for cell in column])
        for name, column in cells.items()
    }


def _record(
    judge: str,
    tested: AlternativeTest,
    people: FloatArray,
    own: FloatArray,
    level: str,
    sources: list[str] | None,
) -> PlainRecord:
    persons = [
        {
            "person": one.person,
            "n": one.n,
            "advantage": full(one.advantage),
            "person_advantage": full(one.person_advantage),
            "p_items": full(one.p_items),
            "adjusted_items": full(one.adjusted_items),
            "p": full(one.p),
            "adjusted": full(one.adjusted),
            "wins": one.won if not one.reason else None,
            "reason": one.reason,
        }
        for one in tested.people
    ]
    share, value = most_given(own)
    return {
        "judge": judge,
        "level": level,
        "epsilon": tested.epsilon,
        "items": tested.items,
        "dropped": tested.dropped,
        "winning_rate_items": full(tested.winning_rate_items),
        "winning_rate": full(tested.winning_rate),
        "passes_items": tested.passed_items,
        "passes": tested.passed,
        "advantage": of_estimate(tested.advantage),
        "people": persons,
        **_beside(people, own, level, sources),
        "most_given": full(value),
        "most_given_share": full(share),
        "reason": tested.reason,
        "caution": tested.caution,
    }


def _beside(
    people: FloatArray, own: FloatArray, level: Any, sources: list[str] | None
) -> PlainRecord:
    """Return the values to be read with a verdict; a nominal scale has no correlation."""
    alpha = {
        "alpha_of_people": of_estimate(krippendorff_alpha(people, level=level, clusters=sources))
    }
    if level == "nominal":
        return alpha
    found = following(people, own, sources=sources)
    return alpha | {
        "rho_of_judge": of_estimate(found.judge),
        "rho_of_a_person": of_estimate(found.person),
        "rho_difference": of_estimate(found.difference),
        "severity": of_estimate(severity_of(people, own, sources=sources)),
    }


def _told(records: Sequence[PlainRecord]) -> Iterator[str]:
    for record in records:
        verdict = {True: "passes", False: "does not pass", None: "cannot be tested"}
        yield f"{record['judge']}: {verdict[record['passes']]} at epsilon {record['epsilon']:g}, {record['level']}"
        persons = [
            {**one, "wins": {True: "yes", False: "no"}.get(one["wins"], "")}
            for one in record["people"]
        ]
        yield as_text(persons, PERSON)
        rate, advantage = record["winning_rate"], record["advantage"]["value"]
        if rate is not None:
            as_published = f"items as independent {record['winning_rate_items']:.3g}"
            yield f"winning rate {rate:.3g} ({as_published}), average advantage probability {advantage:.3g}"
        if "rho_of_judge" in record:
            follows, ceiling = record["rho_of_judge"]["value"], record["rho_of_a_person"]["value"]
            yield (
                "Spearman's rho with the mean of all annotators but one: "
                f"judge {_three(follows)}, an annotator {_three(ceiling)}"
            )
        if record["most_given_share"] is not None:
            share = f"{percent(record['most_given_share'])} of its judgments"
            yield f"its most frequent value is {record['most_given']:g}, {share}"
        dropped = (
            f", {record['dropped']} dropped (fewer than two people)" if record["dropped"] else ""
        )
        yield f"{record['items']} items{dropped}"
        if power := record.get("power"):
            shares = ", ".join(f"{each['items']} items {percent(each['passes'])}" for each in power)
            yield f"would pass with {shares} of such samples: near 0 or 100% so many items decide"
        yield from filter(None, (record["reason"], record["caution"]))
        yield ""
    yield BESIDE


def _three(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3g}"
