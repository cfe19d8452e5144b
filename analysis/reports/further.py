"""What stands folded away in a report: other coefficients, annotators, pairs of systems, levels, slices."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.reports.layout import Cell, Row, Table
from analysis.reports.records import Record
from analysis.reports.sentences import level_of
from analysis.reports.written import between, coefficient, p_value, percent, two

COEFFICIENTS = {
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2_linear": "Gwet's AC2, linear weights",
    "gwet_ac2_quadratic": "Gwet's AC2, quadratic weights",
    "randolph_kappa": "Randolph's kappa",
    "brennan_prediger_quadratic": "Brennan-Prediger, quadratic weights",
    "conger_kappa": "Conger's kappa",
    "conger_kappa_quadratic": "Conger's kappa, quadratic weights",
    "fleiss_kappa": "Fleiss' kappa",
    "icc_1,1": "ICC(1,1)",
    "icc_2,1": "ICC(2,1)",
    "icc_3,1": "ICC(3,1)",
    "icc_1,k": "ICC(1,k)",
    "icc_2,k": "ICC(2,k)",
    "icc_3,k": "ICC(3,k)",
}
AGGREGATIONS = {
    "mean": "mean",
    "median": "median",
    "majority": "majority",
    "z_scores": "z per annotator",
    "min_max": "0–1 per annotator",
    "ranks": "ranks per annotator",
}
LEVELS = {"question": "questions", "set": "question sets", "source": "each source", "system": "systems"}
MEASURES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "kendall_c": "Stuart's tau-c",
    "pairwise_accuracy": "pairwise accuracy",
}
SPANS = {
    "between_annotators": "between annotators",
    "with_submitted": "with the submitted answer",
    "within_set": "within a set",
}
MANY_POINTS = 12  # points of a scale up to which its use is drawn


@dataclass(frozen=True)
class Bar:
    """One value's share in a bar: where it begins and how wide it is, of 100."""

    start: float
    width: float
    shade: int


@dataclass(frozen=True)
class AnnotatorRow:
    """One annotator on one criterion."""

    label: str
    n: int
    mean: str
    severity: str
    run: str
    without: str
    bars: list[Bar]
    shares: str


@dataclass(frozen=True)
class Annotators:
    """The annotators on one criterion."""

    name: str
    rows: list[AnnotatorRow]
    alpha: str


