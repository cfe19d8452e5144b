"""Every table of eight small studies, one for each protocol, beside a second program: stored, as
CSV, on the page."""

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from analysis import sections
from analysis.models import Run
from analysis.runs.actions import runs
from analysis.sections import page
from analysis.sections.section import Found
from tests import factories
from tests.analysis import studies
from tests.analysis.golden import conclusions, inference, material, second
from tests.analysis.golden.material import Golden, Slot
from tests.analysis.golden.pages import Page, ShownTable, p_text, short, signed, whole, written

pytestmark = pytest.mark.django_db
# Which files of sections a test is about: the bench of faults runs only these.
ABOUT = {
    "test_returned": ("coverage",),
    "test_criteria": ("criteria",),
    "test_system_means": ("system_means",),
    "test_distributions": ("distributions",),
    "test_aggregates": ("aggregates", "protocol"),
    "test_violations": ("violations",),
    "test_metrics": ("metric_definitions",),
    "test_system_scores": ("metric_means",),
    "test_exclusions": ("exclusions",),
    "test_slices": ("slices",),
    "test_question_sets": ("question_sets",),
    "test_computed_facts": ("question_sets",),
    "test_marked_answers": ("spans",),
    "test_agreement": ("agreement",),
    "test_annotators": ("annotators",),
    "test_comparisons": ("system_comparisons", "system_differences", "paired_tests"),
    "test_ranks": ("ranks", "system_comparisons"),
    "test_metrics_against_people": ("correlations",),
    "test_metric_matrix": ("matrices",),
    "test_criterion_matrix": ("matrices",),
    "test_differences_as_published": ("metric_comparisons", "dependent"),
    "test_mixed_model": ("mixed_models",),
    "test_intervals_of_agreement": ("agreement", "resampling", "scarcity"),
    "test_intervals_of_correlations": (
        "correlations",
        "excluded_by_run",
        "pooled",
        "within_source",
    ),
    "test_differences_of_metrics": ("metric_comparisons", "metric_differences"),
    "test_leaders": ("metric_comparisons",),
    "test_ceiling": ("ceiling",),
    "test_about": ("study",),
    "test_dependability": ("dependability", "generalisability"),
}


@dataclass
class Made:
    """A study with its run and all that is shown of it."""

    golden: Golden
    run: Run
    tables: dict[str, Any]
    html: Page
    source: str  # of the page
    client: Client

    @property
    def captions(self) -> dict[tuple[str, str], str]:
        """Return what stands above each table."""
        found = sections.section_of("correlations").tables(Found(self.tables))
        return {("correlations", table.title): table.caption for table in found}

    @property
    def said(self) -> list[Slot]:
        return self.golden.slots()

    @property
    def counted(self) -> list[Slot]:
        """The slots in the reading that the run was asked for."""
        read = (
            second.by_protocol(self.golden, self.said)
            if self.golden.reading == "by_protocol"
            else self.said
        )
        return list(read)

    @property
    def differing(self) -> list[Slot]:
        """The same without what rules settle, which tells nothing of how annotators differ."""
        if self.golden.reading != "by_protocol":
            return self.said
        return second.by_protocol(self.golden, self.said, ruled=False)

    def csv(self, key: str) -> list[dict[str, str]]:
        """Return a table as people download it."""
        address = reverse("analysis:table", args=[self.run.campaign.uuid, self.run.number, key])
        return list(
            csv.DictReader(io.StringIO(self.client.get(address).content.decode("utf-8-sig")))
        )


# A crossed study stands for all protocols in the short form.
SHORT = (material.QGBENCH,)
STUDIES = [
    pytest.param(each, id=str(each), marks=() if each in SHORT else pytest.mark.long)
    for each in material.STUDIES
]


@pytest.fixture(scope="module", params=STUDIES)
def made(request: pytest.FixtureRequest, lasting: None) -> Iterator[Made]:
    golden = request.param
    campaign = material.imported(golden)
    wanted = {
        "metrics": [],
        "resamples": 50,
        "reading": golden.reading,
        "slices": ["column: topic"],
    }
    run = studies.analysed(campaign, **wanted)
    client = factories.logged_in(campaign.created_by)
    html = client.get(reverse("analysis:run", args=[campaign.uuid, run.number])).text
    yield Made(golden, run, dict(runs.StoredTables(run)), whole(client, html), html, client)


def same(
    made: Made,
    key: str,
    expected: Sequence[dict[str, Any]],
    identity: Sequence[str],
    *,
    part: bool = False,
) -> None:
    """Hold a stored table, and its CSV, against the second program, value by value.

    With `part`, the second program knows only some of the rows.
    """
    stored, written = made.tables[key], made.csv(key)
    if part:
        known = {tuple(row[name] for name in identity) for row in expected}
        held = [
            pair
            for pair in zip(stored, written, strict=True)
            if tuple(pair[0][n] for n in identity) in known
        ]
        stored, written = [record for record, _ in held], [line for _, line in held]
    by_identity = {tuple(row[name] for name in identity): row for row in expected}
    assert len(by_identity) == len(expected), "the second program gives a row twice"
    assert sorted(map(str, by_identity)) == sorted(
        str(tuple(row[name] for name in identity)) for row in stored
    )
    for record, line in zip(stored, written, strict=True):
        where = tuple(record[name] for name in identity)
        for name, value in by_identity[where].items():
            if value is ...:
                continue
            assert equal(record[name], value), (key, where, name, record[name], value)
            assert line[name] == as_text(record[name]), (key, where, name)


