"""Form for the settings of simulated annotators."""

from functools import partial

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.planning.actions import dry_runs
from analysis.planning.actions.dry_runs import DryRunSettings
from analysis.runs.forms.runs import DESIGNS
from judging.base.forms.numbers import number_field

DEFAULTS = dry_runs.DryRunSettings()
_field = partial(number_field, defaults=DEFAULTS, bounds=dry_runs.BOUNDS, required=False)


class DryRunForm(forms.Form):
    """The planted difference and the annotators; every field has a default, so that one click is
    enough."""

    gap = _field(
        forms.IntegerField,
        "gap",
        label=_("Difference between one system and the next"),
        help_text=_("Per cent of the scale's length: 15 is 0.3 points on a scale from 1 to 3."),
    )
    design = forms.ChoiceField(
        label=_("What the conclusions extend to"),
        choices=[(key, words) for key, words in DESIGNS if key in dry_runs.DESIGNS],
        initial=DEFAULTS.design,
        required=False,
        help_text=_("Decides which test compares the systems, as in a report."),
    )
    annotators = _field(
        forms.IntegerField,
        "annotators",
        label=_("Simulated annotators"),
        help_text=_("Empty: as many as the plan needs."),
    )
    severity = _field(
        forms.IntegerField,
        "severity",
        label=_("Severity"),
        help_text=_("How far annotators lie apart: standard deviation, per cent of the scale."),
    )
    noise = _field(
        forms.IntegerField,
        "noise",
        label=_("Noise"),
        help_text=_("Chance in every single value: standard deviation, per cent of the scale."),
    )
    question = _field(
        forms.IntegerField,
        "question",
        label=_("Spread of a system's questions"),
        help_text=_(
            "How much better or worse single questions turn out: standard deviation, per cent of the scale."
        ),
    )
    careless = _field(
        forms.IntegerField,
        "careless",
        label=_("Careless annotators"),
        help_text=_(
            "So many of them pick any value, to see what checks, flags and rules of exclusion make of it. "
            "Where there is a qualification: so many in each wave that comes."
        ),
    )
    hurry = _field(
        forms.IntegerField,
        "hurry",
        label=_("Time that careless annotators take"),
        help_text=_("Per cent of what others take."),
    )
    seconds = _field(
        forms.FloatField,
        "seconds",
        label=_("Seconds for a value"),
        help_text=_("On average. Empty: as long as the protocol estimates for a page."),
    )
    seconds_spread = _field(
        forms.FloatField,
        "seconds_spread",
        label=_("Spread of seconds"),
        help_text=_(
            "Seconds of single values follow a lognormal distribution: standard deviation of the logarithm."
        ),
    )
    pace_spread = _field(
        forms.FloatField,
        "pace_spread",
        label=_("Spread of paces"),
        help_text=_("How far annotators lie apart in speed: standard deviation of the logarithm."),
    )
    knows = _field(
        forms.IntegerField,
        "knows",
        label=_("Right values in the qualification"),
        help_text=_("Per cent of a careful annotator's values there, on average."),
    )
    knows_spread = _field(
        forms.IntegerField,
        "knows_spread",
        label=_("Spread of right values"),
        help_text=_("How far annotators lie apart in it: standard deviation, per cent."),
    )
    wary = _field(
        forms.IntegerField,
        "wary",
        label=_("Careless annotators who take care in the qualification"),
        help_text=_("Per cent. The others pick any value there too."),
    )
    seed = _field(forms.IntegerField, "seed", label=_("Seed"))

    def settings(self) -> DryRunSettings:
        """Return the settings as the action takes them; empty fields have their defaults."""
        written = self.cleaned_data.items()
        return DryRunSettings(**{name: value for name, value in written if value not in ("", None)})
