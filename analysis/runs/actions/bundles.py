"""A run's data, settings and expected tables, from which `recompute.py` computes the tables again,
and the descriptions of these files for people, Hugging Face and programs."""

import csv
import hashlib
import io
import json
import mimetypes
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan
from pathlib import Path
from typing import Any

import yaml
from django.template.loader import render_to_string

from analysis import frames, sections
from analysis.models import Run
from analysis.reports.metric_names import metric_names
from analysis.runs.actions import runs
from analysis.sections.rule_application import has_set_rules
from judging.base.limits import MAX_RATING_CELLS, MAX_SWAPPED_MEANS
from judging.campaigns import hypotheses
from judging.campaigns.actions import locked_plans
from judging.campaigns.models.members import Exclusion
from judging.datasets.models.score import Metric
from judging.formats.recipes.writers import ITEM
from judging.imports.actions import exports, study_tables
from judging.imports.actions.study_tables import PLACE, Row
from judging.protocols import documents
from judging.protocols.protocol_schema import ProtocolDocument, without_criteria

SCRIPT = Path(__file__).resolve().parents[1] / "recompute.py"
RECOMPUTED = (
    *("agreement", "systems", "system_comparisons"),
    *("ceiling", "correlations", "metric_comparisons"),
)
NOT_RECOMPUTED = ("sets", "whole_systems")  # levels of correlations
DATA = ("items", "judgments", "scores")
NUMBERS = ("position", "value", "answer_start", "mark_start", "mark_end")
ADJUSTED, ADJUSTED_BY = "judgment:adjusted", "judgment:adjusted_by"
# columns that may name systems, beside texts
NAMING = ("system", "first", "second", "question_id", "metric", "better", "other")
FROM_FILES = ("attribute:", "judgment:")
CROISSANT_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject"),
    *("fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField"),
    *("path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
CROISSANT_CONTEXT = {  # the one that MLCommons' validator expects
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{term: f"cr:{term}" for term in CROISSANT_TERMS},
}
MEDIA_TYPES = {".parquet": "application/vnd.apache.parquet", ".yaml": "application/yaml"}
CRATE_CONTEXT = ("https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"})


class SystemNames:
    """The pseudonyms of systems in a bundle; without any, systems have their names.

    Pseudonyms are in the order of the names, in which tests draw their random numbers.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Take the names that are to be hidden."""
        ordered = sorted(names)
        width = len(str(len(ordered)))
        self.shown = {name: f"System {n:0{width}}" for n, name in enumerate(ordered, 1)}
        # a name of one letter is in every text
        words = sorted((name for name in ordered if len(name) > 1), key=len, reverse=True)
        pattern = "|".join(map(re.escape, words)) or "(?!)"
        self.pattern = re.compile(rf"(?<![^\W_])({pattern})(?![^\W_])")

    def hide(self, value: Any) -> Any:
        """Return a value of JSON with pseudonyms for names of systems, also inside texts."""
        if isinstance(value, str):
            name = self.shown.get(value)
            return name or self.pattern.sub(lambda found: self.shown[found[0]], value)
        if isinstance(value, list | tuple):
            return [self.hide(item) for item in value]
        if isinstance(value, Mapping):
            return {self.shown.get(key, key): self.hide(item) for key, item in value.items()}
        return value

    def in_row(self, row: Row) -> Row:
        """Return a row of data with pseudonyms; the texts that were judged are as they are."""
        naming = [name for name in row if name in NAMING or name.startswith(FROM_FILES)]
        return {**row, **{name: self.hide(row[name]) for name in naming}} if self.shown else row


@dataclass(frozen=True)
class WrittenFile:
    """A file of a bundle as its descriptions name it: size, hash, and columns of a table."""

    size: int
    sha256: str
    columns: list[str]


