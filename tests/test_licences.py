"""Licences of required packages: NOTICE names those with a copyleft, and the libraries import none."""

import ast
import re
from importlib import metadata
from pathlib import Path

import pytest

from config.data_folder import ROOT

COPYLEFT = re.compile(r"\bA?L?GPL|General Public License")
LIBRARIES = sorted((ROOT / "packages").iterdir())


def locked_packages() -> list[str]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    return [line.partition("==")[0] for line in lines if re.match(r"\w", line)]


def licence(package: str) -> str:
    """Return what a package's metadata say of its licence; empty if it is not installed here."""
    try:
        found = metadata.metadata(package)
    except metadata.PackageNotFoundError:  # only for another system
        return ""
    named = [found.get("License-Expression"), (found.get("License") or "").partition("\n")[0]]
    return " ".join(filter(None, [*named, *found.get_all("Classifier", [])]))


def imported_modules(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_notice_names_every_copyleft_package_of_the_lock() -> None:
    copyleft = [name for name in locked_packages() if COPYLEFT.search(licence(name))]
    notice = (ROOT / "NOTICE").read_text()

    assert "krippendorff" in copyleft  # what is searched for is found
    assert [name for name in copyleft if not re.search(rf"^{name} \(", notice, re.M)] == []


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_library_neither_imports_nor_requires_krippendorff(library: Path) -> None:
    importing = [
        path for path in (library / "src").rglob("*.py") if "krippendorff" in imported_modules(path)
    ]

    assert importing == []
    assert "krippendorff" not in (library / "pyproject.toml").read_text()
