"""The protocol editor: a document shown as a form, the form read back, and problems shown at their
fields."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_NAME_CHARACTERS, MAX_TEXT_CHARACTERS
from judging.protocols import protocol_edits
from judging.protocols.forms import protocol_sections as sections
from judging.protocols.forms.protocol_fields import SectionForm, ValuesField, leaves
from judging.protocols.protocol_edits import Tree
from judging.protocols.protocol_yaml import ProtocolProblem

ORDER = (
    "key",
    "version",
    "title",
    "summary",
    "citation",
    "language",
    "task",
    "page_size",
    "broken_items",
    "expected",
    "annotators",
    "estimated_seconds",
    "stages",
    "criteria",
    "span_mark",
    "rules",
    "facts",
    "aggregate",
    "agreement",
    "quality_control",
    "guideline",
    "worked_item",
    "translations",
)
WHOLE: Mapping[str, tuple[type[SectionForm], ...]] = {
    "": (sections.AboutForm, sections.Cut, sections.GuidelineForm),
    "span_mark": (sections.Mark,),
    "aggregate": (sections.AggregateForm,),
    "worked_item": (sections.WorkedItemForm,),
}
LISTS: Mapping[str, type[SectionForm]] = {
    "stages": sections.StageForm,
    "criteria": sections.CriterionForm,
    "rules": sections.RuleForm,
    "facts": sections.FactForm,
    "agreement": sections.AgreementForm,
}
MADE_KEY = re.compile(r"((criteria|stages)\[\d+\]\.)?key")
CARRIED = ("translations",)  # shown and changed as YAML only


class Editor:
    """A document as sections of fields, in any state."""

    def __init__(self, plain: Tree) -> None:
        names = _names(plain)
        self.about, self.cut, self.guideline = (kind(plain) for kind in WHOLE[""])
        self.mark = sections.Mark(_map(plain, "span_mark"), "span_mark", **names)
        self.aggregate = sections.AggregateForm(_map(plain, "aggregate"), "aggregate", **names)
        self.worked_item = sections.WorkedItemForm(
            _map(plain, "worked_item"), "worked_item", **names
        )
        self.stages = self._list(plain, "stages", names)
        self.criteria = self._list(plain, "criteria", names)
        self.rules = self._list(plain, "rules", names)
        self.facts = self._list(plain, "facts", names)
        self.agreement = self._list(plain, "agreement", names)
        self.translations = {tag: len(words) for tag, words in _map(plain, "translations").items()}
        self.told: list[tuple[str, str, str]] = []  # place, its name on the page, and the problem
        self.lost = sorted({place for place, _text in self._lost(plain)})

    def _list(self, plain: Tree, key: str, names: Mapping[str, Any]) -> list[Any]:
        kind = LISTS[key]
        rows = enumerate(_maps(plain, key))
        return [kind(row, f"{key}[{n}]", **names, kind=str(row.get("kind", ""))) for n, row in rows]

    def _lost(self, plain: Tree) -> Iterator[tuple[str, str]]:
        """Yield the parts of the document that have no field, so that saving the form would lose
        them."""
        kept = set(leaves(self.written()))
        shown = {key: value for key, value in plain.items() if key not in CARRIED}
        return (leaf for leaf in leaves(shown) if leaf not in kept)

    def written(self) -> Tree:
        """Return the document as the form would send it back."""
        plain = self.about.written() | self.cut.written() | self.guideline.written()
        plain |= {"span_mark": self.mark.written(), "aggregate": self.aggregate.written()}
        plain["worked_item"] = self.worked_item.written()
        for key in LISTS:
            plain[key] = [section.written() for section in getattr(self, key)]
        for row, criterion in zip(plain["criteria"], self.criteria, strict=True):
            row["points"] = [point.written() for point in criterion.points]
        return plain

    def sections(self) -> Iterator[SectionForm]:
        yield from (
            self.about,
            self.cut,
            self.mark,
            self.aggregate,
            self.guideline,
            self.worked_item,
        )
        for key in LISTS:
            yield from getattr(self, key)
        for criterion in self.criteria:
            yield from criterion.points

    def tell(self, problems: Iterable[ProtocolProblem]) -> None:
        """Put each problem at the field of its key, or at the nearest part that holds it."""
        owners = {section.place: section for section in self.sections() if section.place} | {
            "": self.about
        }
        fields = {
            section.add_prefix(name): (section, name)
            for section in self.sections()
            for name in section.fields
        }
        for problem in problems:
            place = problem.key
            while place not in fields and place not in owners:
                place = place[: max(place.rfind("."), place.rfind("["), 0)]
            section, name = fields.get(place) or (owners[place], "")
            rest = problem.key.removeprefix(place).lstrip(".")
            reason = _in_form(problem.reason, section.fields.get(name))
            reason = f"{rest}: {reason}" if rest else reason
            section.tell(name, reason)
            self.told.append((section.anchor(name), section.called(name), reason))


def without_made_keys(problems: Iterable[ProtocolProblem]) -> list[ProtocolProblem]:
    """Return the problems except missing keys, which the form makes of titles and names."""
    return [
        problem
        for problem in problems
        if not (problem.reason == "is missing" and MADE_KEY.fullmatch(problem.key))
    ]


def _in_form(reason: str, field: forms.Field | None) -> str:
    """Return a problem in the words of a form, in which users write neither mappings nor the words
    of a choice."""
    if reason == "is missing" and isinstance(field, forms.ChoiceField):
        return str(_("is missing; choose one"))
    if reason == "is missing" and isinstance(field, ValuesField):
        return str(_("is missing; choose a value of at least one criterion"))
    return reason


def read_protocol_form(data: QueryDict, base: Tree) -> Tree:
    """Return the document that the form sent; parts that the form does not show are taken from the
    base."""
    plain: Tree = {key: base[key] for key in CARRIED if key in base}
    for place, kinds in WHOLE.items():
        for kind in kinds:
            sent = kind.read(data, place)
            plain |= sent if not place else {place: sent} if sent else {}
    for key, kind in LISTS.items():
        plain[key] = [_row(kind, data, f"{key}[{n}]") for n in _numbers(data, key)]
    _name(plain)
    renamed = {key: _renamed(data, plain[key], key) for key in ("criteria", "stages")}
    protocol_edits.rename(plain, **renamed)
    needed = ("stages", "criteria")
    return {
        key: plain[key] for key in ORDER if key in plain and (plain[key] != [] or key in needed)
    }


def _row(kind: type[SectionForm], data: QueryDict, place: str) -> Tree:
    row = kind.read(data, place)
    if kind is sections.CriterionForm:
        points = [
            sections.PointForm.read(data, f"{place}.points[{n}]")
            for n in _numbers(data, f"{place}.points")
        ]
        if "scale" in row:
            points = [point for point in points if not _is_blank(point)]
        row |= {"points": points} if points else {}
    return row


def _is_blank(point: Tree) -> bool:
    """Return whether a point has nothing but its value."""
    return point.keys() <= {"value"}


def _numbers(data: QueryDict, key: str) -> list[int]:
    pattern = re.compile(re.escape(key) + r"\[(\d{1,6})\]\.")
    return sorted({int(match[1]) for name in data if (match := pattern.match(name))})


def _name(plain: Tree) -> None:
    """Give every part that has a name and no key a key made from the name."""
    if "key" not in plain and "title" in plain:
        plain["key"] = protocol_edits.key_from_name(plain["title"], set())
    for rows, name in ((plain["criteria"], "name"), (plain["stages"], "title")):
        for row in rows:
            if "key" not in row and name in row:
                row["key"] = protocol_edits.key_from_name(
                    row[name], {row["key"] for row in rows if "key" in row}
                )


def _renamed(data: QueryDict, rows: list[Tree], key: str) -> dict[str, str]:
    numbered = zip(_numbers(data, key), rows, strict=True)
    found = {data.get(f"{key}[{n}].was", ""): row.get("key", "") for n, row in numbered}
    return {was: now for was, now in found.items() if was and now and was != now}


def _names(plain: Tree) -> dict[str, Any]:
    """Return the entries of lists to choose from: the stages and criteria of the document, and
    their scales."""
    stages, criteria = (
        [row for row in _maps(plain, key) if row.get("key") and _is_short(row["key"])]
        for key in ("stages", "criteria")
    )
    scales = {
        str(row["key"]): (_cut(row.get("name", row["key"])), _points(row)) for row in criteria
    }
    return {
        "stages": [(str(row["key"]), _cut(row.get("title", row["key"]))) for row in stages],
        "criteria": [(str(row["key"]), _cut(row.get("name", row["key"]))) for row in criteria],
        "scales": scales,
    }


def _points(criterion: Tree) -> list[tuple[str, str]]:
    points = [point for point in _maps(criterion, "points") if "value" in point]
    if "scale" in criterion:
        return []
    return [
        (str(point["value"]), _cut(f"{point['value']} {point.get('label', '')}".strip()))
        for point in points
        if _is_short(point["value"])
    ]


def _is_short(word: Any) -> bool:
    """Return whether a word is short enough to be a choice; keys and values are much shorter."""
    return len(str(word)) <= MAX_NAME_CHARACTERS


def _cut(words: Any) -> str:
    return Truncator(str(words)).chars(MAX_NAME_CHARACTERS)


def _map(plain: Tree, key: str) -> Tree:
    return plain[key] if isinstance(plain.get(key), dict) else {}


def _maps(plain: Tree, key: str) -> list[Tree]:
    rows = plain.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


class TextForm(forms.Form):
    """A protocol as YAML, pasted or uploaded."""

    text = forms.CharField(
        label=_("The protocol as YAML"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 30, "class": "yaml", "spellcheck": "false"}),
    )
    file = forms.FileField(
        label=_("Upload a file"),
        required=False,
        help_text=_("YAML in UTF-8."),
        allow_empty_file=True,
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        if file is None:
            return cleaned
        if file.size > 4 * MAX_TEXT_CHARACTERS:
            raise forms.ValidationError(
                {"file": _("This file is too large for a protocol: at most a million characters.")}
            )
        try:
            cleaned["text"] = file.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            self.add_error("file", _("This file is not text in UTF-8."))
        return cleaned
