"""The published studies we know: how their files are read, what was printed, and how we compute the
same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis import frames
from analysis.actions.site_metrics import registry
from analysis.frames import Material, aligned
from analysis.reports.numerals import briefly
from analysis.reports.rows import number
from analysis.sections.aggregates import AggregateRow, Aggregates
from analysis.sections.agreement import of_table
from analysis.sections.coverage import Coverage
from analysis.sections.section import Found, Inputs, chance_of
from analysis.sections.systems import means_of
from judging.imports import child
from judging.imports.frames import Unreadable, shorten
from judging.imports.mapping import Column, mapping_from
from judging.imports.mapping import Mapping as FileMapping
from judging.imports.preview import pseudonym_key
from judging.models import Metric
from quaestor_metrics import Preparation, ScoredQuestion, score_items
from quaestor_stats._cohen_kappa import WEIGHTS, kappa_matrix
from quaestor_stats._correlation import correlate
from quaestor_stats._design import Design
from quaestor_stats._inputs import FloatArray
from quaestor_stats._williams import williams_matrix

if TYPE_CHECKING:
    import pandas as pd

Numbers = dict[str, Any]
QGSTEC_SHA256 = "3750628e81f3361746da4daf42518dc1eb626e921b1b81f96825fb67aeb071dc"
NEMA_SQUAD_SHA256 = "eb94149027963d7afa56b6f7ad88d129fceb8601dfb4920fe1732f6a5238b8fb"
QGSTEC_PLUS_QUESTIONS, QGSTEC_PLUS_RATERS = (896, 1_032), 3  # without and with a fifth system
# The columns of the released table, each by its names; the first three are required
QGSTEC_PLUS_COLUMNS = {
    "system": ("Submitter",),
    "target_type": ("Target",),
    "question": ("Question", "Generated Question"),
    "sentence": ("Statement", "Sentence"),
    "key": ("uid",),
}
QGSTEC_PLUS_REQUIRED = ("system", "target_type", "question")
# Beginnings of the names of rating columns: in the release Rel_1, QT_1, Cor_1, Amb_1 and Var_1
QGSTEC_PLUS_CRITERIA = {
    "relevance": "rel(evance)?",
    "questionType": "qt|question ?type",
    "correctness": "cor(rectness)?",
    "ambiguity": "amb(iguity)?",
    "variety": "var(iety)?",
}
QGEVAL_QUESTIONS, QGEVAL_SYSTEMS, QGEVAL_RATERS = 3_000, 15, 3
RELEASED_AS = {"Bleu_4": "bleu_4", "ROUGE_L": "rouge_l"}
LITERAL = "per_rating_all_remaining"
QGBENCH_QUESTIONS, QGBENCH_RATERS = 3_000, 5
EXPECTED_AT_FIRST = 100  # questions in a set, before those of the release are counted
RELEASED = "released.txt"  # the name under which a released file is read
NOISED = "noised"  # the system of questions that somebody made worse
UNSAID = ("score", "rating")  # criteria of columns such as “User Score 1”, which name none


@dataclass(frozen=True)
class Published:
    """A study in print: how its files are read, by which protocol, what was published, and why the
    computed numbers may differ."""

    key: str
    title: str
    rubric: str
    numbers: Mapping[str, Any]
    # Notes on what was read, and on the published numbers that are printed beside it
    notes: Callable[[Material, Numbers], tuple[str, ...]]
    computed: Callable[[Material], Numbers]
    # How the only file of a study is read; None: the study is any number of files, read as uploads are
    mapping: Callable[[bytes], FileMapping] | None = None
    # The column that names the system, if its name does not say so
    system_column: str = ""
    # Splits a system's name into the subset that its questions come from and the system
    subset_separator: str = ""
    released_sha256: str = ""
    # The parts of `numbers` that hold for this material
    belongs: Callable[[Material], frozenset[str]] | None = None

    def printed(self, read: Material, hashes: Sequence[str]) -> Numbers:
        """Return the numbers published for exactly these data; none for other data in the same
        format."""
        if self.belongs is not None:
            parts = self.belongs(read)
            return {part: numbers for part, numbers in self.numbers.items() if part in parts}
        return dict(self.numbers) if list(hashes) == [self.released_sha256] else {}


def _agreement(read: Material) -> dict[str, Numbers]:
    """Return every coefficient by criterion: percent_agreement, krippendorff_alpha_LEVEL,
    fleiss_kappa."""
    found: dict[str, Numbers] = {}
    for criterion in read.rubric.criteria:
        for row in of_table(read.ratings(criterion.key).to_numpy(), criterion):
            name = row.coefficient + (
                f"_{row.level}" if row.coefficient == "krippendorff_alpha" else ""
            )
            found.setdefault(row.criterion, {}).setdefault(name, number(row.estimate.value))
    return found


def _qgstec(read: Material) -> Numbers:
    """Return agreement, the protocol's aggregate, what it is summed from, and its other
    readings."""
    inputs = Inputs(said=read, counted=read, design=Design(), settings={}, failures={})
    nothing, chance = (
        Found({}),
        chance_of("published", seed=1, resamples=0, step=lambda message: None),
    )
    rows = Aggregates().compute(inputs, nothing, chance)
    by_system: Numbers = {}
    for mean in means_of(read):
        by_system.setdefault(mean.system, {})[mean.criterion] = number(mean.mean.value)
    return {
        "agreement": _agreement(read),
        "aggregate": _nested(
            [row for row in rows if _form(row) == LITERAL and not row.criterion], "reading"
        ),
        "sums": _nested([row for row in rows if not _form(row)], "reading", each="criterion"),
        "fatal_rule": _nested(
            [row for row in rows if _form(row) and not row.criterion], "reading", "form"
        ),
        "mean_returned": by_system,
        "returned": {
            row.system: row.returned for row in Coverage().compute(inputs, nothing, chance)
        },
    }


def _form(row: AggregateRow) -> str:
    """Name a form of the fatal rule; empty where it is not applied."""
    return f"{row.fatal_applied}_{row.fatal_others}" if row.fatal_applied else ""


def _nested(rows: Sequence[AggregateRow], *path: str, each: str = "") -> Numbers:
    """Return aggregates by the names on the path, then by system, and where asked by criterion."""
    tree: Numbers = {}
    for row in rows:
        branch = tree
        for name in (*path, "system") if each else path:
            branch = branch.setdefault(_form(row) if name == "form" else getattr(row, name), {})
        branch[(row.criterion or "total") if each else row.system] = number(row.aggregate)
    return tree


def _nema(read: Material) -> Numbers:
    found = _agreement(read)
    for criterion in read.rubric.criteria:
        table = read.ratings(criterion.key).to_numpy()
        kappas = {
            f"cohen_kappa_{w}": kappa_matrix(table, scale=criterion.values(), weights=w).mean
            for w in WEIGHTS
        }
        r = {"pearson": _mean_r(table, "pearson"), "spearman": _mean_r(table, "spearman")}
        found[criterion.key] |= {name: number(value) for name, value in (kappas | r).items()}
    return {"agreement": found}


def _qgbench(read: Material) -> Numbers:
    """Return agreement where single ratings are there, and means and Spearman's rho where means and
    scores are."""
    human, scores = _human(read), _scores(read)
    return {
        **_human_and_scores(read),
        "metrics": _recomputed(read) if scores and frames.references(read.campaign) else {},
        **_matrices(
            human,
            {metric: _oriented(read, metric) for metric in read.metrics if metric.name in scores},
        ),
    }


def _human_and_scores(read: Material) -> Numbers:
    """Return agreement, Spearman's rho of criteria with metrics, and the means of systems."""
    human, scores = _human(read), _scores(read)
    return {
        "agreement": _agreement(read) if len(read.judgments) else {},
        "spearman": {
            name: {
                metric: number(correlate(values, score).value) for metric, score in scores.items()
            }
            for name, values in human.items()
            if scores
        },
        "system_mean": _means_of(human, read.questions["system"]),
    }


