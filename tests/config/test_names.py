"""One name, one thing: CONTRIBUTING.md's rule about public classes."""

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
