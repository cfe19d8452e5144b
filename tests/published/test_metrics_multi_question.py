"""Published worked examples of set metrics: Ray Chowdhury et al. 2022 and Schlichtkrull and Cheng
2020.

The sets of the first are read from the paper's text beside the project; where it is absent those
tests are skipped.
"""

import json
import re
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from quaestor_metrics import MetricUnavailable, Preparation, ScoredSet, keep_running, score_items
from quaestor_metrics import _registry as registry
from quaestor_metrics._bleu import bleu
from quaestor_metrics._pair_matrices import best_assignment, f_measure, precision
from quaestor_metrics._rouge import rouge_l
from tests.shared_data import ROOT

PAPER = ROOT.parent / "seeds" / "000_9a0c1bf6fd820b57.txt"
ORACLE = ROOT.parent / "spec" / "metrics_oracle.json"
WORDS = Preparation("ptb", "ptb")
NAMES = [  # what has a capital in each example, set by hand: the paper's text is lower-cased
    "notre dame stinson-remick",
    "theodore m. hesburgh notre dame millard sheets",
    "dog-human",
    "holy cross notre dame fatima frederick buechner",
    "notre dame stinson-remick",
]


def numbered(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\d+\. (.+?\?)", text))


@pytest.fixture(scope="module", autouse=True)
def one_jvm() -> Iterator[None]:
    """METEOR's Java starts once for this file, if at all."""
    with keep_running([registry.get("meteor")]):
        yield


@cache
def figure_3() -> ScoredSet:
    text = paper()
    generated, references = text.split("Generated Questions:")[1].split("Reference Questions:")[:2]
    return ScoredSet(numbered(generated), numbered(references.split("\n")[0]))


@cache
def examples() -> list[ScoredSet]:
    """The five examples of Tables 5 and 6."""
    blocks = re.findall(
        r"Generated Questions:\n(.*?)\nReference Questions:\n(.*?)\nBLEU4:", paper(), re.DOTALL
    )
    return [
        ScoredSet(numbered(generated), numbered(references)) for generated, references in blocks
    ]


def paper() -> str:
    if not PAPER.exists():
        pytest.skip("the text of Ray Chowdhury et al. 2022 is not available beside the project")
    return PAPER.read_text(encoding="utf-8")


def oracle() -> list[dict[str, dict[str, list[list[float]]]]]:
    if not ORACLE.exists():
        pytest.skip("the recomputed pair scores are not available beside the project")
    found: list[dict[str, dict[str, list[list[float]]]]] = json.loads(ORACLE.read_text())[
        "multi_metrics_seed000"
    ]
    return found


def percent(metric: str, one: ScoredSet, **params: object) -> float:
    """The metric of one set in percent; a METEOR that cannot run skips the test."""
    try:
        result = score_items(registry.get(metric), [one], params=params, preparation=WORDS)[0]
    except MetricUnavailable as missing:
        pytest.skip(str(missing))
    assert result.value is not None
    return 100 * result.value


def truecased(one: ScoredSet, names: str) -> ScoredSet:
    capital = frozenset(names.split())

    def changed(text: str) -> str:
        words = text.rstrip("?").split()
        return " ".join(word[0].upper() + word[1:] if word in capital else word for word in words)

    return ScoredSet(tuple(map(changed, one.hypotheses)), tuple(map(changed, one.references)))


# published: Ray Chowdhury et al., tables 5 and 6, average then multi
TABLES = {
    "bleu_4": [(40.34, 13.26), (10.65, 11.38), (5.56, 5.56), (0, 0), (43.44, 7.54)],
    "rouge_l": [(42.38, 22.91), (40.15, 33.6), (37.13, 32.43), (50, 15.12), (49.23, 15.47)],
    "meteor": [(22.06, 11.81), (17.25, 15.04), (24.28, 21.21), (17.58, 5.86), (24.33, 8.11)],
}


@pytest.mark.parametrize("example", range(5))
@pytest.mark.parametrize("metric", TABLES)
def test_tables_5_and_6(metric: str, example: int) -> None:
    one, (average, multi) = examples()[example], TABLES[metric][example]
    assert percent(f"avg_{metric}", one) == pytest.approx(average, abs=0.0051)
    # 33.6 is printed with one digit; it is 33.61
    assert percent(f"multi_{metric}", one) == pytest.approx(
        multi, abs=0.011 if multi == 33.6 else 0.0051
    )


# published Q-BLEU1, average then multi. 1, 4 and 5 come out with capitals set by hand. The paper's
# true-caser carries trained statistics that are not used here, so 2 and 3 come near only
@pytest.mark.parametrize(
    ("example", "average", "multi", "within"),
    [
        (0, 40.26, 17.01, 0.0051),
        (3, 43.00, 12.07, 0.0051),
        (4, 47.69, 12.52, 0.0051),
        (1, 36.44, 27.72, 0.03),
    ],
)
def test_tables_5_and_6_q_bleu_1(example: int, average: float, multi: float, within: float) -> None:
    one = truecased(examples()[example], NAMES[example])
    assert percent("avg_q_bleu_1", one, formula="unclipped_f") == pytest.approx(average, abs=within)
    assert percent("multi_q_bleu_1", one, formula="unclipped_f") == pytest.approx(multi, abs=within)


def test_table_5_third_example_q_bleu_1_comes_near_only() -> None:
    """Published 41.97 and 37.10; which words their true-caser made capital is not known. Ours are
    recomputed."""
    one = truecased(examples()[2], NAMES[2])
    assert percent("avg_q_bleu_1", one, formula="unclipped_f") == pytest.approx(43.84, abs=0.0051)
    assert percent("multi_q_bleu_1", one, formula="unclipped_f") == pytest.approx(35.80, abs=0.0051)


@pytest.mark.parametrize(("example", "average", "multi"), [(0, 64.49, 30.85), (3, 68.08, 20.43)])
def test_q_bleu_1_of_lower_cased_text_is_another_number(
    example: int, average: float, multi: float
) -> None:
    """Recomputed, not published: without capitals nothing is an entity, and both scores are far too
    high."""
    one = truecased(examples()[example], "")
    assert percent("avg_q_bleu_1", one, formula="unclipped_f") == pytest.approx(average, abs=0.0051)
    assert percent("multi_q_bleu_1", one, formula="unclipped_f") == pytest.approx(multi, abs=0.0051)


def test_figure_3_from_its_pair_scores() -> None:
    """Published pairs 9.33 18.19 48.83 16.46, S 92.81, Multi-METEOR 18.56, average 23.20."""
    found = best_assignment(100 * np.array(oracle()[0]["pair_matrices"]["METEOR"]))
    pairs = 100 * np.array(oracle()[0]["pair_matrices"]["METEOR"])
    assert [round(pairs[i, j], 2) for i, j in found.pairs] == [9.33, 18.19, 48.83, 16.46]
    assert [j for _, j in found.pairs] == [2, 1, 0, 5]
    assert (round(found.total, 2), round(found.f, 2), round(precision(pairs), 2)) == (
        92.81,
        18.56,
        23.20,
    )


def test_figure_3_from_its_questions() -> None:
    one = figure_3()
    assert (len(one.hypotheses), len(one.references)) == (4, 6)
    assert percent("multi_meteor", one) == pytest.approx(18.56, abs=0.0051)
    assert percent("avg_meteor", one) == pytest.approx(23.20, abs=0.0051)


def test_figure_3_all_our_other_measures_equal_the_recomputed() -> None:
    one, ours = figure_3(), oracle()[0]["ours"]
    for name, id in (("Bleu_1", "bleu_1"), ("Bleu_4", "bleu_4"), ("ROUGE_L", "rouge_l")):
        expected = ours[name]
        for key, prefix in (("multi_F", "multi"), ("F_metric", "f")):
            assert percent(f"{prefix}_{id}", one) == pytest.approx(100 * expected[key], abs=1e-6)  # type: ignore[call-overload]
        if id != "bleu_1":  # the paper prints no average of BLEU-1
            average = 100 * expected["avg_multi_ref"]  # type: ignore[call-overload]
            assert percent(f"avg_{id}", one) == pytest.approx(average, abs=1e-6)
    assert percent("self_bleu_2", one) == pytest.approx(100 * ours["self_bleu2"], abs=1e-6)  # type: ignore[operator]


# Schlichtkrull and Cheng, appendix A: one prediction that is half of each reference
BETWEEN = "which event did the 2014 world cup"
ASKED = ("who won the 2014 world cup", "which event did germany win in 2014")
ONE = ScoredSet((BETWEEN,), ASKED)


def fraction(metric: str, one: ScoredSet) -> float:
    return percent(metric, one) / 100


@pytest.mark.parametrize(
    ("metric", "published"),
    [("avg_bleu_4", 0.5946), ("avg_rouge_l", 0.6240), ("avg_meteor", 0.3773)],
)
def test_appendix_a_best_of_both_references(metric: str, published: float) -> None:
    """The paper cuts digits off instead of rounding."""
    assert int(fraction(metric, ONE) * 1e4) / 1e4 == published


def test_appendix_a_f_meteor() -> None:
    assert round(fraction("f_meteor", ONE), 4) == 0.3516


def test_appendix_a_f_bleu_comes_out_with_hypothesis_and_reference_swapped() -> None:
    """Published .2867. Their equation has s(prediction, reference), which gives .2741; swapped it
    is .28677."""
    swapped = np.array([[bleu(reference, [BETWEEN])[3] for reference in ASKED]])
    assert round(fraction("f_bleu_4", ONE), 4) == 0.2741
    assert int(f_measure(swapped) * 1e4) / 1e4 == 0.2867


def test_appendix_a_f_rouge_is_not_reproduced() -> None:
    """Published .5987; .6106 as written, .5979 swapped, .5977 recall alone: probably a misprint."""
    swapped = np.array([[rouge_l(reference, [BETWEEN]) for reference in ASKED]])
    assert round(fraction("f_rouge_l", ONE), 4) == 0.6106
    assert round(f_measure(swapped), 4) == 0.5979
    assert round(fraction("r_rouge_l", ONE), 4) == 0.5977
