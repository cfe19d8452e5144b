"""sacreBLEU and chrF are the library's own numbers, in percent, with its signature."""

import pytest

from quaestor_metrics._contract import Scale, ScoredQuestion
from quaestor_metrics._sacrebleu import LIBRARY_METRICS, sacrebleu_version
from quaestor_metrics._scoring import score_items

QUESTIONS = [
    ScoredQuestion("Who built the bridge?", ("Who built the old bridge?", "Who made it?")),
    ScoredQuestion("What?", ("Why?",)),
]


@pytest.mark.parametrize("metric", LIBRARY_METRICS, ids=lambda metric: metric.spec.id)
def test_it_is_in_percent_and_says_where_it_is_missing(metric: object) -> None:
    assert metric.spec.scale is Scale.PERCENT  # type: ignore[attr-defined]
    usable, reason = metric.available()  # type: ignore[attr-defined]
    assert usable or reason == "sacrebleu is not installed"


@pytest.mark.skipif(not sacrebleu_version(), reason="sacrebleu is not installed")
def test_scores_are_the_librarys() -> None:
    import sacrebleu

    expected = {"sacrebleu": sacrebleu.sentence_bleu, "chrf": sacrebleu.sentence_chrf}
    for metric in LIBRARY_METRICS:
        got = score_items(metric, QUESTIONS)
        for result, question in zip(got, QUESTIONS, strict=True):
            assert (
                result.value
                == expected[metric.spec.id](question.hypothesis, list(question.references)).score
            )
            assert "version:" in result.detail["signature"]
