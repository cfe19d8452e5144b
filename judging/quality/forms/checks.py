"""Forms for gold questions and their accepted values."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.campaigns.actions.unit_names import unit_name
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Question, Unit
from judging.protocols.models.protocol import Criterion
from judging.quality.actions.exercises import criteria_of_items
from judging.quality.forms.exercises import accepted_field
from judging.quality.models.check import CheckItem


class AcceptedForm(forms.Form):
    """The right values on each criterion; several may be right, and a criterion without any is not
    checked."""

    def __init__(
        self, *args: Any, campaign: Campaign, item: CheckItem | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        accepted = item.accepted_values() if item else {}
        self.criteria: Mapping[str, Criterion] = {
            f"accepted_{criterion.pk}": criterion for criterion in criteria_of_items(campaign)
        }
        for name, criterion in self.criteria.items():
            self.fields[name] = accepted_field(
                criterion, label=criterion.name, initial=accepted.get(criterion.pk, [])
            )
        if item and campaign.state != Campaign.State.DRAFT:
            self.fields["reason"] = forms.CharField(
                label=_("Why"),
                max_length=500,
                help_text=_("The report lists it as a change after the lock."),
            )

    def accepted(self) -> dict[int, list[int]]:
        """Return the ticked values by criterion."""
        return {criterion.pk: self.cleaned_data[name] for name, criterion in self.criteria.items()}


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
        questions = Question.objects.filter(
            unit__question_set__source__dataset=campaign.dataset,
            unit__question_set__source__key=source,
        )
        # by their texts: managers may judge too, and must see no system here
        shown = sorted(questions, key=lambda question: (question.text, question.pk))
        self.questions = {unit_name(campaign, question.pk): question for question in shown}
        self.fields["unit"].choices = [
            (name, question.text) for name, question in self.questions.items()
        ]

    def chosen(self) -> Unit:
        question = self.questions[self.cleaned_data["unit"]]
        return Unit.objects.select_related("question_set__source").get(pk=question.pk)
