"""Forms for checks, flags and the rules of exclusion."""

from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.base.forms.numbers import number_field
from judging.campaigns import quality_plan
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.quality_plan import BOUNDS, QualityPlan

DEFAULT = QualityPlan()


def _number(
    kind: type[forms.IntegerField], label: Any, name: str, why: Any, *, required: bool = True
) -> forms.IntegerField:
    return number_field(
        kind,
        name,
        defaults=DEFAULT,
        bounds=BOUNDS,
        label=label,
        help_text=why,
        required=required,
    )


_whole = partial(_number, forms.IntegerField)
_real = partial(_number, forms.FloatField)


class QualityForm(forms.Form):
    """The thresholds of flags and the rules of exclusion, each with the reason for its default."""

    least_values = _whole(
        _("Flag nothing before this many values"),
        "least_values",
        _("A page or two of an ordinary protocol; of fewer values any share is chance."),
    )
    fastest = _real(
        _("Too fast: seconds a value"),
        "fastest",
        _("No annotator reads a question and chooses a value in half a second."),
    )
    faster_than_others = _real(
        _("Or so many times as fast as the others"),
        "faster_than_others",
        _(
            "Careful annotators differ by a factor of two or three; four is rare. Compared with the median."
        ),
    )
    same_share = _real(
        _("Equal values: share of one value"),
        "same_share",
        _("Flagged only where the others give that value to fewer than 0.8 of the questions."),
    )
    longest_run = _whole(
        _("Equal values in a row"),
        "longest_run",
        _(
            "Flagged only where, by the others’ share of the value, such a run comes up less than once in 1,000."
        ),
    )
    least_gold = _real(
        _("Gold questions: share to pass"),
        "least_gold",
        _("Two of three; flagged after three gold questions."),
    )
    least_same = _real(
        _("Hidden repeats: share of equal values"),
        "least_same",
        _("Agreement with oneself is the ceiling of agreement with others."),
    )
    repeats = _whole(
        _("Hidden repeats, in 100 tasks"),
        "repeats",
        _(
            "Repeated whole tasks: 10 is usual. Without them the agreement of annotators with themselves is unknown."
        ),
    )
    gold = _whole(
        _("Gold questions, in 100 tasks"),
        "gold",
        _("Questions whose right values you fix; each annotator meets each once."),
    )
    degraded = _whole(
        _("Degraded copies, in 100 tasks"),
        "degraded",
        _(
            "A repeated page with one question made worse; it must score lower. For English questions."
        ),
    )
    gap = _whole(
        _("Minimum gap before a repeat (tasks)"),
        "gap",
        _("Far enough that annotators do not remember the values they gave."),
    )
    exclude_speed = forms.BooleanField(
        label=_("Propose annotators flagged as too fast"), required=False
    )
    exclude_same = forms.BooleanField(
        label=_("Propose annotators flagged for equal values or a long run"), required=False
    )
    exclude_gold = _whole(
        _("Propose annotators who fail more gold questions than"),
        "exclude_gold",
        _("Empty: this proposes no annotator."),
        required=False,
    )
    exclude_gold_of = _whole(
        _("Once they met so many gold questions"),
        "exclude_gold_of",
        _("Empty: from the first on."),
        required=False,
    )
    exclude_repeats = _real(
        _("Propose annotators who agree with themselves in a smaller share than"),
        "exclude_repeats",
        _("Of the values of hidden repeats. Empty: this proposes no annotator."),
        required=False,
    )
    exclude_degraded = forms.BooleanField(
        label=_("Propose annotators who do not score degraded copies lower"),
        required=False,
        help_text=_("One-sided sign test at the 5% level, after five copies."),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        initial = quality_plan.quality_plan_to_document(
            quality_plan.quality_plan_from_document(campaign.quality)
        )
        super().__init__(*args, initial=initial, **kwargs)
        if campaign.state != Campaign.State.DRAFT:
            for field in self.fields.values():
                field.disabled = True

    def sections(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """Return the fields by purpose: a title, the reason, and the fields."""
        put_in = ("repeats", "gold", "degraded", "gap")
        flags = (
            "least_values",
            "fastest",
            "faster_than_others",
            "same_share",
            "longest_run",
            "least_gold",
            "least_same",
        )
        rules = (
            "exclude_speed",
            "exclude_same",
            "exclude_gold",
            "exclude_gold_of",
            "exclude_repeats",
            "exclude_degraded",
        )
        return [
            (
                _("Checks between the tasks"),
                _(
                    "They look like any other task, cost annotators’ time, and never enter a mean, an agreement or a "
                    "metric. The place of each is drawn from the campaign’s secret."
                ),
                [self[name] for name in put_in],
            ),
            (
                _("Flags"),
                _("A flag asks you to check. It excludes no annotator."),
                [self[name] for name in flags],
            ),
            (
                _("Rules of exclusion"),
                _(
                    "Fixed beforehand, so that they cannot be chosen by the results. Rules propose; you check the "
                    "list and apply it. No annotator’s pay depends on it. The report shows results with and without."
                ),
                [self[name] for name in rules],
            ),
        ]

    def plan(self) -> QualityPlan:
        """Return the plan as the action takes it."""
        return QualityPlan(**self.cleaned_data)
