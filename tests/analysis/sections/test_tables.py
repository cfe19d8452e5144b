"""What tables of sections say of rows that are given, word for word and shade for shade."""

from analysis.reports.layout import PageTable
from analysis.sections.agreement.annotators import Annotators
from analysis.sections.agreement.dependability import DependabilityOfSystems
from analysis.sections.agreement.exclusions import Exclusions
from analysis.sections.agreement.hidden_repeats import HiddenRepeats
from analysis.sections.metrics.metric_definitions import MetricDefinitions
from analysis.sections.metrics.metric_means import MetricMeans
from analysis.sections.page import card_of
from analysis.sections.systems.matrices import CriterionMatrix, MetricMatrix
from analysis.sections.systems.mixed_models import MixedModels
from analysis.sections.systems.system_comparisons import SystemComparisons
from quaestor_stats._system_pairs import swaps_for
from tests.analysis.sections import stored


def texts(table: PageTable) -> list[list[str]]:
    """Return each line as its name and the texts of its cells with what stands below."""
    return [
        [line.name, *(" / ".join(filter(None, (cell.text, cell.under))) for cell in line.cells)]
        for line in table.lines
    ]


def pair(first: str, second: str, value: float | None, n: int, **more: str) -> dict:
    told = {"coefficient": "spearman", "reason": "", **more}
    return {"first": first, "second": second, "value": value, "n": n, **told}


def test_metrics_with_each_other_are_shaded_by_their_size_and_marked_below_nought() -> None:
    rows = [
        pair("A", "B", 0.501, 40),
        pair("A", "C", -0.249, 40),
        pair("B", "C", -0.004, 40),
        *(pair(*two, 1.0, 40, coefficient="pearson") for two in ("AB", "AC", "BC")),
    ]
    (square,) = MetricMatrix().tables(stored.found(metric_matrix=rows))
    assert (square.title, square.first, square.heat) == ("Spearman's ρ", "Metric", True)
    assert square.caption == "Spearman's ρ over questions, n = 40."
    assert square.columns == ["B", "C"]
    assert texts(square) == [
        ["A", ".50", "−.25"],
        ["B", "", ".00"],
    ]
    of_a, of_b = (line.cells for line in square.lines)
    assert [(cell.shade, cell.minus) for cell in of_a] == [(10, False), (5, True)]
    assert (of_b[1].shade, of_b[1].minus) == (0, False)
    assert not square.folded


def test_criteria_over_different_questions_name_their_number_and_why_there_is_none() -> None:
    few = "2 questions have both: too few"
    rows = [pair("clarity", "x", 0.3, 1_040), pair("x", "y", None, 2, reason=few)]
    (table,) = CriterionMatrix().tables(stored.found(criterion_matrix=rows))
    assert table.caption == "Spearman's ρ over questions, with the number of questions."
    assert (table.first, table.columns, table.reasons) == (
        "Criterion",
        ["x", "y"],
        [few],
    )
    assert texts(table) == [
        ["Clarity", ".30 / n = 1,040", ""],
        ["x", "", "– / n = 2"],
    ]


def test_a_mixed_model_tells_differences_then_variances_and_what_was_excluded() -> None:
    def row(effect: str, value: float | None, first: str = "", second: str = "", **more) -> dict:
        return {
            **stored.estimate(value, **more),
            "criterion": "clarity",
            "effect": effect,
            "first": first,
            "second": second,
        }

    rows = [
        row("difference", 0.312, "Alba", "Brisa", low=0.1, high=0.52, p_holm=0.0123),
        row("difference", -0.2, "Alba", "Cara", low=-0.5, high=0.1, p_holm=0.4),
        row("difference", None, "Brisa", "Cara", reason="2 sources are too few"),
        row("variance of sources", 0.456, caution="one annotator"),
        row("variance of rest", 0.123, caution="one annotator"),
    ]
    (table,) = MixedModels().tables(stored.found(mixed_models=rows))
    assert (table.title, table.first, table.folded) == ("Clarity", "Systems", True)
    assert table.columns == ["difference", "p"]
    assert texts(table) == [
        ["Alba – Brisa", "+0.31 / [0.10, 0.52]", ".012"],
        ["Alba – Cara", "−0.20 / [−0.50, 0.10]", ".400"],
    ]
    assert table.reasons == [
        "2 sources are too few",
        "variance of sources 0.46",
        "variance of rest 0.12",
        "one annotator",
    ]


