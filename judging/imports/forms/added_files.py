"""What a researcher enters to add files to a collection."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.imports.actions.joining import JoiningChoices
from judging.imports.forms.files import DetailsForm, SiblingsField, refuse_too_large
from judging.imports.readers.sameness import Sameness
from judging.limits import MAX_FILES_PER_UPLOAD, MAX_NAME_CHARACTERS

BY = [
    ("auto", _("whichever finds more")),
    ("ids", _("ids: source, system and position, or the question's own")),
    ("texts", _("texts: passage, answer, system and question")),
]
UNMATCHED = [
    ("add", _("add them, as new questions")),
    ("leave", _("leave them out")),
]
CONFLICTS = [
    ("leave", _("keep what the collection has; the file's values go to quarantine")),
    ("refuse", _("add nothing of the file as long as there are any")),
]


class FilesInput(forms.ClearableFileInput):
    """The browser's own field, for several files at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        given = data if isinstance(data, list | tuple) else [data]
        given = given or [None]  # nothing at all is refused as one missing file is
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


class NewCollectionForm(DetailsForm):
    """A collection that is assembled from several files."""

    files = FilesField(
        label=_("Drop files here, or choose them"),
        help_text=_(
            "All files of the study. You say what each holds, and see everything before it is stored."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, has_ratings=False, before=None, **kwargs)


class ConfirmNewForm(forms.Form):
    """That a user wants to add a file although most of it is new to the dataset."""

    confirmed = forms.BooleanField(label=_("Add these new questions"))


class AcceptForm(forms.Form):
    """That a user accepts what each column of a file becomes."""

    accepted = forms.BooleanField(label=_("Add the file with these columns"))


class ChoicesForm(forms.Form):
    """How rows are matched with what the collection holds, and what is done with the others."""

    by = forms.ChoiceField(label=_("Rows are matched by"), choices=BY, widget=forms.RadioSelect)
    spaces = forms.BooleanField(label=_("Runs of white space count as one space"), required=False)
    forms_ = forms.BooleanField(
        label=_(
            "Curly and straight quotation marks, long and short dashes, and compatible "
            "characters count as the same"
        ),
        required=False,
    )
    case = forms.BooleanField(
        label=_("Capital and small letters count as the same"), required=False
    )
    marks = forms.BooleanField(label=_("Punctuation does not count"), required=False)
    unmatched = forms.ChoiceField(
        label=_("Rows that fit nothing"), choices=UNMATCHED, widget=forms.RadioSelect
    )
    conflicts = forms.ChoiceField(
        label=_("Values that contradict the collection"),
        choices=CONFLICTS,
        widget=forms.RadioSelect,
    )
    siblings = SiblingsField(label=_("Match in the same way"))

    def __init__(self, *args: Any, systems: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.systems = systems
        for place, system in enumerate(systems):
            self.fields[f"system-{place}"] = forms.CharField(
                label=system, max_length=MAX_NAME_CHARACTERS, required=False
            )

    @property
    def names(self) -> list[Any]:
        """Return the fields of systems."""
        return [self[f"system-{place}"] for place in range(len(self.systems))]

    @property
    def sameness(self) -> list[Any]:
        """Return the fields that say when texts are the same."""
        return [self[name] for name in ("spaces", "forms_", "case", "marks")]

    def choices(self) -> JoiningChoices:
        """Return what was decided."""
        said = self.cleaned_data
        same = Sameness(
            spaces=said["spaces"], forms=said["forms_"], case=said["case"], marks=said["marks"]
        )
        named = {
            system: said[f"system-{place}"].strip() for place, system in enumerate(self.systems)
        }
        systems = {old: new or old for old, new in named.items()}
        return JoiningChoices(
            by=said["by"],
            same=same,
            unmatched=said["unmatched"],
            conflicts=said["conflicts"],
            systems=systems,
        )

    @staticmethod
    def initial_of(choices: JoiningChoices, examined: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the form shows of earlier choices."""
        same = choices.same.as_dict()
        shown = {
            "by": choices.by,
            "conflicts": choices.conflicts,
            **same,
            "forms_": same["forms"],
        }
        shown["unmatched"] = choices.unmatched or ("add" if examined.get("adds") else "leave")
        known = {**(examined.get("letters") or {}), **choices.systems}
        names = {
            f"system-{n}": known.get(each, each)
            for n, each in enumerate(examined.get("systems", ()))
        }
        return shown | names
