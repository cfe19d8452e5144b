"""The examples in the docstrings are run, and the package imports nothing it may not know."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import quaestor_stats

MODULES = [
    module.name
    for module in pkgutil.iter_modules(quaestor_stats.__path__)
    if module.name != "__main__"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name: str) -> None:
    module = importlib.import_module(f"quaestor_stats.{name}")
    found = doctest.testmod(module, extraglobs={"np": np}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0


@pytest.mark.long
def test_package_runs_without_django() -> None:
    imports = "; ".join(f"import quaestor_stats.{name}" for name in MODULES)
    code = (
        f"import sys; {imports}; assert not {{'django', 'celery', 'psycopg2'}} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
