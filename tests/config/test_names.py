"""One name, one thing: public classes and functions."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("config", "judging", "annotation", "analysis")
BY_DJANGO = {"Command", "Migration"}  # Django looks them up by these names


def test_no_two_public_classes_have_the_same_name():
    places = defaultdict(list)
    for part in PARTS:
        for path in (ROOT / part).rglob("*.py"):
            for name in re.findall(r"^class ([A-Z]\w*)", path.read_text(), re.MULTILINE):
                places[name].append(str(path.relative_to(ROOT)))
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in shared.items() if name not in BY_DJANGO} == {}
    assert len(places) > 500


# called through their module or passed as a value: each recipe of an import has its own
OF_AN_INTERFACE = {"main", "frame", "propose"}


def test_a_public_function_name_stands_in_one_module():
    places = defaultdict(list)
    for part in (*PARTS, "packages"):
        for path in (ROOT / part).rglob("*.py"):
            if {"tests", "migrations"} & set(path.relative_to(ROOT).parts):
                continue
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                    places[node.name].append(str(path.relative_to(ROOT)))
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in shared.items() if name not in OF_AN_INTERFACE} == {}
    assert len(places) > 1_000