def _human(read: Material) -> dict[str, FloatArray]:
    """Return the mean human rating of each question by criterion, as released or from ratings."""
    human = {
        metric.name: _column(read, metric)
        for metric in read.metrics
        if metric.kind == Metric.Kind.HUMAN_MEAN
    }
    return human | {
        criterion: aligned(read.questions["unit"], read.human(criterion))
        for criterion in read.judgments["criterion"].unique()
    }


def _scores(read: Material) -> dict[str, FloatArray]:
    """Return the score of each question by released metric."""
    return {
        metric.name: _column(read, metric)
        for metric in read.metrics
        if metric.kind == Metric.Kind.IMPORTED
    }


def _oriented(read: Material, metric: Metric) -> FloatArray:
    """Return a column of which more is better."""
    return _column(read, metric) * (-1 if metric.direction == Metric.Direction.LOWER else 1)


def _matrices(human: Mapping[str, FloatArray], scores: Mapping[Metric, FloatArray]) -> Numbers:
    """Return Spearman's rho of all pairs of metrics and of criteria, and Williams' p of each two
    metrics.

    The p is over the questions that have all of them, and on ranks, as published studies of metrics
    have it. QG-Bench prints the one-sided p for the metric that is higher.
    """
    named = {metric.name: values for metric, values in scores.items()}
    return {
        "spearman_metrics": _pairs(named),
        "spearman_criteria": _pairs(human),
        **{
            f"williams_p_{sides}": {
                name: _williams(values, named, share=share)
                for name, values in human.items()
                if len(named) > 1
            }
            for sides, share in (("two_sided", 1.0), ("one_sided", 0.5))
        },
    }


