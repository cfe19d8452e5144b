"""Agreement on a report: intervals over sources against another program, and what the sentences
claim."""

from dataclasses import replace

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis import frames
from analysis.frames import Material
from analysis.reports.numerals import coefficient
from analysis.sections.agreement.agreement import Agreement, of_table
from judging.campaigns.models.campaign import Campaign
from judging.protocols import documents
from judging.protocols.protocol_schema import ReportedAgreement
from tests import factories
from tests.analysis import studies
from tests.analysis.sections import stored
from tests.analysis.sections.computing import picked, records
from tests.analysis.sections.stored import agreement, criterion, estimate, spread


def said(**documents) -> str:
    return " ".join(stored.in_words(Agreement(), stored.found(**documents)))


@pytest.mark.django_db
def test_alpha_and_its_interval_over_sources_are_those_of_another_program():
    campaign = studies.imported(sources=8)
    [row] = picked(
        records(Agreement, campaign),
        criterion="correctness",
        coefficient="krippendorff_alpha",
        level="ordinal",
    )
    read = frames.read_campaign(campaign)
    table = read.ratings("correctness")
    source = read.slots.set_index("unit")["source"].loc[table.index]

    def alpha(rows: np.ndarray) -> float:
        return float(
            krippendorff.alpha(rows.T, value_domain=[1, 2, 3], level_of_measurement="ordinal")
        )

    whole = alpha(table.to_numpy())
    without = np.array([alpha(table[source != each].to_numpy()) for each in source.unique()])
    error = np.sqrt(7 / 8 * ((without - without.mean()) ** 2).sum())
    reach = stats.t.ppf(0.975, 7) * error
    assert (row["value"], row["clusters"], row["n"]) == (pytest.approx(whole, abs=1e-10), 8, 24)
    assert (row["low"], row["high"]) == (
        pytest.approx(whole - reach, abs=1e-9),
        pytest.approx(min(1, whole + reach), abs=1e-9),
    )


@pytest.mark.django_db
def test_every_interval_of_agreement_rests_on_the_sources():
    rows = records(Agreement, studies.imported(sources=8))
    assert {row["clusters"] for row in rows if row["low"] is not None} == {8}


def test_an_alpha_on_a_part_of_the_sources_says_on_how_many():
    told = said(agreement=agreement(estimate(0.7, 0.6, 0.8, clusters=2)))
    assert (
        "and 6 sources (95% CI, cluster jackknife): clarity .70 [.60, .80] (on 2 of them)." in told
    )


def test_alphas_are_listed_from_the_highest_with_what_they_rest_on():
    rows = agreement(estimate(0.4, 0.3, 0.5)) + agreement(estimate(0.7, 0.6, 0.8), key="depth")
    assert said(agreement=rows, criteria=[criterion(), criterion("depth")]) == (
        "Krippendorff's α over 2 annotators and 6 sources (95% CI, cluster jackknife): depth .70 "
        "[.60, .80]; clarity .40 [.30, .50]."
    )


def test_agreement_on_two_points_is_told_by_the_nominal_alpha():
    rows = agreement(estimate(0.2, 0.1, 0.3)) + agreement(estimate(0.6, 0.5, 0.7), level="nominal")
    text = said(agreement=rows, criteria=[criterion(points=[[0, "no"], [1, "yes"]])])
    assert text.endswith(": clarity .60 [.50, .70].")


def test_agreement_that_is_undefined_comes_with_its_reason():
    rows = agreement(estimate(None) | {"reason": "only one annotator"})
    assert said(agreement=rows) == "On clarity, α is undefined: only one annotator."


def test_criteria_that_nobody_rated_are_named_together():
    none = estimate(None) | {"n": 0, "dropped": 0, "reason": "no unit has two ratings"}
    rows = [
        *agreement(estimate(0.6)),
        *agreement(none, key="fluency"),
        *agreement(none, key="syntax"),
    ]
    keys = [criterion(key) for key in ("clarity", "fluency", "syntax")]
    told = said(agreement=rows, criteria=keys)
    assert "No annotator rated fluency and syntax." in told
    assert "undefined" not in told


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.3, -0.1, "annotators agree less than chance alone would have them."),
        (-0.1, 0.2, "the 95% CI includes 0."),
    ],
)
def test_agreement_no_better_than_chance_names_every_such_criterion(low, high, words):
    rows = agreement(estimate((low + high) / 2, low, high))
    assert said(agreement=rows).endswith(f"On clarity, {words}")
    keys = ["clarity", "depth", "fluency"]
    rows += agreement(estimate(0.7, 0.6, 0.8), key="depth")
    rows += agreement(estimate((low + high) / 2, low, high), key="fluency")
    told = said(agreement=rows, criteria=[criterion(key) for key in keys])
    assert told.endswith(f"On clarity and fluency, {words}")


