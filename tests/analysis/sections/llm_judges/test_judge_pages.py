"""What the page and its sentences make of the rows about LLM judges, word for word.

Every number of a row is another one, so a cell that takes the wrong one is seen.
"""

from math import nan

import pytest

from analysis.reports.layout import PageTable
from analysis.reports.rows import encode
from analysis.sections.llm_judges.alternative_annotator_test import (
    AgainstPersonRow,
    AlternativeAnnotatorTest,
    JudgeAgainstAnnotators,
    VerdictRow,
)
from analysis.sections.llm_judges.bias import (
    JudgeBias,
    JudgeBiasRow,
    JudgeCorrelations,
    JudgeLevelRow,
    JudgeUseOfScale,
    JudgeUseRow,
)
from analysis.sections.llm_judges.consistency import JudgeConsistency, JudgeConsistencyRow
from analysis.sections.llm_judges.judge_descriptions import JudgeDescriptions, LLMJudgeRow
from analysis.sections.llm_judges.prediction_powered_means import (
    CorrectedMeanRow,
    PredictionPoweredMeans,
)
from analysis.sections.section import Found, Section
from quaestor_stats._alternative_annotator import COPIES
from quaestor_stats._result import ConfidenceInterval, Result


def value(value: float, low: float = nan, high: float = nan, reason: str = "") -> Result:
    return Result(value=value, ci=ConfidenceInterval(low, high), n=9, method="m", reason=reason)


NONE = value(nan, reason="no order")


def found_of(section: type[Section], rows: list) -> Found:
    return Found(
        {
            section.key: [encode(row) for row in rows],
            "criteria": [{"criterion": "correctness", "name": "Correctness"}],
        }
    )


def page(section: type[Section], *rows) -> list[PageTable]:
    tables = section().tables(found_of(section, list(rows)))
    for table in tables:  # the head of a column is a word, a caption a sentence
        assert table.first and not table.first.endswith(".")
        assert not table.caption or table.caption.endswith(".")
    return tables


def said(section: type[Section], *rows) -> list[str]:
    return list(section().sentences(found_of(section, list(rows))))


def told(table: PageTable) -> list[list[str]]:
    """Return each line of a table as one list: name, cells with what stands below, last words."""
    return [
        [
            " / ".join(filter(None, (line.name, line.under, line.chip))),
            *(" / ".join(filter(None, (cell.text, cell.under))) for cell in line.cells),
            *filter(None, [line.last]),
        ]
        for line in table.lines
    ]


def made(**changed) -> LLMJudgeRow:
    given = {
        "judge": "Judge",
        "model": "maker/model",
        "version": "7b",
        "prompt_sha256": "0123456789abcdef",
        "temperature": 0.5,
        "judged_on": "2026-05-04",
        "cost": 1.25,
        "currency": "EUR",
        "own_systems": ["Alba"],
        "items": 1234,
        "judgments": 2345,
        "repeated": 3,
        "problems": 1,
    }
    return LLMJudgeRow(**(given | changed))


def test_a_judge_is_listed_with_how_it_was_made():
    (table,) = page(
        JudgeDescriptions,
        made(),
        made(
            judge="Bare",
            **dict.fromkeys(("version", "prompt_sha256", "judged_on", "currency"), ""),
            temperature=nan,
            cost=nan,
            problems=0,
        ),
    )
    assert told(table) == [
        [
            "Judge / LLM judge",
            "1,234",
            "2,345",
            "maker/model, 7b; temperature 0.5; prompt SHA-256 01234567…; 2026-05-04; "
            "cost 1.25 EUR; 1 problem in its table",
        ],
        ["Bare / LLM judge", "1,234", "2,345", "maker/model; prompt not given"],
    ]
    assert (table.columns, table.first, table.last) == (["Items", "Judgments"], "Judge", "Made by")


def verdict(**changed) -> VerdictRow:
    given = {
        "criterion": "correctness",
        "judge": "Judge",
        "epsilon": 0.2,
        "epsilon_reason": "trained experts",
        "items": 1040,
        "excluded": 2,
        "people": 3,
        "winning_rate": 2 / 3,
        "passes": True,
        "winning_rate_published": 1 / 3,
        "passes_published": False,
        "reason": "",
        "caution": "two people only",
        "advantage": value(0.81, 0.71, 0.91),
        "follows": value(0.42, 0.32, 0.52),
        "person": value(0.63, 0.53, 0.73),
        "difference": value(-0.21, -0.31, -0.11),
        "severity": value(0.34, 0.24, 0.44),
        "again": value(0.95),
        "most_given": 3.0,
        "most_given_share": 0.85,
        "most_given_by_people": 0.75,
    }
    return VerdictRow(**(given | changed))


