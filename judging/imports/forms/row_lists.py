"""Filters of a list of a file's rows, as the query string of its address gives them."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.imports.readers.row_lists import WantedRows
from judging.limits import MAX_NAME_CHARACTERS

KINDS = {
    "kept": gettext_lazy("kept"),
    "matched": gettext_lazy("matched"),
    "similar": gettext_lazy("matched by similar text"),
    "new": gettext_lazy("new"),
    "unmatched": gettext_lazy("fits nothing"),
    "ambiguous": gettext_lazy("fits more than one question"),
    "conflicting": gettext_lazy("contradicts the dataset"),
    "refused": gettext_lazy("cannot be kept"),
    "warning": gettext_lazy("worth a look"),
}


class RowsForm(forms.Form):
    """The filters of a list of rows, and the page; its names are those of `WantedRows`."""

    text = forms.CharField(
        label=gettext_lazy("Words, or source"), required=False, max_length=MAX_NAME_CHARACTERS
    )
    system = forms.ChoiceField(label=gettext_lazy("System"), required=False)
    kind = forms.ChoiceField(label=gettext_lazy("Messages"), required=False)
    page = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, kinds: Mapping[str, int], systems: Sequence[str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        named = [(each, each) for each in systems]
        self.fields["system"].choices = [("", _("all")), *named]
        counted = [
            (kind, f"{title}: {intcomma(kinds[kind])}")
            for kind, title in KINDS.items()
            if kinds.get(kind)
        ]
        self.fields["kind"].choices = [("", _("anything")), *counted]
        if not named:
            del self.fields["system"]

    @cached_property
    def wanted(self) -> WantedRows:
        """Return the requested rows; the form must be valid."""
        said = {name: value for name, value in self.cleaned_data.items() if value}
        return WantedRows(**said)

    @property
    def query(self) -> str:
        """Return the filters as a query string, without the page."""
        said = ((name, getattr(self.wanted, name)) for name in ("text", "system", "kind"))
        return urlencode([(name, value) for name, value in said if value])