def equal(stored: Any, value: Any) -> bool:
    if isinstance(value, list):
        return len(stored) == len(value) and all(
            equal(a, b) for a, b in zip(stored, value, strict=True)
        )
    if isinstance(value, str) or value is None or isinstance(value, bool) or stored is None:
        return stored == value and isinstance(stored, bool) == isinstance(value, bool)
    return math.isclose(stored, float(value), rel_tol=1e-9, abs_tol=1e-9)


def as_text(value: Any) -> str:
    if value is None:
        return ""
    return (
        json.dumps(value, sort_keys=True, ensure_ascii=False)
        if isinstance(value, list | dict)
        else str(value)
    )


def under(row: dict[str, Any]) -> str:
    """Return what stands under a mean: its interval and n."""
    low, high = row["low"], row["high"]
    told = "" if low is None else f"[{written(low)}, {written(high)}], "
    return f"{told}n = {row['n']}"


def names(made: Made) -> dict[str, str]:
    return {each["key"]: each["name"] for each in second.criteria(made.golden)}


COEFFICIENTS = {  # what a reader is told, and what it must be
    "Gwet's AC2, linear weights": "gwet_ac2_linear",
    "Gwet's AC2, quadratic weights": "gwet_ac2_quadratic",
    "Gwet's AC1": "gwet_ac1",
    "Fleiss' κ": "fleiss_kappa",
    "Randolph's κ": "randolph_kappa",
    "Brennan–Prediger, quadratic weights": "brennan_prediger_quadratic",
    "Conger's κ": "conger_kappa",
    "Conger's κ, quadratic weights": "conger_kappa_quadratic",
    "ICC(1,1)": "icc_1,1",
    "ICC(2,1)": "icc_2,1",
    "ICC(3,1)": "icc_3,1",
    "ICC(1,k)": "icc_1,k",
    "ICC(2,k)": "icc_2,k",
    "ICC(3,k)": "icc_3,k",
}


def test_returned(made: Made) -> None:
    same(made, "coverage", second.returned(made.golden), ["system"])


def test_criteria(made: Made) -> None:
    same(made, "criteria", second.criterion_rows(made.golden), ["criterion"])
    assert [row["criterion"] for row in made.tables["criteria"]] == list(made.golden.criteria)


def test_system_means(made: Made) -> None:
    expected = limited(made, second.system_means(made.golden, made.counted), made.counted)
    same(made, "systems", expected, ["criterion", "system"])
    (table,) = [each for each in made.html.tables if each.section == "systems"]
    ranks = {
        (row["criterion"], row["system"]): written_ranks(row)
        for row in conclusions.ranks(made.golden, made.counted)
    }
    for row in expected:
        cell = table.cell(row["system"], names(made)[row["criterion"]])
        rank = ranks.get((row["criterion"], row["system"]), "")
        told = ", ".join(filter(None, [under(row), rank and f"rank {rank}"]))
        assert (cell.text, cell.under) == (written(row["value"]), told), row
    ends = {
        each["name"]: f"{'low' if each['best'] == 'lowest' else 'high'} is best"
        for each in second.criteria(made.golden)
    }
    assert {head.text: head.under for head in table.heads[1:-1]} == {
        names(made)[key]: ends[names(made)[key]]
        for key in dict.fromkeys(row["criterion"] for row in expected)
    }
    for row in second.returned(made.golden):
        assert (
            table.cell(row["system"], "Outputs present").text
            == f"{row['returned']} of {row['expected']}"
        )


def limited(made: Made, rows: list[dict[str, Any]], slots: Sequence[Slot]) -> list[dict[str, Any]]:
    """Return rows without the limits of means whose annotators are allocated unequally."""
    unequal = {
        each["key"]
        for each in filter(second.averaged, second.criteria(made.golden))
        if not second.has_same_annotators(each, second.asked(made.golden, each, slots))
    }
    nothing = {"low": None, "high": None}
    return [
        row | nothing
        if row.get("measure", "mean") == "mean" and row["criterion"] in unequal
        else row
        for row in rows
    ]


