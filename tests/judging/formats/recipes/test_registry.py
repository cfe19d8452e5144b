"""The choice of a recipe, and plug-ins."""

import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from judging.formats.frames import Unreadable
from judging.formats.mapping import Mapping
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.registry import GROUP, RECIPES, Unusable, load, recipe_for
from tests.judging.imports.recipes.reading import opened_from

ROOT = Path(__file__).parents[4]
PIPES = Recipe(
    key="pipes",
    title="Pipes",
    recognises=lambda opened: "pipe" in shared.names(opened),
    frame=shared.flat_frame,
)
TABLE = Recipe(key="table", title="Table", recognises=PIPES.recognises, frame=PIPES.frame)
BREAKS = replace(PIPES, frame=lambda opened: opened.nothing)
NEITHER = "a text"


def point(name: str) -> EntryPoint:
    return EntryPoint(name=name.lower(), value=f"{__name__}:{name}", group=GROUP)


def test_recipe_for_takes_the_named_recipe_else_the_first_that_recognises_the_file() -> None:
    batch = opened_from("WorkerId,Input.question,Answer.fluency\nW,Who?,3\n", "b.csv")
    chosen = {name: recipe_for(batch, Mapping(recipe=name)) for name in ("", "table", "doccano")}
    assert [found and found.key for found in chosen.values()] == ["mturk", None, "doccano"]
    assert recipe_for(opened_from("question,system\nWho?,a\n", "t.csv"), Mapping()) is None
    with pytest.raises(Unreadable, match="No recipe is called “poetry”"):
        recipe_for(batch, Mapping(recipe="poetry"))


@pytest.mark.parametrize(
    ("name", "taken", "reason"),
    [
        ("PIPES", ("pipes",), "the key pipes is taken"),
        ("TABLE", (), "the key table is taken"),
        ("NEITHER", (), "is no Recipe"),
        ("absent", (), "does not load: AttributeError"),
    ],
)
def test_load_gives_the_reason_of_a_plug_in_that_cannot_be_used(
    name: str, taken: tuple[str, ...], reason: str
) -> None:
    found = load(point(name), taken=taken)
    assert isinstance(found, Unusable)
    assert reason in found.reason


def test_frame_of_a_plug_in_that_fails_is_a_sentence() -> None:
    opened = opened_from("pipe,system\n1,a\n", "t.csv")
    usable, breaking = (load(point(name), taken=()) for name in ("PIPES", "BREAKS"))
    assert isinstance(usable, Recipe)
    assert isinstance(breaking, Recipe)
    assert usable.frame(opened).shape == (1, 2)
    with pytest.raises(Unreadable, match="“Pipes” failed: AttributeError"):
        breaking.frame(opened)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.key)
def test_recipe_has_a_page_and_says_what_it_carries(recipe: Recipe) -> None:
    assert (ROOT / "docs" / "formats" / f"{recipe.page}.md").is_file()
    assert "questions" in recipe.carries


def test_registry_does_not_load_pandas() -> None:
    code = "import judging.formats.recipes.registry, sys; assert 'pandas' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
