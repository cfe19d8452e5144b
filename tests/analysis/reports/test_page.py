"""A report as a page shows it: numbers written out, places on axes, cells of a heat map."""

from analysis.reports import heat, making, page
from analysis.reports.written import bracketed, coefficient, inside, listed, p_value, plain, two
from tests.analysis.reports.results import (
    aggregate,
    agreement,
    criterion,
    estimate,
    lead,
    mean,
    returned,
    rho,
    tables,
)


def test_numbers_are_written_as_papers_write_them():
    assert [two(-0.001), two(-0.5), two(None)] == ["0.00", "−0.50", "undefined"]
    assert [coefficient(0.41), coefficient(-0.05), coefficient(1.0)] == [".41", "−.05", "1.00"]
    assert [plain(4609.5), plain(3.0), plain(None)] == ["4,609.5", "3", "–"]
    assert [p_value(0.31), p_value(0.0001), p_value(None)] == ["p = .310", "p < .001", "p undefined"]


def test_lists_and_names_are_written_as_people_say_them():
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert [inside("Question type"), inside("QA fit")] == ["question type", "QA fit"]


def test_undefined_value_is_written_with_its_reason():
    assert bracketed(estimate(None) | {"reason": "one annotator"}) == "undefined: one annotator"


def test_agreement_axis_begins_at_zero_unless_an_interval_reaches_below():
    above = tables(agreement=agreement(estimate(0.5, 0.25, 0.75)))
    row = page.agreement(above)[0]
    assert (row.low, row.estimate, row.high) == (25, 50, 75)
    below = tables(agreement=agreement(estimate(0.5, -0.5, 0.75)))
    row = page.agreement(below)[0]
    assert (row.low, row.estimate, row.high) == (25, 75, 87.5)


def test_agreement_that_is_undefined_is_a_dash_with_its_reason_below():
    found = page.report(tables(agreement=agreement(estimate(None) | {"reason": "one annotator"})))
    assert (found["agreement"][0].alpha, found["agreement"][0].estimate) == ("–", None)
    assert found["undefined"] == ["one annotator"]


def test_systems_table_marks_the_best_and_says_how_many_were_returned():
    found = page.systems(
        tables(systems=[mean("a", 2.8, 2.7, 2.9), mean("b", None)], returned=[returned("a", 10, 9)]), {"clarity": "C"}
    )
    assert [(row.name, row.cells[0].text, row.cells[0].under, row.last) for row in found.rows] == [
        ("a", "2.80", "2.70 to 2.90", "9 of 10"),
        ("b", "–", "–", ""),
    ]
    assert found.heads() == [{"name": "C", "note": "high is best"}]


def test_means_with_and_without_missing_stand_side_by_side_only_where_they_differ():
    rows = [
        aggregate("a", 1.9, key="clarity", mean_expected=1.9, mean_returned=1.9),
        aggregate("b", 1.2, key="clarity", mean_expected=1.2, mean_returned=2.8),
    ]
    left, right = page.with_missing(tables(aggregates=rows), {"clarity": "Clarity"})
    assert [row.cells[0].best for row in left.rows] == [False, True]
    assert [row.cells[0].best for row in right.rows] == [True, False]
    assert page.with_missing(tables(aggregates=rows[:1]), {"clarity": "Clarity"}) == []


def test_readings_show_the_combined_aggregate_with_its_ranking():
    rows = [aggregate("a", 30), aggregate("b", 20), aggregate("a", 3, key="clarity")]
    found = page.readings(tables(aggregates=rows, criteria=[criterion(best="lowest")]))
    assert [(row.name, row.last) for row in found.rows] == [("by the protocol", "b › a")]
    assert [cell.best for cell in found.rows[0].cells] == [False, True]


def test_aggregates_that_are_the_means_above_are_not_shown_again():
    rows = [aggregate("a", 1.9, key="clarity", mean_expected=1.9, mean_returned=1.9)]
    assert page.aggregates(tables(aggregates=rows), {"clarity": "Clarity"}) == []


def test_heat_map_shades_by_size_and_frames_the_highest_above_zero():
    found = heat.heat([rho("bleu", 0.41, 0.3, 0.5), rho("chrf", -0.3, -0.4, -0.2), rho("x", None)], {"clarity": "C"})
    cells = found["rows"][0]["cells"]
    assert [(cell.text, cell.level, cell.minus, cell.top) for cell in cells] == [
        (".41", 8, False, True),
        ("−.30", 6, True, False),
        ("–", None, False, False),
    ]
    nothing = heat.heat([rho("bleu", 1e-18), rho("chrf", -0.1)], {})
    assert [cell.top for cell in nothing["rows"][0]["cells"]] == [False, False]


def test_leads_print_a_dash_with_its_reason_where_a_test_is_undefined():
    found = heat.leads(tables(differences=[lead("bleu", "rouge", 0.01, 0.31)]), {"clarity": "Clarity"})
    assert found == [
        {
            "human": "Clarity",
            "best": "bleu",
            "rows": [{"other": "rouge", "difference": ".01", "swap": ".310", "williams": "–", "sure": False}],
            "reasons": ["they rank alike"],
        }
    ]


def test_metrics_say_in_words_how_they_were_made():
    imported = {"name": "meteor", "kind": "imported", "n": 3, "mean": 0.5, "min": 0.1, "max": 1.0, "reason": ""}
    assert making.metric(imported | {"made": {"column": "METEOR", "file": "a.csv", "sha256": "ab" * 32}})["how"] == (
        "column “METEOR” of a.csv, SHA-256 abababab…"
    )
    made = {"id": "rouge_l", "version": "1", "library": "", "params": {"beta": 1.2}}
    prepared = {"preparation": {"hypothesis": "nqg", "reference": "raw"}}
    assert making.metric(imported | {"made": made | prepared})["how"] == (
        "rouge_l, version 1, beta 1.2; questions normalised as QG-Bench does (nqg), references left as they are"
    )


def test_settings_of_a_run_are_told_in_words():
    told = dict(making.facts({"metrics": ["bleu_1", "rouge_l"], "resamples": 1000}, {"numpy": "2.4"}, seed=7))
    assert told["Chance"] == "seed 7, 1,000 resamples"
    assert told["Metrics asked for"] == "bleu_1 and rouge_l"
    assert told["Ratings that contradict a rule of the protocol"].startswith("as released;")
    assert told["Made with"] == "NumPy 2.4"