def test_distributions(made: Made) -> None:
    expected = second.distributions(made.golden, made.counted)
    same(made, "distributions", expected, ["criterion", "system", "value"])
    shown = [each for each in second.criteria(made.golden) if len(each["points"]) <= 12]
    rated = {row["criterion"] for row in expected}
    shown = [each for each in shown if each["key"] in rated]
    assert [table.title for table in made.html.tables if table.section == "distributions"] == [
        each["name"] for each in shown
    ]
    for each in shown:
        table = made.html.table("distributions", each["name"])
        for row in expected:
            if row["criterion"] == each["key"]:
                cell = table.cell(row["system"], str(row["value"]))
                assert (cell.text, cell.under) == (f"{100 * row['share']:.0f}%", str(row["count"]))
        assert [head.under for head in table.heads[1:]] == [
            point["label"] for point in each["points"]
        ]
        if second.averaged(each):
            assert "Asked for by the protocol" not in table.lines
            continue
        assert [cell.under for cell in table.lines["Asked for by the protocol"]] == [
            "1 of 6",
            "2 of 6",
            "3 of 6",
            "0 of 6",
        ]
        assert [cell.text for cell in table.lines["Asked for by the protocol"]] == [
            "17%",
            "33%",
            "50%",
            "0%",
        ]


WAYS = {  # on the page; the mean stands in the table of systems
    "median": "median",
    "majority": "majority",
    "z_scores": "z per annotator",
    "min_max": "0–1 per annotator",
    "ranks": "ranks per annotator",
}


FORM = {
    "by_protocol": "by the protocol",
    "as_released": "as released",
    "per_rating": "fatal rule on each rating",
    "on_means": "fatal rule on means",
    "all_remaining": "all other criteria",
    "named": "named criteria only",
    "": "",
}


def form_of(row: dict[str, Any]) -> str:
    parts = (row["reading"], row["fatal_applied"], row["fatal_others"])
    return ", ".join(FORM[part] for part in parts if part)


def plain(value: float) -> str:
    return f"{float(f'{value:.12g}'):,.2f}".rstrip("0").rstrip(".")


def test_aggregates(made: Made) -> None:
    expected = second.aggregates(made.golden)
    same(
        made,
        "aggregates",
        expected,
        ["reading", "fatal_applied", "fatal_others", "system", "criterion"],
    )
    combined = [row for row in expected if not row["criterion"]]
    for row in combined:
        table = made.html.table("aggregates", "All criteria together")
        cell = table.cell(form_of(row), row["system"])
        own = sorted(
            (each["aggregate"], each["system"])
            for each in combined
            if form_of(each) == form_of(row)
        )
        assert cell.text == plain(row["aggregate"])
        assert not cell.bold  # no test stands behind it
        assert table.cell(form_of(row), "Ranking").text == " › ".join(name for _, name in own)
    differing = [
        row for row in expected if row["criterion"] and row["mean_returned"] != row["mean_expected"]
    ]
    titles = [each.title for each in made.html.tables if each.section == "aggregates"]
    assert ("Over returned questions" in titles) == bool(differing)
    for row in expected if differing else ():
        if (row["reading"], row["fatal_applied"]) == ("by_protocol", "") and row["criterion"]:
            name = names(made)[row["criterion"]]
            over_returned = made.html.table("aggregates", "Over returned questions")
            over_expected = made.html.table("aggregates", "Over all expected questions")
            assert over_returned.cell(row["system"], name).text == written(row["mean_returned"])
            assert over_expected.cell(row["system"], name).text == written(row["mean_expected"])
            assert over_returned.cell(row["system"], "Questions").text == str(row["returned"])
            assert over_expected.cell(row["system"], "Questions").text == str(row["expected"])
    sums = [
        row for row in expected if row["criterion"] and row["mean_returned"] != row["aggregate"]
    ]
    for row in expected if sums else ():
        table = made.html.table("aggregates", form_of(row))
        cell = table.cell(row["system"], names(made).get(row["criterion"], "Combined"))
        assert cell.text == ("–" if row["aggregate"] is None else plain(row["aggregate"]))


def test_violations(made: Made) -> None:
    identity = ["rule", "source", "system", "position", "annotator", "criterion"]
    expected = second.violations(made.golden)
    same(made, "violations", expected, identity)
    assert made.tables["about"][0]["violations"] == len(expected)


def test_metrics(made: Made) -> None:
    expected = second.metrics(made.golden)
    same(made, "metric_definitions", expected, ["name"])
    for row in expected:
        table = made.html.table("metric_definitions", "Metrics")
        (line,) = [name for name in table.lines if name == row["name"]]
        assert table.cell(line, "Scores").text == str(row["n"])
        mean = table.cell(line, "Mean")
        assert (mean.text, mean.under) == (
            written(row["mean"]),
            f"{written(row['min'])} to {written(row['max'])}",
        )


def test_system_scores(made: Made) -> None:
    expected = second.system_scores(made.golden)
    same(made, "metric_means", expected, ["metric", "level", "system"])
    made_by = {"imported": "imported", "human_mean": "mean human score, imported"}
    for row in expected:
        table = made.html.table("metric_means", "Mean scores of questions")
        cell = table.cell(row["metric"], row["system"])
        assert (cell.text, cell.under) == (f"{row['value']:.4g}", f"n = {row['n']}")
        assert table.cell(row["metric"], "Origin").text == made_by[row["kind"]]