class Bundle:
    """The data of one run under names for its systems; `written` has every file so far."""

    def __init__(self, run: Run, names: SystemNames) -> None:
        self.run, self.names, self.campaign = run, names, run.campaign
        self.settings = {**runs.DEFAULTS, **run.parameters}
        self.tables = runs.StoredTables(run)
        self.title, self.licence = names.hide(self.campaign.title), self.campaign.dataset.licence
        self.date = f"{run.created_at:%Y-%m-%d}"
        self.citation = (
            f"{self.title}, report of run {run.number}, made by Quaestor on {self.date}. "
            f"Input: SHA-256 {run.input_sha256}."
        )
        self.written: dict[str, WrittenFile] = {}

    def record(self, name: str, content: bytes) -> tuple[str, bytes]:
        """Return a file with its name, after it was noted in `written`."""
        is_table = name.startswith("data/") and name.endswith(".csv")
        header = _header(content) if is_table else []
        self.written[name] = WrittenFile(len(content), hashlib.sha256(content).hexdigest(), header)
        return name, content

    def data_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield items, judgments and scores as CSV, and as Parquet if pyarrow is installed."""
        tables = self._items(), self._judgments(), self._scores()
        for name, lines in zip(DATA, tables, strict=True):
            content = "".join(lines).encode()
            yield f"data/{name}.csv", content
            yield from _parquet(f"data/{name}.parquet", content)

    def _items(self) -> Iterator[str]:
        clusters = frames.shared_clusters(self.campaign, self.settings["clusters"])
        return study_tables.item_lines(self.campaign, clusters, self.names.in_row)

    def _judgments(self) -> Iterator[str]:
        adjusted = self._adjusted() if self.adjusts else {}

        def change(row: Row) -> Row:
            key = (row[ITEM], row["annotator"], row.get("criterion", ""))
            return self.names.in_row({**adjusted.get(key, {}), **row})

        return study_tables.judgment_lines(
            self.campaign,
            change,
            extras=self.settings["extras"],
            adjudicated=self.settings["adjudicated"],
            further=(ADJUSTED, ADJUSTED_BY) if self.adjusts else (),
            added=[row for row in adjusted.values() if "value" not in row],
        )

    def _scores(self) -> Iterator[str]:
        return study_tables.score_lines(self.campaign, self._names_of_metrics, self.names.in_row)

    @cached_property
    def adjusts(self) -> bool:
        """Whether systems and metrics are measured by other values than annotators gave."""
        by_rule = self.settings["reading"] == "by_protocol" and has_set_rules(self._protocol)
        return bool(self.settings["adjudicated"]) or by_rule

    def _adjusted(self) -> dict[tuple[int, str, str], Row]:
        """Return, by item, annotator and criterion, the values that systems and metrics are measured
        by; without "value" where a rule gives one that the annotator did not."""
        _read, inputs = runs.read_inputs(self.run, self.settings, {})
        keys = ["unit", "annotator", "criterion"]
        given = inputs.said.judgments.set_index(keys)["value"].to_dict()
        counted = inputs.counted.judgments.set_index(keys)["value"].to_dict()
        unruled = {*inputs.differing.judgments.set_index(keys).index}
        places = inputs.said.slots.set_index("unit")[["source", "system", "position"]]
        found: dict[tuple[int, str, str], Row] = {}
        keys_of_all: Any = given | counted
        for key in keys_of_all:
            said, value = given.get(key, nan), counted.get(key, nan)
            by = "" if key in unruled else "rule"
            if not by and said != value and not isnan(value):
                by = "adjudication"
            row = {ADJUSTED: "" if isnan(value) else f"{value:g}", ADJUSTED_BY: by}
            if key in given:
                found[key] = row | {"value": said}
            else:
                place = (key[0], *places.loc[key[0]])
                found[key] = row | dict(zip((*PLACE, *keys[1:]), (*place, *key[1:]), strict=True))
        return found

    def plan_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield settings, protocol, codebook and plan. A protocol that names a hidden system is left
        out with its codebook."""
        yield "run.json", _json(self._settings())
        protocol = documents.write_yaml(self.campaign.protocol.document)
        if not self.names.pattern.search(protocol):
            yield "protocol.yaml", protocol.encode()
            yield "codebook.csv", exports.codebook_csv(campaign=self.campaign).encode()
        if self.campaign.locked_plan:
            yield "plan.json", _json(self.names.hide(self.campaign.locked_plan))

    def _settings(self) -> Row:
        """Return what `recompute.py` needs to know of the run, and how the run was made."""
        settings = self.settings
        standing = Exclusion.objects.standing().filter(enrollment__campaign=self.campaign)
        excluded = () if settings["with_excluded"] else standing.values_list("enrollment__label")
        plan = locked_plans.read_locked_plan(self.campaign)["hypotheses"]
        omitted: dict[str, list[str]] = {"system_comparisons": [], "metric_comparisons": []}
        for row in self.tables.get("omitted_tables", []):
            omitted.setdefault(row["table"], []).append(row["part"])
        kept = ("design", "resamples", "items", "clusters", "reading")
        return {
            "campaign": self.title,
            "run": self.run.number,
            "seed": self.run.seed,
            **{name: settings[name] for name in kept},
            "adjusts": self.adjusts,
            "without_systems": self.names.hide(settings["without_systems"]),
            "without_annotators": [*settings["without_annotators"], *(row[0] for row in excluded)],
            "criteria": [
                {
                    **{
                        name: getattr(each, name)
                        for name in ("key", "level", "best", "unit", "asked")
                    },
                    "averaged": each.is_averaged,
                    "scale": list(each.values()),
                    "missing": [point.value for point in each.points if point.missing],
                }
                for each in self._protocol.criteria
            ],
            "metrics": list(self._metrics()),
            "corrected_together": hypotheses.hypotheses_from_document(plan).corrected_together,
            "omitted": omitted,
            "most_cells": MAX_RATING_CELLS,
            "most_swapped": MAX_SWAPPED_MEANS,
            "notes": self.notes,
            "versions": self.run.versions,
            "input_sha256": self.run.input_sha256,
            "plan_sha256": self.campaign.locked_digest,
            "protocol": [self._protocol.key, self._protocol.version],
        }

    @cached_property
    def notes(self) -> list[str]:
        """Which numbers are not computed again, and which may differ."""
        found = []
        rows = [row for row in self.tables.get("correlations", []) if _is_skipped(row)]
        if rows:
            found.append(
                f"{len(rows)} correlations of scores of question sets, or of whole systems, are not "
                "computed again."
            )
        if changed := runs.changed_since(self.run):
            found.append(f"Since the run these have changed: {', '.join(changed)}.")
        return found

    @cached_property
    def _protocol(self) -> ProtocolDocument:
        protocol, without = frames.protocol_of(self.campaign), self.settings["without_criteria"]
        return without_criteria(protocol, without) if without else protocol

    @cached_property
    def _names_of_metrics(self) -> dict[int, str]:
        return metric_names(tuple(self.campaign.dataset.metrics.order_by("pk")))

    def _metrics(self) -> Iterator[Row]:
        """Yield the metrics of the tables in their order, with their names in scores and tables."""
        rows = self.tables.get("metric_definitions", [])
        of_run = [row["fingerprint"] for row in rows if row["fingerprint"] and not row["same_as"]]
        metrics = tuple(self.campaign.dataset.metrics.filter(fingerprint__in=of_run).order_by("pk"))
        names = metric_names(metrics)
        for metric in metrics:
            is_human = metric.kind == Metric.Kind.HUMAN_MEAN
            name = f"{metric.name} (imported mean)" if is_human else names[metric.pk]
            yield {
                "scores": self.names.hide(self._names_of_metrics[metric.pk]),
                "name": self.names.hide(name),
                "kind": "human_mean" if is_human else "metric",
                "direction": metric.direction,
            }

    def expected_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the numbers of the tables that `recompute.py` computes."""
        for name in RECOMPUTED:
            section = sections.section_of(name)
            rows = [row for row in self.tables.get(name, []) if not _is_skipped(row)]
            if section is not None and rows:
                columns = [row.name for row in section.columns() if row.kind in ("number", "count")]
                text = io.StringIO()
                writer = csv.DictWriter(text, [*section.identity, *columns], extrasaction="ignore")
                writer.writeheader()
                writer.writerows(map(self.names.in_row, rows))
                yield f"expected/{name}.csv", text.getvalue().encode()

    def card(self) -> bytes:
        """Return the README, which is a dataset card of Hugging Face."""
        tables = [{"config_name": name, "data_files": f"data/{name}.csv"} for name in DATA]
        front = {
            "pretty_name": self.title,
            "license": "other" if self.licence else "unknown",
            "license_name": self.licence or None,
            "language": [self.campaign.dataset.language],
            "tags": ["human-evaluation", "question-generation"],
            "configs": [{**tables[0], "default": True}, *tables[1:]],
        }
        written = yaml.safe_dump(front, sort_keys=False, allow_unicode=True)
        dataset = self.names.hide(self.campaign.dataset.name)
        context = {"front": written, "bundle": self, "run": self.run, "dataset": dataset}
        context["protocol"] = self.names.hide(self._protocol.title)
        context["library"] = self.run.versions.get("quaestor-stats", "")
        return render_to_string("analysis/runs/bundle.md", context).encode()

    def croissant(self) -> bytes:
        """Return the description of the three tables in MLCommons' Croissant 1.0."""
        tables = {name: self.written[f"data/{name}.csv"] for name in DATA}
        return _json(
            {
                "@context": CROISSANT_CONTEXT,
                "@type": "sc:Dataset",
                "conformsTo": "http://mlcommons.org/croissant/1.0",
                "name": self.title,
                "description": f"Items, judgments and scores of {self.title}.",
                "license": self.licence or "not stated",
                "datePublished": self.date,
                "version": f"{self.run.number}.0.0",
                "citeAs": self.citation,
                "distribution": [
                    {
                        "@type": "cr:FileObject",
                        "@id": f"{name}.csv",
                        "name": f"{name}.csv",
                        "contentUrl": f"data/{name}.csv",
                        "contentSize": f"{table.size} B",
                        "encodingFormat": "text/csv",
                        "sha256": table.sha256,
                    }
                    for name, table in tables.items()
                ],
                "recordSet": [
                    {
                        "@type": "cr:RecordSet",
                        "@id": name,
                        "name": name,
                        "field": [_croissant_field(name, column) for column in table.columns],
                    }
                    for name, table in tables.items()
                ],
            }
        )

    def crate(self) -> bytes:
        """Return the description of the run and of all files in RO-Crate 1.1."""
        inputs = [path for path in self.written if path.startswith("data/") or path == "run.json"]
        graph: list[Row] = [
            {
                "@id": "ro-crate-metadata.json",
                "@type": "CreativeWork",
                "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
                "about": {"@id": "./"},
            },
            {
                "@id": "./",
                "@type": "Dataset",
                "name": self.title,
                "description": self.citation,
                "datePublished": self.date,
                "license": self.licence or "not stated",
                "hasPart": _references(self.written),
                "mentions": {"@id": "#run"},
            },
            {
                "@id": "#run",
                "@type": "CreateAction",
                "name": f"Run {self.run.number} of {self.title}",
                "description": f"The SHA-256 of its input is {self.run.input_sha256}.",
                "endTime": self.run.created_at.isoformat(timespec="seconds"),
                "instrument": _references(f"#{program}" for program in self.run.versions),
                "object": _references([*inputs, "#seed"]),
                "result": _references(path for path in self.written if path not in inputs),
            },
            {"@id": "#seed", "@type": "PropertyValue", "name": "seed", "value": self.run.seed},
        ]
        for program, version in self.run.versions.items():
            about = {"name": program, "version": version}
            graph.append({"@id": f"#{program}", "@type": "SoftwareApplication", **about})
        for path, file in self.written.items():
            guessed = mimetypes.guess_type(path)[0] or "text/plain"
            media_type = MEDIA_TYPES.get(Path(path).suffix, guessed)
            about = {"contentSize": str(file.size), "encodingFormat": media_type}
            graph.append({"@id": path, "@type": "File", **about, "sha256": file.sha256})
        return _json({"@context": CRATE_CONTEXT, "@graph": graph})


