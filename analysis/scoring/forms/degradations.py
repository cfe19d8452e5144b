"""The form of a degraded copy of a dataset."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.scoring.actions import degradations, degrading
from analysis.scoring.actions.versions import MAX_SEED
from judging.datasets.models.dataset import Dataset, Reference

NOISE = {
    "function_words": _("drop all function words (the, of, was, …)"),
    "entities": _("drop one to three capitalised words"),
    "content_words": _("drop one to three other words"),
    "question_type": _("put another question word in the place of the first"),
}
BESIDE = list(
    zip(
        degrading.BESIDE,
        (
            _("all systems, as they are"),
            _("those chosen above, as they are"),
            _("nothing: only degraded questions"),
        ),
        strict=True,
    )
)
REFERENCES = "references"


class DegradeForm(forms.Form):
    """Settings of a degradation: which questions, in which ways, and which others are kept."""

    systems = forms.MultipleChoiceField(
        label=_("Degrade the questions of"), widget=forms.CheckboxSelectMultiple
    )
    noise = forms.MultipleChoiceField(
        label=_("How"),
        widget=forms.CheckboxSelectMultiple,
        choices=list(NOISE.items()),
        initial=list(NOISE),
        help_text=_("Each kind becomes a system of its own."),
    )
    percent = forms.IntegerField(
        label=_("Percent of the sources"),
        initial=100,
        min_value=1,
        max_value=100,
        help_text=_(
            "Drawn by chance, the same for every system. A few are enough to check attention."
        ),
    )
    beside = forms.ChoiceField(
        label=_("Beside them stand"), widget=forms.RadioSelect, choices=BESIDE, initial="all"
    )
    seed = forms.IntegerField(label=_("Seed"), initial=1, min_value=0, max_value=MAX_SEED)
    name = forms.CharField(label=_("Name of the new dataset"), max_length=200)

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = degradations.degradable_systems(dataset)
        self.system_names = {str(system.pk): system.name for system in own}
        choices = [(key, name or _("(no name)")) for key, name in self.system_names.items()]
        if Reference.objects.filter(source__dataset=dataset).exists():
            choices.append((REFERENCES, _("people: the references")))
        self.fields["systems"].choices = choices
        self.fields["name"].initial = degradations.name_of_copy(dataset)

    def wanted(self) -> degrading.WantedDegradation:
        """Return the settings of the degradation."""
        said = dict(self.cleaned_data)
        chosen = said.pop("systems")
        names = [self.system_names[key] for key in chosen if key in self.system_names]
        return degrading.WantedDegradation(systems=names, references=REFERENCES in chosen, **said)