def test_exclusions(made: Made) -> None:
    expected = [
        row
        for data in ("all", "after exclusions")
        for row in limited(
            made,
            [row for row in second.exclusions(made.golden) if row["data"] == data],
            made.golden.slots(everybody=data == "all"),
        )
    ]
    same(made, "exclusions", expected, ["data", "measure", "criterion", "system"])
    titles = {"all": "Over all data", "after exclusions": "Without excluded annotators"}
    for row in expected:
        table = made.html.table("exclusions", titles[row["data"]])
        cell = table.cell(row["system"] or "α", names(made)[row["criterion"]])
        is_mean = row["measure"] == "mean"
        assert cell.text == (written if is_mean else short)(row["value"])
        if is_mean:
            assert cell.under == under(row)


def test_slices(made: Made) -> None:
    expected = second.slices(made.golden, made.said, made.counted)
    if not expected:
        pytest.skip("no question of its own is judged")
    same(
        made, "slices", expected, ["attribute", "label", "measure", "criterion", "system", "metric"]
    )
    titles = {
        "krippendorff_alpha": "Krippendorff's α",
        "mean": "means",
        "spearman": "Spearman's ρ",
    }
    for row in expected:
        values = f"{row['slices']} value{'s' if row['slices'] > 1 else ''}"
        if row["measure"] == "metric_mean":
            table = made.html.table("slices", f"topic, {values}: metrics by system")
            cell = table.cell(f"{row['label']}: {row['system']}", row["metric"])
            assert cell.text == f"{row['value']:.4g}"
            assert cell.under == f"n = {row['n']}"
            continue
        table = made.html.table("slices", f"topic, {values}: {titles[row['measure']]}")
        head = ", ".join(
            filter(
                None,
                [
                    names(made).get(row["criterion"], row["criterion"]),
                    row["system"] or row["metric"],
                ],
            )
        )
        cell = table.cell(row["label"], head)
        assert cell.text == written(row["value"])
        assert cell.under.split(", ")[-1] == f"n = {row['n']}"


def test_question_sets(made: Made) -> None:
    expected = second.set_facts(made.golden)
    same(made, "text_statistics", expected, ["system"])
    table = made.html.table("text_statistics", "Question types")
    for row in expected:
        assert table.cell(row["system"], "Questions").text == str(row["returned"])
        for head in table.heads[1:-1]:
            cell, count = table.cell(row["system"], head.text), row[f"type_{head.text}"]
            assert (cell.text, cell.under) == (str(count), f"{100 * count / row['returned']:.0f}%")
    heads = {
        "Types a question": "type_share",
        "Balance of types": "type_balance",
        "Repeated": "exact_duplicates",
        "Nearly repeated": "near_duplicates",
        "References − questions": "cardinality_difference",
        "Absolute difference": "cardinality_error",
        "Sets": "sets",
    }
    for table in [
        each
        for each in made.html.tables
        if (each.section, each.title) == ("text_statistics", "Within a set")
    ]:
        for row in expected:
            for head in table.heads[1:]:
                value = row[heads[head.text]]
                text = (
                    str(value)
                    if isinstance(value, int) and "cardinality" not in heads[head.text]
                    else written(value)
                )
                assert table.cell(row["system"], head.text).text == text, head.text


def test_computed_facts(made: Made) -> None:
    same(made, "sets", second.every_set(made.golden), ["source", "system"])
    expected = second.set_rules(made.golden)
    same(made, "computed_facts", expected, ["fact", "system"])
    for row in expected:
        table, name = made.html.table("computed_facts"), names(made)[row["criterion"]]
        if row["kind"] == "quota":
            cell = table.cell(row["system"], f"{name}: quota composite")
            assert (cell.text, cell.under) == (written(row["value"]), f"n = {row['n']}")
        else:
            cell = table.cell(row["system"], f"{name}: sets that reach it")
            assert (cell.text, cell.under) == (f"{100 * row['value']:.0f}%", f"of {row['sets']}")
            assert table.cell(row["system"], name).text == written(row["rated"])


def test_marked_answers(made: Made) -> None:
    marks = [
        {
            "source": source,
            "system": system,
            "annotator": who,
            "position": position,
            "text": "" if text == "none" else text,
            "start": None if text == "none" else material.passage_of(source).index(text),
            "end": None if text == "none" else material.passage_of(source).index(text) + len(text),
        }
        for (source, system, position, who), text in made.golden.marked().items()
        if who != "submitted"
    ]
    same(made, "span_marks", marks, ["source", "system", "annotator", "position"])


