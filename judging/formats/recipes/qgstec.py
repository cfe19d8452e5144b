"""The XML of QG-STEC Task B: evaluated submissions, and the development set with its human
questions.

A sentence with a target type is a source, about which every system owes two questions. A row is one
rating of a question, a question without ratings, or a source without questions.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from judging.formats.frames import Opened, Unreadable, shorten_line
from judging.formats.mapping import Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.writers import HUMAN

_PREFIX = "rating:"
_NOTES = ("note", "comment")
_ROLES: dict[str, Role] = {"source_id": "source_id", "target_type": "target_type"}
_ROLES |= dict.fromkeys(("source:instance", "source:id", "source:source"), "source_metadata")
_ROLES |= {"sentence": "sentence", "system": "system", "position": "position"}
_ROLES |= {"question": "question", "type": "question_type", "rater": "rater", "note": "note"}


def frame(opened: Opened) -> shared.Frame:
    """Return a row for each rating, with the line of its element."""
    if opened.tree.find("instance") is None:
        raise Unreadable("The XML has no <instance> directly under its root.")
    return shared.frame_of_rows(opened, _every_row(opened.tree))


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the roles of the columns; of the human questions no number is expected."""
    columns = shared.roles_present(frame, _ROLES, "QG-STEC's files have it.")
    columns |= shared.rated_columns(frame, _PREFIX, "An attribute of the ratings.")
    return {"columns": columns} | ({} if set(frame["system"]) == {HUMAN} else {"expected": 2})


def _every_row(root: Any) -> Iterator[shared.NumberedRow]:
    ids = (each.get("id", "").strip() for each in root.iterfind("instance/submission"))
    systems, seen = list(filter(None, dict.fromkeys(ids))) or [HUMAN], set[str]()
    for place, instance in enumerate(root.iterfind("instance"), 1):
        name = instance.get("id", "").strip() or str(place)
        if name not in seen:
            yield from _rows(instance, name, systems)
        else:
            reason = f"Another instance has the id “{shorten_line(name)}”."
            yield from (_refused(each, reason) for each in instance.iter("question"))
        seen.add(name)


def _rows(instance: Any, name: str, systems: list[str]) -> Iterator[shared.NumberedRow]:
    sources = {target: _source(instance, name, target) for target in _types(instance)}
    filled = Counter[tuple[str, str]]()
    for system, question in _questions(instance):
        declared = question.get("type", "").strip()
        target = declared or ("".join(sources) if len(sources) == 1 else "")
        if not system:
            yield _refused(question, "The submission has no id.")
            continue
        if target not in sources:
            yield _refused(question, f"“{shorten_line(target)}” is no target type of the instance.")
            continue
        filled[target, system] += 1
        slot = {"system": system, "position": str(filled[target, system])}
        text = {"question": _text(question), "type": declared}
        yield from _rated(question, sources[target] | slot | text)
    yield from _unanswered(instance, sources, {target for target, _ in filled}, systems[0])


def _unanswered(
    instance: Any, sources: dict[str, dict[str, str]], answered: set[str], system: str
) -> Iterator[shared.NumberedRow]:
    """Yield a row for each source without questions, so that it is in the table."""
    for target, source in sources.items():
        if target not in answered:
            yield instance.line, source | {"system": system, "position": "1", "question": ""}


def _questions(instance: Any) -> Iterator[tuple[str, Any]]:
    """Yield each question with its system, that of humans outside any submission."""
    parts = [(each.get("id", "").strip(), each) for each in instance.iterfind("submission")]
    for system, part in [*parts, (HUMAN, instance)]:
        yield from ((system, question) for question in part.iterfind("question"))


def _types(instance: Any) -> list[str]:
    """Return the declared target types; the development set declares none, so there they are the
    types of its questions."""
    declared = [_text(each) for each in instance.iterfind("targetQuestionType")]
    asked = [each.get("type", "").strip() for each in instance.iterfind("question")]
    return list(filter(None, dict.fromkeys([*declared, *asked])))


def _source(instance: Any, name: str, target: str) -> dict[str, str]:
    texts = {
        tag: "".join(map(_text, instance.findall(tag)[:1])) for tag in ("id", "source", "text")
    }
    source = {"source_id": f"{name}/{target}", "sentence": texts["text"], "target_type": target}
    origin = {"source:id": texts["id"], "source:source": texts["source"]}
    return source | {"source:instance": name} | origin


def _rated(question: Any, shown: dict[str, str]) -> Iterator[shared.NumberedRow]:
    for rating in question.iterfind("rating"):
        yield rating.line, shown | _rating(rating)
    if question.find("rating") is None:
        yield question.line, shown


def _rating(element: Any) -> dict[str, str]:
    values = {name: value.strip() for name, value in element.attrib.items()}
    note = "\n".join(values[name] for name in _NOTES if values.get(name))
    criteria = {n: value for n, value in values.items() if n not in ("rater", *_NOTES)}
    named = {f"{_PREFIX}{name}": value for name, value in criteria.items()}
    return {"rater": values.get("rater", "")} | named | ({"note": note} if note else {})


def _refused(question: Any, reason: str) -> shared.NumberedRow:
    return shared.refused(question.line, _text(question), reason, "question")


def _text(element: Any) -> str:
    """Return the text of an element itself, without that of elements in it."""
    return "".join([element.text or "", *(each.tail or "" for each in element)]).strip()


RECIPES = (
    Recipe(
        key="qgstec_xml",
        title="QG-STEC Task B XML",
        recognises=lambda opened: opened.kind == "xml" and opened.tree.find("instance") is not None,
        frame=frame,
        propose=propose,
        carries=("questions", "ratings", "notes", "metadata"),
        writes=True,
    ),
)
