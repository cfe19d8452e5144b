"""Form for reproducing a published study."""

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.published.actions.published import STUDIES
from judging.imports.forms.mapping import FilesField


class ReproductionForm(forms.Form):
    """A study and its released files."""

    study = forms.ChoiceField(
        label=_("Study"), choices=[(key, study.title) for key, study in STUDIES.items()]
    )
    files = FilesField(
        label=_("Drop the released files here, or choose them"),
        help_text=_(
            "As they were released. QG-Bench and QGEval take all files of ratings and scores; the "
            "other studies take one file."
        ),
    )
