"""Forms for training and qualification."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.campaigns.models.campaign import Campaign
from judging.protocols.models.protocol import Criterion
from judging.quality.actions.exercises import KeyText, NewExercise
from judging.quality.models.exercise import ExerciseKey


def accepted_field(criterion: Criterion, **options: Any) -> forms.TypedMultipleChoiceField:
    """Return a field with a box to tick for each value of a criterion."""
    points = [(point.value, str(point)) for point in criterion.points.all()]
    return forms.TypedMultipleChoiceField(
        choices=points, coerce=int, required=False, widget=forms.CheckboxSelectMultiple, **options
    )


class ExerciseForm(forms.Form):
    """One item: the question with its source, and for each criterion the right values and the
    reason."""

    question = forms.CharField(
        label=_("Question"), max_length=2_000, widget=forms.Textarea(attrs={"rows": 2})
    )
    passage = forms.CharField(
        label=_("Passage"),
        required=False,
        max_length=MAX_DOCUMENT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    answer = forms.CharField(label=_("Answer"), required=False, max_length=2_000)

    def __init__(self, *args: Any, criteria: Sequence[Criterion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.criteria = criteria
        for criterion in criteria:
            self.fields[f"accepted_{criterion.key}"] = accepted_field(
                criterion, label=f"{criterion.name}: {_('right values')}"
            )
            self.fields[f"why_{criterion.key}"] = forms.CharField(
                label=f"{criterion.name}: {_('why')}",
                required=False,
                max_length=2_000,
                widget=forms.Textarea(attrs={"rows": 2}),
            )

    def exercise(self, kind: str) -> NewExercise:
        """Return the item as the action takes it."""
        written = self.cleaned_data
        return NewExercise(
            kind=kind,
            question=written["question"],
            passage=written["passage"],
            answer=written["answer"],
            keys={
                criterion.key: KeyText(
                    written[f"accepted_{criterion.key}"], written[f"why_{criterion.key}"]
                )
                for criterion in self.criteria
            },
        )


class QualificationRulesForm(forms.ModelForm):
    """The rules for passing the qualification, fixed by the lock."""

    class Meta:
        model = Campaign
        fields = ("pass_mark", "tries", "qualification_paid")
        labels = {
            "pass_mark": _("Pass mark, in per cent of the answers"),
            "tries": _("Tries for each annotator"),
            "qualification_paid": _("Time of the qualification is paid"),
        }
        help_texts = {
            "qualification_paid": _(
                "Annotators read before they agree whether you pay this time, passed or not."
            ),
        }


class AnswerKeyForm(forms.Form):
    """A correction of the right values of an item."""

    explanation = forms.CharField(
        label=_("Why they are right"),
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    reason = forms.CharField(
        label=_("Why the key changes"),
        max_length=500,
        help_text=_("After the lock the report lists it."),
    )

    def __init__(self, *args: Any, key: ExerciseKey, **kwargs: Any) -> None:
        initial = {"accepted": key.accepted, "explanation": key.explanation}
        super().__init__(*args, initial=initial, **kwargs)
        self.fields["accepted"] = accepted_field(key.criterion, label=_("Right values"))
        self.order_fields(["accepted", "explanation", "reason"])