def test_studies_of_other_sizes_stand_by_annotators_and_sources() -> None:
    def row(annotators: int, sources: int, error: float, share: float) -> dict:
        return {
            "criterion": "clarity",
            "annotators": annotators,
            "sources": sources,
            "generalisability": share,
            "dependability": 0.11,
            "error_of_mean": 0.22,
            "error_of_difference": error,
            "reason": "",
        }

    rows = [
        row(3, 2_000, 0.31, 0.91),
        row(2, 50, 0.52, 0.61),
        row(3, 50, 0.43, 0.71),
        row(2, 2_000, 0.34, 0.81),
    ]
    (table,) = DependabilityOfSystems().tables(stored.found(dependability=rows))
    assert (table.columns, table.first) == (["50 sources", "2,000 sources"], "Annotators")
    assert texts(table) == [
        ["2", "0.52 / 0.61", "0.34 / 0.81"],
        ["3", "0.43 / 0.71", "0.31 / 0.91"],
    ]
    none = {**row(0, 0, None, None), "reason": "every rating has the same value"}
    (empty,) = DependabilityOfSystems().tables(stored.found(dependability=[none]))
    assert (empty.lines, empty.reasons) == ([], ["every rating has the same value"])


def test_what_annotators_who_are_left_out_change_stands_in_two_tables() -> None:
    def row(data: str, measure: str, value: float, system: str = "") -> dict:
        told = stored.estimate(value, value - 0.1, value + 0.1)
        where = {"data": data, "measure": measure, "criterion": "clarity", "system": system}
        return {**told, **where}

    rows = [
        row("after exclusions", "mean", 2.5, "Alba"),
        row("all", "krippendorff_alpha", 0.61),
        row("all", "mean", 2.2, "Alba"),
        row("after exclusions", "krippendorff_alpha", 0.72),
    ]
    every, kept = Exclusions().tables(stored.found(exclusions=rows))
    assert (every.title, kept.title) == ("Over all data", "Without excluded annotators")
    assert (every.first, every.columns) == ("System", ["Clarity"])
    assert [line.name for line in every.lines] == ["α", "Alba"]
    assert [line.cells[0].text for line in every.lines] == [".61", "2.20"]
    assert [line.cells[0].text for line in kept.lines] == ["2.50", ".72"]


def test_repeats_stand_by_annotator_with_alpha_below() -> None:
    where = {"criterion": "clarity"}
    own = [
        {**stored.estimate(0.91, 0.81, 0.99), "annotator": "", **where},
        {**stored.estimate(0.75, 0.55, 0.95), "annotator": "A1", **where},
    ]
    alphas = [{**stored.estimate(0.66, 0.46, 0.86), **where}]
    (table,) = HiddenRepeats().tables(
        stored.found(hidden_repeats=own, intra_annotator_agreement=alphas)
    )
    assert [line.name for line in table.lines] == ["All together", "A1", "Krippendorff's α"]
    assert [line.cells[0].text for line in table.lines] == ["0.91", "0.75", ".66"]
    assert (table.title, table.first) == ("Equal values the second time", "Annotator")
    assert HiddenRepeats().tables(stored.found(intra_annotator_agreement=alphas)) == []