def _pairs(columns: Mapping[str, FloatArray]) -> Numbers:
    found: Numbers = {}
    for first, second in combinations(columns, 2):
        found.setdefault(first, {})[second] = number(
            correlate(columns[first], columns[second]).value
        )
    return found


def _williams(human: FloatArray, scores: Mapping[str, FloatArray], *, share: float) -> Numbers:
    """Return the share of the two-sided p: half of it is the one-sided p of the higher metric."""
    try:
        _, p = williams_matrix(human, np.column_stack(list(scores.values())), method="spearman")
    except ValueError:
        return {}  # fewer than four questions have all
    found: Numbers = {}
    for (i, first), (j, second) in combinations(enumerate(scores), 2):
        found.setdefault(first, {})[second] = number(share * float(p[i, j]))
    return found


def _whole_qgbench(read: Material) -> frozenset[str]:
    """Return the published parts that apply: all are based on 3,000 questions, and the agreement
    on five ratings of each."""
    if _questions_in_table(read) != QGBENCH_QUESTIONS:
        return frozenset()
    parts = {"system_mean", "spearman"}
    raters = read.judgments.groupby(["criterion", "unit"]).size()
    if len(raters) and (raters == QGBENCH_RATERS).all():
        parts.add("agreement")
    return frozenset(parts)


def _whole_qgstec_plus(read: Material) -> frozenset[str]:
    """Return what was published if these are its questions, with the ratings of its annotators."""
    is_whole = len(_given(read)) in QGSTEC_PLUS_QUESTIONS
    return frozenset({"agreement"} if is_whole and _raters(read) == QGSTEC_PLUS_RATERS else ())


def _whole_qgeval(read: Material) -> frozenset[str]:
    """Return what was published if these are its questions, with the ratings of its annotators."""
    is_whole = len(_given(read)) == QGEVAL_QUESTIONS
    is_whole = is_whole and read.questions["system"].nunique() == QGEVAL_SYSTEMS
    return frozenset({"agreement"} if is_whole and _raters(read) == QGEVAL_RATERS else ())


def _questions_in_table(read: Material) -> int:
    """Return how many questions the table of scores has; without a table, how many were rated.

    Batches can add questions of a system that the table has under another answer.
    """
    released = [each for each in read.metrics if each.kind != Metric.Kind.COMPUTED]
    if not released:
        return len(_given(read))
    return int(np.isfinite(_column(read, released[0])).sum())


def _raters(read: Material) -> int:
    return int(read.judgments["annotator"].nunique())


def _given(read: Material) -> pd.DataFrame:
    """Return the questions that systems gave, without blank slots."""
    return read.questions[read.questions["text"].notna()]


def _column(read: Material, metric: Metric) -> FloatArray:
    return aligned(read.questions["unit"], read.score(metric))


def _means_of(human: Mapping[str, FloatArray], systems_of: pd.Series) -> dict[str, Numbers]:
    import pandas as pd

    means = {name: pd.Series(values).groupby(systems_of).mean() for name, values in human.items()}
    return {
        system: {name: number(float(column[system])) for name, column in means.items()}
        for system in sorted(systems_of.unique())
    }


