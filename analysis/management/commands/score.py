"""manage.py score TABLE: automatic metrics of a plain table, without campaign or database."""

import csv
import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.management.plain_tables import PlainTable, add_encoding, parsed
from quaestor_metrics import _registry as registry
from quaestor_metrics._columns import BadCell, TableColumns, TableLine, lines, scored
from quaestor_metrics._contract import (
    MetricFailed,
    MetricResult,
    MetricUnavailable,
    Need,
    Preparation,
    ScoredUnit,
    Scorer,
    Status,
    UnknownParameter,
    resolved,
)
from quaestor_metrics._preparation import STEPS, UnknownPreparation, step
from quaestor_metrics._scoring import kept

ENDINGS = (".csv", ".tsv", ".jsonl")


class Command(BaseCommand):
    help = "Write a table again with one column for each metric. CSV, TSV or JSON Lines in; CSV or TSV out."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, nargs="?")
        add_encoding(parser)
        parser.add_argument(
            "--metric", default="", help="ids with commas between, such as bleu_4,rouge_l"
        )
        parser.add_argument("--hypothesis", default="", help="column of the generated questions")
        parser.add_argument(
            "--reference", default="", help="column of the references; a cell may be a JSON list"
        )
        parser.add_argument(
            "--reference-separator", default="", help="separator between several references"
        )
        parser.add_argument("--context", default="", help="column of the passages")
        parser.add_argument("--answer", default="", help="column of the answers")
        parser.add_argument(
            "--source", default="", help="column of the source: its rows (by system) are a set"
        )
        parser.add_argument("--system", default="", help="column of the system")
        steps = f"one of {', '.join(STEPS)}, or several with a plus between"
        parser.add_argument("--prepare-hypothesis", default="raw", help=steps)
        parser.add_argument(
            "--prepare-reference", default="raw", help="the same for the references"
        )
        parser.add_argument("--language", default="en", help="tag of the texts' language (en)")
        parser.add_argument(
            "--param", action="append", default=[], help="such as bertscore.part=precision"
        )
        parser.add_argument("--out", type=Path)
        parser.add_argument(
            "--list", action="store_true", help="say which metrics there are, and stop"
        )

    def handle(self, **options: Any) -> None:
        if options["list"]:
            self.stdout.write("\n".join(_listing()))
            return
        file, out, metrics = _asked(options)
        table = _read(file, options["encoding"])
        columns = _columns(options, table, metrics, file)
        params = _params(options["param"], metrics)
        rows = _lines(file, table, columns)
        preparation = Preparation(options["prepare_hypothesis"], options["prepare_reference"])
        for name in (preparation.hypothesis, preparation.reference):
            try:
                step(name)
            except UnknownPreparation as error:
                raise CommandError(str(error)) from None
        found, missing = self._scores(metrics, rows, params, preparation, options["language"])
        _write(out, table, found)
        if missing:
            raise CommandError("\n".join(["Not computed:", *missing]))

    def _scores(
        self,
        metrics: Sequence[Scorer],
        rows: Sequence[TableLine],
        params: Mapping[str, Mapping[str, Any]],
        preparation: Preparation,
        language: str,
    ) -> tuple[dict[str, list[MetricResult]], list[str]]:
        found: dict[str, list[MetricResult]] = {}
        missing: list[str] = []
        with kept(metrics):
            for metric in metrics:
                id = metric.spec.id
                try:
                    found[id] = scored(
                        metric,
                        rows,
                        params=params.get(id),
                        preparation=preparation,
                        language=language,
                    )
                except (MetricFailed, MetricUnavailable) as error:
                    missing.append(str(error))
                else:
                    self.stdout.write(_summary(id, found[id]))
        return found, missing


def _listing() -> Iterator[str]:
    entries = registry.all_metrics()
    for entry in entries:
        if not entry.made_of:
            name = entry.metric.spec.name if entry.metric else ""
            yield f"{entry.id:24}{name:64}{entry.reason or 'available'}"
    derived = (entry.id for entry in entries if entry.made_of)
    yield f"Derived from these: {', '.join(derived)}"