def sections(tables: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the tables of the folded parts; empty ones for runs that were made before there were such tables."""
    return {
        "coefficients": coefficients(tables, names),
        "words": words(tables, names),
        "annotators": annotators(tables, names),
        "repeats": sorted({row["reason"] for row in tables.get("repeats", []) if row["reason"]}),
        "exclusions": exclusions(tables, names),
        "pairs": pairs(tables, names),
        "mixed": mixed(tables, names),
        "aggregations": aggregations(tables, names),
        "levels": levels(tables, names),
        "slices": slices(tables, names),
        "spans": spans(tables),
    }


def _cell(row: Record | None, write: Callable[[float], str] = two) -> Cell:
    """Write a record's value with its interval below, a dash where it is undefined."""
    if row is None or row.get("value") is None:
        return Cell("–")
    return Cell(write(row["value"]), f"{write(row['low'])} to {write(row['high'])}" if between(row) else "")


def _reasons(rows: Sequence[Record]) -> list[str]:
    return sorted({row["reason"] for row in rows if row.get("value") is None and row.get("reason")})


def coefficients(tables: Mapping[str, Any], names: Mapping[str, str]) -> Table | None:
    """Return the coefficients that do not stand in the table above, criterion by criterion."""
    kept = [row for row in tables["agreement"] if row["basis"] == "all"]
    by_place = {(row["coefficient"], row["criterion"]): row for row in kept if row["coefficient"] in COEFFICIENTS}
    rows = [
        Row(title, [_cell(by_place.get((key, criterion))) for criterion in names])
        for key, title in COEFFICIENTS.items()
        if any((key, criterion) in by_place for criterion in names)
    ]
    return Table("Other coefficients", list(names.values()), rows, reasons=_reasons(kept)) if len(rows) > 1 else None


def spans(tables: Mapping[str, Any]) -> Table | None:
    """Return how far marked answers agree, system by system."""
    found = tables.get("spans", [])
    by_place = {(row["system"], row["measure"]): row for row in found}
    names = dict.fromkeys(row["system"] for row in found)
    rows = [Row(name, [_cell(by_place.get((name, measure))) for measure in SPANS]) for name in names]
    return Table("Marked answers", list(SPANS.values()), rows, reasons=_reasons(found)) if rows else None


def words(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    """Write the band of Landis and Koch that each alpha reaches with 95 % probability."""
    found = []
    for row in tables["agreement"]:
        told = (row["coefficient"], row["basis"]) == ("krippendorff_alpha", "all") and row.get("band")
        if told and row["level"] == _level(tables, row["criterion"]):
            found.append(f"{names[row['criterion']]}: {row['band']} ({percent(row['band_probability'])})")
    return found


def _level(tables: Mapping[str, Any], criterion: str) -> str:
    return level_of(next(row for row in tables["criteria"] if row["criterion"] == criterion))


def annotators(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Annotators]:
    """Return each criterion's annotators: severity, straight-lining, use of the scale, alpha without each."""
    without = {(row["criterion"], row["without"]): row for row in tables.get("left_out", [])}
    found = []
    for criterion, name in names.items():
        rows = [row for row in tables.get("annotators", []) if row["criterion"] == criterion]
        told = [_annotator(row, tables, without.get((criterion, row["annotator"]))) for row in rows]
        if told:
            found.append(Annotators(name, told, _level(tables, criterion)))
    return found


def _annotator(row: Record, tables: Mapping[str, Any], without: Record | None) -> AnnotatorRow:
    use = [
        each
        for each in tables.get("use_of_scale", [])
        if (each["criterion"], each["annotator"]) == (row["criterion"], row["annotator"])
    ]
    few = len(use) <= MANY_POINTS
    return AnnotatorRow(
        label=row["annotator"],
        n=row["n"],
        mean=_or_dash(row["mean"]),
        severity=_signed(row["severity"]),
        run="–" if row.get("longest_run") is None else str(row["longest_run"]),
        without=_or_dash(without["value"] if without else None),
        bars=list(_bars(use)) if few else [],
        shares=", ".join(f"{each['value']}: {percent(each['share'])}" for each in use) if few else "",
    )


def _bars(use: Sequence[Record]) -> Iterator[Bar]:
    start = 0.0
    for number, each in enumerate(use):
        width = 100 * each["share"]
        yield Bar(round(start, 2), round(width, 2), round(20 * (number + 1) / len(use)))
        start += width


def _or_dash(value: float | None) -> str:
    return "–" if value is None else two(value)


def _signed(value: float | None) -> str:
    return "–" if value is None else ("+" if value >= 0.005 else "") + two(value)


def exclusions(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Table]:
    """Return agreement and means over all data, and after exclusions; nothing where nobody is left out."""
    rows = tables.get("exclusions", [])
    titles = {"all": "Over all data", "after exclusions": "Without the annotators left out"}
    return [
        _both_measures([row for row in rows if row["data"] == data], names, titles[data])
        for data in dict.fromkeys(row["data"] for row in rows)
    ]


def _both_measures(rows: Sequence[Record], names: Mapping[str, str], title: str) -> Table:
    by_place = {(row["measure"], row["system"], row["criterion"]): row for row in rows}
    kinds = list(dict.fromkeys((row["measure"], row["system"]) for row in rows))
    return Table(
        title,
        list(names.values()),
        [
            Row(system if measure == "mean" else "alpha", [_cell(by_place.get((measure, system, c))) for c in names])
            for measure, system in kinds
        ],
    )


def pairs(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Table]:
    """Return every pair of systems on each criterion: the difference, and p under three tests."""
    found = []
    for criterion, name in names.items():
        kept = [row for row in tables.get("comparisons", []) if row["criterion"] == criterion]
        by_pair: dict[tuple[str, str], dict[str, Record]] = {}
        for row in kept:
            by_pair.setdefault((row["first"], row["second"]), {})[row["test"]] = row
        rows = [Row(f"{first} – {second}", _tests(tests)) for (first, second), tests in by_pair.items()]
        if rows:
            found.append(Table(name, list(PAIR_COLUMNS), rows, reasons=_reasons(kept)))
    return found


PAIR_COLUMNS = ("difference", "p permutation", "p Wilcoxon", "Cliff's delta", "p two-sample t")


def _tests(tests: Mapping[str, Record]) -> list[Cell]:
    p = {test: Cell(_p(row.get("p_holm"))) for test, row in tests.items()}
    sure = tests["permutation"].get("p_holm")
    permutation = Cell(_p(sure), best=sure is not None and sure < 0.05)
    difference, delta = _cell(tests["permutation"], _signed), _cell(tests["cliffs_delta"], coefficient)
    return [difference, permutation, p["wilcoxon"], delta, p["t_as_published"]]


def _p(p: float | None) -> str:
    return "–" if p is None else p_value(p).removeprefix("p = ").removeprefix("p ")


def mixed(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Table]:
    """Return the mixed model's differences of systems, and below them its variances or why there are none."""
    found = []
    for criterion, name in names.items():
        kept = [row for row in tables.get("mixed_models", []) if row["criterion"] == criterion]
        tests = [row for row in kept if row["effect"] == "difference" and row["value"] is not None]
        rows = [
            Row(f"{row['first']} – {row['second']}", [_cell(row, _signed), Cell(_p(row["p_holm"]))]) for row in tests
        ]
        told = [f"{row['effect']} {two(row['value'])}" for row in kept if row["effect"].startswith("variance")]
        if kept:
            found.append(Table(name, ["difference", "p"], rows, reasons=[*_reasons(kept), *told]))
    return found


def aggregations(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Table]:
    """Return each criterion's systems under every way from ratings to a number."""
    found = []
    for criterion, name in names.items():
        kept = [row for row in tables.get("aggregations", []) if row["criterion"] == criterion]
        by_place = {(row["system"], row["aggregation"]): row for row in kept}
        systems = sorted({row["system"] for row in kept})
        rows = [Row(s or "(no name)", [_way(by_place[s, way]) for way in AGGREGATIONS]) for s in systems]
        if rows:
            found.append(Table(name, list(AGGREGATIONS.values()), rows))
    return found


def _way(row: Record) -> Cell:
    """Write a mean; below a majority stands how many units were tied and so have none."""
    return Cell(_or_dash(row["value"]), f"{row['tied']} tied" if row["tied"] else "")


def levels(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Table]:
    """Return, for each human column and coefficient, every metric at every level."""
    rows = tables.get("levels", [])
    found = []
    for human, measure in dict.fromkeys((row["criterion"], row["coefficient"]) for row in rows):
        kept = [row for row in rows if (row["criterion"], row["coefficient"]) == (human, measure)]
        by_place = {(row["metric"], row["level"]): row for row in kept}
        columns = [level for level in LEVELS if any(row["level"] == level for row in kept)]
        metrics = list(dict.fromkeys(row["metric"] for row in kept))
        body = [Row(m, [_cell(by_place.get((m, level)), coefficient) for level in columns]) for m in metrics]
        title = f"{names.get(human, human)}, {MEASURES[measure]}"
        found.append(Table(title, [LEVELS[level] for level in columns], body, reasons=_reasons(kept)))
    return found


@dataclass(frozen=True)
class Sliced:
    """The core tables by one attribute."""

    attribute: str
    slices: int
    tables: list[Table]
    reasons: list[str]


def slices(tables: Mapping[str, Any], names: Mapping[str, str]) -> list[Sliced]:
    """Return agreement, means and correlations by the values of each attribute that was chosen."""
    rows, found = tables.get("slices", []), []
    for attribute in dict.fromkeys(row["attribute"] for row in rows):
        kept = [row for row in rows if row["attribute"] == attribute]
        laid = list(_sliced([row for row in kept if row["measure"]], names))
        found.append(Sliced(attribute.replace("_", " "), kept[0]["slices"], laid, _reasons(kept)))
    return found


def _sliced(rows: Sequence[Record], names: Mapping[str, str]) -> Iterator[Table]:
    alphas = [row for row in rows if row["measure"] == "krippendorff_alpha"]
    if alphas:
        yield _by_label("Krippendorff's alpha", alphas, "criterion", names)
    for measure, column, title in (("mean", "system", "means"), ("spearman", "metric", "Spearman's rho")):
        for criterion in dict.fromkeys(row["criterion"] for row in rows if row["measure"] == measure):
            kept = [row for row in rows if (row["measure"], row["criterion"]) == (measure, criterion)]
            yield _by_label(f"{names.get(criterion, criterion)}, {title}", kept, column, {})


def _by_label(title: str, rows: Sequence[Record], column: str, names: Mapping[str, str]) -> Table:
    by_place = {(row["label"], row[column]): row for row in rows}
    columns = list(dict.fromkeys(row[column] for row in rows))
    labels = list(dict.fromkeys(row["label"] for row in rows))
    body = [Row(label, [_with_n(by_place.get((label, each))) for each in columns]) for label in labels]
    return Table(title, [names.get(each, each) or "(no name)" for each in columns], body)


def _with_n(row: Record | None) -> Cell:
    cell = _cell(row)
    return cell if row is None else Cell(cell.text, ", ".join(filter(None, [cell.under, f"n = {row['n']}"])))
