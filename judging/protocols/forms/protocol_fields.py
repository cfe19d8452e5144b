"""Fields of the protocol editor. Each shows a value of the document and reads it back; None is
omitted.

A field is named by its key path, such as `criteria[0].points[1].label`, so every problem finds its
field.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from judging.protocols.protocol_schema import NUMBER

BREAK = " ⏎ "  # a line break inside an entry of a list with one entry to a line
FieldChoices = Sequence[tuple[str, Any]]
ROW = re.compile(r"(\w+)\[(\d+)\]")
NOUNS: Mapping[str, Any] = {
    "stages": _("Stage"),
    "criteria": _("Criterion"),
    "points": _("Point"),
    "rules": _("Rule"),
    "facts": _("Fact"),
    "agreement": _("Coefficient"),
    "span_mark": _("Part to be marked"),
    "aggregate": _("Aggregate"),
    "worked_item": _("Worked item"),
}


def line(label: Any, help_text: Any = "", *, required: bool = True, css: str = "") -> "TextField":
    """Return a field of one line."""
    widget = forms.TextInput(attrs={"class": css} if css else {})
    return TextField(label=label, help_text=help_text, required=required, widget=widget)


def whole_number_field(label: Any, help_text: Any = "", *, required: bool = True) -> "NumberField":
    """Return a field for a whole number; other text is kept in it, with an error."""
    widget = forms.TextInput(attrs={"inputmode": "numeric", "class": "short"})
    return NumberField(label=label, help_text=help_text, required=required, widget=widget)


def area(label: Any, help_text: Any = "", *, required: bool = True, rows: int = 3) -> "TextField":
    """Return a field of several lines."""
    return TextField(
        label=label,
        help_text=help_text,
        required=required,
        widget=forms.Textarea(attrs={"rows": rows}),
    )


def pick(
    label: Any, choices: FieldChoices, help_text: Any = "", *, required: bool = True
) -> "PickField":
    """Return a list from which one is picked."""
    return PickField(
        label=label, help_text=help_text, required=required, choices=[("", _("Choose")), *choices]
    )


class TextField(forms.CharField):
    def show(self, value: Any) -> Any:
        return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""

    def plain(self, raw: Any) -> Any:
        return _clean(raw) or None


class NumberField(TextField):
    def plain(self, raw: Any) -> Any:
        word = _clean(raw)
        return int(word) if NUMBER.fullmatch(word) else word or None


class FlagField(forms.BooleanField):
    def show(self, value: Any) -> Any:
        return value in (True, "true")

    def plain(self, raw: Any) -> Any:
        return True if raw else None


class PickField(forms.ChoiceField):
    """A list of choices. A value that is no choice is shown as a further one, so that nothing is
    lost and its error has a place."""

    def show(self, value: Any) -> Any:
        shown = TextField().show(value)
        offered: Any = self.choices
        if shown not in {key for key, _label in offered}:
            self.choices = [*offered, (shown, shown)]
        return shown

    def plain(self, raw: Any) -> Any:
        return _clean(raw) or None


class ChecksField(forms.MultipleChoiceField):
    widget = forms.CheckboxSelectMultiple

    def show(self, value: Any) -> Any:
        shown = (
            [str(item) for item in value if isinstance(item, str | int)]
            if isinstance(value, list)
            else []
        )
        offered: Any = self.choices
        known = {key for key, _label in offered}
        self.choices = [*offered, *((key, key) for key in dict.fromkeys(shown) if key not in known)]
        return shown

    def plain(self, raw: Any) -> Any:
        return list(raw) or None


class LinesField(forms.CharField):
    """A list of texts, one to a line."""

    def __init__(self, *, rows: int = 2, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": rows}), **kwargs)

    def show(self, value: Any) -> Any:
        items = (
            [str(item) for item in value if isinstance(item, str | int)]
            if isinstance(value, list)
            else []
        )
        return "\n".join(_clean(item).replace("\n", BREAK) for item in items)

    def plain(self, raw: Any) -> Any:
        lines = (row.strip().replace(BREAK, "\n") for row in _clean(raw).split("\n"))
        return [row for row in lines if row] or None


class PairsField(LinesField):
    """A mapping, one `name: value` to a line."""

    def show(self, value: Any) -> Any:
        pairs = value.items() if isinstance(value, dict) else ()
        return super().show(
            [f"{key}: {item}" for key, item in pairs if isinstance(item, str | int)]
        )

    def plain(self, raw: Any) -> Any:
        pairs = [row.partition(":") for row in super().plain(raw) or ()]
        return {key.strip(): NumberField().plain(item) or "" for key, _colon, item in pairs} or None


class ValuesWidget(forms.Widget):
    """One small list of scale points for each criterion; names end in the criterion's key."""

    use_fieldset = True
    scales: Mapping[str, tuple[str, FieldChoices]] = {}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, str]:
        return {
            key.removeprefix(f"{name}."): data[key] for key in data if key.startswith(f"{name}.")
        }

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> Any:
        given = value or {}
        rows = [
            self._row(name, key, given.get(key, ""))
            for key in dict.fromkeys([*self.scales, *given])
        ]
        return render_to_string("judging/protocols/values.html", {"rows": rows})

    def _row(self, name: str, key: str, value: str) -> dict[str, Any]:
        label, points = self.scales.get(key, (key, ()))
        known = {str(point) for point, _label in points}
        extra = [(value, value)] if value and value not in known else []
        return {
            "name": f"{name}.{key}",
            "label": label,
            "value": value,
            "points": [*points, *extra],
            "free": not points,
        }