def test_agreement(made: Made) -> None:
    expected = inference.agreement(made.golden, made.said)
    same(made, "agreement", expected, ["criterion", "basis", "coefficient", "level"], part=True)
    by_place = {
        (row["criterion"], row["coefficient"], row["level"]): row["value"] for row in expected
    }
    stored = {
        (row["criterion"], row["coefficient"], row["level"]): row["value"]
        for row in made.tables["agreement"]
        if row["basis"] == "all"
    }
    for check in made.tables["external_checks"]:
        assert check["values"] > 0
        assert check["largest_difference"] < 1e-9, check["statistic"]
    (table,) = [t for t in made.html.tables if (t.section, t.title) == ("agreement", "Agreement")]
    for each in second.criteria(made.golden):
        key, name = each["key"], each["name"]
        level = "nominal" if each["level"] == "nominal" or len(each["points"]) == 2 else "ordinal"
        if name not in table.lines:
            continue
        assert table.cell(name, "α").text == short(by_place[key, "krippendorff_alpha", level])
        pairable = [
            slot for slot in second.asked(made.golden, each, made.said) if len(slot.given(key)) > 1
        ]
        sources = {slot.source for slot in pairable}
        rests = f" on {len(sources)} source{'s' if len(sources) > 1 else ''}"
        assert table.names[name].under.removesuffix(rests) == f"{level}, n = {len(pairable)}"
        equal_pairs = by_place[key, "percent_agreement", "nominal"]
        assert table.cell(name, "percent agreement").text == (
            "–" if equal_pairs is None else f"{100 * equal_pairs:.0f}%"
        )
        for head in (each.text for each in table.heads if each.text in COEFFICIENTS):
            place = (key, COEFFICIENTS[head], "nominal")
            # the second program has no Conger; tests of the coefficient compare it with irrCAC
            coefficient = by_place[place] if place in by_place else stored[place]
            assert table.cell(name, head).text == short(coefficient)
    others = [
        t for t in made.html.tables if (t.section, t.title) == ("agreement", "Other coefficients")
    ]
    values = {(row["coefficient"], row["criterion"]): row["value"] for row in expected}
    for line in others[0].lines if others else ():
        for each in second.criteria(made.golden):
            place = (COEFFICIENTS[line], each["key"])
            if place in values:
                assert others[0].cell(line, each["name"]).text == short(values[place])


def test_annotators(made: Made) -> None:
    expected = inference.annotators(made.golden, made.said)
    same(made, "annotators", expected, ["criterion", "annotator"])
    without = inference.excluded(made.golden, made.said)
    same(made, "agreement_without_each", without, ["criterion", "without"])
    same(
        made,
        "scale_use",
        inference.use_of_scale(made.golden, made.said),
        ["criterion", "annotator", "value"],
    )
    same(
        made,
        "pairwise_kappa",
        inference.pairs(made.golden, made.said),
        ["criterion", "weights", "first", "second"],
    )
    alphas = {(row["criterion"], row["without"]): row for row in without}
    for row in expected:
        table = made.html.table("annotators", names(made)[row["criterion"]])
        own = alphas[row["criterion"], row["annotator"]]
        assert table.cell(row["annotator"], "ratings").text == str(row["n"])
        assert table.cell(row["annotator"], "mean").text == written(row["mean"])
        assert table.cell(row["annotator"], "severity").text == signed(row["severity"])
        assert table.cell(row["annotator"], f"{own['level']} α without").text == written(
            own["value"]
        )


def test_comparisons(made: Made) -> None:
    expected = inference.comparisons(made.golden, made.counted)
    same(made, "system_comparisons", expected, ["criterion", "test", "first", "second"])
    tests = {(row["criterion"], row["first"], row["second"], row["test"]): row for row in expected}
    for row in expected:
        table = made.html.table("system_comparisons", names(made)[row["criterion"]])
        line = f"{row['first']} – {row['second']}"
        own = {
            test: tests[row["criterion"], row["first"], row["second"], test]
            for test in ("difference", "wilcoxon", "t_as_published", "cliffs_delta")
        }
        deciding = own["difference"]
        assert table.cell(line, "difference").text == signed(deciding["value"])
        assert table.cell(line, "sources").text == str(deciding["n"])
        for head, test in (
            ("p difference", "difference"),
            ("p Wilcoxon", "wilcoxon"),
            ("p two-sample t", "t_as_published"),
        ):
            assert table.cell(line, head).text == p_text(own[test]["p_holm"]), head
        delta = own["cliffs_delta"]["value"]
        assert table.cell(line, "Cliff's δ").text == ("–" if delta is None else short(delta))


def written_ranks(row: dict[str, Any]) -> str:
    """Return the interval of a rank in words; empty if there is none."""
    ends = dict.fromkeys([row["highest_rank"], row["lowest_rank"]])
    return "–".join(str(rank) for rank in ends if rank is not None)


def test_ranks(made: Made) -> None:
    expected = conclusions.ranks(made.golden, made.counted)
    same(made, "ranks", expected, ["criterion", "system"])
    assert [(row["criterion"], row["system"]) for row in made.tables["ranks"]] == [
        (row["criterion"], row["system"]) for row in expected
    ]
    for row in expected:
        table = made.html.table("ranks", names(made)[row["criterion"]])
        assert table.cell(row["system"], "rank interval").text == (written_ranks(row) or "–")
        assert table.cell(row["system"], "cluster").text == str(row["cluster"] or "–")
        assert table.cell(row["system"], "rank 1").text == "–"


def test_metrics_against_people(made: Made) -> None:
    expected = inference.levels(made.golden, made.counted)
    same(made, "correlations", expected, ["criterion", "metric", "level", "coefficient"], part=True)
    for row in expected:
        title = f"{MEASURES[row['coefficient']]}, {LEVELS[row['level']]}"
        table = made.html.table("correlations", title)
        cell = table.cell(names(made).get(row["criterion"], row["criterion"]), row["metric"])
        assert cell.text == ("–" if row["value"] is None else short(row["value"]))


