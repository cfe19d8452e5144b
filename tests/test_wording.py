"""Pages and documentation use the words of the glossary: a dataset is not called material."""

import ast
import re
from collections.abc import Iterator

import pytest
from django.template import engines

from tests.test_translations import ROOT, texts_of

OLD_WORDS = re.compile(r"\bmaterials?\b", re.IGNORECASE)
CODE_IN_DOCS = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL)
PACKAGES = ("judging", "annotation", "analysis")


def texts_of_templates() -> Iterator[str]:
    folder, engine = ROOT / "templates", engines["django"].engine
    for path in folder.rglob("*.html"):
        yield from texts_of(engine.get_template(str(path.relative_to(folder))))


def texts_of_code() -> Iterator[str]:
    """Yield the texts that code marks for translation or raises as an error."""
    for path in (path for name in PACKAGES for path in (ROOT / name).rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
                text = call.args[0].value
                if isinstance(text, str) and " " in text and "SELECT" not in text:
                    yield text


def texts_of_docs() -> Iterator[str]:
    documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for path in documents:
        if "superseded" not in path.parts:
            yield from CODE_IN_DOCS.sub("", path.read_text(encoding="utf-8")).splitlines()


@pytest.mark.parametrize("texts", [texts_of_templates, texts_of_code, texts_of_docs])
def test_dataset_is_called_dataset(texts) -> None:
    assert [text for text in texts() if OLD_WORDS.search(text)] == []