def test_systems_by_metrics_stand_by_level_with_how_scores_were_made() -> None:
    def row(metric: str, system: str, value: float, n: int, level: str, kind: str) -> dict:
        return {
            "metric": metric,
            "system": system,
            "value": value,
            "n": n,
            "level": level,
            "kind": kind,
        }

    rows = [
        row("corpus BLEU", "Alba", 31.234, 1, "system", "imported"),
        row("BLEU", "Brisa", 0.28, 1_204, "question", "computed"),
        row("BLEU", "Alba", 0.123456, 40, "question", "computed"),
    ]
    whole, questions = MetricMeans().tables(stored.found(metric_means=rows))
    assert (questions.columns, questions.first, questions.last) == (
        ["Alba", "Brisa"],
        "Metric",
        "Origin",
    )
    assert texts(questions) == [["BLEU", "0.1235 / n = 40", "0.28 / n = 1,204"]]
    assert texts(whole) == [["corpus BLEU", "31.23 / n = 1"]]
    assert (whole.folded, questions.folded) == (False, True)
    assert [table.lines[0].last for table in (questions, whole)] == ["computed here", "imported"]


def test_a_metric_is_told_with_its_scores_and_the_column_that_repeats_it() -> None:
    def row(name: str, **more) -> dict:
        given = {
            "kind": "computed",
            "direction": "higher",
            "scale": "fraction",
            "n": 1_204,
            "min": 0.1,
            "mean": 0.456,
            "max": 0.9,
            "fingerprint": "f",
            "reason": "",
            "made": {"id": "bleu_4", "version": "1"},
        }
        return {"name": name, **given, **more}

    twin = {"kind": "imported", "same_as": "BLEU", "largest_difference": 0.0049, "tolerance": 0.005}
    rows = [
        row("BLEU"),
        row("Errors", direction="lower", n=0, min=None, mean=None, max=None),
        row("bleu", n=40, **twin),
        row("COMET", kind="not computed", reason="not installed"),
    ]
    (table,) = MetricDefinitions().tables(stored.found(metric_definitions=rows))
    assert (table.columns, table.first, table.last) == (["Scores", "Mean"], "Metric", "Definition")
    assert texts(table) == [
        ["BLEU", "1,204", "0.46 / 0.10 to 0.90"],
        ["Errors", "0", "–"],
        ["COMET", "–", "–"],
    ]
    assert [line.under.partition(", ")[2] for line in table.lines] == ["", "lower is better", ""]
    bleu, _, comet = table.lines
    assert bleu.last.endswith(
        "the imported column bleu is the same: 40 scores, largest difference 0.0049, within the "
        "0.005 that its digits leave open"
    )
    assert (comet.last, comet.chip) == ("not installed", "not available")


def test_a_table_of_two_hundred_lines_is_whole_and_of_one_more_is_cut() -> None:
    def row(number: int) -> dict:
        told = {"metric": f"m{number}", "system": "Alba", "value": 0.5, "n": 9}
        return {**told, "level": "question", "kind": "computed"}

    for count, says in (
        (200, []),
        (201, ["The first 200 of 201 lines; all of them stand in the files."]),
    ):
        rows = [row(number) for number in range(count)]
        found = stored.found(metric_means=rows)
        card = card_of(MetricMeans(), found, [])
        assert card is not None
        [table] = card.tables
        assert (len(table.lines), table.reasons) == (200, says)
        assert (card.key, card.title) == ("metric_means", "Metric means by system")
        assert card.note.startswith("A score of a system as a whole")
        assert card.downloads == [("metric_means", "Metric means by system")]
        assert (card.folded, card.has_tables, card.switched) == ([], True, [])


