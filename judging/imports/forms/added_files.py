"""Forms to add files to a dataset."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.imports.actions.joining import JoiningChoices
from judging.imports.forms.files import SiblingsField, refuse_too_large
from judging.limits import MAX_FILES_PER_UPLOAD, MAX_NAME_CHARACTERS

BY = [
    ("auto", _("ids and texts; ids are not used if most disagree with the texts")),
    ("ids", _("ids only")),
    ("texts", _("texts only")),
]
UNMATCHED = [
    ("add", _("add them, as new questions")),
    ("leave", _("exclude them")),
]
CONFLICTS = [
    ("leave", _("keep what the dataset has; the file's values go to quarantine")),
    ("refuse", _("add nothing of the file as long as there are any")),
]
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")


class FilesInput(forms.ClearableFileInput):
    """The browser's own field, for several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        given = data if isinstance(data, list | tuple) else [data]
        given = given or [None]  # an empty upload is refused like one missing file
        if len(given) > MAX_FILES_PER_UPLOAD:
            raise forms.ValidationError(
                _("At most %(most)s files at once."), params={"most": MAX_FILES_PER_UPLOAD}
            )
        files = [super(FilesField, self).clean(each, initial) for each in given]
        for file in files:
            if file:
                refuse_too_large(file)
        return [file for file in files if file]


class FilesForm(forms.Form):
    """Files to be added."""

    files = FilesField(
        label=_("Drop files here, or choose them"),
        help_text=_(
            "Questions, ratings, metrics, references, answers or metadata, in any format that can be read."
        ),
    )


class NewDatasetForm(forms.Form):
    """A new dataset with its first files."""

    name = forms.CharField(
        label=_("Name of the dataset"),
        max_length=MAX_NAME_CHARACTERS,
        required=False,
        help_text=_("Empty: the name of the first file."),
    )
    files = FilesField(
        label=_("Drop files here, or choose them"),
        help_text=_(
            "All files of the study: outputs, ratings, metrics. You see everything before it is stored."
        ),
    )
    licence = forms.CharField(
        label=_("Licence"),
        max_length=MAX_NAME_CHARACTERS,
        required=False,
        help_text=_("Of the texts, such as CC BY-SA 4.0."),
    )
    language = forms.CharField(
        label=_("Language of the texts"),
        max_length=35,
        required=False,
        help_text=_(
            "A tag such as en, de, ar or zh-Hant; empty: detected from the script. It decides the "
            "direction of the text and how metrics divide it into words."
        ),
    )

    def clean_language(self) -> str:
        tag = self.cleaned_data["language"].strip()
        if tag and not LANGUAGE.fullmatch(tag):
            raise forms.ValidationError(_("Write a language tag such as en, de or zh-Hant."))
        return tag


class ConfirmNewForm(forms.Form):
    """Confirmation that a file is added although most of it is new to the dataset."""

    confirmed = forms.BooleanField(label=_("Add these new questions"))


class AcceptForm(forms.Form):
    """Acceptance of what the columns of files become."""

    accepted = forms.BooleanField(label=_("This is right"))


class ChoicesForm(forms.Form):
    """How rows are matched with the dataset, and what happens to rows without a match."""

    by = forms.ChoiceField(label=_("Rows are matched by"), choices=BY, widget=forms.RadioSelect)
    similar = forms.BooleanField(label=_("Match similar texts"), required=False)
    declined = forms.MultipleChoiceField(
        label=_("Similar texts that are not the same question"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    unmatched = forms.ChoiceField(
        label=_("Rows without a match"), choices=UNMATCHED, widget=forms.RadioSelect
    )
    conflicts = forms.ChoiceField(
        label=_("Values that contradict the dataset"),
        choices=CONFLICTS,
        widget=forms.RadioSelect,
    )
    siblings = SiblingsField(label=_("Match in the same way"))

    def __init__(
        self,
        *args: Any,
        systems: Sequence[str] = (),
        similar: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.systems = systems
        self.fields["declined"].choices = [(text, text) for text in similar]
        for place, system in enumerate(systems):
            self.fields[f"system-{place}"] = forms.CharField(
                label=system, max_length=MAX_NAME_CHARACTERS, required=False
            )

    @property
    def names(self) -> list[Any]:
        """Return the fields of systems."""
        return [self[f"system-{place}"] for place in range(len(self.systems))]

    def choices(self) -> JoiningChoices:
        """Return the user's choices."""
        said = self.cleaned_data
        systems = {}
        for place, system in enumerate(self.systems):
            field = f"system-{place}"
            name = said[field].strip()
            is_unchanged = name == system == self.initial.get(field)
            if name and not is_unchanged:
                systems[system] = name
        return JoiningChoices(
            by=said["by"],
            similar=said["similar"],
            declined=said["declined"],
            unmatched=said["unmatched"],
            conflicts=said["conflicts"],
            systems=systems,
        )

    @staticmethod
    def initial_of(choices: JoiningChoices, examined: Mapping[str, Any]) -> dict[str, Any]:
        """Return the form's initial values for earlier choices."""
        shown = {
            "by": choices.by,
            "similar": choices.similar,
            "declined": choices.declined,
            "conflicts": choices.conflicts,
        }
        shown["unmatched"] = choices.unmatched or ("add" if examined.get("adds") else "leave")
        decided = {each["letter"]: each["system"] for each in examined.get("votes", ())}
        decided |= choices.systems
        names = {
            f"system-{n}": decided.get(each, each)
            for n, each in enumerate(examined.get("systems", ()))
        }
        return shown | names
