"""Forms for gold questions and their accepted values."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.campaigns.actions.unit_names import unit_name
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Question, Unit
from judging.protocols.models.protocol import Criterion
from judging.quality.models.check import CheckItem


class AcceptedForm(forms.Form):
    """The right values on each criterion; several may be right, and a criterion without any is not
    checked."""

    def __init__(
        self, *args: Any, campaign: Campaign, item: CheckItem | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        right: dict[int, list[int]] = {}
        for criterion, value in item.accepted.values_list("criterion", "value") if item else ():
            right.setdefault(criterion, []).append(value)
        self.criteria: Mapping[str, Criterion] = {
            f"accepted_{each.pk}": each
            for each in campaign.protocol.criteria.prefetch_related("points")
            if each.unit == "question" and each.asked == "per_unit"
        }
        for name, each in self.criteria.items():
            points = sorted(each.points.all(), key=lambda point: point.value)
            self.fields[name] = forms.TypedMultipleChoiceField(
                label=each.name,
                required=False,
                coerce=int,
                widget=forms.CheckboxSelectMultiple,
                choices=[(point.value, f"{point.value} {point.label}") for point in points],
                initial=right.get(each.pk, []),
            )
        if item and campaign.state != Campaign.State.DRAFT:
            self.fields["reason"] = forms.CharField(
                label=_("Why"),
                max_length=500,
                help_text=_("The report lists it as a change after the lock."),
            )

    def accepted(self) -> dict[int, list[int]]:
        return {each.pk: self.cleaned_data[name] for name, each in self.criteria.items()}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not any(cleaned.get(name) for name in self.criteria):
            raise forms.ValidationError(_("Tick at least one accepted value."))
        return cleaned


class GoldForm(AcceptedForm):
    """A question of the dataset, unchanged or reworded, and its right values."""

    unit = forms.ChoiceField(label=_("Question"), widget=forms.RadioSelect)
    text = forms.CharField(
        label=_("Or in other words"),
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Replaces the question’s text, so that its right values are beyond doubt."),
    )

    def __init__(self, *args: Any, campaign: Campaign, source: str, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        own = Question.objects.filter(
            unit__question_set__source__dataset=campaign.dataset,
            unit__question_set__source__key=source,
        )
        # by their texts: managers may judge too, and must see no system here
        found = sorted(own, key=lambda each: (each.text, each.pk))
        self.units = {unit_name(campaign, each.pk): each for each in found}
        self.fields["unit"].choices = [(name, each.text) for name, each in self.units.items()]

    def chosen(self) -> Unit:
        chosen = self.units[self.cleaned_data["unit"]]
        return Unit.objects.select_related("question_set__source").get(pk=chosen.pk)