def _recomputed(read: Material) -> Numbers:
    """Return how far BLEU-4 and ROUGE-L, computed here as their authors did, are from the released
    columns."""
    references, given = frames.references(read.campaign), _given(read)
    texts = zip(given["text"], given["source"], strict=True)
    batch = [ScoredQuestion(str(text), references.get(source, ())) for text, source in texts]
    found: Numbers = {}
    for metric in read.metrics:
        if metric.name in RELEASED_AS:
            ours = score_items(
                registry().get(RELEASED_AS[metric.name]),
                batch,
                preparation=Preparation("nqg", "raw"),
            )
            released = aligned(given["unit"], read.score(metric))
            gaps = np.abs(released - np.array([each.value for each in ours], dtype=np.float64))
            gaps = gaps[np.isfinite(released)]
            found[metric.name] = {
                "largest_difference": number(float(np.nanmax(gaps))),
                "within_1e-6": number(float((gaps < 1e-6).mean())),
            }
    return found


def _map_qgstec(content: bytes) -> FileMapping:
    """Map the release, where two questions are expected for a sentence and type; elsewhere as many
    as any system gave for one."""
    if hashlib.sha256(content).hexdigest() == QGSTEC_SHA256:
        return FileMapping(recipe="qgstec_xml")
    return _with_slots(content, FileMapping(recipe="qgstec_xml", expected=EXPECTED_AT_FIRST))


def _with_slots(content: bytes, mapping: FileMapping) -> FileMapping:
    """Expect of each system and source as many questions as any system gave for one."""
    study = child.study(name=RELEASED, data=content, mapping=mapping, key=pseudonym_key())
    positions = study["frames"]["questions"].get("position", ())
    return mapping.model_copy(update={"expected": max(positions, default=1)})


def _map_qgstec_plus(content: bytes) -> FileMapping:
    """Map the released XML, or the table with a column for each criterion and rater.

    Raises
    ------
    Unreadable
        If a column is missing; the message names it.
    """
    if content.lstrip().startswith(b"<"):
        return _map_qgstec(content)
    header = _look(content, FileMapping(recipe="table"))["header"]
    roles = {
        role: next((name for name in names if name in header), "")
        for role, names in QGSTEC_PLUS_COLUMNS.items()
    }
    columns = {name: Column(role=role) for role, name in roles.items() if name}  # type: ignore[arg-type]
    ratings = {name: rating for name in header if (rating := _rating_of_qgstec_plus(name))}
    missing = [QGSTEC_PLUS_COLUMNS[role][0] for role in QGSTEC_PLUS_REQUIRED if not roles[role]]
    missing += [] if ratings else ["Rel_1"]
    if missing:
        there = briefly([shorten(name) for name in header])
        raise Unreadable(f"The table has no column “{missing[0]}”. Its columns are: {there}.")
    return _with_slots(content, FileMapping(recipe="table", columns={**columns, **ratings}))


def _rating_of_qgstec_plus(name: str) -> Column | None:
    """Return the criterion and the rater in a column's name such as Rel_1."""
    for criterion, beginning in QGSTEC_PLUS_CRITERIA.items():
        if found := re.fullmatch(rf"(?:{beginning})[ _](?P<rater>\w+)", name, re.IGNORECASE):
            return Column(role="ratings", name=criterion, rater=found["rater"])
    return None


def _mean_r(table: FloatArray, method: Any) -> float:
    """Return the mean correlation over all pairs of raters; of two raters it is theirs."""
    pairs = combinations(range(table.shape[1]), 2)
    values = [correlate(table[:, i], table[:, j], method=method).value for i, j in pairs]
    return float(np.nanmean(values)) if values else float("nan")


