"""A dry run as a page shows it: the planted order, the findings of the copy's report, and the
power."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import format_number, format_signed, two
from analysis.reports.rows import Record
from judging.base.percentages import percent
from quaestor_stats._design import Design
from quaestor_stats._system_differences import CONTRAST

HEADS = (
    "neighbours lie apart",
    "means as planted",
    "all neighbours differ significantly",
    "best and worst differ significantly",
    "some pair significantly the wrong way round",
)

IN_ORDER = 20  # systems that the page names of an order


def dry_run_page(
    run: Any, outcome: Mapping[str, Any], recovery: Sequence[Any] | None
) -> dict[str, Any]:
    """Return everything the page lays out of a dry run. `outcome`: with the first pairs of each
    criterion."""
    criteria, with_all = outcome.get("criteria", []), outcome.get("with_all", [])
    out = outcome.get("excluded", {})
    careless = {each["label"] for each in outcome.get("people", []) if each["careless"]}
    return {
        "run": run,
        "order": _in_order(outcome.get("order", [])),
        "filled": outcome.get("filled", {}),
        "settings": _settings(run.settings, outcome.get("page", 0)),
        "seed": run.settings.get("seed"),
        "recovery": None if recovery is None else [_recovered(each) for each in recovery],
        "recovered": bool(recovery) and all(each.is_planted for each in recovery or ()),
        "power": _power(criteria) if criteria else None,
        "with_all": _power(with_all) if with_all else None,
        "tests": _tests(criteria),
        "is_drawn_anew": Design.from_key(outcome.get("design", "sources")).random_annotators,
        "hopeless": [row["name"] for row in criteria if (row["floor"] or 0) >= LEVEL],
        "undefined": [(row["name"], why) for row in criteria if (why := row.get("undefined"))],
        "pairs": [_pairs(row) for row in criteria],
        "people": _people(outcome),
        "gate": _gate(outcome),
        "rules": outcome.get("rules", []),
        "excluded": [(label, "; ".join(rules)) for label, rules in out.items()],
        "careless": len(careless),
        "caught": len(careless & set(out)),
        "careful_out": len(set(out) - careless),
        "lacking": outcome.get("lacking", 0),
        "time": _time(outcome, run.campaign.rate),
    }


def _in_order(names: Sequence[str]) -> str:
    """Write an order of systems, best first: of many the first, and how many others there are."""
    others = [f"… ({len(names) - IN_ORDER:,} more)"] if len(names) > IN_ORDER else []
    return " > ".join([*names[:IN_ORDER], *others])


def _recovered(found: Any) -> dict[str, Any]:
    """Return the results of the copy's report on one criterion, with its orders as text."""
    return {
        "name": found.name,
        "order": _in_order(found.order),
        "told": found.told,
        "pairs": found.pairs,
        "reversed": found.reversed,
        "with_all": _in_order(found.with_all),
    }


def _settings(settings: Mapping[str, Any], page: int) -> list[tuple[str, str]]:
    """Return the assumptions in words."""
    found = [(words, percent(settings[name])) for name, words in SPREADS.items()]
    own = f"{settings['seconds']:g} s a value" if settings["seconds"] else f"{page} s a page"
    found.append((f"{TIMES}, mean", own))
    return found + [(words, two(settings[name])) for name, words in LOGARITHMS.items()]


