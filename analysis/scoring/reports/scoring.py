"""A dataset's metrics as their page shows them: descriptions, recipes, and differences of two
columns."""

from collections.abc import Iterable, Mapping
from typing import Any

from analysis.reports.making import describe_making
from analysis.reports.numerals import or_dash

ABOUT = {
    "bleu_1": "words shared with a reference, with a penalty for being short",
    "bleu_2": "the same for words and pairs of words",
    "bleu_3": "the same up to three words in a row",
    "bleu_4": "the same up to four words in a row, as COCO's sentence BLEU",
    "rouge_l": "the longest run of words in the same order, F with beta 1.2",
    "nist": "shared word sequences, weighted by how rare they are in the whole dataset",
    "meteor": "exact, stem, synonym and paraphrase matches (METEOR 1.5, by its Java program)",
    "answerability": "question words, entities, content and function words shared with a reference",
    "sacrebleu": "sentence BLEU of the library sacrebleu, with its signature",
    "chrf": "shared character sequences, by sacrebleu",
    "rouge_score_1": "single words shared, F1, as the package rouge-score has it",
    "rouge_score_2": "pairs of words shared, F1, as the package rouge-score has it",
    "rouge_score_l": "the longest run of words in the same order, F1, as the package rouge-score has it",
    "nltk_bleu": "sentence BLEU as NLTK has it",
    "nltk_meteor": "exact and stem matches, as NLTK has METEOR where no WordNet is installed",
    "bertscore": "nearness of words in a transformer's space",
    "moverscore": "how far words must be moved in a transformer's space",
    "answer_consistency_f1": "words shared by the given answer and the one a local model reads out of the passage",
    "answer_consistency_em": "whether these two answers are the same, articles and punctuation aside",
    "answer_probability": "how probable it is, by a local model, that the passage answers the question",
    "corpus_bleu_4": "counts of all questions of a system added up before the formula",
    "corpus_nist": "counts of all questions of a system added up before the formula",
    "self_bleu_2": "likeness of a set's questions to each other; needs no reference",
    "cardinality_difference": "references minus questions",
    "cardinality_error": "how far the number of questions is from that of references",
    "type_ratio": "share of question types that a set has",
    "type_balance": "how evenly a set spreads over question types",
    "exact_duplicates": "questions that repeat an earlier one of their set",
    "near_duplicates": "questions much like an earlier one of their set",
}


def describe_metric(id: str, origin: str) -> str:
    """Return a description of a metric; for a plug-in, the package that provides it."""
    if id in ABOUT:
        return ABOUT[id]
    return (
        "a combination that papers print" if origin == "built in" else f"from the package {origin}"
    )


def describe_column(row: Any) -> dict[str, Any]:
    """Return a column of scores with how it was made in words."""
    return {"row": row, "how": describe_making(row.made), "told": column_remarks(row)}


def column_remarks(row: Any) -> list[str]:
    """Return remarks from the details of a column's scores: facts about some values that a reader
    must know."""
    counts = {
        "uncased": "without capitals, so entities are not told",
        "truncated": "cut at the model's longest text",
        "unknown": "with word pieces that the model does not know",
        "empty": "of an empty question",
    }
    found = [f"{n:,} {words}" for name, words in counts.items() if (n := getattr(row, name, 0))]
    signature = getattr(row, "signature", None)
    return [*found, *([signature] if signature else [])]


def fit(found: Any) -> dict[str, Any]:
    """Return how near a recipe comes to an imported column, in words."""
    return {
        "id": found.id,
        "name": found.name,
        "how": describe_making(
            {"preparation": {"hypothesis": found.hypothesis, "reference": found.reference}}
        ),
        "share": f"{100 * found.share:.4g}%",
        "mean": f"{found.mean:.3g}",
        "n": found.n,
        "divided": found.divided,
        "setting": found.setting,
        "is_it": found.is_it,
    }


def duration(seconds: float) -> str:
    """Write an estimated time in a rounded, readable form."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def describe_estimate(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return an estimate's total and rows, times written out."""
    rows = [
        {**row, "time": "" if row["seconds"] is None else duration(row["seconds"])}
        for row in result["rows"]
    ]
    return {"total": duration(result["seconds"] or 0.0), "rows": rows}


def describe_comparison(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a comparison with its numbers written out."""
    if not found["n"]:
        return dict(found)
    written = {name: or_dash(found[name]) for name in ("pearson", "spearman")}
    if found["comparable"]:
        written |= {name: f"{found[name]:.3g}" for name in ("largest", "mean", "tolerance")}
        written["share"] = f"{100 * found['share']:.4g}%"
    return {**found, **written, "rows": [_written(row) for row in found["rows"]]}


def _written(row: Mapping[str, Any]) -> dict[str, Any]:
    numbers = {name: f"{row[name]:.6g}" for name in ("first", "second", "difference")}
    return {**row, **numbers}


def failures(found: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Return what could not be computed and why."""
    return sorted(found.items())