def _map_nema(content: bytes) -> FileMapping:
    """Map any of the three released tables, whatever the names of the file and its raters.

    Raises
    ------
    Unreadable
        If a column that all three have is missing; the message names it.
    """
    look = _look(content, FileMapping(quoted=False))
    mapping = mapping_from(look["mapping"])
    ratings = mapping.of_role("ratings")
    question, has_gold = mapping.column("question"), bool(mapping.of_role("reference"))
    is_noised = mapping.system == NOISED  # by the name of the column of questions
    missing = [
        what
        for what, is_there in (
            (
                "the questions as they were (“Gold Question”)",
                has_gold or (question and not is_noised),
            ),
            (
                "the questions with noise (“Modified Question”)",
                question and (has_gold or is_noised),
            ),
            (
                "what two people or more said (“Answerability Score User 1”, “Answerability Score User 2”)",
                len({each.rater for each in ratings.values()}) > 1,
            ),
        )
        if not is_there
    ]
    if missing:
        there = briefly([shorten(name) for name in look["header"]])
        raise Unreadable(f"No column holds {'; nor '.join(missing)}. The table has: {there}.")
    named = {
        name: each.model_copy(update={"name": "answerability"})
        for name, each in ratings.items()
        if each.name in UNSAID
    }
    return mapping.model_copy(update={"columns": {**mapping.columns, **named}})


def _look(content: bytes, mapping: FileMapping) -> dict[str, Any]:
    """Return what a released file holds, read under limits like an upload."""
    return child.preview(name=RELEASED, data=content, mapping=mapping, key=pseudonym_key())


def _alphas(**values: float) -> dict[str, Numbers]:
    return {
        criterion: {"krippendorff_alpha_interval": value} for criterion, value in values.items()
    }


def _means(*rows: tuple[float, ...]) -> dict[str, dict[str, float]]:
    criteria = ("relevance", "questionType", "correctness", "ambiguity", "variety")
    return {
        system: dict(zip(criteria, row, strict=True))
        for system, row in zip("abcd", rows, strict=True)
    }


def _notes_on_qgstec(_read: Material, published: Numbers) -> tuple[str, ...]:
    of_the_release = (
        "Alpha was published by Godwin and Piwek (2016, Table 6) from a table of the ratings that they entered again "
        "with corrections and did not release; from the released file it differs by up to .004.",
        "The file holds question types of 3 and 31 on a scale from 1 to 2. They are in quarantine here. The "
        "published mean of system c, 1.19, was computed with the 31; without it the mean is 1.12.",
    )
    return (
        *(of_the_release if published else ()),
        "The paper does not say whether the fatal rule applies to each rating or to means, nor which criteria are the "
        "others. All readings are computed; none of them was published for this file.",
    )


def _notes_on_qgstec_plus(_read: Material, published: Numbers) -> tuple[str, ...]:
    of_the_release = (
        "Godwin and Piwek (2016) print these alphas; from the file that they released alpha is .807, .865, .845, .691 "
        "and .914.",
    )
    return (
        *(of_the_release if published else ()),
        "The paper says nothing about aggregates; those computed here follow the rules of QG-STEC 2010, Task B.",
    )


def _notes_on_qgeval(read: Material, published: Numbers) -> tuple[str, ...]:
    if published:
        return (
            "Ordinal alpha of the released ratings ranges from .2774 (fluency) to .7538. Only the value for fluency is "
            "printed beside the computed one, because the others were not available to this project by criterion.",
        )
    return (
        f"The published numbers rest on {QGEVAL_QUESTIONS:,} questions of {QGEVAL_SYSTEMS} systems, each rated by "
        f"{QGEVAL_RATERS} annotators; these have {len(_given(read)):,} questions of "
        f"{read.questions['system'].nunique():,} systems.",
    )


def _notes_on_nema(read: Material, _published: Numbers) -> tuple[str, ...]:
    weightings = (
        "The paper reports strong and moderate kappa and gives figures in a table that is not in the text we had. It "
        "does not say whether kappa is weighted, so all three weightings are computed and none is called published."
    )
    if read.campaign.collection.file_sha256 != NEMA_SQUAD_SHA256:
        return (weightings,)
    return (
        weightings,
        "The paper reports 1,000 questions for each dataset; the released SQuAD file has 897.",
    )