def test_a_value_that_is_most_of_all_ratings_is_told_with_three_numbers_and_no_cause():
    rows = agreement(estimate(0.2, 0.1, 0.3), equal=0.86)
    text = said(agreement=rows, distributions=spread(3, 4, 93))
    assert "93% of ratings are 3 (“yes”); percent agreement is 86%, and Gwet's AC1 is .85." in text
    assert "construction" not in text
    assert "% of ratings" not in said(agreement=rows, distributions=spread(30, 30, 40))
    # agreement is of what annotators said: where rules overrule it, their use of the scale is told
    overruled = {
        "agreement": rows,
        "distributions": spread(3, 4, 93),
        "scale_use": spread(30, 30, 40),
    }
    for facts in ({"reading": "by_protocol"}, {"adjudicated": 3}):
        assert "% of ratings" not in said(about=[stored.about(**facts)], **overruled)


def test_no_sentence_grades_a_number():
    text = said(agreement=agreement(estimate(0.7, 0.6, 0.8)))
    assert not any(
        word in text
        for word in ("substantial", "moderate", "strong", "good", "poor", "significant")
    )


def test_table_shows_alpha_with_interval_and_the_others_each_in_its_column():
    rows = agreement(estimate(0.5, 0.25, 0.75) | {"band": "below .667", "clusters": 6}, equal=0.9)
    main, *_others = Agreement().tables(stored.found(agreement=rows))
    (line,) = main.lines
    assert (main.columns, main.last) == (
        ["α", "percent agreement", "Fleiss' κ"],
        "threshold reached",
    )
    assert [cell.text for cell in line.cells] == [".50", "90%", ".10"]
    assert (line.cells[0].under, line.under, line.last) == (
        "[.25, .75]",
        "ordinal, n = 12 on 6 sources",
        "below .667",
    )
    plot = line.cells[0].plot
    assert (plot.low, plot.estimate, plot.high, plot.zero) == (25, 50, 75, None)


def test_each_coefficient_stands_in_one_table_of_the_page():
    rows = agreement(estimate(0.5, 0.25, 0.75))
    fleiss, ac1, conger = (
        next(row for row in rows if row["coefficient"] == name) | {"low": 0.05, "high": 0.15}
        for name in ("fleiss_kappa", "gwet_ac1", "fleiss_kappa")
    )
    others = [row for row in rows if row["coefficient"] not in ("fleiss_kappa", "gwet_ac1")]
    conger |= {"coefficient": "conger_kappa", "reported": False}
    found = stored.found(agreement=[*others, fleiss, ac1, conger])
    main, other = Agreement().tables(found)
    assert [cell.under for cell in main.lines[0].cells[2:]] == ["[.05, .15]"]
    assert [line.name for line in other.lines] == ["Gwet's AC1", "Conger's κ"]


def test_the_axis_begins_at_minus_one_where_an_interval_reaches_below_zero():
    main, *_others = Agreement().tables(
        stored.found(agreement=agreement(estimate(0.5, -0.5, 0.75)))
    )
    plot = main.lines[0].cells[0].plot
    assert (plot.low, plot.estimate, plot.high, plot.zero) == (25, 75, 87.5, 50)


def test_agreement_that_is_undefined_is_a_dash_with_its_reason_below():
    rows = agreement(estimate(None) | {"reason": "one annotator"})
    main, *_others = Agreement().tables(stored.found(agreement=rows))
    assert (main.lines[0].cells[0].text, main.reasons) == ("–", ["one annotator"])


def test_agreement_without_forced_values_is_told_where_rules_forced_many():
    rows = agreement(estimate(0.5, 0.4, 0.6))
    forced = [row | {"basis": "without forced values", "value": 0.31} for row in rows]
    assert (
        Agreement()
        .small_print(stored.found(agreement=rows + forced))[0]
        .endswith("α is .31 on clarity.")
    )


