"""The list of metrics, and that no plug-in can break it."""

from importlib.metadata import EntryPoint

import pytest

from quaestor_metrics import ROUGEL, Registry, Scorer, UnknownMetric, get, list_metrics
from quaestor_metrics._registry import GROUP, PRINTED, VARIANTS, loaded

HERE = "test_registry"


class Impostor:
    spec = "not a spec"

    def available(self) -> tuple[bool, str]:
        return True, ""

    def score(self, batch: object, params: object) -> list[object]:
        return []


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, GROUP)


def test_every_built_in_metric_keeps_the_contract_under_its_own_id() -> None:
    for entry in list_metrics():
        if entry.origin == "built in":
            assert isinstance(entry.metric, Scorer)
            assert entry.metric.spec.id == entry.id


def test_core_metrics_are_usable_everywhere() -> None:
    usable = {entry.id for entry in list_metrics() if entry.usable}
    assert usable >= {"bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "corpus_bleu_4"}


def test_list_has_the_base_metrics_and_ten_combinations_that_papers_print() -> None:
    ids = [entry.id for entry in list_metrics() if entry.origin == "built in"]
    assert (len(ids), ids[-10:]) == (39, list(PRINTED))


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("q_meteor", "Q-METEOR 1.5"),
        ("r_bertscore", "R-BERTScore"),
        ("avg_q_bleu_1", "Average-Q-BLEU-1 (coco)"),
        ("liberal_rouge_l", "Liberal-ROUGE-L (beta 1.2)"),
        ("rank5_multi_meteor", "Rank@5 Multi-METEOR 1.5"),
    ],
)
def test_get_composes_a_variant_of_a_base(id: str, name: str) -> None:
    assert (get(id).spec.id, get(id).spec.name) == (id, name)
    assert get(id) is get(id)


@pytest.mark.parametrize(
    "id", ["q_q_bleu_1", "multi_multi_bleu_1", "f_self_bleu_2", "q_nist_x", "multi_", "q"]
)
def test_get_refuses_a_variant_that_a_metric_does_not_have(id: str) -> None:
    with pytest.raises(UnknownMetric):
        get(id)


def test_variants_of_a_metric() -> None:
    registry = Registry()
    assert registry.variants("bleu_4") == tuple(VARIANTS)
    assert registry.variants("answerability") == tuple(
        name for name in VARIANTS if not name.endswith("q")
    )
    for id in ("self_bleu_2", "corpus_bleu_4", "multi_bleu_4"):
        assert registry.variants(id) == ()


def test_get_of_an_unknown_id_lists_the_known() -> None:
    with pytest.raises(UnknownMetric, match="no metric is called blue_4; there are bleu_1"):
        get("blue_4")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_package:Metric", "does not load: ModuleNotFoundError"),
        (f"{HERE}:Nothing", "does not load: AttributeError"),
        (f"{HERE}:point", "it has no spec"),
        (f"{HERE}:Impostor", "its spec is not a MetricSpec"),
    ],
)
def test_a_broken_plug_in_is_listed_with_its_reason(value: str, reason: str) -> None:
    entry = loaded(point("mine", value), taken=())
    assert (entry.id, entry.metric, entry.usable) == ("mine", None, False)
    assert reason in entry.reason


def test_a_plug_in_cannot_replace_a_metric() -> None:
    entry = loaded(point("mine", "quaestor_metrics._rouge:ROUGEL"), taken=("rouge_l",))
    assert (entry.id, entry.reason) == ("rouge_l@mine", "the id rouge_l is taken")


def test_a_plug_in_may_be_a_class() -> None:
    entry = loaded(point("mine", "quaestor_metrics._rouge:ROUGEL"), taken=())
    assert isinstance(entry.metric, ROUGEL)
