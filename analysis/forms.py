"""What an analyst chooses before an analysis."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from analysis import frames
from analysis.actions import degrading, matching, mixed_models, offers, planning, readings, slices, tuning
from analysis.metrics import registry
from analysis.metrics.contract import Parameter
from analysis.metrics.scoring import QUESTION_UNITS
from judging.models import Campaign, Collection, Metric, Reference, System

PREPARATIONS = [
    ("nqg", _("as QG-Bench does before BLEU and ROUGE-L (nqg)")),
    ("ptb", _("tokenised as the Penn Treebank (ptb)")),
    ("lower", _("lower-cased")),
    ("raw", _("left as they are")),
]

MIXED = list(
    zip(
        mixed_models.WHEN,
        (_("where it takes seconds"), _("always, stopped after twenty seconds a criterion"), _("never")),
        strict=True,
    )
)

READINGS = list(
    zip(
        readings.READINGS,
        (_("as released: what annotators said"), _("by the protocol: its rules overrule what they said")),
        strict=True,
    )
)

FORMULAS = (
    _("per_class_f: the authors' script"),
    _("paper: as the paper writes it"),
    _("clipped_f: plain bags of words"),
)

FROM = {
    "pilot": _("this campaign's pilot"),
    "main": _("this campaign's judgments"),
    "QGEval": _("QGEval, Fu et al. 2024, three annotators"),
}


NOISE = {
    "function_words": _("drop all function words (the, of, was, …)"),
    "entities": _("drop one to three capitalised words"),
    "content_words": _("drop one to three other words"),
    "question_type": _("put another question word in the place of the first"),
}
BESIDE = list(
    zip(
        degrading.BESIDE,
        (_("all systems, as they are"), _("those chosen above, as they are"), _("nothing: only degraded questions")),
        strict=True,
    )
)
REFERENCES = "references"
SOURCES_OFFERED = 200


def _attribute(name: str) -> str:
    return name.removeprefix(slices.FROM_FILE).replace("_", " ")


class RunForm(forms.Form):
    """The metrics to compute here, how texts are prepared, and the seed of everything that uses chance."""

    metrics = forms.MultipleChoiceField(
        label=_("Metrics to compute"), required=False, widget=forms.CheckboxSelectMultiple
    )
    prepare_hypothesis = forms.ChoiceField(label=_("Questions are"), choices=PREPARATIONS, initial="nqg")
    prepare_reference = forms.ChoiceField(
        label=_("References are"),
        choices=PREPARATIONS,
        help_text=_("As they are, where the file has them tokenised and lower-cased already."),
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
        max_value=2**31 - 1,
        help_text=_("The same seed gives the same report."),
    )
    slices = forms.MultipleChoiceField(
        label=_("Agreement, means and correlations also by"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("The more slices one looks at, the more differ by chance."),
    )
    mixed_model = forms.ChoiceField(
        label=_("Mixed model of systems, annotators and sources"),
        required=False,
        choices=MIXED,
        initial=mixed_models.WHEN[0],
    )
    reading = forms.ChoiceField(
        label=_("Lone, identical and missing questions"),
        required=False,
        choices=READINGS,
        initial=readings.READINGS[0],
        help_text=_("For systems and metrics. Agreement is always of what annotators said."),
    )
    with_excluded = forms.BooleanField(label=_("Count annotators who are left out"), required=False)
    extras = forms.BooleanField(label=_("Count what was handed in after its place was given away"), required=False)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["prepare_reference"].initial = offers.reference_preparation(campaign.collection)
        self.fields["slices"].choices = [(name, _attribute(name)) for name in slices.choices(campaign)]
        usable = [
            entry for entry in registry.all_metrics() if entry.usable and entry.metric.spec.unit in QUESTION_UNITS
        ]
        self.fields["metrics"].choices = [(entry.id, entry.metric.spec.name) for entry in usable]

        if not readings.differ(frames.rubric_of(campaign)):
            del self.fields["reading"]

    def clean_reading(self) -> str:
        return str(self.cleaned_data["reading"] or readings.READINGS[0])

    def clean_mixed_model(self) -> str:
        return str(self.cleaned_data["mixed_model"] or mixed_models.WHEN[0])


class PowerForm(forms.Form):
    """What to plan for: where variances come from, the difference to find, how surely, and by how many annotators."""

    variances = forms.ChoiceField(
        label=_("Variances from"),
        help_text=_("A pilot of your own is best. The published ones are on a scale of 1 to 3."),
    )
    difference = forms.FloatField(
        label=_("Difference of two systems' means to find"),
        initial=0.1,
        min_value=0.001,
        max_value=100,
        help_text=_("In points of the scale: the smallest that would matter to you."),
    )
    annotators = forms.IntegerField(label=_("Annotators an item, at most"), initial=5, min_value=1, max_value=10)
    power = forms.FloatField(label=_("Power"), initial=0.8, min_value=0.5, max_value=0.99)
    level = forms.FloatField(label=_("Level of the test"), initial=0.05, min_value=0.0001, max_value=0.2)
    comparisons = forms.IntegerField(
        label=_("Comparisons"),
        initial=1,
        min_value=1,
        max_value=1000,
        help_text=_("Pairs of systems you will compare: each is tested at the level divided by their number."),
    )
    seed = forms.IntegerField(label=_("Seed"), initial=1, min_value=0, max_value=2**31 - 1)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups: dict[str, list[tuple[str, str]]] = {}
        for key, kind, name in planning.choices(campaign):
            groups.setdefault(str(FROM[kind]), []).append((key, name))
        self.fields["variances"].choices = list(groups.items())


class ScoresForm(forms.Form):
    """Which metrics to compute on a collection, on which texts, with which settings."""

    metrics = forms.MultipleChoiceField(label=_("Metrics"), widget=forms.CheckboxSelectMultiple)
    prepare_hypothesis = forms.ChoiceField(label=_("Questions are"), choices=PREPARATIONS, initial="nqg")
    prepare_reference = forms.ChoiceField(
        label=_("References are"),
        choices=PREPARATIONS,
        help_text=_("As they are, where the file has them tokenised and lower-cased already."),
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["metrics"].choices = offers.usable_ids(collection)
        self.fields["prepare_reference"].initial = offers.reference_preparation(collection)
        self.settings = offers.settings()
        for id, parameters in self.settings.items():
            for parameter in parameters:
                self.fields[f"{id}-{parameter.name}"] = _setting(parameter)

    @staticmethod
    def filled(values: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return settings by metric under the names of their fields."""
        return {f"{id}-{name}": value for id, settings in values.items() for name, value in settings.items()}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                cleaned["chosen"] = offers.chosen(cleaned["metrics"], self._values(cleaned))
            except ValueError as refused:
                raise forms.ValidationError(str(refused)) from None
        return cleaned

    def _values(self, cleaned: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the settings that were filled in, by metric; one left out keeps its default."""
        return {
            id: {each.name: value for each in parameters if (value := cleaned[f"{id}-{each.name}"]) not in ("", None)}
            for id, parameters in self.settings.items()
        }

    def parameters(self) -> dict[str, Any]:
        """Return what a job is asked for."""
        return {
            "metrics": self.cleaned_data["chosen"],
            **{name: self.cleaned_data[name] for name in ("prepare_hypothesis", "prepare_reference")},
        }


def _setting(parameter: Parameter) -> forms.Field:
    """Return the field of one setting of a metric, which is called by the name that the metric gives it."""
    shown = {"label": parameter.name, "help_text": parameter.about, "initial": parameter.default, "required": False}
    if parameter.choices:
        kinds = {str(each): each for each in parameter.choices}
        return forms.TypedChoiceField(
            choices=[(name, name) for name in kinds], coerce=kinds.__getitem__, empty_value=None, **shown
        )
    kind = {int: forms.IntegerField, float: forms.FloatField}.get(type(parameter.default), forms.CharField)
    return kind(**shown)


class CompareForm(forms.Form):
    """Two columns of scores to put beside each other."""

    first = forms.ModelChoiceField(label=_("Scores"), queryset=Metric.objects.none())
    second = forms.ModelChoiceField(label=_("Beside"), queryset=Metric.objects.none())

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("first", "second"):
            field = self.fields[name]
            field.queryset = collection.metrics.order_by("name", "pk")
            field.label_from_instance = _column


class MatchingForm(forms.Form):
    """A Multi-metric of the collection, and the source whose questions are matched by it."""

    metric = forms.ModelChoiceField(label=_("Metric"), queryset=Metric.objects.none(), empty_label=None)
    source = forms.CharField(
        label=_("Source"),
        max_length=200,
        widget=forms.TextInput(attrs={"list": "sources", "autocomplete": "off"}),
        help_text=_("As the file calls it, or as it was numbered when it was imported."),
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["metric"].queryset = matching.columns(collection)
        self.fields["metric"].label_from_instance = _column
        self._sources = collection.sources.order_by("position")
        self.fields["source"].initial = self._sources.values_list("key", flat=True).first()

    def sources(self) -> list[str]:
        """Return the first sources, to choose from."""
        return list(self._sources.values_list("key", flat=True)[:SOURCES_OFFERED])

    def clean_source(self) -> str:
        key = str(self.cleaned_data["source"]).strip()
        if not self._sources.filter(key=key).exists():
            raise forms.ValidationError(_now("No source of this collection is called “%(key)s”.") % {"key": key})
        return key

    def parameters(self) -> dict[str, Any]:
        """Return what a job is asked for."""
        return {"metric": self.cleaned_data["metric"].pk, "source": self.cleaned_data["source"]}


class DegradeForm(forms.Form):
    """Which questions are made worse on purpose, how, and what stands beside them."""

    systems = forms.MultipleChoiceField(label=_("Degrade the questions of"), widget=forms.CheckboxSelectMultiple)
    noise = forms.MultipleChoiceField(
        label=_("How"), widget=forms.CheckboxSelectMultiple, choices=list(NOISE.items()), initial=list(NOISE),
        help_text=_("Each kind becomes a system of its own."),
    )  # fmt: skip
    percent = forms.IntegerField(
        label=_("Percent of the sources"),
        initial=100,
        min_value=1,
        max_value=100,
        help_text=_("Drawn by chance, the same for every system. A few are enough to check attention."),
    )
    beside = forms.ChoiceField(label=_("Beside them stand"), widget=forms.RadioSelect, choices=BESIDE, initial="all")
    seed = forms.IntegerField(label=_("Seed"), initial=1, min_value=0, max_value=2**31 - 1)
    name = forms.CharField(label=_("Name of the new collection"), max_length=200)

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = collection.systems.exclude(kind=System.Kind.DEGRADATION)
        self.system_names = {str(system.pk): system.name for system in own}
        choices = [(key, name or _("(no name)")) for key, name in self.system_names.items()]
        if Reference.objects.filter(source__collection=collection).exists():
            choices.append((REFERENCES, _("people: the references")))
        self.fields["systems"].choices = choices
        self.fields["name"].initial = _now("%(name)s, degraded") % {"name": collection.name[:180]}

    def wanted(self) -> degrading.Wanted:
        """Return what is to be made."""
        said = dict(self.cleaned_data)
        chosen = said.pop("systems")
        names = [self.system_names[key] for key in chosen if key in self.system_names]
        return degrading.Wanted(systems=names, references=REFERENCES in chosen, **said)


def _column(metric: Metric) -> str:
    sides = metric.made.get("preparation", {})
    prepared = ", ".join(dict.fromkeys(filter(None, (sides.get("hypothesis"), sides.get("reference")))))
    return f"{metric.name} ({metric.get_kind_display()}{', ' + prepared if prepared else ''}, {metric.fingerprint[:6]})"


class TuningForm(forms.Form):
    """What to tune: on which criterion, with which metric beside answerability, and how weights are searched."""

    criterion = forms.ChoiceField(label=_("Criterion"), help_text=_("What the weights shall follow."))
    metric = forms.ChoiceField(label=_("Metric that answerability is mixed into"), initial="bleu_1")
    formula = forms.ChoiceField(
        label=_("Formula"),
        initial=tuning.FORMULAS[0],
        choices=list(zip(tuning.FORMULAS, FORMULAS, strict=True)),
    )
    method = forms.ChoiceField(
        label=_("Search"),
        initial=tuning.METHODS[0],
        choices=list(zip(tuning.METHODS, (_("a grid, as published"), _("exact, by least squares")), strict=True)),
    )
    seed = forms.IntegerField(label=_("Seed"), initial=1, min_value=0, max_value=2**31 - 1)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["criterion"].choices = tuning.criteria(campaign)
        self.fields["metric"].choices = tuning.bases()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if (cleaned.get("formula"), cleaned.get("method")) == ("paper", "exact"):
            self.add_error("method", _("The formula of the paper is not linear in its weights: tune it by a grid."))
        return cleaned
