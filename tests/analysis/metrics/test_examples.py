"""The examples in the docstrings, several of them published values, are what the code says."""

import doctest
from importlib import import_module
from pkgutil import iter_modules

import pytest

import analysis.metrics

MODULES = [module.name for module in iter_modules(analysis.metrics.__path__)]
WITH_EXAMPLES = {
    "consistency",
    "reader",
    "answerability",
    "bleu",
    "moverscore",
    "noise",
    "preparation",
    "ptb",
    "question_types",
    "rouge",
    "sets",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    found = doctest.testmod(import_module(f"analysis.metrics.{name}"))
    assert found.failed == 0
    assert found.attempted > 0 or name not in WITH_EXAMPLES
