"""Names and kinds of a collection's systems."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.imports.actions import systems
from judging.limits import MAX_NAME_CHARACTERS
from judging.models import System


class SystemsForm(forms.Form):
    """A name and a kind for each system; or a table of old and new names."""

    table = forms.CharField(
        label=_("Or a table of names"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "One line for each: the name now, a comma or tab, the new name, as in “a, T5 Large”."
        ),
    )
    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        help_text=_("Campaigns whose protocol is locked list the change with it."),
    )

    def __init__(self, *args: Any, made: Sequence[System], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.made = made
        for each in made:
            name = forms.CharField(
                label=_("Name of %(name)s") % {"name": each.name},
                max_length=MAX_NAME_CHARACTERS,
            )
            kind = forms.ChoiceField(
                label=_("Kind of %(name)s") % {"name": each.name}, choices=System.Kind.choices
            )
            for field, initial in ((name, each.name), (kind, each.kind)):
                field.initial = initial
                field.widget.attrs["aria-label"] = field.label
            self.fields[f"name-{each.pk}"], self.fields[f"kind-{each.pk}"] = name, kind

    def rows(self) -> list[tuple[System, Any, Any]]:
        """Return each system with its two fields."""
        return [(each, self[f"name-{each.pk}"], self[f"kind-{each.pk}"]) for each in self.made]

    def clean_table(self) -> dict[str, str]:
        try:
            table = systems.read_table(self.cleaned_data["table"])
        except systems.CannotChange as wrong:
            raise forms.ValidationError(str(wrong)) from None
        if unknown := sorted(set(table) - {each.name for each in self.made}):
            raise forms.ValidationError(
                _("No system is called “%(name)s”."), params={"name": unknown[0]}
            )
        return table

    def names(self) -> dict[int, str]:
        """Return the new names; the table's come before those of the fields."""
        table = self.cleaned_data["table"]
        return {
            each.pk: table.get(each.name, self.cleaned_data[f"name-{each.pk}"])
            for each in self.made
        }

    def kinds(self) -> dict[int, str]:
        """Return the kinds."""
        return {each.pk: self.cleaned_data[f"kind-{each.pk}"] for each in self.made}
