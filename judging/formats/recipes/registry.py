"""The recipes that can be used: those of this package, and those of installed packages (entry-point
group `quaestor.formats`, each naming a `Recipe`)."""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from judging.formats.frames import Opened, Unreadable
from judging.formats.mapping import Mapping
from judging.formats.recipes import (
    argilla,
    bundle,
    doccano,
    label_studio,
    long,
    mturk,
    nema_khapra,
    openai_batch,
    pearmut,
    potato,
    prodigy,
    qgstec,
    squad,
)
from judging.formats.recipes.contract import Recipe

_log = logging.getLogger(__name__)
GROUP = "quaestor.formats"
NO_RECIPE = "table"
# special exports before general ones
_FIRST = (bundle, long, qgstec, argilla, squad, openai_batch, prodigy, pearmut, potato)
_MODULES = (*_FIRST, doccano, label_studio, mturk, nema_khapra)


@dataclass(frozen=True, slots=True)
class Unusable:
    """A plug-in that cannot be used: its name, the package it comes from, and why."""

    name: str
    origin: str
    reason: str


def recipe_for(opened: Opened, mapping: Mapping) -> Recipe | None:
    """Return the recipe that the mapping names, else the first that recognises the file; None if
    the file is read as a table.

    Raises
    ------
    Unreadable
        If there is no recipe of the name.
    """
    if mapping.recipe == NO_RECIPE:
        return None
    if not mapping.recipe:
        return next((recipe for recipe in RECIPES if _recognises(recipe, opened)), None)
    named = next((recipe for recipe in RECIPES if recipe.key == mapping.recipe), None)
    if named is None:
        raise Unreadable(f"No recipe is called “{mapping.recipe}”. Choose another one, or none.")
    return named if _recognises(named, opened) else _guarded(named)


def load(point: EntryPoint, *, taken: Collection[str]) -> Recipe | Unusable:
    """Load a plug-in; any fault of it becomes a reason and affects nothing else."""
    origin = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
    try:
        found = point.load()
    except Exception as error:  # code of a plug-in may raise anything while it is imported
        return Unusable(point.name, origin, f"does not load: {type(error).__name__}: {error}")
    if not isinstance(found, Recipe):
        return Unusable(point.name, origin, "is no Recipe")
    if found.key in (*taken, NO_RECIPE):
        return Unusable(point.name, origin, f"the key {found.key} is taken")
    return _guarded(found)


def _guarded(recipe: Recipe) -> Recipe:
    """Return the recipe with any fault of it as a sentence: it is a plug-in, or was chosen for a
    file that it does not recognise."""

    def guard(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def guarded(given: Any) -> Any:
            try:
                return step(given)
            except (Unreadable, MemoryError):
                raise
            except Exception as error:  # code of a plug-in may raise anything
                fault = f"“{recipe.title}” failed: {type(error).__name__}: {error}".rstrip(".")
                raise Unreadable(f"The recipe {fault}. Read the file as a table.") from error

        return guarded

    return replace(recipe, frame=guard(recipe.frame), propose=guard(recipe.propose))


def _recognises(recipe: Recipe, opened: Opened) -> bool:
    try:
        return recipe.recognises(opened)
    except Exception:  # a recipe that fails on a file does not recognise it
        return False


def _known() -> tuple[Recipe, ...]:
    recipes = [recipe for module in _MODULES for recipe in module.RECIPES]
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        found = load(point, taken={recipe.key for recipe in recipes})
        if isinstance(found, Recipe):
            recipes.append(found)
        else:
            _log.warning("The recipe “%s” of %s %s.", found.name, found.origin, found.reason)
    paged = [
        replace(recipe, page=recipe.page or recipe.key.replace("_", "-")) for recipe in recipes
    ]
    return tuple(sorted(paged, key=lambda each: each.rank))


RECIPES = _known()