MEASURES = {"spearman": "Spearman's ρ", "pearson": "Pearson's r", "kendall": "Kendall's τ-b"}
LEVELS = {
    "pooled": "pooled",
    "within_source": "per source",
    "systems": "system level",
}


def test_differences_as_published(made: Made) -> None:
    identity = ["criterion", "level", "better", "other"]
    same(
        made,
        "metric_comparisons",
        inference.published(made.golden, made.counted),
        identity,
        part=True,
    )


def test_metric_matrix(made: Made) -> None:
    expected = second.metric_matrix(made.golden, made.counted)
    same(made, "metric_matrix", expected, ["first", "second", "coefficient"])
    in_squares(made, "metric_matrix", expected, {})


def test_criterion_matrix(made: Made) -> None:
    expected = second.criterion_matrix(made.golden, made.counted)
    same(made, "criterion_matrix", expected, ["first", "second", "coefficient"])
    in_squares(made, "criterion_matrix", expected, names(made))


def in_squares(
    made: Made, section: str, expected: Sequence[dict[str, Any]], named: dict[str, str]
) -> None:
    """Hold the half square of a page against its rows: each value stands there once."""
    for row in expected:
        if row["coefficient"] != "spearman":
            continue
        table = made.html.table(section, MEASURES[row["coefficient"]])
        one, two = (named.get(row[side], row[side]) for side in ("first", "second"))
        text = "–" if row["value"] is None else short(row["value"])
        assert table.cell(one, two).text == text
        assert two not in table.lines or one not in heads_of(table) or not table.cell(two, one).text


def heads_of(table: ShownTable) -> list[str]:
    return [each.text for each in table.heads[1:]]


# lme4 1.1 in R, lmer(value ~ 0 + system:annotator + (1|source) + (1|question), REML): the means of
# the fixed effects of each system, and the variances of questions, sources and the rest.
LME4 = {
    "grammaticality": (
        {"Alba": 2.9375, "Brisa": 2.875, "Corvo": 1.875},
        (0.01562500, 0, 0.13747264),
    ),
    "understandability": (
        {"Alba": 2.875, "Brisa": 2.8125, "Corvo": 1.585250},
        (0, 0.003924993, 0.139219393),
    ),
    "correctness": (
        {"Alba": 2.5625, "Brisa": 2.375, "Corvo": 1.583333333},
        (0.3072916678, 0, 0.2213541664),
    ),
}


def test_mixed_model(made: Made) -> None:
    if made.golden.name != "qgbench":
        pytest.skip("the figures of R are of one study")
    rows = made.tables["mixed_models"]
    for criterion, (means, variances) in LME4.items():
        of = {row["effect"]: row["value"] for row in rows if row["criterion"] == criterion}
        found = [of[f"variance of {name}"] for name in ("questions", "sources", "rest")]
        assert found == pytest.approx(variances, abs=2e-6)
        for row in rows:
            if (row["criterion"], row["effect"]) == (criterion, "difference"):
                assert row["value"] == pytest.approx(
                    means[row["first"]] - means[row["second"]], abs=2e-6
                )
                table = made.html.table("mixed_models", names(made)[criterion])
                cell = table.cell(f"{row['first']} – {row['second']}", "difference")
                assert cell.text == signed(row["value"])
                assert table.cell(f"{row['first']} – {row['second']}", "p").text == p_text(
                    row["p_holm"]
                )


def test_intervals_of_agreement(made: Made) -> None:
    identity = ["criterion", "basis", "coefficient", "level"]
    expected = conclusions.agreement(made.golden, made.said)
    same(made, "agreement", expected, identity, part=True)


def test_intervals_of_correlations(made: Made) -> None:
    identity = ["criterion", "metric", "level", "coefficient"]
    expected = conclusions.levels(made.golden, made.counted)
    same(made, "correlations", expected, identity, part=True)
    sizes = {
        (row["criterion"], row["metric"], row["level"], row["coefficient"]): row["questions"]
        for row in made.tables["correlations"]
    }
    for row in expected:
        table = made.html.table(
            "correlations", f"{MEASURES[row['coefficient']]}, {LEVELS[row['level']]}"
        )
        cell = table.cell(names(made).get(row["criterion"], row["criterion"]), row["metric"])
        if cell.text != "–":
            limits = "" if row["low"] is None else f"[{short(row['low'])}, {short(row['high'])}]"
            n = sizes[tuple(row[name] for name in identity)]
            alike = {
                each["questions"]
                for each in made.tables["correlations"]
                if (each["level"], each["coefficient"]) == (row["level"], row["coefficient"])
                and each["value"] is not None
            }
            if alike == {n}:  # one n for the whole table stands above it
                assert cell.under == limits
                assert f"n = {n:,}" in made.captions["correlations", table.title]
            else:
                assert cell.under == ", ".join(filter(None, [limits, f"n = {n}"]))