def test_annotators_stand_with_their_use_of_the_scale_and_lead_to_their_questions() -> None:
    def row(annotator: str, n: int, severity: float, run: int | None) -> dict:
        told = {"mean": 2.345, "severity": severity, "longest_run": run, "top_share": 0.5}
        return {"criterion": "clarity", "annotator": annotator, "n": n, **told}

    def use(value: int, count: int, share: float) -> dict:
        told = {"criterion": "clarity", "annotator": "A1", "label": "", "value": value}
        return {**told, "count": count, "share": share}

    without = [
        {**stored.estimate(0.61), "criterion": "clarity", "without": "A1", "change": 0.1},
        {**stored.estimate(None), "criterion": "clarity", "without": "A2", "change": None},
    ]
    (table,) = Annotators().tables(
        stored.found(
            annotators=[row("A1", 1_204, 0.256, 7), row("A2", 9, -0.104, None)],
            scale_use=[use(1, 1, 0.004), use(2, 200, 0.246), use(3, 600, 0.75)],
            agreement_without_each=without,
        )
    )
    assert (table.title, table.first, table.folded) == ("Clarity", "Annotator", True)
    assert table.columns == [
        "ratings",
        "mean",
        "severity",
        "longest run",
        "ordinal α without",
        "use of the scale",
    ]
    assert texts(table) == [
        ["A1", "1,204", "2.35", "+0.26", "7", "0.61", ""],
        ["A2", "9", "2.35", "−0.10", "–", "–", ""],
    ]
    first = table.lines[0].cells
    severe = first[2].items
    assert severe is not None
    assert (severe.sort, severe.criterion, severe.annotator) == ("outlier", "clarity", "A1")
    assert [text for text, _ in first[5].shares] == ["1: < 1%", "2: 25%", "3: 75%"]
    assert [(query.value, query.annotator) for _, query in first[5].shares] == [
        ("1", "A1"),
        ("2", "A1"),
        ("3", "A1"),
    ]
    widths = [(bar.start, bar.width) for bar in first[5].bars]
    assert widths == [(0, 0.4), (0.4, 24.6), (25, 75)]
    repeats = [
        {**stored.estimate(None), "criterion": key, "reason": "not assessed"} for key in ("a", "b")
    ]
    assert Annotators().small_print(stored.found(intra_annotator_agreement=repeats)) == [
        "Intra-annotator agreement: not assessed."
    ]


def test_pairs_of_systems_stand_with_all_tests_and_lead_to_what_one_of_them_lost() -> None:
    def row(test: str, value: float | None, p: float | None, **more) -> dict:
        names = {"criterion": "clarity", "test": test, "first": "Alba", "second": "Brisa"}
        return {**stored.estimate(value, **more), **names, "p_holm": p, "n": 1_204}

    rows = [
        row("difference", -0.256, 0.0123, low=-0.4, high=-0.1, p_from="permutation"),
        row("wilcoxon", -0.5, 0.234),
        row("t_as_published", None, None, reason="neither system's scores vary"),
        row("cliffs_delta", -0.321, None, low=-0.5, high=-0.125),
    ]
    (table,) = SystemComparisons().tables(stored.found(system_comparisons=rows))
    assert (table.title, table.first, table.folded) == ("Clarity", "Systems", True)
    assert table.columns == [
        "difference",
        "sources",
        "p difference",
        "p Wilcoxon",
        "Cliff's δ",
        "p two-sample t",
    ]
    assert table.notes == ["", "in common", "", "", "", "as published"]
    assert table.reasons == ["neither system's scores vary"]
    assert texts(table) == [
        [
            "Alba – Brisa",
            "−0.26 / [−0.40, −0.10]",
            "1,204",
            ".012",
            ".234",
            "−.32 / [−.50, −.12]",
            "–",
        ]
    ]
    cells = table.lines[0].cells
    assert [cell.best for cell in cells] == [False, False, True, False, False, False]
    lost = cells[0].items
    assert lost is not None
    assert (lost.sort, lost.criterion, lost.system, lost.against) == (
        "loss",
        "clarity",
        "Alba",
        "Brisa",
    )
    at = [row("difference", 0.2, 0.05), *rows[1:]]
    (unsure,) = SystemComparisons().tables(stored.found(system_comparisons=at))
    assert not unsure.lines[0].cells[2].best


def test_swaps_are_enough_for_holm_within_bounded_time() -> None:
    """As many as asked, or 100 for each pair if that is more; up to 20,000, as long as 200 million
    signs are enough, and never below 100."""
    asked = [(1, 50, 999), (20, 50, 999), (250, 20, 999), (1_000, 50, 999), (10_000, 1_000, 999)]
    assert [swaps_for(*each) for each in asked] == [999, 2_000, 20_000, 4_000, 100]
