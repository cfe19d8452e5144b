"""Descriptions in words of how metrics and runs were made."""

from collections.abc import Mapping
from typing import Any

from analysis.reports.numerals import format_list, two
from analysis.reports.rows import Record

KINDS = {
    "imported": "imported",
    "computed": "computed here",
    "human_mean": "mean human score, imported",
    "not computed": "not computed",
}
PREPARATIONS = {
    "raw": "left as they are",
    "lower": "lower-cased",
    "nqg": "normalised as QG-Bench does (nqg)",
    "nfc": "in one Unicode form (nfc)",
    "nfkc": "in one Unicode form, variants alike (nfkc)",
    "characters": "lower-cased, each character a word (characters)",
    "sudachi": "Japanese words by Sudachi (sudachi)",
    "ptb": "tokenised as the Penn Treebank (ptb)",
}
MIXED = {"quick": "if it takes seconds", "always": "always", "never": "never"}
LIBRARIES = {"numpy": "NumPy", "scipy": "SciPy", "matplotlib": "Matplotlib", "python": "Python"}


def metric(row: Record) -> dict[str, Any]:
    """Return a metric's row: what it is, over how many questions, and how it was made."""
    known = row.get("mean") is not None
    return {
        "name": row["name"],
        "kind": KINDS.get(row["kind"], row["kind"]),
        "n": row.get("n", 0),
        "mean": two(row["mean"]) if known else "–",
        "range": f"{two(row['min'])} to {two(row['max'])}" if known else "",
        "lower_is_better": row.get("direction") == "lower",
        "reason": row["reason"],
        "how": describe_making(row.get("made", {})),
    }


def describe_making(made: Mapping[str, Any]) -> str:
    """Write how a column of scores was made."""
    if "column" in made:
        file = f" of {made['file']}" if made.get("file") else ""
        digest = f", SHA-256 {made['sha256'][:8]}…" if made.get("sha256") else ""
        return f"column “{made['column']}”{file}{digest}"
    if "id" in made:
        models = made.get("models", {}).values()
        parts = [
            f"{made['id']}, version {made['version']}",
            made.get("library", ""),
            *(f"{name} {value}" for name, value in made.get("params", {}).items()),
            *(f"{one['name']} ({', '.join(map(str, list(one.values())[1:]))})" for one in models),
        ]
        return "; ".join(
            filter(
                None,
                [", ".join(filter(None, parts)), describe_preparation(made.get("preparation", {}))],
            )
        )
    if set(made) == {"preparation"}:
        return describe_preparation(made["preparation"])
    return ", ".join(f"{name} {value}" for name, value in made.items())


def describe_preparation(preparation: Mapping[str, str]) -> str:
    """Describe in words the preparation of the texts of both sides."""
    sides = {
        "questions": preparation.get("hypothesis", ""),
        "references": preparation.get("reference", ""),
    }
    if len(set(sides.values())) == 1 and sides["questions"]:
        return f"questions and references {_in_words(sides['questions'])}"
    return ", ".join(f"{side} {_in_words(steps)}" for side, steps in sides.items() if steps)


def _in_words(steps: str) -> str:
    return ", then ".join(PREPARATIONS.get(step, step) for step in steps.split("+"))


def settings_facts(
    parameters: Mapping[str, Any], versions: Mapping[str, str], *, seed: int
) -> list[tuple[str, str]]:
    """Return a run's settings as pairs of a name and what it was set to."""
    texts = {side: parameters.get(f"prepare_{side}", "") for side in ("hypothesis", "reference")}
    return [
        ("Random numbers", f"seed {seed}, {int(parameters.get('resamples', 0)):,} resamples"),
        ("Metrics asked for", format_list(list(parameters.get("metrics", []))) or "none"),
        ("Texts for metrics", describe_preparation(texts)),
        (
            "Slices asked for",
            format_list(
                [
                    name.removeprefix("column: ").replace("_", " ")
                    for name in parameters.get("slices", [])
                ]
            )
            or "none",
        ),
        ("Mixed model", MIXED.get(parameters.get("mixed_model", ""), "not asked for")),
        (
            "Excluded annotators",
            "counted" if parameters.get("with_excluded") else "not counted",
        ),
        (
            "Submissions after the assignment was reassigned",
            "counted" if parameters.get("extras") else "not counted",
        ),
        ("Adjudicated ratings", "used" if parameters.get("adjudicated") else "not used"),
        ("Ratings that contradict a rule of the protocol", _reading(parameters)),
        (
            "Made with",
            format_list(
                [f"{LIBRARIES.get(name, name)} {version}" for name, version in versions.items()]
            ),
        ),
    ]


def _reading(parameters: Mapping[str, Any]) -> str:
    by_rule = parameters.get("reading", "as_released") == "by_protocol"
    told = "by the protocol for systems and metrics, as released for agreement, annotators and downloaded judgments"
    return f"{told if by_rule else 'as released'}; the aggregate in every reading it names"
