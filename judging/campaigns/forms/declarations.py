"""The form of the hypotheses that a plan declares."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_NAME_CHARACTERS
from judging.campaigns import hypotheses
from judging.campaigns.actions.declarations import LEVELS
from judging.campaigns.hypotheses import (
    GREATER,
    HOLM,
    IN_ORDER,
    METRIC_LEVELS,
    NON_INFERIOR,
    TWO_SIDED,
    Hypotheses,
    Margin,
    PrimaryHypothesis,
)
from judging.campaigns.models.campaign import Campaign
from judging.protocols.actions.protocols import document_of

EMPTY_ROWS = 2  # for further hypotheses; saving them brings new empty rows
COMPARED = [
    ("", _("mean ratings of two systems")),
    *((key, f"correlation of metrics, {name}") for key, name in METRIC_LEVELS.items()),
]
DIRECTIONS = [
    (TWO_SIDED, _("two-sided: they differ, or the correlation is not 0")),
    (GREATER, _("one-sided: the first is better, or the correlation is positive")),
    (NON_INFERIOR, _("one-sided: the first system is not worse by the margin (non-inferiority)")),
]


class DeclarationsForm(forms.Form):
    """The hypotheses of a draft: rows of primary hypotheses, and each criterion's margin.

    A field has the name that the action's input has, such as ``hypotheses.primary.0.first``.
    """

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.declared = hypotheses.hypotheses_from_document(campaign.hypotheses)
        document = document_of(campaign.protocol)
        self.criteria = [criterion for criterion in document.criteria if criterion.is_averaged]
        self.systems = list(
            campaign.dataset.systems.order_by("name").values_list("name", flat=True)
        )
        self.rows = len(self.declared.primary) + EMPTY_ROWS
        if self.is_bound:  # as many rows as were sent
            while f"hypotheses.primary.{self.rows}.first" in self.data:
                self.rows += 1
        for row in range(self.rows):
            self._add_hypothesis(row)
        for criterion in self.criteria:
            self._add_margin(criterion.key, criterion.name)
        self.fields["hypotheses.level"] = forms.FloatField(
            label=_("Level"), min_value=LEVELS[0], max_value=LEVELS[1], initial=self.declared.level
        )
        self.fields["hypotheses.multiplicity"] = forms.ChoiceField(
            label=_("Several primary hypotheses"),
            choices=[
                (HOLM, _("Holm’s correction over them")),
                (IN_ORDER, _("in their order, each only if all before it are supported")),
            ],
            initial=self.declared.multiplicity,
        )
        if len(self.criteria) > 1:
            self._add_joint_correction()

    def _add_joint_correction(self) -> None:
        self.fields["hypotheses.corrected_together"] = forms.MultipleChoiceField(
            label=_("Correct comparisons of systems together over"),
            choices=[(criterion.key, criterion.name) for criterion in self.criteria],
            initial=self.declared.corrected_together,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            help_text=_(
                "Holm’s correction then includes the pairs of all ticked criteria. Tick none to correct each "
                "criterion alone."
            ),
        )

    def _add_hypothesis(self, row: int) -> None:
        declared = self.declared.primary
        initial = declared[row] if row < len(declared) else PrimaryHypothesis()
        fields = {
            "criterion": forms.ChoiceField(
                label=_("Criterion"),
                choices=[
                    ("", "–"),
                    *((criterion.key, criterion.name) for criterion in self.criteria),
                ],
            ),
            "metric_level": forms.ChoiceField(label=_("Compared"), choices=COMPARED),
            "first": forms.CharField(
                label=_("First system or metric"), max_length=MAX_NAME_CHARACTERS
            ),
            "second": forms.CharField(
                label=_("Second system or metric"), max_length=MAX_NAME_CHARACTERS
            ),
            "direction": forms.ChoiceField(label=_("Direction"), choices=DIRECTIONS),
        }
        for name, field in fields.items():
            field.required = False
            field.initial = getattr(initial, name)
            if name in ("first", "second"):
                field.widget.attrs["list"] = "systems"
            self.fields[f"hypotheses.primary.{row}.{name}"] = field

    def _add_margin(self, key: str, name: str) -> None:
        initial = self.declared.margins.get(key)
        self.fields[f"hypotheses.margins.{key}.points"] = forms.FloatField(
            label=_("{criterion}: margin in scale points").format(criterion=name),
            required=False,
            initial=initial.points if initial else None,
        )
        self.fields[f"hypotheses.margins.{key}.reason"] = forms.CharField(
            label=_("{criterion}: reason for the margin").format(criterion=name),
            required=False,
            initial=initial.reason if initial else "",
        )

    def hypothesis_rows(self) -> Iterator[list[forms.BoundField]]:
        """Yield the fields of each primary hypothesis."""
        for row in range(self.rows):
            yield [
                self[name] for name in self.fields if name.startswith(f"hypotheses.primary.{row}.")
            ]

    def margin_rows(self) -> Iterator[list[forms.BoundField]]:
        """Yield the fields of each criterion's margin."""
        for criterion in self.criteria:
            at = f"hypotheses.margins.{criterion.key}"
            yield [self[f"{at}.points"], self[f"{at}.reason"]]

    def correction(self) -> list[forms.BoundField]:
        """Return the fields about level and multiplicity."""
        names = ("level", "multiplicity", "corrected_together")
        return [
            self[name] for name in (f"hypotheses.{name}" for name in names) if name in self.fields
        ]

    def hypotheses(self) -> Hypotheses:
        """Return the declarations as the action takes them, without empty rows."""
        sent = self.cleaned_data
        primary = []
        for row in range(self.rows):
            names = ("criterion", "first", "second", "direction", "metric_level")
            values = {name: sent[f"hypotheses.primary.{row}.{name}"] for name in names}
            if values["criterion"] or values["first"] or values["second"]:
                primary.append(PrimaryHypothesis(**values))
        margins = {}
        for criterion in self.criteria:
            at = f"hypotheses.margins.{criterion.key}"
            if sent[f"{at}.points"] is not None or sent[f"{at}.reason"]:
                margins[criterion.key] = Margin(sent[f"{at}.points"] or 0, sent[f"{at}.reason"])
        return Hypotheses(
            primary=tuple(primary),
            level=sent["hypotheses.level"],
            multiplicity=sent["hypotheses.multiplicity"],
            margins=margins,
            corrected_together=tuple(sent.get("hypotheses.corrected_together", ())),
        )
