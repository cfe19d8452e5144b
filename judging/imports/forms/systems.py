"""Names and kinds of a dataset's systems."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.imports.actions import system_names, systems
from judging.imports.actions.system_names import ProposedNames
from judging.limits import MAX_NAME_CHARACTERS
from judging.models import System


class BulkNamesForm(forms.Form):
    """A change of many names at once, which is proposed first and then applied."""

    tool = forms.ChoiceField(
        label=_("Change"),
        choices=[
            ("prefix", _("Remove a prefix")),
            ("replace", _("Find and replace")),
            ("split", _("Split into subset and system")),
            ("spellings", _("Use one spelling")),
        ],
        help_text=_(
            "Splitting turns SQuAD_T5 into the system T5 and the subset SQuAD. Spellings are names "
            "that differ only in case, spaces and punctuation."
        ),
    )
    find = forms.CharField(
        label=_("Prefix, text to find, or separator"),
        required=False,
        strip=False,
        max_length=MAX_NAME_CHARACTERS,
    )
    replacement = forms.CharField(
        label=_("Replace with"), required=False, strip=False, max_length=MAX_NAME_CHARACTERS
    )

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        if said.get("tool") in ("prefix", "replace", "split") and not said.get("find"):
            self.add_error("find", _("Enter the text that the names contain."))
        return said

    def proposed(self, names: Sequence[str]) -> ProposedNames:
        """Return the names that the change would give."""
        said = self.cleaned_data
        if said["tool"] == "prefix":
            return system_names.without_prefix(names, said["find"])
        if said["tool"] == "replace":
            return system_names.replaced(names, said["find"], said["replacement"])
        if said["tool"] == "split":
            return system_names.split(names, said["find"])
        return system_names.one_spelling(names)


class SystemsForm(forms.Form):
    """A name and a kind for each system, or a table of old and new names; for split names, the
    subsets."""

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

    def __init__(
        self,
        *args: Any,
        made: Sequence[System],
        proposed: ProposedNames | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.made = made
        proposed = proposed or ProposedNames()
        for each in made:
            name = forms.CharField(
                label=_("Name of %(name)s") % {"name": each.name},
                max_length=MAX_NAME_CHARACTERS,
            )
            kind = forms.ChoiceField(
                label=_("Kind of %(name)s") % {"name": each.name}, choices=System.Kind.choices
            )
            subset = forms.CharField(
                label=_("Subset of %(name)s") % {"name": each.name},
                required=False,
                max_length=MAX_NAME_CHARACTERS,
            )
            initial = {
                "name": proposed.names.get(each.name, each.name),
                "kind": each.kind,
                "subset": proposed.subsets.get(each.name, ""),
            }
            for key, field in {"name": name, "kind": kind, "subset": subset}.items():
                field.initial = initial[key]
                field.widget.attrs["aria-label"] = field.label
                self.fields[f"{key}-{each.pk}"] = field

    def rows(self) -> list[tuple[System, Any, Any, Any]]:
        """Return each system with its three fields."""
        return [
            (each, self[f"name-{each.pk}"], self[f"kind-{each.pk}"], self[f"subset-{each.pk}"])
            for each in self.made
        ]

    def has_subsets(self) -> bool:
        """Return whether any system has a subset."""
        return any(self[f"subset-{each.pk}"].value() for each in self.made)

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
        """Return the new names; those in the table take precedence over the fields."""
        table = self.cleaned_data["table"]
        return {
            each.pk: table.get(each.name, self.cleaned_data[f"name-{each.pk}"])
            for each in self.made
        }

    def kinds(self) -> dict[int, str]:
        """Return the kinds."""
        return {each.pk: self.cleaned_data[f"kind-{each.pk}"] for each in self.made}

    def subsets(self) -> Mapping[int, str]:
        """Return the subsets."""
        return {each.pk: self.cleaned_data[f"subset-{each.pk}"].strip() for each in self.made}