def test_the_verdict_has_its_ceiling_and_its_caution_beside_it():
    (table,) = page(
        AlternativeAnnotatorTest,
        verdict(),
        verdict(
            judge="Odd",
            passes=None,
            passes_published=None,
            winning_rate=nan,
            reason="one person only",
            caution="",
            again=NONE,
            most_given=nan,
            most_given_share=nan,
            follows=NONE,
            person=NONE,
            difference=NONE,
            severity=NONE,
        ),
    )
    assert table.columns == [
        "Passes",
        "Advantage",
        "Follows people",
        "A person does",
        "Difference",
        "Severity",
        "Most given",
    ]
    assert told(table) == [
        [
            "Judge / 1,040 items, the same again 95% / LLM judge",
            "yes / wins against 67% of 3; as published no",
            ".81 / [.71, .91]",
            ".42 / [.32, .52]",
            ".63 / [.53, .73]",
            "−0.21 / [−0.31, −0.11]",
            "+0.34 / [0.24, 0.44]",
            "85% / 3, people 75%",
        ],
        ["Odd / 1,040 items / LLM judge", "–", ".81 / [.71, .91]", *["–"] * 5],
    ]
    assert table.caption == "ε = 0.2, for trained experts."
    assert table.reasons == ["Judge: two people only", "Odd: one person only"]


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [
        (-0.31, -0.11, ("is significantly lower than", "−.21 [−.31, −.11]")),
        (-0.31, 0.11, ("does not differ significantly from", "−.21 [−.31, .11]")),
        (nan, nan, None),
    ],
)
def test_the_sentence_sets_the_judge_beside_a_person(low, high, ends):
    row = verdict(difference=value(-0.21, low, high))
    begins = "Correctness: Judge passes the alternative annotator test at ε = 0.2"
    if ends is None:
        assert said(AlternativeAnnotatorTest, row) == [f"{begins}."]
        return
    differs, difference = ends
    assert said(AlternativeAnnotatorTest, row) == [
        f"{begins}; its correlation with human ratings (ρ = .42) {differs} that of one annotator "
        f"(ρ = .63; difference {difference})."
    ]


def test_the_sentence_tells_a_judge_that_follows_nobody_and_one_that_copies_a_person():
    constant = verdict(most_given_share=1.0, follows=NONE, person=NONE, difference=NONE)
    copy = verdict(caution=f"weak; {COPIES}", difference=value(0.21, 0.11, 0.31))
    begins = "Correctness: Judge passes the alternative annotator test at ε = 0.2; it"
    assert said(AlternativeAnnotatorTest, constant, copy) == [
        f"{begins} gives every item 3, so it distinguishes no items.",
        f"{begins}s values are those of one of these people, who is among those that it is "
        "compared by.",
    ]


def test_the_sentence_of_a_judge_above_people_and_of_one_not_tested():
    above = verdict(passes=False, difference=value(0.21, 0.11, 0.31))
    never = verdict(passes=None, reason="one person only")
    assert said(AlternativeAnnotatorTest, above, never) == [
        "Correctness: Judge does not pass the alternative annotator test at ε = 0.2; its "
        "correlation with human ratings (ρ = .42) is significantly higher than that of one annotator "
        "(ρ = .63; difference .21 [.11, .31]).",
        "Correctness: Judge cannot be tested: one person only.",
    ]


def test_each_person_has_a_line_of_their_own():
    def row(person: str, **changed) -> AgainstPersonRow:
        given = {
            "criterion": "correctness",
            "judge": "Judge",
            "person": person,
            "n": 1040,
            "advantage": 0.81,
            "person_advantage": 0.62,
            "p": 0.011,
            "p_adjusted": 0.022,
            "p_published": 0.033,
            "p_published_adjusted": 0.044,
            "wins": True,
            "not_tested": "",
            "rho": 0.37,
            "kappa": value(0.48, 0.38, 0.58),
            "alpha": value(0.59, 0.49, 0.69),
        }
        return AgainstPersonRow(**(given | changed))

    few = row("A2", wins=None, not_tested="n = 12, fewer than 30", p_adjusted=nan)
    (table,) = page(JudgeAgainstAnnotators, row("A1"), few, row("A3", wins=False))
    ends = [".48 / [.38, .58]", ".59 / [.49, .69]", "0.37"]
    assert table.title == "Correctness: Judge"
    assert table.columns == ["Judge nearer", "Person nearer", "p", "κ", "α", "ρ"]
    assert (table.first, table.folded) == ("Person", True)
    assert told(table) == [
        ["A1 / n = 1,040", "81%", "62%", ".022 / judge wins", *ends],
        ["A2 / n = 12, fewer than 30", "81%", "62%", "–", *ends],
        ["A3 / n = 1,040", "81%", "62%", ".022", *ends],
    ]


