"""The form to open a pilot or calibration round."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.campaigns.actions.rounds import USUAL_SIZE
from judging.campaigns.models.campaign import Round


class RoundForm(forms.Form):
    """The kind of a round, its number of sources, and how many annotators judge each."""

    kind = forms.ChoiceField(
        label=_("Kind"),
        choices=[
            (
                Round.Kind.CALIBRATION,
                _("calibration: the annotators judge the same, then discuss where they differ"),
            ),
            (Round.Kind.PILOT, _("pilot: to try the protocol and to learn how much values vary")),
        ],
        widget=forms.RadioSelect,
    )
    size = forms.IntegerField(
        label=_("Sources"),
        min_value=1,
        help_text=_("Drawn again for each round from those that no earlier round was judged on."),
    )
    annotators = forms.IntegerField(
        label=_("Annotators for each task"),
        min_value=1,
        max_value=100,
        help_text=_("In a calibration every annotator judges everything: as many as take part."),
    )
    apart = forms.BooleanField(
        label=_("Exclude these sources from the main round"),
        required=False,
        help_text=_(
            "An annotator who has discussed a question does not judge it independently. Keep it ticked in calibrations."
        ),
    )

    def __init__(self, *args: Any, left: int, annotators: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["kind"].initial = Round.Kind.CALIBRATION
        self.fields["size"].initial = max(1, min(USUAL_SIZE[Round.Kind.CALIBRATION], left // 4))
        self.fields["annotators"].initial = max(annotators, 2)
        self.fields["apart"].initial = True
