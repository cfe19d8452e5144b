"""Forms for the settings of analyses."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from analysis import frames
from analysis.scoring.actions import offers
from analysis.scoring.actions.site_metrics import registry
from analysis.scoring.actions.versions import MAX_SEED
from analysis.scoring.forms.metrics import PreparationForm
from analysis.sections import FURTHER, rule_application
from analysis.sections.systems import slices
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from quaestor_metrics._scoring import QUESTION_UNITS

MIXED_WHEN = ("quick", "always", "never")
MIXED = list(
    zip(
        MIXED_WHEN,
        (_("where it takes seconds"), _("always, as far as its size permits"), _("never")),
        strict=True,
    )
)

READINGS = list(
    zip(
        rule_application.READINGS,
        (
            _("as released: what annotators said"),
            _("by the protocol: its rules overrule what they said"),
        ),
        strict=True,
    )
)


FROM = {
    "pilot": _("this campaign's pilot"),
    "main": _("this campaign's judgments"),
    "QGEval": _("QGEval, Fu et al. 2024, three annotators"),
}


DESIGNS = [
    ("sources", _("texts like these; these systems and these annotators")),
    ("sources+systems", _("texts and systems like these; these annotators")),
    ("sources+annotators", _("texts and annotators like these; these systems")),
    ("sources+systems+annotators", _("texts, systems and annotators like these")),
]
METRIC_LEVELS = [
    ("pooled", _("over all questions")),
    ("within_source", _("on each source, across its systems")),
    ("systems", _("over the means of the systems")),
]
ONE_FOR_ALL = _(
    "Adjudicated ratings are the same for all annotators and do not show what others would have given. "
    "Extend the conclusions to annotators like these in a run of what annotators said."
)
ITEMS = [
    ("own", _("each metric on all questions that it has scored")),
    ("common", _("only the questions that every metric has scored")),
]
EXCLUDABLE = {
    "systems": _("Systems"),
    "criteria": _("Criteria"),
    "metrics": _("Metrics"),
    "annotators": _("Annotators"),
}


EPSILONS = [
    (0.1, _("0.1: crowd workers, or nothing is known of them")),
    (0.15, _("0.15: skilled annotators")),
    (0.2, _("0.2: trained experts, whose time costs more")),
]


class ChoiceWithDefault(forms.ChoiceField):
    """A choice that has its initial value if it is left empty."""

    def clean(self, value: Any) -> Any:
        return super().clean(value) or self.initial


class RunForm(PreparationForm):
    """The metrics to compute here, how texts are prepared, and the seed of everything that uses
    chance."""

    name = forms.CharField(
        label=_("Name of this run"),
        required=False,
        max_length=100,
        help_text=_("To tell it from others, such as: without the human questions."),
    )
    design = ChoiceWithDefault(
        label=_("What the conclusions extend to"),
        choices=DESIGNS,
        initial="sources",
        required=False,
        help_text=_("Sources are always a sample. The more is a sample, the wider the intervals."),
    )
    clusters = forms.ChoiceField(
        label=_("Sources that belong together"),
        required=False,
        help_text=_(
            "Intervals and tests keep them together. A metadata column must have one value for each "
            "source."
        ),
    )
    metrics = forms.MultipleChoiceField(
        label=_("Metrics to compute"), required=False, widget=forms.CheckboxSelectMultiple
    )
    resamples = forms.IntegerField(
        label=_("Resamples"),
        initial=1000,
        min_value=100,
        max_value=100_000,
        help_text=_("More give steadier intervals and p, and take longer."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        initial=1,
        min_value=0,
        max_value=MAX_SEED,
        help_text=_("The same seed gives the same report."),
    )
    further = forms.MultipleChoiceField(
        label=_("Further analyses"),
        required=False,
        choices=[
            (key, f"{analysis.title}: {analysis.sentence}") for key, analysis in FURTHER.items()
        ],
        widget=forms.CheckboxSelectMultiple,
    )
    slices = forms.MultipleChoiceField(
        label=_("Agreement, means and correlations also by"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("The more slices one looks at, the more differ by chance."),
    )
    mixed_model = ChoiceWithDefault(
        label=_("Mixed model of systems, annotators and sources"),
        required=False,
        choices=MIXED,
        initial=MIXED_WHEN[0],
    )
    reading = ChoiceWithDefault(
        label=_("Lone, identical and missing questions"),
        required=False,
        choices=READINGS,
        initial=rule_application.READINGS[0],
        help_text=_("For systems and metrics. Agreement is always of what annotators said."),
    )
    with_excluded = forms.BooleanField(label=_("Count excluded annotators"), required=False)
    extras = forms.BooleanField(
        label=_("Include answers submitted after their assignment was given to somebody else"),
        required=False,
    )

    adjudicated = forms.BooleanField(
        label=_("Use adjudicated ratings for systems and metrics"),
        required=False,
        help_text=_(
            "Agreement is always of what annotators said; the report says that it uses them."
        ),
    )
    metric_level = ChoiceWithDefault(
        label=_("Metrics are compared first"),
        choices=METRIC_LEVELS,
        initial="pooled",
        required=False,
        help_text=_("The headline speaks of this level; all three are computed."),
    )
    items = ChoiceWithDefault(
        label=_("Questions that metrics are compared on"),
        choices=ITEMS,
        initial="own",
        required=False,
        help_text=_("A metric that covers few questions leaves few in common."),
    )

    judge_epsilon = forms.TypedChoiceField(
        label=_("Who are the annotators that an LLM judge is compared with?"),
        choices=EPSILONS,
        initial=0.1,
        coerce=float,
        empty_value=0.1,
        required=False,
        help_text=_(
            "The test lets a judge be this much worse than a person, for what replacing one saves."
        ),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, dataset=campaign.dataset, **kwargs)
        self.campaign = campaign
        self.not_offered = _not_offered(campaign)
        for name in self.not_offered:
            del self.fields[name]
        self.fields["slices"].choices = [
            (name, name.removeprefix(slices.FROM_FILE).replace("_", " "))
            for name in slices.slice_attributes(campaign)
        ]
        self.fields["clusters"].choices = [
            ("", _("sources with identical passages")),
            *((name, name.replace("_", " ")) for name in frames.attribute_names(campaign)),
        ]
        self._offer_metrics(campaign.dataset)
        for what, choices in _parts(campaign).items():
            self.fields[f"without_{what}"] = forms.MultipleChoiceField(
                label=EXCLUDABLE[what],
                required=False,
                widget=forms.CheckboxSelectMultiple,
                choices=choices,
            )

    def _offer_metrics(self, dataset: Dataset) -> None:
        """Offer the metrics of questions that can be computed on a dataset."""
        lacking = offers.lacking_in(dataset)
        usable = [
            entry
            for entry in registry().list_metrics()
            if entry.usable and entry.metric.spec.unit in QUESTION_UNITS
        ]
        fitting = [entry for entry in usable if not lacking.keys() & entry.metric.spec.needs]
        self.fields["metrics"].choices = [(entry.id, entry.metric.spec.name) for entry in fitting]
        if len(fitting) < len(usable):
            self.fields["metrics"].help_text = _now(
                "Without those that cannot be computed here: %(why)s."
            ) % {"why": "; ".join(lacking.values())}

    def excluded(self) -> list[forms.BoundField]:
        """The fields that exclude parts of the study."""
        return [
            self[f"without_{what}"] for what in EXCLUDABLE if self.fields[f"without_{what}"].choices
        ]

    def clean(self) -> dict[str, Any]:
        from quaestor_stats import Design

        asked: dict[str, Any] = super().clean() or self.cleaned_data
        if (
            asked.get("adjudicated")
            and Design.from_key(asked.get("design", "sources")).random_annotators
        ):
            self.add_error("design", ONE_FOR_ALL)
        return asked

    def clean_clusters(self) -> str:
        column = str(self.cleaned_data["clusters"])
        if column and (source := frames.source_with_several(self.campaign, column)):
            raise forms.ValidationError(
                _("Column %(column)s has several values on source %(source)s."),
                params={"column": column, "source": source},
            )
        return column


def _not_offered(campaign: Campaign) -> dict[str, str]:
    """Return the fields that the campaign has no use for, with the reason."""
    reasons = {}
    if not campaign.llm_judges.exists():
        reasons["judge_epsilon"] = "The campaign has no LLM judges."
    if not campaign.settled_values.exists():
        reasons["adjudicated"] = "The campaign has no adjudicated ratings."
    if not rule_application.has_set_rules(frames.protocol_of(campaign)):
        reasons["reading"] = "No rule of the protocol is about a whole set of questions."
    return reasons


def _parts(campaign: Campaign) -> dict[str, list[tuple[str, str]]]:
    """Return the systems, criteria, metrics and annotators that a run can exclude, as key and
    name."""
    dataset = campaign.dataset
    systems = dataset.systems.order_by("name").values_list("name", "name")
    labels = campaign.enrollments.order_by("label").values_list("label", "label")
    metrics = dataset.metrics.order_by("pk").values_list("fingerprint", "name")
    return {
        "systems": [(key, name or str(_("(no name)"))) for key, name in systems],
        "criteria": [
            (criterion.key, criterion.name) for criterion in frames.protocol_of(campaign).criteria
        ],
        "metrics": list(metrics),
        "annotators": list(labels),
    }
