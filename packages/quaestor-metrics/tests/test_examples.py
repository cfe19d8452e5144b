"""The examples in the docstrings, several of them published values, are what the code says."""

import doctest
from importlib import import_module
from pkgutil import iter_modules

import pytest

import quaestor_metrics

MODULES = [module.name for module in iter_modules(quaestor_metrics.__path__)]
WITH_EXAMPLES = {
    "_consistency",
    "_reader",
    "_answerability",
    "_bleu",
    "_moverscore",
    "_degradations",
    "_preparation",
    "_ptb",
    "_question_types",
    "_rouge",
    "_sets",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    found = doctest.testmod(import_module(f"quaestor_metrics.{name}"))
    assert found.failed == 0
    assert found.attempted > 0 or name not in WITH_EXAMPLES
