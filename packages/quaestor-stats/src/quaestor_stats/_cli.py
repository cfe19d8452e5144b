"""The command quaestor-stats: statistics of a file, without a program."""

import argparse
import csv
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quaestor_stats import _agreement as agreement
from quaestor_stats._alpha import LEVELS
from quaestor_stats._design import Design
from quaestor_stats._files import read_rows
from quaestor_stats._judge_tables import alt_test
from quaestor_stats._metric_tables import compare_metrics, correlate
from quaestor_stats._power import items_needed, of_components, power
from quaestor_stats._result import Result
from quaestor_stats._result_table import ResultTable, table_from_rows
from quaestor_stats._system_tables import compare_systems, mixed_model, ranks
from quaestor_stats._tables import Table, labels, numeric_column
from quaestor_stats._version import VERSION

Arguments = argparse.Namespace


def main(words: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    asked = _parser().parse_args(words)
    try:
        tables = asked.run(read_rows(asked.file), asked)
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}")
    except ValueError as error:
        return _refuse(str(error))
    if asked.format == "json" and len(tables) > 1:
        print(f"[{', '.join(table.to_json() for table in tables)}]")  # noqa: T201
    else:
        write = FORMATS[asked.format]
        print("\n\n".join(write(table) for table in tables))  # noqa: T201
    return 0


def _refuse(sentence: str) -> int:
    print(f"quaestor-stats: {sentence}", file=sys.stderr)  # noqa: T201
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="quaestor-stats",
        description="Statistics of human evaluation, from CSV, TSV or JSON Lines.",
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_agreement(commands)
    _add_correlate(commands)
    _add_compare(commands)
    _add_alt_test(commands)
    _add_power(commands)
    return parser


def _command(commands: Any, name: str, about: str, run: Callable[..., Any]) -> Any:
    command = commands.add_parser(name, help=about, description=about)
    command.add_argument("file", type=Path, help="CSV, TSV or JSON Lines, in UTF-8")
    command.add_argument("--format", choices=FORMATS, default="text", help="of the output")
    command.set_defaults(run=run)
    return command


def _add_agreement(commands: Any) -> None:
    about = "Agreement of raters, from a row for each rating."
    command = _command(commands, "agreement", about, _agreement_tables)
    command.add_argument("--unit", required=True, help="column of what was rated")
    command.add_argument("--rater", required=True, help="column of who rated it")
    command.add_argument("--value", required=True, help="column of the ratings")
    command.add_argument("--cluster", help="column of what units share, such as the source")
    command.add_argument("--criterion", help="column of the criterion: results for each")
    command.add_argument("--level", choices=LEVELS, default="ordinal", help="of measurement")
    command.add_argument("--scale", type=_points, help="all points, such as 1,2,3,4,5")


def _add_correlate(commands: Any) -> None:
    about = "Correlation of metrics with human ratings, from a row for each question."
    command = _command(commands, "correlate", about, _correlation_tables)
    command.add_argument("--human", required=True, type=_names, help="columns, with commas")
    command.add_argument(
        "--metrics",
        required=True,
        type=_names,
        help="columns, with commas; --metrics=a,-b if lower is better on b",
    )
    command.add_argument("--source", help="column of the source of a question")
    command.add_argument("--system", help="column of the system of a question")
    command.add_argument("--level", choices=("by_source", "pooled", "by_system"), default="pooled")
    _add_design(command, ("systems",))


def _add_compare(commands: Any) -> None:
    about = "Differences between systems, from a row for each rating."
    command = _command(commands, "compare", about, _system_tables)
    _add_rating_columns(command)
    _add_design(command, ("annotators",))


def _add_alt_test(commands: Any) -> None:
    about = "The alternative annotator test of an LLM judge, from a row for each item."
    command = _command(commands, "alt-test", about, _judge_tables)
    command.add_argument("--annotators", required=True, type=_names, help="columns, with commas")
    command.add_argument("--judge", required=True, help="column of the judge")
    command.add_argument("--level", choices=LEVELS[:3], default="ordinal", help="of measurement")
    command.add_argument(
        "--epsilon",
        type=float,
        required=True,
        help="cost of replacing an annotator: .2 for experts, .15 skilled annotators, .1 crowd",
    )
    command.add_argument("--source", help="column of the source of an item")


def _add_power(commands: Any) -> None:
    about = "Power to find a difference of two systems, with the variances of a pilot."
    command = _command(commands, "power", about, _power_tables)
    _add_rating_columns(command)
    command.add_argument("--difference", type=float, required=True, help="of two systems' means")
    command.add_argument("--items", type=int, required=True, help="planned sources")
    command.add_argument("--per-item", type=int, default=3, help="annotators an output (3)")
    command.set_defaults(random=["annotators"], cluster="")


def _add_rating_columns(command: Any) -> None:
    command.add_argument("--system", required=True, help="column of the system")
    command.add_argument("--source", required=True, help="column of the source")
    command.add_argument("--annotator", required=True, help="column of the annotator")
    command.add_argument("--value", required=True, help="column of the ratings")


def _add_design(command: Any, facets: Sequence[str]) -> None:
    command.add_argument(
        "--random", choices=facets, nargs="*", default=[], help="what is random besides sources"
    )
    command.add_argument("--cluster", default="", help="column of what sources share")


