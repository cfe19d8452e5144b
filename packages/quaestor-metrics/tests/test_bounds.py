"""Settings have ends: whoever may ask for a metric cannot make it take hours or the whole memory."""

from dataclasses import replace
from typing import Any

import pytest

from quaestor_metrics import _registry as registry
from quaestor_metrics._contract import Parameter, UnknownParameter, resolve_parameters
from quaestor_metrics._preparation import STEPS_TAKEN, UnknownPreparation, preparation_step

PARAMETERS = {
    (entry.id, parameter.name): parameter
    for entry in registry.list_metrics()
    if entry.origin == "built in" and entry.metric
    for parameter in entry.metric.spec.parameters
}


def test_every_number_among_the_settings_has_ends_and_its_default_lies_within() -> None:
    numbers = {
        name: parameter
        for name, parameter in PARAMETERS.items()
        if not parameter.choices and not isinstance(parameter.default, str | tuple)
    }
    assert ("chrf", "char_order") in numbers
    for name, parameter in numbers.items():
        assert parameter.least is not None and parameter.most is not None, name
        assert parameter.default is None or parameter.least <= parameter.default <= parameter.most


def test_every_text_among_the_settings_has_a_longest() -> None:
    assert max(parameter.longest for parameter in PARAMETERS.values()) <= 400


@pytest.mark.parametrize(
    ("id", "name", "value", "said"),
    [
        ("chrf", "char_order", 700, "chrf: char_order is a whole number from 1 to 10, not 700"),
        ("chrf", "char_order", 2.5, "char_order is a whole number from 1 to 10, not 2.5"),
        ("chrf", "word_order", 6, "word_order is a whole number from 0 to 5, not 6"),
        ("sacrebleu", "smooth_value", float("nan"), "smooth_value is a number from 0 to 1000"),
        ("meteor", "timeout", 10**9, "timeout is a whole number from 1 to 600, not 1000000000"),
        ("meteor", "memory", "900G", "memory is one of 512M, 1G, 2G, 4G, not 900G"),
        ("nltk_meteor", "beta", float("inf"), "beta is a number from 0 to 100, not inf"),
        ("answerability", "content", "much", "content is a number from 0 to 1, not much"),
        ("answerability", "stems", ["x" * 401], "stems has 401 characters; at most 400 are taken"),
        ("answerability", "stems", [1], "stems is written in letters"),
        ("q_bleu_1", "delta", True, "delta is a number from 0 to 1, not True"),
        ("q_bleu_1", "prepare", "+".join(["nqg"] * 5), "at most 4 steps, this one has 5"),
        ("q_bleu_1", "prepare", "mangled", "no preparation is called mangled; there are raw"),
        ("q_bleu_1", "prepare", "nqg+" * 60, "prepare has 240 characters; at most 200 are taken"),
        ("q_bleu_1", "formula", "x" * 500, "not " + "x" * 60 + "…"),
    ],
)
def test_a_setting_beyond_its_ends_is_refused_with_a_sentence(
    id: str, name: str, value: Any, said: str
) -> None:
    with pytest.raises(UnknownParameter) as refused:
        resolve_parameters(registry.get(id).spec, {name: value})
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("id", "params"),
    [
        ("chrf", {"char_order": 6, "word_order": 2}),
        ("sacrebleu", {"smooth": "floor", "smooth_value": 0.1}),
        ("sacrebleu", {"smooth_value": None}),
        ("q_bleu_1", {"delta": 1, "prepare": "nfkc+sudachi+nqg", "stems": ["direct", "act"]}),
        ("bertscore", {"layer": 17}),
        ("near_duplicates", {"threshold": 1}),
    ],
)
def test_settings_in_use_are_taken(id: str, params: dict[str, Any]) -> None:
    assert params.items() <= resolve_parameters(registry.get(id).spec, params).items()


def test_a_plug_ins_number_without_ends_is_taken_as_before() -> None:
    spec = replace(registry.get("rouge_l").spec, parameters=(Parameter("far", 1, "how far"),))
    assert resolve_parameters(spec, {"far": 900}) == {"far": 900}


def test_a_preparation_has_a_few_steps_and_a_long_name_is_not_repeated() -> None:
    assert (
        preparation_step("+".join(["nfkc", "lower", "nqg", "raw"][:STEPS_TAKEN]))("Ｗｈｏ?")
        == "who ?"
    )
    with pytest.raises(UnknownPreparation, match="at most 4 steps, this one has 400,000"):
        preparation_step("+".join(["nqg"] * 400_000))
    with pytest.raises(UnknownPreparation) as refused:
        preparation_step("x" * 100_000)
    assert len(str(refused.value)) < 200