def test_differences_of_metrics(made: Made) -> None:
    """Stored, and at the headline's level on the page as the highest metric of each criterion
    against each other one."""
    expected = conclusions.differences(made.golden, made.counted)
    same(made, "metric_comparisons", expected, ["criterion", "level", "better", "other"])
    leading = {(row["criterion"], row["level"]): row["highest"] for row in made.tables["leaders"]}
    for row in expected:
        highest = leading.get((row["criterion"], row["level"]))
        if row["level"] != made.tables["about"][0]["metric_level"] or highest not in (
            row["better"],
            row["other"],
        ):
            continue
        turned = row["better"] != highest
        low, high = row["low"], row["high"]
        if turned and low is not None:
            low, high = -high, -low
        title = f"{names(made).get(row['criterion'], row['criterion'])}, {LEVELS[row['level']]}"
        table = made.html.table("metric_comparisons", f"{title}: {highest}")
        line = row["better"] if turned else row["other"]
        cell = table.cell(line, "Δρ")
        value = row["value"] if not turned or row["value"] is None else -row["value"]
        assert cell.text == ("–" if value is None else short(value))
        limits = "" if low is None else f"[{short(low)}, {short(high)}], "
        assert cell.under == f"{limits}n = {row['questions']}"
        p = table.cell(line, "p")
        assert (p.text, p.bold) == (
            p_text(row["p_holm"]),
            row["p_holm"] is not None and row["p_holm"] < 0.05,
        )


def test_leaders(made: Made) -> None:
    pairs = conclusions.differences(made.golden, made.counted)
    values = {
        (row["criterion"], row["level"], row["metric"]): row["value"]
        for row in inference.levels(made.golden, made.counted)
        if row["coefficient"] == "spearman"
    }
    places = {(human, level) for human, level, _ in values}
    told = {place: [v for (*at, _), v in values.items() if tuple(at) == place] for place in places}
    wanted = {
        place
        for place in places
        if any(v is not None for v in told[place]) and len(made.golden.metrics) > 1
    }
    rows = {(row["criterion"], row["level"]): row for row in made.tables["leaders"]}
    assert set(rows) == wanted
    for place, row in rows.items():
        own = {metric: v for (*at, metric), v in values.items() if tuple(at) == place}
        family = [each for each in pairs if (each["criterion"], each["level"]) == place]
        highest, members, behind, unknown = conclusions.leaders(own, family)
        assert own[row["highest"]] == pytest.approx(own[highest])
        assert row["members"][0] == row["highest"]
        assert set(row["members"]) == members
        assert (set(row["behind"]), set(row["unknown"])) == (behind, unknown)
        cell = made.html.table("leaders").cell(
            names(made).get(place[0], place[0]), LEVELS[place[1]]
        )
        assert cell.text == " and ".join(
            filter(None, [", ".join(row["members"][:-1]), row["members"][-1]])
        )


def test_ceiling(made: Made) -> None:
    expected = conclusions.ceiling(made.golden, made.differing)
    same(made, "ceiling", expected, ["criterion", "level", "coefficient"])


def test_dependability(made: Made) -> None:
    """Where every question has ratings of several annotators; three studies, as dense matrices are
    slow."""
    if made.golden.name not in ("qgbench", "qgeval", "schlichtkrull-cheng"):
        pytest.skip("the second program is slow")
    for key in made.golden.criteria[:3]:
        rows = [row for row in made.tables["dependability"] if row["criterion"] == key]
        expected = conclusions.dependability(made.golden, made.differing, key)
        assert {(row["annotators"], row["sources"]) for row in rows} == set(expected)
        table = made.html.table("dependability", names(made)[key])
        for row in rows:
            own = expected[row["annotators"], row["sources"]]
            assert {name: row[name] for name in own} == pytest.approx(own, abs=1e-4)
            cell = table.cell(str(row["annotators"]), f"{row['sources']} sources")
            assert cell.text == written(row["error_of_difference"])
            assert cell.under == written(row["generalisability"])


def test_about(made: Made) -> None:
    golden, slots = made.golden, made.said
    given = [
        (slot, name) for slot in slots for of in slot.ratings.values() for name, _ in of.items()
    ]
    questions = [slot for slot in slots if not slot.set_as_whole]
    (row,) = made.tables["about"]
    facts = {
        "judgments": len(given),
        "forced": 0,
        "annotators": len({name for _, name in given}),
        "sources": len({slot.source for slot in slots}),
        "sources_judged": len({slot.source for slot, _ in given}),
        "systems": sorted({slot.system for slot in slots}),
        "expected": len(questions),
        "returned": sum(slot.text is not None for slot in questions),
        "origin": "imported",
        "places": 0,
        "excluded": [
            {"annotator": who, "reason": "gave one value only"} for who in golden.excluded
        ],
        "unblinded": [],
        "deviations": [],
        "extras_counted": False,
        "reading": golden.reading,
        "design": "sources",
        "reach": "texts like these, these systems and these annotators",
        "excluded_by_run": [],
        "metric_level": "pooled",
        "seconds_a_question": None,
    }
    assert {name: row[name] for name in facts} == facts


