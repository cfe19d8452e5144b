"""Form for the settings of simulated annotators."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.forms.runs import DESIGNS
from analysis.stats.inference import declared

# entered in per cent: the first four of a scale's length
SHARES = ("gap", "question", "severity", "noise", "hurry", "knows", "knows_spread", "wary")


class DryRunForm(forms.Form):
    """The planted difference and the annotators; every field has a value, so that one click is
    enough."""

    gap = forms.IntegerField(
        label=_("Difference between one system and the next"),
        initial=15,
        min_value=0,
        max_value=80,
        help_text=_("Per cent of the scale's length: 15 is 0.3 points on a scale from 1 to 3."),
    )
    design = forms.ChoiceField(
        label=_("What the conclusions extend to"),
        choices=[(key, words) for key, words in DESIGNS if not declared(key).systems],
        initial="sources",
        help_text=_("Decides which test compares the systems, as in a report."),
    )
    annotators = forms.IntegerField(
        label=_("Simulated annotators"),
        required=False,
        min_value=1,
        help_text=_("Empty: as many as the plan needs."),
    )
    severity = forms.IntegerField(
        label=_("Severity"),
        initial=10,
        min_value=0,
        max_value=100,
        help_text=_("How far annotators lie apart: standard deviation, per cent of the scale."),
    )
    noise = forms.IntegerField(
        label=_("Noise"),
        initial=20,
        min_value=0,
        max_value=100,
        help_text=_("Chance in every single value: standard deviation, per cent of the scale."),
    )
    question = forms.IntegerField(
        label=_("Spread of a system's questions"),
        initial=15,
        min_value=0,
        max_value=100,
        help_text=_(
            "How much better or worse single questions turn out: standard deviation, per cent of the scale."
        ),
    )
    careless = forms.IntegerField(
        label=_("Careless annotators"),
        initial=0,
        min_value=0,
        help_text=_(
            "So many of them pick any value, to see what checks, flags and rules of exclusion make of it. "
            "Where there is a qualification: so many in each wave that comes."
        ),
    )
    hurry = forms.IntegerField(
        label=_("Time that careless annotators take"),
        initial=20,
        min_value=1,
        max_value=100,
        help_text=_("Per cent of what others take."),
    )
    seconds = forms.FloatField(
        label=_("Seconds for a value"),
        required=False,
        min_value=0.1,
        max_value=3_600,
        help_text=_("On average. Empty: as long as the protocol estimates for a page."),
    )
    seconds_spread = forms.FloatField(
        label=_("Spread of seconds"),
        initial=0.6,
        min_value=0,
        max_value=3,
        help_text=_(
            "Seconds of single values follow a lognormal distribution: standard deviation of the logarithm."
        ),
    )
    pace_spread = forms.FloatField(
        label=_("Spread of paces"),
        initial=0.3,
        min_value=0,
        max_value=3,
        help_text=_("How far annotators lie apart in speed: standard deviation of the logarithm."),
    )
    knows = forms.IntegerField(
        label=_("Right values in the qualification"),
        initial=90,
        min_value=0,
        max_value=100,
        help_text=_("Per cent of a careful annotator's values there, on average."),
    )
    knows_spread = forms.IntegerField(
        label=_("Spread of right values"),
        initial=8,
        min_value=0,
        max_value=50,
        help_text=_("How far annotators lie apart in it: standard deviation, per cent."),
    )
    wary = forms.IntegerField(
        label=_("Careless annotators who take care in the qualification"),
        initial=50,
        min_value=0,
        max_value=100,
        help_text=_("Per cent. The others pick any value there too."),
    )
    seed = forms.IntegerField(label=_("Seed"), initial=1, min_value=0, max_value=2**31 - 1)

    @classmethod
    def by_click(cls, data: Any) -> "DryRunForm":
        """Return the form with what was sent; what a button alone does not send has its initial
        value."""
        given = {
            name: field.initial
            for name, field in cls.base_fields.items()
            if field.initial is not None
        }
        return cls(given | data.dict())

    def parameters(self) -> dict[str, Any]:
        """Return what was entered, with shares as shares."""
        return {
            name: value / 100 if name in SHARES else value
            for name, value in self.cleaned_data.items()
            if name == "annotators" or value is not None
        }
