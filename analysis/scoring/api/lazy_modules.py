"""Modules that are imported when something of theirs is first used.

The actions of analyses need numpy and every section of the report: a second of start-up, which a
web process that serves annotators should not spend.
"""

from importlib import import_module
from typing import Any


class LazyModule:
    """A module that is imported when something of it is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)