def _notes_on_qgbench(read: Material, published: Numbers) -> tuple[str, ...]:
    """Return notes that apply to these data: to a part of the release, to means or to single
    ratings."""
    notes, is_rated = [], len(read.judgments) > 0
    if not published:
        notes.append(
            f"The published numbers rest on {QGBENCH_QUESTIONS:,} questions; these have "
            f"{_questions_in_table(read):,}."
        )
    else:
        notes.append(
            "The paper's Table 6 interchanges the headings of grammaticality and understandability, and of ROUGE-L and "
            "METEOR, as its released rows show. The published values are printed here under the right names."
        )
    if not is_rated:
        notes.append(
            "The file holds means over annotators and no single ratings, so no agreement can be computed from it."
        )
    elif published and "agreement" not in published:
        notes.append(
            f"The published agreement rests on {QGBENCH_RATERS} ratings of each question; some questions here have "
            "another number."
        )
    if is_rated and all(len(system) == 1 for system in read.questions["system"].unique()):
        notes.append("The crowd-work files name the systems by letters.")
    return tuple(notes)


QGSTEC = Published(
    key="qgstec2010",
    title="QG-STEC 2010, Task B",
    rubric="qgstec2010-b",
    mapping=_map_qgstec,
    numbers={
        "agreement": _alphas(
            relevance=0.25, questionType=0.323, correctness=0.409, ambiguity=0.334, variety=0.348
        ),
        "mean_returned": _means(
            (1.61, 1.13, 2.06, 1.52, 1.78),
            (1.17, 1.06, 1.75, 1.30, 2.08),
            (1.68, 1.19, 2.44, 1.76, 1.86),
            (1.74, 1.05, 2.64, 1.96, 1.76),
        ),
        "returned": {"a": 354, "b": 165, "c": 209, "d": 168},
    },
    notes=_notes_on_qgstec,
    released_sha256=QGSTEC_SHA256,
    computed=_qgstec,
)
NEMA = Published(
    key="nema2018",
    title="Nema and Khapra 2018",
    rubric="nema-khapra",
    mapping=_map_nema,
    numbers={},
    notes=_notes_on_nema,
    released_sha256=NEMA_SQUAD_SHA256,
    computed=_nema,
)
QGBENCH = Published(
    key="qgbench",
    title="QG-Bench, manual evaluation",
    rubric="qgbench",
    numbers={
        "agreement": {
            "grammaticality": {"fleiss_kappa": 0.30},
            "understandability": {"fleiss_kappa": 0.36},
            "correctness": {"fleiss_kappa": 0.61},
        },
        "spearman": {
            "correctness": {
                "Bleu_4": 0.33544,
                "ROUGE_L": 0.36450,
                "METEOR": 0.40540,
                "BERTScore": 0.34450,
                "MoverScore": 0.39355,
            }
        },
        "system_mean": {
            "T5 Large": {"correctness": 2.80, "grammaticality": 2.95, "understandability": 2.93},
            "T5 Small": {"correctness": 2.51, "grammaticality": 2.90, "understandability": 2.83},
            "BART Large": {"correctness": 2.70, "grammaticality": 2.93, "understandability": 2.89},
            "T5 Large (No Passage)": {
                "correctness": 2.47,
                "grammaticality": 2.95,
                "understandability": 2.91,
            },
            "T5 Large (No Answer)": {
                "correctness": 2.46,
                "grammaticality": 2.95,
                "understandability": 2.91,
            },
            "LSTM": {"correctness": 1.21, "grammaticality": 2.63, "understandability": 2.35},
        },
    },
    notes=_notes_on_qgbench,
    computed=_qgbench,
    belongs=_whole_qgbench,
)
QGSTEC_PLUS = Published(
    key="qgstec-plus",
    title="QG-STEC+",
    rubric="qgstec-plus",
    mapping=_map_qgstec_plus,
    numbers={
        "agreement": _alphas(
            relevance=0.806, questionType=0.859, correctness=0.838, ambiguity=0.688, variety=0.904
        ),
    },
    notes=_notes_on_qgstec_plus,
    computed=_qgstec,
    belongs=_whole_qgstec_plus,
)
QGEVAL = Published(
    key="qgeval",
    title="QGEval",
    rubric="qgeval",
    numbers={"agreement": {"fluency": {"krippendorff_alpha_ordinal": 0.2774}}},
    notes=_notes_on_qgeval,
    computed=_human_and_scores,
    system_column="source",
    subset_separator="_",
    belongs=_whole_qgeval,
)
STUDIES = {study.key: study for study in (QGSTEC, QGSTEC_PLUS, NEMA, QGBENCH, QGEVAL)}
