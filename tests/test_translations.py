"""German is complete: whatever annotators see is translated, and the compiled catalogue is the
written one."""

import ast
import gettext
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template import engines
from django.template.base import Node, Template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from judging.protocols import documents

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "locale" / "de" / "LC_MESSAGES" / "django"
PAGES = [
    "base.html",
    "400.html",
    "403.html",
    "403_csrf.html",
    "404.html",
    "405.html",
    "500.html",
    "503.html",
    "507.html",
]
FOLDERS = ["annotation", "includes", "registration"]
ACTIONS = [
    "crowd/actions/participations",
    "enrolments/actions/enrollments",
    "overview/actions/erasures",
    "work/actions/assignments",
    "work/actions/drafts",
    "work/actions/judgments",
    "work/actions/sheets",
    "work/actions/span_marks",
]
CODE = [
    *ROOT.glob("annotation/**/*.py"),
    *(ROOT / "judging" / f"{name}.py" for name in ACTIONS),
]
PLACES = re.compile(r"%\((\w+)\)s")
Entry = dict[str, str]


def entries(text: str) -> list[Entry]:
    """Return the entries of a catalogue as it is written, with its comments under "#"."""
    return [_entry(block) for block in text.strip().split("\n\n")]


def _entry(block: str) -> Entry:
    found: Entry = {"#": ""}
    field = "#"
    for line in block.splitlines():
        if line.startswith("#"):
            found["#"] += line
            continue
        if not line.startswith('"'):
            field, _blank, line = line.partition(" ")
        found[field] = found.get(field, "") + ast.literal_eval(line)
    return found


def written() -> list[Entry]:
    return entries(CATALOGUE.with_suffix(".po").read_text(encoding="utf-8"))


def compiled() -> dict[str, str]:
    """Return the compiled texts, plurals as gettext keys them."""
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog
    return {
        f"{key[0]}[{key[1]}]" if isinstance(key, tuple) else key: text
        for key, text in catalogue.items()
    }


def templates() -> list[str]:
    folder = ROOT / "templates"
    found = [path for name in FOLDERS for path in sorted((folder / name).rglob("*.html"))]
    return PAGES + [str(path.relative_to(folder)) for path in found]


def texts_of(template: Template) -> Iterator[str]:
    """Yield what a template asks to be translated, wherever it stands."""
    for node in template.nodelist.get_nodes_by_type(Node):
        if isinstance(node, TranslateNode):
            yield str(node.filter_expression.var.literal)
        if isinstance(node, BlockTranslateNode):
            yield node.render_token_list(node.singular)[0]


def texts_in_templates() -> set[str]:
    engine = engines["django"].engine
    return {text for name in templates() for text in texts_of(engine.get_template(name))}


def texts_in_code() -> set[str]:
    """Return the first argument of every call of `_`."""
    calls = (
        node for path in CODE for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
    asked = (
        node for node in calls if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_"
    )
    return {ast.literal_eval(node.args[0]) for node in asked}


@pytest.mark.parametrize("texts", [texts_in_templates, texts_in_code])
def test_every_text_that_annotators_see_is_in_german(texts) -> None:
    translated = {entry["msgid"] for entry in written()}
    assert len(texts()) > 30
    assert texts() - translated == set()


def test_no_translation_is_empty_or_a_guess() -> None:
    for entry in written():
        assert all(text for field, text in entry.items() if field.startswith("msgstr")), entry
        assert "fuzzy" not in entry["#"], entry


def test_translations_keep_the_places_of_their_texts() -> None:
    for entry in written()[1:]:
        wanted = set(PLACES.findall(entry.get("msgid_plural", entry["msgid"])))
        for field, text in entry.items():
            assert not field.startswith("msgstr") or set(PLACES.findall(text)) == wanted, entry


def test_nothing_is_translated_twice_or_for_no_one() -> None:
    texts = [entry["msgid"] for entry in written()[1:]]
    assert len(texts) == len(set(texts))
    assert set(texts) == texts_in_templates() | texts_in_code()


def test_compiled_catalogue_is_the_written_one() -> None:
    expected = {}
    for entry in written():
        if "msgid_plural" in entry:
            expected |= {f"{entry['msgid']}[{n}]": entry[f"msgstr[{n}]"] for n in (0, 1)}
        else:
            expected[entry["msgid"]] = entry["msgstr"]
    assert compiled() == expected


@pytest.mark.parametrize("key", documents.shipped_keys())
def test_every_shipped_protocol_is_in_german(key: str) -> None:
    assert documents.untranslated(documents.shipped(key), "de") == ()
