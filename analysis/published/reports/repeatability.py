"""A study beside its reproduction, as a page shows it."""

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import Any

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import (
    coefficient,
    format_list,
    format_number,
    format_signed,
    inside_sentence,
    p_alone,
    two,
)
from analysis.reports.rows import Record
from analysis.reports.system_names import system_name
from judging.base.percentages import percent
from quaestor_stats._system_differences import CONTRAST, PERMUTATION

FILES = "CSV"  # which has every line
STUDIES = {"first": "first study", "reproduction": "reproduction"}
TESTS = {
    PERMUTATION: "the paired permutation test over sources",
    CONTRAST: "the contrast within sources, adjusted for annotators,",
}


def comparison_tables(
    orders: Sequence[Record],
    scores: Sequence[Record],
    pairs: Sequence[Record],
    all_pairs: int,
    shares: Mapping[str, tuple[int, int]],
) -> list[PageTable]:
    """Return the tables of a comparison: by criterion, by system, and pair by pair. `pairs`: the
    first of `all_pairs`."""
    return [
        _criteria(orders, scores, shares).cut(files=FILES),
        _systems(scores).cut(files=FILES),
        _pairs(pairs, all_pairs).cut(whole=all_pairs, files=FILES),
    ]


def test_sentences(tests: Sequence[Record]) -> list[str]:
    """Return sentences on the test that compares each study's systems, with its criteria."""
    names: dict[tuple[str, ...], list[str]] = {}
    keys = ("study", "test", "reason", "undefined")
    for row in tests:
        names.setdefault(tuple(row[key] for key in keys), []).append(inside_sentence(row["name"]))
    sentences = []
    for (study, test, reason, undefined), own in names.items():
        named = format_list([TESTS[name] for name in test.split(" and ")])
        compare = "compare" if " and " in test else "compares"
        because = f" because {reason}" if reason else ""
        sentences.append(
            f"In the {STUDIES[study]}, {named} {compare} the systems on {format_list(own)}{because}."
        )
        if undefined:
            sentences.append(f"No pair can be tested: {undefined}.")
    return sentences


def _criteria(
    orders: Sequence[Record], scores: Sequence[Record], shares: Mapping[str, tuple[int, int]]
) -> PageTable:
    lines = []
    for row in orders:
        own = [
            score["cv"]
            for score in scores
            if score["criterion"] == row["criterion"] and score["cv"] is not None
        ]
        held, of = shares.get(row["criterion"], (0, 0))
        mean = sum(own) / len(own) if own else nan
        lines.append(
            Line(
                row["name"],
                [
                    Cell(coefficient(_number(row["value"])), _range(row)),
                    Cell(f"{row['systems']:,}"),
                    Cell(format_number(mean)),
                    Cell(percent(held / of) if of else "–", f"{held} of {of}"),
                ],
            )
        )
    return PageTable(
        "By criterion",
        ["Spearman over systems", "systems", "mean CV*", "findings confirmed"],
        lines,
        first="Criterion",
        notes=["95% of redrawn sources", "in both", "per cent", "significant pairs of the first"],
        reasons=sorted({row["reason"] for row in orders if row["reason"]}),
    )


def _systems(scores: Sequence[Record]) -> PageTable:
    lines = [
        Line(
            f"{row['name']}: {system_name(row['system'])}",
            [
                Cell(_two(row["first"])),
                Cell(_two(row["second"])),
                Cell(format_number(_number(row["cv"]))),
            ],
        )
        for row in scores
    ]
    return PageTable(
        "Scores of systems",
        ["first study", "reproduction", "CV*"],
        lines,
        first="Criterion and system",
        notes=["mean", "mean", "per cent"],
        reasons=sorted({row["reason"] for row in scores if row["reason"]}),
    )


def _pairs(pairs: Sequence[Record], all_pairs: int) -> PageTable:
    lines = [
        Line(
            f"{row['name']}: {' – '.join(system_name(each) for each in row['systems'])}",
            [
                Cell(_signed(row["first"])),
                Cell(_p(row["first_p"]), best=row["significant"]),
                Cell(_signed(row["second"])),
                Cell(_p(row["second_p"]), best=row["confirmed"]),
            ],
            _verdict(row),
        )
        for row in pairs
    ]
    return PageTable(
        "Findings, pair by pair",
        ["first study", "p", "reproduction", "p"],
        lines,
        first="Criterion and systems",
        last="Finding",
        notes=["difference", "Holm", "difference", "Holm"],
        caption="Findings that are not confirmed stand first, then those that are."
        if len(pairs) < all_pairs
        else "",
    )


def _verdict(row: Record) -> str:
    if not row["significant"]:
        return "none in the first"
    if row["second_p"] is None:
        return "not tested again"
    return "confirmed" if row["confirmed"] else "not confirmed"


def _range(row: Record) -> str:
    if row["low"] is None:
        return ""
    return f"[{coefficient(row['low'])}, {coefficient(row['high'])}]"


def _number(value: Any) -> float:
    return nan if value is None else float(value)


def _two(value: Any) -> str:
    return "–" if isnan(_number(value)) else two(value)


def _signed(value: Any) -> str:
    return format_signed(_number(value))


def _p(value: Any) -> str:
    return p_alone(_number(value))
