"""Documents name files that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("", "analysis", "judging", "annotation")  # a path may be relative to one of these
NAMED_FILE = re.compile(r"`([\w/]+/[\w.]+\.(?:py|js|yaml|md))(?::\w+)?`")


def test_architecture_files_it_names_exist() -> None:
    found = NAMED_FILE.findall((ROOT / "docs" / "architecture.md").read_text())
    named = {name for name in found if "NAME" not in name}  # a placeholder
    missing = [
        name for name in named if not any((ROOT / package / name).exists() for package in PACKAGES)
    ]
    assert len(named) > 10
    assert missing == []


def test_security_tests_it_names_exist() -> None:
    named = re.findall(r"`(\w+/[\w/.]+)`", (ROOT / "docs" / "security.md").read_text())
    tests = [name for name in named if not name.startswith(("judging/base/limits", "deploy/"))]
    assert len(tests) > 30
    assert [name for name in tests if not (ROOT / "tests" / name).exists()] == []