# Each number stands in the tables of the second program; the words say no more than follows from
# them.
CONCLUSIONS = {
    "qgbench": {
        "Study": "These ratings were imported from a file; the time annotators took is unknown.",
        "Agreement": "Krippendorff's α over 4 annotators and 4 sources: correctness .69; grammaticality .61; "
        "understandability .61.",
        "Systems": "Over 4 sources and 4 annotators, Alba has the best mean on grammaticality (2.94, high is best, "
        "not significantly different from Brisa and Corvo), understandability (2.88, high is best, not significantly "
        "different from Brisa and Corvo) and correctness (2.56, high is best, not significantly different from Brisa "
        "and Corvo). Sensitivity: permutation test, contrast within sources, mixed model and signed-rank test (Holm, "
        "5% level) disagree on 2 of 9 comparisons of systems: Alba and Corvo on understandability (significant by "
        "contrast within sources and mixed model only) and Brisa and Corvo on understandability (significant by "
        "contrast within sources and mixed model only). The test of 2 of 9 pairs of systems is the contrast within "
        "sources, adjusted for annotators, "
        "because different annotators rated the two systems on some sources. On grammaticality, with 4 sources in "
        "common or fewer no p of the permutation test can fall below .375 after Holm's correction, so "
        "1 pair of systems could "
        "not differ significantly, whatever the difference. On understandability and correctness, with 4 sources in "
        "common or fewer no p of the permutation test can fall below .375 after Holm's correction, so "
        "these systems could not "
        "differ significantly, whatever the difference. A difference that is not significant does not show that the "
        "systems are equal.",
        "Metrics": "On grammaticality, METEOR and TER share the highest correlation with human ratings: ρ = .94, 95% "
        "CI [.73, .99], p = .014 (Spearman's ρ, pooled; 4 sources, n = 11; Holm); no test compares them with "
        "BERTScore. Human ceiling (one annotator against the mean of the others): ρ = .61. On understandability, "
        "METEOR and TER correlate significantly with human ratings: ρ = .52 to .56 (Spearman's ρ, pooled; 4 sources, "
        "n = 11; Holm, p < .05); BERTScore has the highest estimate, .67, which is not tested. Human ceiling (one "
        "annotator against the mean of the others): ρ = .56. "
        "On correctness, TER has the highest correlation with human ratings: ρ = .87, 95% CI [.74, .94], p = .003 "
        "(Spearman's ρ, pooled; 4 sources, n = 11; Holm); not significantly different from it: METEOR (Δρ = .04, 95% "
        "CI [−.03, .10], p = .175); no test compares it with BERTScore. Human ceiling (one annotator against the mean "
        "of the others): ρ = .75. On fluency (imported mean), no metric correlates significantly with human ratings: "
        "ρ = .93 to .97 (Spearman's ρ, pooled; 4 sources, n = 12; Holm, 2 metrics, p ≥ .05).",
    },
    "nema-khapra": {
        "Study": "These ratings were imported from a file; the time annotators took is unknown.",
        "Agreement": "Krippendorff's α over 3 annotators and 8 sources (95% CI, cluster jackknife): "
        "answerability .44 [.22, .66].",
        "Systems": "Over 8 sources and 3 annotators, whole has the best mean on answerability (3.83, over 4 of 8 "
        "sources, high is best, the systems are not compared: no common source). 1 pair of systems has fewer than two "
        "sources in common, so no test compares them.",
        "Metrics": "On answerability, no correlation of a metric with human ratings was tested (Spearman's ρ, pooled; "
        "8 sources, n = 8): without one of the units the correlation is perfect: no interval (ρ = .99).",
    },
}


def test_sentences(made: Made) -> None:
    if made.golden.name not in CONCLUSIONS:
        pytest.skip("read by hand for two studies")
    found = {each["about"]: each["text"] for each in page.results_in_words(Found(made.tables))}
    assert set(found) == set(CONCLUSIONS[made.golden.name])
    for about, text in found.items():
        assert text == CONCLUSIONS[made.golden.name][about]
    for chapter in page.chapters(Found(made.tables), []):
        for sentences in filter(None, (chapter.results, chapter.caveats)):
            assert f">{escape(' '.join(sentences))}</p>" in made.source


def test_sentences_raw_and_corrected_p_disagree_name_no_leader(made: Made) -> None:
    """METEOR's p on the imported means is .033 before and .066 after Holm's correction."""
    if made.golden.name != "qgbench":
        pytest.skip("raw and corrected p disagree in one study")
    column = made.golden.human_means[0]
    own = [
        row
        for row in conclusions.levels(made.golden, made.counted)
        if (row["level"], row["coefficient"]) == ("pooled", "spearman")
        and row["criterion"].startswith(column)
    ]
    assert min(row["p"] for row in own if row["p"] is not None) == pytest.approx(0.0331, abs=1e-4)
    assert min(row["p_holm"] for row in own if row["p"] is not None) > 0.05
    text = next(
        each["text"]
        for each in page.results_in_words(Found(made.tables))
        if each["about"] == "Metrics"
    )
    assert (
        f"On {column} (imported mean), no metric correlates significantly with human ratings"
        in text
    )
    assert f"On {column} (imported mean), TER has the highest" not in text
