"""What a report says of the systems' means: who is best, from whom they do not differ significantly,
and on what it rests."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.reports.layout import Plot
from analysis.sections.section import Found
from analysis.sections.systems.common_means import CommonMeans
from analysis.sections.systems.systems import Systems
from judging.protocols import documents
from judging.protocols.actions import protocols
from tests import factories
from tests.analysis import studies
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import records
from tests.analysis.sections.stored import criterion, mean, told_of

A, B = mean("a", 2.8, 2.7, 2.9), mean("b", 2.1, 2.0, 2.2)


def said(**documents) -> str:
    return " ".join(stored.in_words(Systems(), stored.found(**documents)))


def table(**documents):
    (found,) = Systems().tables(stored.found(**documents))
    return found


def test_the_best_mean_is_told_with_what_it_rests_on_and_from_whom_it_is_told_apart():
    text = said(systems=[A, B], **told_of(a="a", b="b"))
    assert text.startswith(
        "Over 6 sources and 2 annotators, a has the best mean on clarity "
        "(2.80 [2.70, 2.90], high is best, significantly different from all others)."
    )


def test_the_best_mean_is_told_with_those_that_share_a_letter():
    rows = [A, mean("b", 2.7, 2.6, 2.8), mean("c", 2.6, 2.5, 2.7)]
    text = said(systems=rows, **told_of(a="a", b="ab", c="b"))
    assert "not significantly different from b)" in text


def test_many_that_are_not_told_apart_are_counted_and_letters_end_with_the_alphabet():
    names = [f"s{number:02}" for number in range(20)]
    rows = [mean(name, 3 - number / 20, 2, 3) for number, name in enumerate(names)]
    given = told_of(**dict.fromkeys(names, "a"))
    near = "19 systems)"
    assert f"not significantly different from {near}" in said(systems=rows, **given)
    given["groups"] = [{**row, "letters": ""} for row in given["groups"]]
    given["system_comparisons"][0]["p_holm"] = 0.01
    near = "18 systems)"
    assert f"not significantly different from {near}" in said(systems=rows, **given)
    reason = "Clarity: more groups of systems than there are letters; see every pair."
    assert table(systems=rows, **given).reasons == [reason]
    assert table(systems=rows).reasons == []


def test_low_values_that_are_best_win():
    text = said(systems=[A, B], criteria=[criterion(best="lowest")], **told_of(a="a", b="b"))
    assert "b has the best mean on clarity (2.10 [2.00, 2.20], low is best" in text


def test_one_system_has_nobody_to_be_better_than():
    assert said(systems=[A]) == ""


def test_criteria_without_best_end_have_no_best_system():
    assert said(systems=[A, B], criteria=[criterion(best="none", level="interval")]) == ""


def permuted(first, second, n, floor):
    return stored.estimate(
        0.7,
        test="difference",
        p_from="permutation",
        criterion="clarity",
        first=first,
        second=second,
        floor=floor,
    ) | {"n": n, "p_holm": None if floor is None else 0.5}


def test_too_few_sources_are_said_to_tell_nothing_apart():
    text = said(systems=[A, B], system_comparisons=[permuted("a", "b", 5, 0.0625)])
    assert (
        "With 5 sources in common or fewer no p of the permutation test can fall below .0625 after Holm's "
        "correction, so these systems could not differ significantly, whatever the difference."
    ) in text
    assert "no p" not in said(systems=[A, B], system_comparisons=[permuted("a", "b", 6, 0.03125)])


def test_pairs_with_too_few_sources_are_told_beside_those_with_enough():
    """The least floor stands with the most sources of such pairs; a pair without a test is told
    apart from them."""
    pairs = [permuted("a", "b", 30, 1e-4), permuted("a", "c", 3, 0.5), permuted("b", "c", 4, 0.25)]
    alone = permuted("a", "d", 1, None)
    text = said(systems=[A, B], system_comparisons=[*pairs, alone])
    assert (
        "1 pair of systems has fewer than two sources in common, so no test compares them." in text
    )
    assert (
        "With 4 sources in common or fewer no p of the permutation test can fall below .25 after Holm's correction, so "
        "2 pairs "
        "of systems could not differ significantly"
    ) in text


def test_pairs_out_of_reach_on_some_criteria_are_told_with_these():
    """On truth, which is optional, a and b share one source; on wit they share five. On clarity
    they share thirty and differ significantly."""
    of = [("clarity", 30, 1e-4), ("wit", 5, 0.0625), ("truth", 1, None)]
    pairs = [permuted("a", "b", n, floor) | {"criterion": key} for key, n, floor in of]
    pairs[0]["p_holm"] = 0.01
    text = said(
        systems=[A, B],
        system_comparisons=pairs,
        criteria=[criterion(key) for key, _n, _floor in of],
    )
    assert "significantly different from all others" in text
    assert (
        "On truth, 1 pair of systems has fewer than two sources in common, so no test compares "
        "them. On wit, with 5 sources in common or fewer no p of the permutation test can fall below "
        ".0625 after Holm's correction, so these systems could not differ significantly"
    ) in text


def test_a_best_mean_of_fewer_sources_than_the_study_has_says_so_also_where_no_system_has_more():
    rows = [mean(name, value) | {"clusters": 3} for name, value in (("a", 2.8), ("b", 2.1))]
    assert "a has the best mean on clarity (2.80, over 3 of 6 sources, high" in said(systems=rows)


def test_sharing_a_letter_is_told_to_prove_nothing_only_where_systems_share_one():
    told = "does not show that the systems are equal"
    assert told in said(systems=[A, B], **told_of(a="a", b="a"))
    assert told not in said(systems=[A, B], **told_of(a="a", b="b"))


@pytest.mark.parametrize(
    ("own", "bold"), [({"a": "a", "b": "b"}, [True, False]), ({"a": "a", "b": "a"}, [False, False])]
)
def test_a_mean_is_bold_only_where_it_is_told_apart_from_all_others(own, bold):
    found = table(systems=[A, B], **told_of(**own))
    assert [line.cells[0].best for line in found.lines] == bold
    assert [line.cells[0].letters for line in found.lines] == list(own.values())


def test_mean_better_than_some_systems_only_is_not_bold():
    rows = [mean("a", 2.8), mean("b", 2.6), mean("c", 1.5)]
    given = told_of(a="a", b="a", c="b")
    assert not any(line.cells[0].best for line in table(systems=rows, **given).lines)
    assert "all others" not in said(systems=rows, **given)


def test_a_system_judged_on_easy_sources_alone_is_not_told_to_be_the_best():
    """By hand: on the sources that both have, a is 1.00 above b; b has no others, a has hard ones."""
    rows = [
        mean("a", 3.26, 2.80, 3.71) | {"clusters": 30},
        mean("b", 3.61, 3.46, 3.76) | {"clusters": 12},
    ]
    told = told_of(a="b", b="a")
    text = said(systems=rows, about=[stored.about(sources=30, sources_judged=30)], **told)
    best = "b has the best mean on clarity (3.61 [3.46, 3.76], over 12 of 30 sources, high is best)"
    assert f"{best}. On clarity a is better than b" in text
    assert "though the means say the opposite" in text
    assert "significantly different from all others" not in text
    shown = table(systems=rows, **told)
    assert not any(line.cells[0].best for line in shown.lines)
    assert [each for each in shown.reasons if "a is better than b" in each]
    low = [criterion(best="lowest")]
    assert "opposite" not in said(systems=[B, A], criteria=low, **told_of(a="a", b="b"))
    rows = [mean("a", 2.4, 2, 3), mean("b", 2.1, 2, 2.2)]
    told["system_comparisons"][0]["value"] = -0.7
    assert "On clarity a is better than b" in said(systems=rows, criteria=low, **told)


def test_equal_best_means_are_shared_whoever_stands_first():
    rows = [mean("a", 2.77777777778), mean("b", 2.77777777778), mean("c", 1.5)]
    text = said(systems=rows, **told_of(a="a", b="a", c="a"))
    assert (
        "a and b share the best mean on clarity (2.78, high is best, not significantly different from c)"
        in text
    )
    assert "does not show that the systems are equal" in text
    text = said(systems=rows[:2], **told_of(a="a", b="a"))
    assert "a and b share the best mean on clarity (2.78, high is best)." in text
    assert "significantly different from all others)" in said(
        systems=rows, **told_of(a="a", b="a", c="b")
    )


def test_means_stand_by_merit_with_interval_n_and_what_was_returned():
    found = table(systems=[B, A], coverage=[stored.returned("a", 10, 9)])
    assert [
        (line.name, line.cells[0].text, line.cells[0].under, line.last) for line in found.lines
    ] == [
        ("a", "2.80", "[2.70, 2.90], n = 12", "9 of 10"),
        ("b", "2.10", "[2.00, 2.20], n = 12", ""),
    ]
    assert found.heads() == [{"name": "Clarity", "note": "high is best"}]


def test_on_several_criteria_systems_stand_by_their_mean_rank():
    """By hand: c is second on clarity and first on haste (mean rank 1.5), a first and third (2), b
    third and second (2.5), d ties with b on clarity and has no value on haste (3). Style, of which
    no end is best, does not count; nobody has a value of e."""
    given = {
        "clarity": {"b": 2.1, "d": 2.1, "a": 2.8, "c": 2.5},
        "haste": {"b": 1.4, "a": 1.9, "c": 1.1},
        "style": {"d": 1.0, "b": 1.5, "a": 2.0, "c": 3.0},
    }
    rows = [
        mean(system, value) | {"criterion": key}
        for key, of in given.items()
        for system, value in of.items()
    ]
    rows.append(mean("e", None))
    criteria = [
        criterion(),
        criterion("haste", best="lowest"),
        criterion("style", best="none", level="interval"),
    ]
    found = table(systems=rows, criteria=criteria)
    assert [line.name for line in found.lines] == ["c", "a", "b", "d", "e"]
    without_end = [
        each | {"best": "none", "averaged": True, "level": "interval"} for each in criteria
    ]
    found = table(systems=rows, criteria=without_end)
    assert [line.name for line in found.lines] == ["b", "d", "a", "c", "e"]


def test_a_mean_and_its_interval_are_drawn_on_the_criterions_scale():
    """By hand, on a scale from 1 to 3: 2.8 lies at 90 of 100; what lies beyond the scale is cut."""
    rows = [A, mean("b", 1.1, 0.8, 1.4), mean("c", 1.5), mean("d", None)]
    drawn = [line.cells[0].plot for line in table(systems=rows).lines]
    assert drawn == [Plot(85, 90, 95), Plot(25, 25, 25), Plot(0, 5, 20), None]
    many = [mean(f"s{number}", 2.0) for number in range(9)]
    assert table(systems=many[:8]).lines[0].cells[0].plot == Plot(50, 50, 50)
    assert table(systems=many).lines[0].cells[0].plot is None


@pytest.mark.django_db
def test_values_that_may_not_be_averaged_have_no_mean():
    small = documents.parse(factories.SMALL, "small.yaml")
    form, content = small.criteria
    changed = replace(small, criteria=(replace(form, best="none"), content))
    campaign = studies.imported(protocol=protocols.install(document=changed))
    assert {row["criterion"] for row in records(Systems, campaign)} == {"correctness"}


def test_common_means_rest_on_the_sources_that_every_system_has() -> None:
    ratings = rated.drawn(3, 12, 3, seed=4)
    ratings[1, :4] = np.nan  # Brisa is silent on four sources
    found = rated.computed(rated.study(ratings))
    rows = {row["system"]: row for row in found["common_means"]}
    for place, name in enumerate(("Alba", "Brisa", "Corvo")):
        means = ratings[place, 4:].mean(axis=1)
        low, high = stats.t.interval(0.95, 7, means.mean(), stats.sem(means))
        row = rows[name]
        assert (row["value"], row["low"], row["high"]) == pytest.approx((means.mean(), low, high))
        assert (row["n"], row["clusters"]) == (8, 8)
    (table,) = CommonMeans().tables(Found(found))
    assert table.caption == "Clarity: 8 of 12 sources."


def test_common_means_complete_study_has_none() -> None:
    found = rated.computed(rated.study(rated.drawn(3, 12, 3, seed=4)))
    assert found["common_means"] == []
    assert CommonMeans().tables(Found(found)) == []