def _gate(outcome: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return counts of the qualification's candidates; None if there was no qualification."""
    if not (forecast := outcome.get("gate")):
        return None
    came = outcome["came"]
    let_in = [each for each in came if each["in"]]
    return {
        "came": len(came),
        "let_in": len(let_in),
        "out": len(came) - len(let_in),
        "again": sum(each["tries"] > 1 for each in let_in),
        "wanted": outcome["wanted"],
        "newcomers": forecast["newcomers"],
        "hours": outcome.get("gate_hours"),
        "shares": [
            (words, _with_range(forecast[name]))
            for name, words in GROUPS.items()
            if forecast[name] and (name != "careless" or forecast["careful"])
        ],
    }


def _time(outcome: Mapping[str, Any], rate: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return how long the study takes and what it costs; None of dry runs from before that was
    simulated."""
    if not (time := outcome.get("time")):
        return None
    found = {
        name: _amount(time[name], 1 if time[name]["value"] >= 1 else 2)
        for name in ("hours", "each", "longest")
    }
    spent = outcome["spent"].values()
    tasks = sum(each["tasks"] for each in spent)
    found["minutes"] = format_number(sum(each["seconds"] for each in spent) / 60 / max(tasks, 1))
    found["planned"] = rate.get("minutes", "")
    if "paid" in time:
        currency = rate.get("currency", "")
        found |= {"paid": f"{time['paid']:,.2f} {currency}", "hourly": _amount(time["hourly"], 2)}
        found["currency"] = currency
    if "top_up" in time:
        found |= {
            "top_up": _amount(time["top_up"], 2),
            "below": _with_range(time["below_floor"]),
            "floor": rate.get("floor", ""),
        }
    return found


def _amount(found: Record, digits: int) -> str:
    return f"{found['value']:,.{digits}f} [{found['low']:,.{digits}f}, {found['high']:,.{digits}f}]"


def _with_range(found: Record) -> str:
    return f"{percent(found['value'])} [{percent(found['low'])}, {percent(found['high'])}]"


LEVEL = 0.05
SPREADS = {
    "gap": "difference between neighbours",
    "question": "spread of questions",
    "severity": "severity of annotators",
    "noise": "noise",
    "hurry": "time that careless annotators take",
    "knows": "right values in the qualification",
    "knows_spread": "their spread over annotators",
    "wary": "careless annotators who take care there",
}
TIMES = "seconds"
LOGARITHMS = {
    "seconds_spread": "spread of their logarithm",
    "pace_spread": "spread of the logarithm of paces",
}
GROUPS = {
    "all": "screened out, of all who come",
    "careful": "of the careful ones",
    "careless": "of the careless ones",
    "again": "more than one try, of those let in",
}


def _tests(criteria: Sequence[Record]) -> list[dict[str, Any]]:
    """Return which test was repeated how often and why, with the criteria unless it is all."""
    keys = ("test", "reason", "repeats", "sources")
    names: dict[tuple[Any, ...], list[str]] = {}
    for row in criteria:
        names.setdefault(tuple(row.get(key, "") for key in keys), []).append(row["name"])
    return [
        {
            **dict(zip(keys, test, strict=True)),
            "is_contrast": test[0] == CONTRAST,
            "names": ", ".join(own) if len(names) > 1 else "",
        }
        for test, own in names.items()
    ]


def _power(criteria: Sequence[Record]) -> PageTable:
    lines = [
        Line(
            row["name"],
            [
                Cell(two(row["step"])),
                *(_share(row[key]) for key in ("order", "neighbours", "extremes", "reversed")),
            ],
        )
        for row in criteria
    ]
    notes = [
        "points of the scale",
        "share of repeats",
        "share of repeats",
        "share of repeats",
        "share of repeats",
    ]
    return PageTable(
        "With what power the planted order is found",
        list(HEADS),
        lines,
        first="Criterion",
        notes=notes,
    )


def _pairs(row: Record) -> PageTable:
    lines = [
        Line(
            f"{pair['better']} – {pair['worse']}",
            [
                Cell("–" if pair["difference"] is None else format_signed(pair["difference"])),
                _share(pair),
            ],
        )
        for pair in row["pairs"]
    ]
    table = PageTable(row["name"], ["mean difference", "told apart"], lines, first="Systems")
    return table.cut(whole=row["all_pairs"], files="CSV")


def _share(found: Record | None) -> Cell:
    if found is None or found["value"] is None:
        return Cell("–")
    return Cell(percent(found["value"]), f"[{percent(found['low'])}, {percent(found['high'])}]")


def _people(outcome: Mapping[str, Any]) -> PageTable:
    spent, out = outcome.get("spent", {}), outcome.get("excluded", {})
    lines = []
    for each in outcome.get("people", []):
        own = spent.get(each["label"], {})
        marks = ["careless"] * each["careless"] + ["excluded"] * (each["label"] in out)
        cells = [Cell(format_signed(100 * each["severity"]))]
        if spent:
            cells += [
                Cell(format_number(own.get("tasks", 0))),
                Cell(format_number(own.get("seconds", 0) / 60)),
            ]
        lines.append(Line(each["label"], cells, chip=", ".join(marks)))
    columns, notes = ["severity"], ["per cent of the scale; who has more rates lower"]
    if spent:
        columns, notes = [*columns, "tasks", "time"], [*notes, "with checks", "minutes"]
    return PageTable("Simulated annotators", columns, lines, first="Annotator", notes=notes)
