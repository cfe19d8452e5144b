"""A section that another installed package adds to reports."""

from importlib.metadata import distributions
from pathlib import Path

import pytest

from analysis.sections.chapters import PLUGINS, chapters_of_plugins
from analysis.sections.section import Found
from tests.analysis.sections import rated
from tests.analysis.sections.computing import chance, inputs_of

EXAMPLE = Path(__file__).parent / "example_plugin"
ENTRY_POINT = "question_marks = quaestor_question_marks:QuestionMarks"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the example as an installer does: its module and its entry points on the path."""
    assert ENTRY_POINT.replace("= q", '= "q') in (EXAMPLE / "pyproject.toml").read_text()
    metadata = tmp_path / "quaestor_question_marks-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: quaestor-question-marks\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{PLUGINS}]\n{ENTRY_POINT}\n")
    monkeypatch.syspath_prepend(str(EXAMPLE / "src"))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "quaestor-question-marks" in {found.name for found in distributions()}


def test_plugins_none_installed_add_no_chapter() -> None:
    assert list(chapters_of_plugins()) == []


def test_plugins_section_of_a_package_is_a_chapter_with_its_table(installed: None) -> None:
    (chapter,) = chapters_of_plugins()
    (section,) = chapter.sections
    records = section.records(inputs_of(rated.study(rated.drawn(2, 4, 2))), Found({}), chance())
    assert records == [
        {"system": "Alba", "questions": 4, "share": 1.0},
        {"system": "Brisa", "questions": 4, "share": 1.0},
    ]
    (table,) = section.tables(Found({"question_marks": records}))
    assert [(line.name, line.cells[0].text) for line in table.lines] == [
        ("Alba", "100%"),
        ("Brisa", "100%"),
    ]
