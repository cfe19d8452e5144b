"""What annotators send: one answer, a page of answers, an agreement."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.actions.drafts import LAST_SEQUENCE
from judging.actions.sheets import Asked, Sheet

LONGEST_NOTE = 5_000
NOTE = "note"


class DraftForm(forms.Form):
    """One answer, or the comment, with the number that says which is the latest."""

    name = forms.CharField(max_length=200)
    value = forms.CharField(required=False, max_length=LONGEST_NOTE, strip=False)
    sequence = forms.IntegerField(min_value=0, max_value=LAST_SEQUENCE)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("name") not in (None, NOTE):
            cleaned["value"] = self._number(cleaned.get("value", ""))
        return cleaned

    def problems(self) -> str:
        """Return what is wrong with it in one line."""
        return " ".join(_said(errors) for errors in self.errors.values())

    def _number(self, text: str) -> int | None:
        try:
            return forms.IntegerField(required=False).clean(text)
        except forms.ValidationError as error:
            self.add_error("value", error)
            return None


class AnswersForm(forms.Form):
    """A page of answers, as a browser without JavaScript sends it. Controls that are locked or hidden are not there."""

    token = forms.UUIDField()
    sequence = forms.IntegerField(min_value=0, max_value=LAST_SEQUENCE - 1)
    note = forms.CharField(required=False, max_length=LONGEST_NOTE)

    def __init__(self, *args: Any, sheet: Sheet, stage: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.asked = {asked.name: asked for asked in sheet.asked() if asked.stage == stage and asked.name in self.data}
        for asked in self.asked.values():
            self.fields[asked.name] = forms.IntegerField(required=False, label=_label(asked))

    def given(self) -> list[tuple[Asked, int | None]]:
        """Return the answers that were sent, "" as none."""
        return [(asked, self.cleaned_data[name]) for name, asked in self.asked.items()]

    def problems(self) -> str:
        """Return what is wrong with it in one line."""
        return " ".join(f"{self.fields[name].label or name}: {_said(errors)}" for name, errors in self.errors.items())


def _said(errors: Iterable[object]) -> str:
    return " ".join(map(str, errors))


def _label(asked: Asked) -> str:
    return f"{asked.where} {asked.criterion.name}".strip()


class JoinForm(forms.Form):
    """Agreeing to take part."""

    agree = forms.BooleanField(label=_("I have read this and want to take part."))