def _asked(options: Mapping[str, Any]) -> tuple[Path, Path, list[Scorer]]:
    for name in ("table", "metric", "hypothesis", "out"):
        if not options[name]:
            raise CommandError(f"{name if name == 'table' else '--' + name} is missing")
    ids = dict.fromkeys(id.strip() for id in options["metric"].split(",") if id.strip())
    try:
        return options["table"], options["out"], [registry.get(id) for id in ids]
    except (LookupError, MetricUnavailable) as error:
        raise CommandError(f"--metric: {error.args[0]}") from None


def _read(file: Path, encoding: str) -> PlainTable:
    if file.suffix.lower() not in ENDINGS:
        raise CommandError(f"{file}: the ending is none of {', '.join(ENDINGS)}")
    table = parsed(file, encoding)
    for problem in table.problems:
        raise CommandError(_place(file, problem.row, problem.column, problem.reason))
    return table


def _columns(
    options: Mapping[str, Any], table: PlainTable, metrics: Sequence[Scorer], file: Path
) -> TableColumns:
    names = (
        "hypothesis",
        "reference",
        "context",
        "answer",
        "source",
        "system",
        "reference_separator",
    )
    columns = TableColumns(**{name: options[name] for name in names})
    for name in columns.named():
        if name not in table.header:
            raise CommandError(
                f"{file}: there is no column {name}; there are {', '.join(table.header)}"
            )
    for metric in metrics:
        spec = metric.spec
        if spec.id in table.header:
            raise CommandError(f"{file}: there is a column {spec.id} already")
        needed = {Need.REFS: "reference", Need.CONTEXT: "context", Need.ANSWER: "answer"}
        options_needed = [name for need, name in needed.items() if need in spec.needs]
        for name in [*options_needed, *(["source"] if spec.unit is ScoredUnit.SET else [])]:
            if not options[name]:
                raise CommandError(f"{spec.id} needs --{name}")
    return columns


def _params(given: Sequence[str], metrics: Sequence[Scorer]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {metric.spec.id: {} for metric in metrics}
    for text in given:
        name, _, value = text.partition("=")
        id, _, parameter = name.partition(".")
        if id not in found or not parameter or not value:
            raise CommandError(
                f"--param {text}: write METRIC.NAME=VALUE, for a metric that is asked"
            )
        found[id][parameter] = _value(value)
    try:
        for metric in metrics:
            resolved(metric.spec, found[metric.spec.id])
    except UnknownParameter as error:
        raise CommandError(f"--param: {error}") from None
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _lines(file: Path, table: PlainTable, columns: TableColumns) -> list[TableLine]:
    rows = ((row.number, dict(zip(table.header, row.cells, strict=True))) for row in table.rows)
    try:
        return lines(rows, columns)
    except BadCell as error:
        raise CommandError(_place(file, error.row, error.column, str(error))) from None


def _place(file: Path, row: int, column: str, reason: str) -> str:
    return f"{file}, row {row}{f', column {column}' if column else ''}: {reason}"


def _summary(id: str, results: Sequence[MetricResult]) -> str:
    values = [result.value for result in results if result.value is not None]
    mean = f"mean of rows {sum(values) / len(values):.6g}" if values else "no value"
    why = dict.fromkeys(result.reason for result in results if result.status is not Status.OK)
    without = f"; {len(results) - len(values)} without a value: {'; '.join(why)}" if why else ""
    return f"{id}: {len(values)} rows, {mean}{without}"


def _write(out: Path, table: PlainTable, found: Mapping[str, Sequence[MetricResult]]) -> None:
    """Write beside the target first: a table that was cut short must not look like a result."""
    part = out.with_name(out.name + ".part")
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(
                file, delimiter="\t" if out.suffix.lower() == ".tsv" else ",", lineterminator="\n"
            )
            writer.writerow([*table.header, *found])
            for place, row in enumerate(table.rows):
                values = (results[place].value for results in found.values())
                writer.writerow(
                    [*row.cells, *("" if value is None else repr(value) for value in values)]
                )
        part.replace(out)
    except OSError as error:
        raise CommandError(f"{out}: {error.strerror}") from None
