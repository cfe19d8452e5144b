"""The examples in the docstrings, several of them published values, are what the code says."""

import doctest
from enum import StrEnum
from importlib import import_module
from inspect import getdoc
from pkgutil import iter_modules

import pytest

import quaestor_metrics
from quaestor_metrics import Scorer

MODULES = [module.name for module in iter_modules(quaestor_metrics.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    found = doctest.testmod(import_module(f"quaestor_metrics.{name}"))
    assert found.failed == 0


@pytest.mark.parametrize("name", sorted({*quaestor_metrics.__all__} - {"__version__"}))
def test_every_exported_name_is_documented(name: str) -> None:
    exported = getattr(quaestor_metrics, name)
    text = getdoc(exported) or ""
    assert not text.startswith(f"{name}(")  # what a dataclass writes by itself
    plain = isinstance(exported, type) and issubclass(exported, (Exception, StrEnum))
    described = "\n------" in text or exported is Scorer
    assert plain or described
