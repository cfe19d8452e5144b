"""What of a section the page of a report shows."""

from analysis.sections.agreement.agreement import Agreement
from analysis.sections.page import card_of, side_by_side
from analysis.sections.section import Found
from analysis.sections.systems.system_comparisons import SystemComparisons
from tests.analysis.sections import stored


def test_of_a_very_long_table_the_page_shows_the_first_lines_and_says_so():
    pairs = [
        stored.estimate(0.7, test=test, criterion="clarity", first="a", second=f"s{n}")
        for n in range(1234)
        for test in ("difference", "wilcoxon", "t_as_published", "cliffs_delta")
    ]
    found = stored.found(system_comparisons=pairs)
    (table,) = card_of(SystemComparisons(), found, []).folded
    assert [line.name for line in table.lines] == [f"a – s{n}" for n in range(200)]
    assert table.reasons[0] == "The first 200 of 1,234 lines; all of them stand in the files."
    (whole,) = SystemComparisons().tables(found)
    assert (len(whole.lines), len(whole.reasons)) == (1234, len(table.reasons) - 1)


def test_a_figure_that_the_run_has_stands_on_its_card_with_its_words():
    found = stored.found(agreement=stored.agreement(stored.estimate(0.61, 0.52, 0.7)))

    assert card_of(Agreement(), found, ["agreement"]).figures == [
        {
            "name": "agreement",
            "alt": "Krippendorff's α of each criterion with its 95% CI",
        }
    ]
    assert card_of(Agreement(), found, ["correlations"]).figures == []


def test_runs_side_by_side_name_their_level_reading_and_what_they_leave_out() -> None:
    def run(level: str, **about: object) -> Found:
        row = {"criterion": "clarity", "metric": "BLEU", "level": level, "coefficient": "spearman"}
        return stored.found(
            about=[stored.about(metric_level=level, **about)],
            correlations=[row | stored.estimate(0.5 if level == "pooled" else 0.7)],
        )

    narrow = run("systems", reading="by_protocol", adjudicated=2, excluded_by_run=["system Corvo"])
    (table,) = side_by_side([("run 1", run("pooled")), ("run 2", narrow)])
    assert table.notes == ["", "by the protocol, with adjudicated ratings, without system Corvo"]
    assert [(line.name, [cell.text for cell in line.cells]) for line in table.lines] == [
        ("Clarity, BLEU, pooled", [".50", "–"]),
        ("Clarity, BLEU, system level", ["–", ".70"]),
    ]
