"""A question of the exit form, as a manager writes it."""

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.enrolments.actions.exit_forms import NewExitQuestion
from judging.enrolments.models.exit_form import ExitQuestion


class ExitQuestionForm(forms.Form):
    """The text, the reason and the kind of a question."""

    text = forms.CharField(label=_("Question"), max_length=300)
    reason = forms.CharField(
        label=_("Why it is asked"),
        max_length=300,
        help_text=_("Annotators read it below the question."),
    )
    kind = forms.ChoiceField(label=_("Answer"), choices=ExitQuestion.Kind.choices, initial="text")
    options = forms.CharField(
        label=_("Options"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One a line, if one of several is chosen."),
    )
    personal = forms.BooleanField(
        label=_("It is about the person (age, language, education …)"),
        required=False,
        help_text=_(
            "Ask only what you need. Answers are then shown once the campaign is closed, beside no label, and groups "
            "below 5 are not shown separately."
        ),
    )

    def question(self) -> NewExitQuestion:
        """Return the question as the action takes it."""
        written = self.cleaned_data
        return NewExitQuestion(**{**written, "options": written["options"].splitlines()})
