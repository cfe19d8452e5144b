"""The command line: `quaestor-metrics score|list|tune|degrade`, for CSV, TSV and JSON Lines."""

import csv
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    resolve_parameters,
)
from quaestor_metrics._degradations import DEGRADATIONS, degrade
from quaestor_metrics._metric import paired, signature
from quaestor_metrics._models import TransformerModel
from quaestor_metrics._preparation import STEPS, preparation_step
from quaestor_metrics._registry import Registry
from quaestor_metrics._scoring import keep_running
from quaestor_metrics._table_scoring import COLUMNS, Row, question_rows, score_rows
from quaestor_metrics._variants import VARIANTS
from quaestor_metrics._version import __version__
from quaestor_metrics._weight_tuning import tune

SEPARATORS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*SEPARATORS, ".jsonl")
NEEDED_COLUMNS = {Need.REFS: "reference", Need.CONTEXT: "context", Need.ANSWER: "answer"}


class CommandError(Exception):
    """A mistake in the arguments or the file; the message names it."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text cells, (n_rows, n_columns), with each row's number in the file."""

    file: Path
    header: list[str]
    rows: list[list[str]]
    numbers: list[int]

    def column(self, name: str) -> list[str]:
        """Return the cells of a column; empty cells if the name is blank."""
        if not name:
            return [""] * len(self.rows)
        if name not in self.header:
            columns = ", ".join(self.header)
            raise CommandError(f"{self.file}: there is no column {name}; there are {columns}")
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def numeric(self, name: str) -> list[float]:
        """Return the numbers of a column."""
        values = []
        for number, cell in zip(self.numbers, self.column(name), strict=True):
            try:
                values.append(float(cell))
            except ValueError:
                where = f"{self.file}, row {number}, column {name}"
                raise CommandError(f"{where}: {cell!r} is not a number") from None
        return values


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (CommandError, MetricUnavailable, LookupError, ValueError) as error:
        print(f"quaestor-metrics: {error.args[0]}", file=sys.stderr)
    except OSError as error:
        print(f"quaestor-metrics: {error.filename}: {error.strerror}", file=sys.stderr)
    return 1


