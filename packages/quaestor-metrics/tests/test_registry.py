"""The list of metrics, and that no plug-in can break it."""

from importlib.metadata import EntryPoint

import pytest

from quaestor_metrics import _registry as registry
from quaestor_metrics._contract import Scorer
from quaestor_metrics._rouge import RougeL

HERE = "test_registry"


class Impostor:
    spec = "not a spec"

    def available(self) -> tuple[bool, str]:
        return True, ""

    def score(self, batch: object, params: object) -> list[object]:
        return []


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, registry.GROUP)


def test_every_built_in_metric_keeps_the_contract_under_its_own_id() -> None:
    for entry in registry.all_metrics():
        if entry.origin == "built in":
            assert isinstance(entry.metric, Scorer)
            assert entry.metric.spec.id == entry.id


def test_core_metrics_are_usable_everywhere() -> None:
    usable = {entry.id for entry in registry.all_metrics() if entry.usable}
    assert usable >= {"bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "corpus_bleu_4"}


def test_derived_metrics_are_those_that_papers_print() -> None:
    derived = {
        entry.id for entry in registry.all_metrics() if entry.origin == "built in" and entry.made_of
    }
    bases = {*(f"bleu_{order}" for order in range(1, 5)), "rouge_l", "meteor"}
    neural = {"bertscore", "moverscore"}
    q_metrics = {f"q_{base}" for base in bases | neural | {"nist"}}
    of_sets = {
        f"{family}_{base}"
        for family in ("p", "r", "f", "multi")
        for base in bases | neural | {"nist"}
    }
    of_table_3 = {
        "avg_bleu_4",
        "avg_rouge_l",
        "avg_meteor",
        "avg_q_bleu_1",
        "multi_q_bleu_1",
    }
    by_source = {
        f"{family}_{base}"
        for family in ("conservative", "liberal")
        for base in ("bleu_4", "rouge_l", "meteor")
    }
    ranked = {metric for metric in derived if metric.startswith("rank5_")}
    assert derived - ranked == q_metrics | of_sets | of_table_3 | by_source


def test_get_gives_the_metric() -> None:
    assert registry.get("rouge_l") == RougeL()


def test_get_of_an_unknown_id_lists_the_known() -> None:
    with pytest.raises(
        registry.UnknownMetric, match="no metric is called blue_4; there are bleu_1"
    ):
        registry.get("blue_4")


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
    entry = registry.loaded(point("mine", value), taken=())
    assert (entry.id, entry.metric, entry.usable) == ("mine", None, False)
    assert reason in entry.reason


def test_a_plug_in_cannot_replace_a_metric() -> None:
    entry = registry.loaded(point("mine", "quaestor_metrics._rouge:RougeL"), taken=("rouge_l",))
    assert (entry.id, entry.reason) == ("rouge_l@mine", "the id rouge_l is taken")


def test_a_plug_in_may_be_a_class() -> None:
    assert (
        registry.loaded(point("mine", "quaestor_metrics._rouge:RougeL"), taken=()).metric
        == RougeL()
    )
