"""The summary of a report: at most five sentences, and one table."""

import re

from analysis.sections.summary import summarise_run
from tests.analysis.sections import stored
from tests.analysis.sections.stored import criterion, estimate, told_of
from tests.analysis.sections.systems.test_systems import mean


def rated(**alphas: tuple[float, str]):
    """Return stored agreement and criteria; each α with the band that it reaches."""
    rows = [
        {**row, "band": band}
        for key, (value, band) in alphas.items()
        for row in stored.agreement(estimate(value, value - 0.1, value + 0.1), key=key)
    ]
    return {"agreement": rows, "criteria": [criterion(key) for key in alphas]}


def texts(**documents) -> dict[str, str]:
    parts = summarise_run(stored.found(**documents)).parts
    return {part.chapter: part.text for part in parts}


def test_summary_agreement_reached_on_some_criteria_leads_with_them():
    told = texts(**rated(depth=(0.4, ""), clarity=(0.8, "tentative conclusions only")))
    assert told["agreement"] == (
        "Agreement reaches Krippendorff's customary .667 for single ratings with 95% probability on clarity (α = .80, "
        "95% CI [.70, .90]), and does not on depth (α = .40, 95% CI [.30, .50])."
    )
    found = stored.found(**rated(depth=(0.4, ""), clarity=(0.8, "reliable")))
    table = summarise_run(found).table
    assert table is not None
    assert table.columns == ["Clarity", "Depth"]


def test_summary_agreement_reached_nowhere_names_the_highest():
    told = texts(**rated(depth=(0.4, ""), clarity=(0.5, "")))
    assert told["agreement"] == (
        "The highest agreement is clarity (α = .50, 95% CI [.40, .60]), which does not reach "
        "Krippendorff's customary .667 for single ratings with 95% probability."
    )


def test_summary_begins_with_declared_results_or_the_word_exploratory():
    parts = summarise_run(stored.found(**rated(clarity=(0.8, "reliable")))).parts
    assert parts[0].about == "Exploratory: agreement"


def test_summary_systems_that_do_not_differ_are_quoted_and_counted():
    near = dict.fromkeys(["b", "c", "d", "e"], "a")
    rows = [mean("a", 2.8, 2.7, 2.9), *(mean(name, 2.7, 2.6, 2.8) for name in near)]
    told = texts(**rated(clarity=(0.8, "reliable")), systems=rows, **told_of(a="a", **near))
    assert told["systems"].startswith("“a” has the best mean on clarity (2.80 [2.70, 2.90]).")
    assert "does not differ significantly from 4 other systems" in told["systems"]
    assert "does not show that they are equal" in told["systems"]


def test_summary_has_five_sentences_at_most():
    rows = [mean("a", 2.8, 2.7, 2.9), mean("b", 2.7, 2.6, 2.8)]
    told = texts(
        about=[stored.about(origin="simulated")],
        **rated(clarity=(0.8, "reliable")),
        systems=rows,
        **told_of(a="a", b="a"),
    )
    assert list(told) == ["agreement", "systems", "study"]
    assert len(re.findall(r"\.(?= |$)", " ".join(told.values()))) <= 5


def test_summary_system_better_than_each_other_differs_from_all():
    rows = [mean("a", 2.8), mean("b", 2.1), mean("c", 1.9)]
    told = texts(systems=rows, **told_of(a="a", b="b", c="c"))
    assert "it differs significantly from all others, least from “b”" in told["systems"]


def test_summary_systems_that_share_the_best_mean_differ_from_another_only_if_each_does():
    """Both differ significantly from c in the first study; b is not compared with c in the second."""
    rows = [mean("a", 2.8), mean("b", 2.8), mean("c", 1.9)]
    given = told_of(a="a", b="a", c="b")
    assert "they differ significantly from “c”" in texts(systems=rows, **given)["systems"]
    (pair,) = [
        row for row in given["system_comparisons"] if (row["first"], row["second"]) == ("b", "c")
    ]
    pair |= {"p": None, "p_holm": None, "n": 0}
    assert "differ significantly" not in texts(systems=rows, **given)["systems"]


def test_summary_systems_that_share_the_best_mean_are_near_to_another_only_if_each_is():
    """a differs significantly from c, and b does not or is not compared with it: a sentence about both
    would be untrue of one."""
    rows = [mean("a", 2.8), mean("b", 2.8), mean("c", 1.9)]
    for p_holm, n in ((0.5, 9), (None, 0)):
        given = told_of(a="a", b="a", c="b")
        given["system_comparisons"][2] |= {"p_holm": p_holm, "n": n}
        assert (
            given["system_comparisons"][2]["first"] == "b"
            and given["system_comparisons"][2]["second"] == "c"
        )
        assert "“c”" not in texts(systems=rows, **given)["systems"]
