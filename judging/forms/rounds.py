"""What a researcher enters to open a pilot or calibration round."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.actions.rounds import USUAL_SIZE
from judging.models import Round


class RoundForm(forms.Form):
    """The kind of a round, how many sources it takes, and how many annotators judge each."""

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
        help_text=_("Drawn anew for each round from those that no earlier round was judged on."),
    )
    annotators = forms.IntegerField(
        label=_("Annotators for each task"),
        min_value=1,
        max_value=100,
        help_text=_("In a calibration everybody judges everything: as many as take part."),
    )
    apart = forms.BooleanField(
        label=_("Leave these sources out of the main round"),
        required=False,
        help_text=_(
            "Whoever has discussed a question does not judge it afresh. Keep this ticked for calibrations."
        ),
    )

    def __init__(self, *args: Any, left: int, annotators: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["kind"].initial = Round.Kind.CALIBRATION
        self.fields["size"].initial = max(1, min(USUAL_SIZE[Round.Kind.CALIBRATION], left // 4))
        self.fields["annotators"].initial = max(annotators, 2)
        self.fields["apart"].initial = True