class TextsWidget(ValuesWidget):
    """One small text for each name; `scales` gives their labels."""

    def _row(self, name: str, key: str, value: str) -> dict[str, Any]:
        label, _points = self.scales.get(key, (key, ()))
        return {"name": f"{name}.{key}", "label": label, "value": value, "long": True}


class ValuesField(forms.Field):
    """A mapping of criteria to values of their scales."""

    widget = ValuesWidget

    def show(self, value: Any) -> Any:
        items = value.items() if isinstance(value, dict) else ()
        return {key: str(item) for key, item in items if isinstance(item, str | int)}

    def plain(self, raw: Any) -> Any:
        found = {key: NumberField().plain(item) for key, item in raw.items()}
        return {key: item for key, item in found.items() if item is not None} or None


class TextsField(ValuesField):
    """A mapping of names to texts."""

    widget = TextsWidget

    def plain(self, raw: Any) -> Any:
        return {key: words for key, item in raw.items() if (words := _clean(item))} or None


class SectionForm(forms.Form):
    """A part of the document, always rendered from it; the document's own checks find its
    errors."""

    use_required_attribute = False
    parts: Mapping[str, Any] = {}  # by the key path inside the part

    @property
    def number(self) -> int:
        """Return the part's place in its list, from 1."""
        return int(ROW.findall(self.place)[-1][1]) + 1

    @property
    def heading(self) -> str:
        """Return the part's name on the page, such as “Rule 2”."""
        return self.called("")

    @property
    def given(self) -> bool:
        """Return whether anything in the part is filled in or wrong."""
        return any(self.initial.values()) or bool(self.errors)

    @property
    def here(self) -> list[str]:
        """Return the problems of the part as a whole."""
        return list(self.errors.get(NON_FIELD_ERRORS, ()))

    def __init__(self, value: Mapping[str, Any], place: str = "", **choices: Any) -> None:
        super().__init__(prefix=place)
        self.place = place
        self.shown = self.of(**choices)
        self.fields.update(self.shown)
        self.initial = {
            name: field.show(value_at_path(value, name)) for name, field in self.shown.items()
        }

    @classmethod
    def of(cls, **choices: Any) -> dict[str, Any]:
        """Return new fields; a part whose lists depend on other parts fills them here."""
        return deepcopy(dict(cls.parts))

    def add_prefix(self, field_name: str) -> str:
        return f"{self.place}.{field_name}" if self.place else field_name

    @classmethod
    def read(cls, data: QueryDict, place: str = "") -> dict[str, Any]:
        """Return the part of the document in the sent data."""
        start = f"{place}." if place else ""
        sent = {
            name: f.plain(f.widget.value_from_datadict(data, {}, start + name))
            for name, f in cls.of().items()
        }
        return nested(sent)

    def written(self) -> dict[str, Any]:
        """Return the part of the document as the form will send it back."""
        return nested({name: field.plain(self.initial[name]) for name, field in self.shown.items()})

    def tell(self, name: str, reason: str) -> None:
        """Put a problem at a field, or at the part as a whole."""
        self.errors.setdefault(
            name if name in self.fields else NON_FIELD_ERRORS, self.error_class()
        ).append(reason)

    def anchor(self, name: str) -> str:
        """Return the id of a field, or of the part as a whole."""
        return (
            str(self[name].id_for_label or self[name].auto_id)
            if name
            else f"at-{self.place or 'protocol'}"
        )

    def called(self, name: str) -> str:
        """Return the name of a field's place on the page, such as “Criterion 2, Point 1: Label”."""
        rows = ROW.findall(self.place)
        part = ", ".join(f"{NOUNS[kind]} {int(number) + 1}" for kind, number in rows) or NOUNS.get(
            self.place, ""
        )
        label = self.fields[name].label if name else ""
        return f"{part}: {label}" if part and label else str(part or label or _("Protocol"))

    def some(self, *names: str) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]


def value_at_path(value: Any, path: str) -> Any:
    """Return the value at a path of keys, None if there is none."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tree of values named by their paths, without those that are None."""
    tree: dict[str, Any] = {}
    for path, value in flat.items():
        *outer, last = path.split(".")
        if value is None:
            continue
        holder = tree
        for key in outer:
            holder = holder.setdefault(key, {})
        holder[last] = value
    return tree


def leaves(value: Any, place: str = "") -> Iterable[tuple[str, str]]:
    """Yield each text of a tree with its place, without the numbers of lists; empty and false
    values are omitted."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, f"{place}[]")
    elif value is not None and value is not False and value not in ("", "false"):
        yield place, "true" if value is True else _clean(value)


def _clean(raw: Any) -> str:
    words = str(raw if raw is not None else "").replace("\x00", "")
    return words.replace("\r\n", "\n").replace("\r", "\n").strip()