def test_means_that_people_correct_stand_by_criterion_and_judge():
    def row(judge: str, system: str, **changed) -> CorrectedMeanRow:
        given = {
            "criterion": "correctness",
            "judge": judge,
            "system": system,
            "items": 4000,
            "judged": 2400,
            "tuning": 0.75,
            "saves": 1.62,
            "people": value(2.11, 2.01, 2.21),
            "corrected": value(2.32, 2.22, 2.42),
        }
        return CorrectedMeanRow(**(given | changed))

    lacking = row("Other", "Alba", saves=nan, corrected=value(nan, reason="no source left"))
    first, second = page(PredictionPoweredMeans, row("Judge", ""), row("Judge", "Alba"), lacking)
    assert [first.title, second.title] == ["Correctness: Judge", "Correctness: Other"]
    assert first.columns == ["People alone", "With the LLM judge", "Trust", "Saves"]
    cells = ["2.11 / [2.01, 2.21]", "2.32 / [2.22, 2.42]", "0.75", "× 1.6"]
    under = "2,400 of 4,000 items"
    assert told(first) == [[f"all that it judged / {under}", *cells], [f"Alba / {under}", *cells]]
    assert told(second) == [[f"Alba / {under}", "2.11 / [2.01, 2.21]", "–", "0.75", "–"]]
    assert (first.reasons, second.reasons) == ([], ["no source left"])


def test_bias_names_a_judges_own_family_where_it_is_sure():
    rows = [
        JudgeBiasRow("correctness", "Judge", "Alba", True, value(0.31, 0.21, 0.41)),
        JudgeBiasRow("correctness", "Judge", "Brisa", False, value(0.32, 0.22, 0.42)),
        JudgeBiasRow("correctness", "Other", "Alba", True, value(0.13, -0.07, 0.33)),
    ]
    (table,) = page(JudgeBias, *rows)
    assert table.columns == ["Judge", "Other"]
    assert told(table) == [
        ["Alba / its own family", "+0.31 / [0.21, 0.41]", "+0.13 / [−0.07, 0.33]"],
        ["Brisa", "+0.32 / [0.22, 0.42]", "–"],
    ]
    assert said(JudgeBias, *rows) == [
        "Correctness: Judge is kinder to Alba, of its own family, by 0.31 [0.21, 0.41]."
    ]


def test_use_of_the_scale_has_people_below():
    rows = [
        JudgeUseRow("correctness", "Judge", point, label, count, share, people)
        for point, label, count, share, people in (
            (1, "wrong", 3, 0.1, 0.2),
            (2, "right", 27, 0.9, 0.8),
        )
    ]
    (table,) = page(JudgeUseOfScale, *rows)
    assert table.columns == ["1 wrong", "2 right"]
    assert told(table) == [["Judge", "10% / people 20%", "90% / people 80%"]]


def test_levels_stand_by_measure_and_level():
    def row(judge: str, level: str, measure: str, number: float) -> JudgeLevelRow:
        tested = Result(
            value=number,
            ci=ConfidenceInterval(number - 0.1, number + 0.1),
            n=9,
            method="m",
            pvalue=0.04,
        )
        return JudgeLevelRow("correctness", judge, level, measure, nan, tested)

    (table,) = page(
        JudgeCorrelations,
        row("Judge", "pooled", "spearman", 0.41),
        row("Judge", "pooled", "pearson", 0.99),
        row("Judge", "systems", "pairwise_accuracy", 0.82),
        row("Other", "pooled", "spearman", 0.53),
    )
    assert table.notes == ["pooled", "system level"]
    lines = told(table)
    assert [line[0] for line in lines] == ["Judge", "Other"]
    assert [cell.split(" / ")[0] for cell in lines[0][1:]] == [".41", ".82"]
    assert [cell.split(" / ")[0] for cell in lines[1][1:]] == [".53", "–"]


def consistent(earlier: Result) -> JudgeConsistencyRow:
    return JudgeConsistencyRow(
        criterion="correctness",
        judge="Judge",
        items=1040,
        times=3,
        same=value(0.91, 0.81, 0.99),
        alpha=value(0.72, 0.62, 0.82),
        moved=520,
        same_still=value(0.93, 0.83, 0.97),
        same_moved=value(0.54, 0.44, 0.64),
        earlier=earlier,
    )


def test_consistency_names_the_place_that_a_judge_likes():
    row = consistent(value(0.25, 0.15, 0.35))
    (table,) = page(JudgeConsistency, row)
    assert table.columns == [
        "The same again",
        "α with itself",
        "At the same place",
        "At another place",
        "Earlier",
    ]
    assert told(table) == [
        [
            "Judge / 1,040 items, up to 3 times, 520 at several places / LLM judge",
            "91% / [81%, 99%]",
            ".72 / [.62, .82]",
            "93% / [83%, 97%]",
            "54% / [44%, 64%]",
            "+0.25 / [0.15, 0.35]",
        ]
    ]
    later, unsure = (consistent(value(-0.25, -0.35, high)) for high in (-0.15, 0.15))
    begins = "Correctness: Judge is kinder to a question that stands"
    assert said(JudgeConsistency, row, later, unsure) == [
        f"{begins} earlier, by 0.25 [0.15, 0.35].",
        f"{begins} later, by 0.25 [0.15, 0.35].",
    ]