def _parser() -> ArgumentParser:
    parser = ArgumentParser("quaestor-metrics", description="Metrics of generated questions.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    score = commands.add_parser("score", help="write a table again with one column a metric")
    score.set_defaults(run=_score)
    _add_table(score)
    _add_references(score)
    _add_models(score)
    _add_scoring(score)
    listing = commands.add_parser("list", help="list the metrics and why some cannot run here")
    listing.set_defaults(run=_list)
    _add_models(listing)
    _add_tuning(commands.add_parser("tune", help="tune the weights of a Q-metric on ratings"))
    worse = commands.add_parser("degrade", help="write a table again with degraded questions")
    worse.set_defaults(run=_degrade)
    _add_table(worse)
    worse.add_argument("--kind", required=True, choices=tuple(DEGRADATIONS))
    worse.add_argument("--out", type=Path, required=True, help="CSV or TSV")
    worse.add_argument("--seed", type=int, default=1)
    return parser


def _add_tuning(command: ArgumentParser) -> None:
    command.set_defaults(run=_tune)
    _add_table(command)
    _add_references(command)
    command.add_argument("--rating", required=True, help="column of the ratings; higher is better")
    command.add_argument("--metric", default="bleu_1", help="that answerability is mixed into")
    formulas = ("per_class_f", "paper", "clipped_f")
    command.add_argument("--formula", default="per_class_f", choices=formulas)
    command.add_argument("--method", default="grid", choices=("grid", "exact"))
    command.add_argument("--seed", type=int, default=1)


def _add_models(command: ArgumentParser) -> None:
    for name in ("model", "reader"):
        about = "transformer of a metric, as NAME=FOLDER or NAME=ID; may be repeated"
        command.add_argument(f"--{name}", action="append", default=[], help=about)


def _add_references(command: ArgumentParser) -> None:
    about = "column of the references; a cell may be a JSON list"
    command.add_argument("--reference", default="", help=about)
    command.add_argument("--reference-separator", default="", help="between references")


def _add_table(command: ArgumentParser) -> None:
    command.add_argument("file", type=Path, help="CSV, TSV or JSON Lines")
    command.add_argument("--encoding", default="utf-8-sig", help="of the file (UTF-8)")
    command.add_argument("--hypothesis", required=True, help="column of the generated questions")


def _add_scoring(command: ArgumentParser) -> None:
    command.add_argument(
        "--metric", required=True, help="ids with commas between, such as bleu_4,multi_meteor"
    )
    command.add_argument("--context", default="", help="column of the passages")
    command.add_argument("--answer", default="", help="column of the answers")
    command.add_argument("--source", default="", help="column of the source: its rows are a set")
    command.add_argument("--system", default="", help="column of the system")
    steps = f"of {', '.join(STEPS)}, or several with a plus between"
    command.add_argument("--prepare", default="raw", help=f"preparation of both sides, {steps}")
    command.add_argument("--prepare-reference", help="preparation of the references")
    command.add_argument("--language", default="en", help="tag of the texts' language")
    command.add_argument(
        "--param", action="append", default=[], help="such as bertscore.part=precision"
    )
    command.add_argument("--out", type=Path, required=True, help="CSV or TSV")


def _score(options: Namespace) -> int:
    table, registry = _read(options.file, options.encoding), _registry(options)
    metrics = [registry.get(id.strip()) for id in dict.fromkeys(options.metric.split(","))]
    _require_columns(options, table, metrics)
    params = _params(options.param, metrics)
    rows, how = _rows(options, table), _preparation(options)
    columns: dict[str, list[float | None]] = {}
    failures: list[str] = []
    with keep_running(metrics):
        for metric in metrics:
            try:
                columns[metric.spec.id] = _column(metric, rows, params[metric.spec.id], how)
            except (MetricFailed, MetricUnavailable) as error:
                failures.append(str(error))
    _write(_target(options), table, columns)
    if failures:
        raise CommandError("\n".join(["not computed:", *failures]))
    return 0


def _preparation(options: Namespace) -> dict[str, Any]:
    """Return the preparation and the language of the texts; an unknown step raises."""
    sides = Preparation(options.prepare, options.prepare_reference or options.prepare)
    preparation_step(sides.hypothesis)
    preparation_step(sides.reference)
    return {"preparation": sides, "language": options.language}


def _column(
    metric: Scorer, rows: Sequence[Row], params: Mapping[str, Any], how: Mapping[str, Any]
) -> list[float | None]:
    """Return the scores of a metric, after a line with their mean and signature."""
    results = score_rows(metric, rows, params=params, **how)
    questions = [row.question for row in rows]
    print(_summary(results), signature(metric.spec, questions, **how), sep="  ")
    return [result.value for result in results]


def _list(options: Namespace) -> int:
    for entry in _registry(options).list_metrics():
        name = entry.metric.spec.name if entry.metric else ""
        print(f"{entry.id:24}{name:64}{entry.reason or 'available'}")
    print(f"Variants of a metric of one question: {', '.join(f'{name}_ID' for name in VARIANTS)}")
    return 0


def _tune(options: Namespace) -> int:
    table = _read(options.file, options.encoding)
    questions = [row.question for row in _rows(options, table)]
    tuned = tune(
        [question.hypothesis for question in questions],
        [question.references for question in questions],
        table.numeric(options.rating),
        base=options.metric,
        formula=options.formula,
        method=options.method,
        seed=options.seed,
    )
    names = ("delta", "content", "entity", "question", "function")
    means = (tuned.weights.delta, *tuned.weights.words)
    spreads = (tuned.spread.delta, *tuned.spread.words)
    for name, mean, spread in zip(names, means, spreads, strict=True):
        print(f"{name:10}{mean:.3f}  SD {spread:.3f}")
    return 0


def _degrade(options: Namespace) -> int:
    table = _read(options.file, options.encoding)
    column = f"{options.hypothesis}_{options.kind}"
    questions = degrade(table.column(options.hypothesis), options.kind, seed=options.seed)
    _write(_target(options), table, {column: questions})
    changed = sum(question is not None for question in questions)
    print(f"{changed} of {len(questions)} questions are degraded")
    return 0


def _registry(options: Namespace) -> Registry:
    return Registry(models=_models(options.model), readers=_models(options.reader))


def _models(named: Sequence[str]) -> dict[str, TransformerModel]:
    pairs = [text.partition("=") for text in named]
    if wrong := [name for name, _, source in pairs if not source]:
        raise CommandError(f"{wrong[0]}: write NAME=FOLDER or NAME=ID")
    return {name: TransformerModel(source) for name, _, source in pairs}


def _read(file: Path, encoding: str) -> Table:
    """Read a table. A value of JSON Lines that is no text becomes JSON again."""
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise CommandError(f"{file}: the ending is none of {', '.join(ENDINGS)}")
    with file.open(encoding=encoding, newline="") as lines:
        if ending == ".jsonl":
            return _from_json(file, lines)
        reader = csv.reader(lines, delimiter=SEPARATORS[ending])
        header = next(reader, [])
        numbered = [(reader.line_num, row) for row in reader if row]
    if not header:
        raise CommandError(f"{file}: the file is empty")
    for number, row in numbered:
        if len(row) != len(header):
            raise CommandError(
                f"{file}, row {number}: {len(row)} cells, the header has {len(header)}"
            )
    return Table(file, header, [row for _, row in numbered], [number for number, _ in numbered])


def _from_json(file: Path, lines: Any) -> Table:
    records = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            record = json.loads(line)
            if not isinstance(record, dict):
                raise CommandError(f"{file}, row {number}: the line is no JSON object")
            records.append((number, record))
    header = list(dict.fromkeys(name for _, record in records for name in record))
    rows = [[_cell(record.get(name, "")) for name in header] for _, record in records]
    return Table(file, header, rows, [number for number, _ in records])


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def cell_references(cell: str, separator: str) -> tuple[str, ...]:
    """Return the references of a cell: parts between separators, a JSON list of texts, or the cell
    itself."""
    if separator:
        return tuple(part.strip() for part in cell.split(separator))
    if cell.lstrip().startswith("["):
        try:
            listed = json.loads(cell)
        except ValueError:
            return (cell,)
        if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
            return tuple(listed)
    return (cell,)


def _rows(options: Namespace, table: Table) -> list[Row]:
    cells = table.column(options.reference)
    separator = options.reference_separator
    named = [cell_references(cell, separator) if options.reference else () for cell in cells]
    for number, some in zip(table.numbers, named, strict=True):
        if not all(reference.strip() for reference in some):
            where = f"{table.file}, row {number}, column {options.reference}"
            raise CommandError(f"{where}: a reference is blank; write [] where there is none")
    further = {name: table.column(getattr(options, name, "")) for name in COLUMNS}
    return question_rows(paired(table.column(options.hypothesis), named), further)


def _require_columns(options: Namespace, table: Table, metrics: Sequence[Scorer]) -> None:
    for metric in metrics:
        spec = metric.spec
        if spec.id in table.header:
            raise CommandError(f"{table.file}: there is a column {spec.id} already")
        needed = [name for need, name in NEEDED_COLUMNS.items() if need in spec.needs]
        for name in [*needed, *(["source"] if spec.unit is ScoredUnit.SET else [])]:
            if not getattr(options, name):
                raise CommandError(f"{spec.id} needs --{name}")


def _params(texts: Sequence[str], metrics: Sequence[Scorer]) -> dict[str, dict[str, Any]]:
    params: dict[str, dict[str, Any]] = {metric.spec.id: {} for metric in metrics}
    for text in texts:
        name, _, value = text.partition("=")
        id, _, parameter = name.partition(".")
        if id not in params or not parameter or not value:
            raise CommandError(
                f"--param {text}: write METRIC.NAME=VALUE, for a metric that is asked"
            )
        try:
            params[id][parameter] = json.loads(value)
        except ValueError:
            params[id][parameter] = value
    for metric in metrics:
        try:
            resolve_parameters(metric.spec, params[metric.spec.id])
        except UnknownParameter as error:
            raise CommandError(f"--param: {error}") from None
    return params


def _summary(results: Sequence[MetricResult]) -> str:
    values = [result.value for result in results if result.value is not None]
    mean = f"{sum(values) / len(values):.6g}" if values else "no value"
    reasons = dict.fromkeys(one.reason for one in results if one.status is not Status.OK)
    blank = f" ({len(results) - len(values)} without a value: {'; '.join(reasons)})"
    return f"{mean} mean of {len(values)} rows{blank if reasons else ''}"


def _target(options: Namespace) -> Path:
    """Return the file to write, which is a table of its own."""
    out: Path = options.out
    if out.suffix.lower() not in SEPARATORS:
        raise CommandError(f"--out: {out.name} is no {' or '.join(SEPARATORS)} file")
    if out.resolve() == options.file.resolve():
        raise CommandError(f"--out: {out.name} is the file that is read; name another")
    return out


def _write(out: Path, table: Table, columns: Mapping[str, Sequence[float | str | None]]) -> None:
    """Write beside the target first: a table that was cut short must not look like a result."""
    part = out.with_name(out.name + ".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        delimiter = SEPARATORS.get(out.suffix.lower(), ",")
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow([*table.header, *columns])
        writer.writerows(_written(table, columns))
    part.replace(out)


def _written(
    table: Table, columns: Mapping[str, Sequence[float | str | None]]
) -> Iterator[list[object]]:
    for place, row in enumerate(table.rows):
        cells = (values[place] for values in columns.values())
        yield [*row, *("" if cell is None else cell for cell in cells)]


if __name__ == "__main__":
    sys.exit(main())