def test_agreement_without_forced_values_stands_beside_only_above_one_in_a_hundred():
    """A hundred judgments of two annotators on fifty questions, one of them set by a rule, then
    four."""
    units, document = list(range(50)), documents.parse(factories.SMALL, "small.yaml")
    slots = pd.DataFrame({"unit": units, "source": [f"t{unit}" for unit in units], "passage": None})
    given = np.column_stack([np.arange(50) % 3 + 1.0, (np.arange(50) * 7 // 5) % 3 + 1.0])
    judgments = pd.DataFrame(
        {
            "unit": np.repeat(units, 2),
            "criterion": "correctness",
            "annotator": ["A", "B"] * 50,
            "value": given.ravel(),
            "origin": "judged",
        }
    )

    def alphas(*forced: int) -> tuple[dict[str, float], list[str]]:
        rows = judgments.assign(
            origin=["rule" if place in forced else "judged" for place in range(100)]
        )
        read = Material(Campaign(title="forced"), document, slots, rows, pd.DataFrame(), ())
        found = records(Agreement, read)
        told = picked(
            found, criterion="correctness", coefficient="krippendorff_alpha", level="ordinal"
        )
        lines = Agreement().small_print(
            stored.found(agreement=found, criteria=[criterion("correctness")])
        )
        return {row["basis"]: row["value"] for row in told}, lines

    one, beside = alphas(0)
    assert set(one) == {"all"}
    assert not any("rule of the protocol" in line for line in beside)
    four, beside = alphas(0, 2, 4, 7)
    given[[0, 1, 2], 0] = given[3, 1] = np.nan
    alone = krippendorff.alpha(given.T, value_domain=[1.0, 2, 3], level_of_measurement="ordinal")
    assert four == {"all": one["all"], "without forced values": pytest.approx(alone)}
    assert alone != pytest.approx(one["all"], abs=0.01)
    assert beside[0] == (
        "A rule of the protocol set more than 1% of the judgments. Without these, α is "
        f"{coefficient(alone)} on correctness."
    )


def test_the_two_forms_of_icc_for_changing_annotators_rest_on_the_sources():
    """Two of three annotators on each question: the one-way forms of the two values, by scipy's
    mean squares."""
    draw = np.random.default_rng(3)
    truth = draw.normal(size=24)
    both = np.clip(np.round(2 + truth[:, None] + 0.5 * draw.normal(size=(24, 2))), 1, 3)
    table = np.full((24, 3), np.nan)
    for unit in range(24):
        out = unit % 3
        table[unit, [a for a in range(3) if a != out]] = both[unit]
    asked = documents.parse(factories.SMALL, "small.yaml").criteria[1]
    found = {
        row.coefficient: row.estimate for row in of_table(table, asked, clusters=np.arange(24) // 2)
    }
    between, within = 2 * both.mean(axis=1).var(ddof=1), both.var(axis=1, ddof=1).mean()
    assert found["icc_1,1"].value == pytest.approx((between - within) / (between + within))
    assert found["icc_1,k"].value == pytest.approx((between - within) / between)
    assert found["icc_1,1"].clusters == 12
    assert "icc_2,1" not in found


@pytest.mark.parametrize(
    ("reported", "titles"),
    [
        ((ReportedAgreement("fleiss_kappa"),), ["Fleiss' κ"]),
        ((ReportedAgreement("cohen_kappa"), ReportedAgreement("spearman")), ["Cohen's κ"]),
        (
            (
                ReportedAgreement("krippendorff_alpha", "interval"),
                ReportedAgreement("percent_agreement"),
            ),
            ["α (interval)", "Cohen's κ"],
        ),
        ((ReportedAgreement("krippendorff_alpha", "ordinal"),), ["Cohen's κ"]),
        ((), ["Cohen's κ"]),
    ],
)
def test_agreement_table_protocol_reports_coefficient_shows_it_beside_alpha(
    reported: tuple[ReportedAgreement, ...], titles: list[str]
) -> None:
    units = list(range(6))
    slots = pd.DataFrame({"unit": units, "source": [f"t{unit}" for unit in units], "passage": None})
    judgments = pd.DataFrame(
        {
            "unit": np.repeat(units, 2),
            "criterion": "correctness",
            "annotator": ["A", "B"] * 6,
            "value": [1.0, 1, 2, 2, 3, 3, 1, 2, 2, 2, 3, 3],
            "origin": "judged",
        }
    )
    document = replace(documents.parse(factories.SMALL, "small.yaml"), agreement=reported)
    read = Material(Campaign(title="reported"), document, slots, judgments, pd.DataFrame(), ())
    found = stored.found(agreement=records(Agreement, read), criteria=[criterion("correctness")])
    main, other = Agreement().tables(found)
    assert main.columns == ["α", "percent agreement", *titles]
    assert not set(titles) & {line.name for line in other.lines}


def test_nominal_alpha_that_authors_report_stands_beside_the_ordinal_one() -> None:
    """On one criterion it is the α of the report, on the other it is a column of its own."""
    alphas = [
        estimate(value, coefficient="krippendorff_alpha", level=level, basis="all", criterion=key)
        | {"reported": level == "nominal"}
        for key, level, value in (
            ("clarity", "ordinal", 0.8),
            ("clarity", "nominal", 0.6),
            ("answerable", "nominal", 0.7),
        )
    ]
    criteria = [criterion("clarity"), criterion("answerable", level="nominal", best="none")]
    main, *_ = Agreement().tables(stored.found(agreement=alphas, criteria=criteria))
    assert "α (nominal)" in main.columns