def _references(ids: Iterable[str]) -> list[Row]:
    return [{"@id": each} for each in ids]


def _is_skipped(row: Row) -> bool:
    return row.get("level") in NOT_RECOMPUTED


def _croissant_field(table: str, column: str) -> Row:
    data_type = "sc:Integer" if column == ITEM else "sc:Float" if column in NUMBERS else "sc:Text"
    source = {"fileObject": {"@id": f"{table}.csv"}, "extract": {"column": column}}
    about = {"name": column, "dataType": data_type, "source": source}
    return {"@type": "cr:Field", "@id": f"{table}/{column}", **about}


def _header(content: bytes) -> list[str]:
    """Return the names of the columns of a CSV."""
    return next(csv.reader(io.StringIO(content.decode(), newline="")))


def _parquet(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a CSV as Parquet with its texts as texts, if pyarrow is installed."""
    try:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv
        from pyarrow import parquet
    except ImportError:
        return
    numbers = {ITEM: pa.int64(), **dict.fromkeys(NUMBERS, pa.float64())}
    options = arrow_csv.ConvertOptions(
        column_types={column: numbers.get(column, pa.string()) for column in _header(content)},
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )
    table = arrow_csv.read_csv(
        io.BytesIO(content),
        read_options=arrow_csv.ReadOptions(block_size=len(content)),  # a row fits into one block
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=options,
    )
    written = io.BytesIO()
    parquet.write_table(table, written)
    yield name, written.getvalue()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()