def _design(asked: Arguments) -> Design:
    facets: dict[str, Any] = dict.fromkeys(asked.random, "random")
    return Design(**facets, cluster=asked.cluster)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _points(text: str) -> list[float]:
    try:
        return sorted(float(point) for point in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list such as 1,2,3") from None


def _agreement_tables(rows: Table, asked: Arguments) -> list[ResultTable]:
    criteria = labels(rows, asked.criterion) if asked.criterion else [""] * len(rows)
    records = []
    for criterion in dict.fromkeys(criteria):
        part = [row for row, name in zip(rows, criteria, strict=True) if name == criterion]
        records += [
            {"criterion": criterion, **_record(name, result)}
            for name, result in _coefficients(part, asked)
        ]
    return [table_from_rows(records)]


def _coefficients(rows: Table, asked: Arguments) -> list[tuple[str, Result]]:
    columns = {name: getattr(asked, name) for name in ("unit", "rater", "value", "cluster")}
    alpha = agreement.alpha(rows, **columns, level=asked.level, scale=asked.scale)
    results = [
        ("alpha", alpha),
        ("percent_agreement", agreement.percent_agreement(rows, **columns)),
    ]
    results += [
        ("fleiss_kappa", agreement.fleiss_kappa(rows, **columns)),
        ("conger_kappa", agreement.conger_kappa(rows, **columns)),
    ]
    if asked.scale:
        results += [
            ("randolph_kappa", agreement.randolph_kappa(rows, **columns, scale=asked.scale)),
            ("gwet_ac1", agreement.gwet_ac(rows, **columns, scale=asked.scale)),
        ]
    if len(set(labels(rows, asked.rater))) == 2:
        results.append(("cohen_kappa", agreement.cohen_kappa(rows, **columns)))
    if asked.level in ("interval", "ratio"):
        results.append(("icc_2_1", agreement.icc(rows, **columns)))
    return results


def _record(name: str, result: Result) -> dict[str, Any]:
    return {
        "coefficient": name,
        "value": result.value,
        "low": result.ci.low,
        "high": result.ci.high,
        "n": result.n,
        "clusters": result.clusters,
        "reason": result.reason or result.caution,
    }


def _correlation_tables(rows: Table, asked: Arguments) -> list[ResultTable]:
    columns = {
        "human": asked.human,
        "metrics": asked.metrics,
        "source": asked.source,
        "system": asked.system,
        "level": asked.level,
        "design": _design(asked),
    }
    tables = [correlate(rows, **columns)]
    return [*tables, compare_metrics(rows, **columns)] if len(asked.metrics) > 1 else tables


def _system_tables(rows: Table, asked: Arguments) -> list[ResultTable]:
    columns = {name: getattr(asked, name) for name in ("system", "source", "annotator", "value")}
    comparisons = compare_systems(rows, **columns, design=_design(asked))
    return [comparisons, ranks(comparisons)]


def _judge_tables(rows: Table, asked: Arguments) -> list[ResultTable]:
    test = alt_test(
        rows,
        annotators=asked.annotators,
        judge=asked.judge,
        level=asked.level,
        epsilon=asked.epsilon,
        source=asked.source,
    )
    records = [
        {
            "annotator": person.person,
            "n": person.n,
            "judge_advantage": person.advantage,
            "annotator_advantage": person.person_advantage,
            "p": person.p,
            "p_adjusted": person.adjusted,
            "judge_wins": "" if person.reason else ("yes" if person.won else "no"),
            "reason": person.reason,
        }
        for person in test.people
    ]
    verdict = {True: "passes", False: "does not pass", None: "cannot be tested"}[test.passed]
    notes = [f"{asked.judge} {verdict} at epsilon {asked.epsilon:g}: {test.items} items."]
    notes += [f"Average advantage probability: {test.advantage}"]
    notes += [f"{note}." for note in (test.reason, test.caution) if note]
    return [table_from_rows(records, notes=notes)]


def _power_tables(rows: Table, asked: Arguments) -> list[ResultTable]:
    columns = {name: getattr(asked, name) for name in ("system", "source", "annotator", "value")}
    variances = of_components(mixed_model(rows, **columns, design=_design(asked)))
    wanted = {"difference": asked.difference, "judges": asked.per_item}
    planned = power(variances, items=asked.items, **wanted)
    needed = items_needed(variances, **wanted)
    records = [
        {"items": asked.items, "power": planned.value},
        {"items": needed.items, "power": needed.power.value},
    ]
    ratings = int((~np.isnan(numeric_column(rows, asked.value))).sum())
    note = (
        f"Two-sided paired test at 5%; variances of {ratings} pilot ratings, for these annotators."
    )
    return [table_from_rows(records, notes=[note, "The second row has 80% power."])]


def _as_csv(table: ResultTable) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, table.columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows)
    return text.getvalue().rstrip("\n")


FORMATS: dict[str, Callable[[ResultTable], str]] = {
    "text": str,
    "csv": _as_csv,
    "json": ResultTable.to_json,
    "latex": ResultTable.to_latex,
}
