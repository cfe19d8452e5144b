"""Forms for the metrics of a dataset."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from analysis.scoring.actions import matching, offers, tuning
from analysis.scoring.actions.system_scores import read_system_scores
from analysis.scoring.actions.versions import MAX_SEED
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric
from judging.formats.frames import Unreadable
from quaestor_metrics import Parameter
from quaestor_metrics._languages import default_preparation, is_spaced, primary
from quaestor_metrics._segmentation import sudachi_version
from quaestor_metrics._variants import VARIANTS

SPACED = [
    ("nqg", _("as QG-Bench does before BLEU and ROUGE-L (nqg)")),
    ("nfc+nqg", _("one Unicode form, then as QG-Bench does (nfc+nqg)")),
    ("ptb", _("tokenised as the Penn Treebank (ptb)")),
    ("lower", _("lower-cased")),
    ("nfc+lower", _("one Unicode form, lower-cased (nfc+lower)")),
    ("raw", _("left as they are")),
]
UNSPACED = [
    ("nfkc+characters", _("one Unicode form, each character a word (nfkc+characters)")),
    ("characters", _("each character a word (characters)")),
]
JAPANESE = [
    ("sudachi", _("Japanese words by Sudachi, as QG-Bench counts them (sudachi)")),
    ("sudachi+nqg", _("the same, then as QG-Bench does (sudachi+nqg)")),
]
FORMULAS = (
    _("per_class_f: the authors' script"),
    _("paper: as the paper writes it"),
    _("clipped_f: plain bags of words"),
)
SOURCES_OFFERED = 200


class PreparationForm(forms.Form):
    """The preparation of a dataset's texts, on either side of a metric; the choices depend on their
    language."""

    prepare_hypothesis = forms.ChoiceField(
        label=_("Questions are"),
        help_text=_(
            "For metrics that compare words. Others split texts by themselves and get them as they are."
        ),
    )
    prepare_reference = forms.ChoiceField(
        label=_("References are"),
        help_text=_("As they are, where the file has them tokenised and lower-cased already."),
    )

    field_order = ("metrics",)

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("prepare_hypothesis", "prepare_reference"):
            self.fields[name].choices = _preparations(dataset.language)
        self.fields["prepare_hypothesis"].initial = default_preparation(dataset.language)
        self.fields["prepare_reference"].initial = offers.reference_preparation(dataset)


def _preparations(language: str) -> list[tuple[str, Any]]:
    """Return the preparations that yield words of a language, without those whose programs are
    missing."""
    if is_spaced(language):
        return SPACED
    return UNSPACED + (JAPANESE if primary(language) == "ja" and sudachi_version() else [])


class MetricsField(forms.MultipleChoiceField):
    """The ids of metrics: those that are listed, and their variants."""

    def valid_value(self, value: str) -> bool:
        listed = {id for id, _name in self.choices}
        return value in listed or offers.is_variant(value, listed)


class ScoresForm(PreparationForm):
    """The metrics to compute on a dataset, the preparation of texts, and settings of metrics."""

    metrics = MetricsField(label=_("Metrics"), widget=forms.CheckboxSelectMultiple)
    variants = forms.MultipleChoiceField(
        label=_("Variants to compute as well"),
        choices=[(name, f"{title} ({name}_)") for name, title in VARIANTS.items()],
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=_("Computed of each chosen metric of one question that has the variant."),
    )

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, dataset=dataset, **kwargs)
        self.fields["metrics"].choices = offers.usable_metrics(dataset)
        self.settings = offers.settings()
        for id, parameters in self.settings.items():
            for parameter in parameters:
                self.fields[f"{id}-{parameter.name}"] = _setting(parameter)

    @staticmethod
    def filled(values: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return settings by metric under the names of their fields."""
        return {
            f"{id}-{name}": value
            for id, settings in values.items()
            for name, value in settings.items()
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                ids = offers.with_variants(cleaned["metrics"], cleaned["variants"])
                cleaned["chosen"] = offers.chosen_metrics(ids, self._values(cleaned))
            except ValueError as refused:
                raise forms.ValidationError(str(refused)) from None
        return cleaned

    def _values(self, cleaned: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the settings that were filled in, by metric; empty ones keep their defaults."""
        return {
            id: {
                parameter.name: value
                for parameter in parameters
                if (value := cleaned[f"{id}-{parameter.name}"]) not in ("", None)
            }
            for id, parameters in self.settings.items()
        }

    def parameters(self) -> dict[str, Any]:
        """Return what a job is asked for."""
        return {
            "metrics": self.cleaned_data["chosen"],
            **{
                name: self.cleaned_data[name]
                for name in ("prepare_hypothesis", "prepare_reference")
            },
        }


def _setting(parameter: Parameter) -> forms.Field:
    """Return the field of one setting of a metric, which is called by the name that the metric
    gives it."""
    shown = {
        "label": parameter.name,
        "help_text": parameter.about,
        "initial": parameter.default,
        "required": False,
    }
    if parameter.choices:
        kinds = {str(choice): choice for choice in parameter.choices}
        return forms.TypedChoiceField(
            choices=[(name, name) for name in kinds],
            coerce=kinds.__getitem__,
            empty_value=None,
            **shown,
        )
    numbers = {int: forms.IntegerField, float: forms.FloatField, type(None): forms.FloatField}
    if number := numbers.get(type(parameter.default)):
        return number(min_value=parameter.least, max_value=parameter.most, **shown)
    if isinstance(parameter.default, tuple):
        return _Words(max_length=parameter.longest, **shown)
    field = forms.CharField(max_length=parameter.longest, **shown)
    if parameter.check is not None:
        field.validators.append(_checking(parameter.check))
    return field


def _checking(check: Callable[[str], object]) -> Callable[[str], None]:
    """Return a metric's own check of a text as a field has it."""

    def validate(value: str) -> None:
        try:
            check(value)
        except ValueError as refused:
            raise forms.ValidationError(str(refused)) from None

    return validate


class _Words(forms.CharField):
    """A field of words separated by spaces; without words it is empty."""

    def prepare_value(self, value: Any) -> Any:
        return " ".join(value) if isinstance(value, tuple | list) else value

    def clean(self, value: Any) -> Any:
        return super().clean(value).split() or None


class CompareForm(forms.Form):
    """Two columns of scores to put beside each other."""

    first = forms.ModelChoiceField(label=_("Scores"), queryset=Metric.objects.none())
    second = forms.ModelChoiceField(label=_("Beside"), queryset=Metric.objects.none())

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("first", "second"):
            field = self.fields[name]
            field.queryset = dataset.metrics.order_by("name", "pk")
            field.label_from_instance = _column


class MatchingForm(forms.Form):
    """A Multi-metric of the dataset, and the source whose questions are matched by it."""

    metric = forms.ModelChoiceField(
        label=_("Metric"), queryset=Metric.objects.none(), empty_label=None
    )
    source = forms.CharField(
        label=_("Source"),
        max_length=200,
        widget=forms.TextInput(attrs={"list": "sources", "autocomplete": "off"}),
        help_text=_("As the file calls it, or as it was numbered when it was imported."),
    )

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["metric"].queryset = matching.multi_metrics(dataset)
        self.fields["metric"].label_from_instance = _column
        self._sources = dataset.sources.order_by("position")
        self.fields["source"].initial = self._sources.values_list("key", flat=True).first()

    def sources(self) -> list[str]:
        """Return the first sources, to choose from."""
        return list(self._sources.values_list("key", flat=True)[:SOURCES_OFFERED])

    def clean_source(self) -> str:
        key = str(self.cleaned_data["source"]).strip()
        if not self._sources.filter(key=key).exists():
            raise forms.ValidationError(
                _now("No source of this dataset is called “%(key)s”.") % {"key": key}
            )
        return key

    def parameters(self) -> dict[str, Any]:
        """Return what a job is asked for."""
        return {"metric": self.cleaned_data["metric"].pk, "source": self.cleaned_data["source"]}


def _column(metric: Metric) -> str:
    sides = metric.made.get("preparation", {})
    prepared = ", ".join(
        dict.fromkeys(filter(None, (sides.get("hypothesis"), sides.get("reference"))))
    )
    return f"{metric.name} ({metric.get_kind_display()}{', ' + prepared if prepared else ''}, {metric.fingerprint[:6]})"


class SystemScoresForm(forms.Form):
    """A file of systems' scores that were computed elsewhere, and what its columns mean."""

    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        help_text=_(
            "CSV or TSV: the first column names the systems as here, each other one is a metric."
        ),
    )
    direction = forms.ChoiceField(label=_("Which end is better"), choices=Metric.Direction.choices)
    scale = forms.ChoiceField(
        label=_("Scale"), choices=Metric.Scale.choices, initial=Metric.Scale.OTHER
    )

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._systems = set(dataset.systems.values_list("name", flat=True))

    def clean_file(self) -> dict[str, Any]:
        """Return the file's name, its bytes and its columns."""
        file = self.cleaned_data["file"]
        content = file.read()
        try:
            columns = read_system_scores(content, systems=self._systems)
        except Unreadable as refused:
            where = _now("Row %(row)s: ") % {"row": refused.row} if refused.row else ""
            raise forms.ValidationError(f"{where}{refused.reason}") from None
        return {"file": file.name[:200], "content": content, "columns": columns}


class TuningForm(forms.Form):
    """Settings of a tuning: the criterion, the metric that answerability is mixed into, and the
    search for weights."""

    criterion = forms.ChoiceField(
        label=_("Criterion"), help_text=_("The ratings that the weights are fitted to.")
    )
    metric = forms.ChoiceField(label=_("Metric that answerability is mixed into"), initial="bleu_1")
    formula = forms.ChoiceField(
        label=_("Formula"),
        initial=tuning.FORMULAS[0],
        choices=list(zip(tuning.FORMULAS, FORMULAS, strict=True)),
    )
    method = forms.ChoiceField(
        label=_("Search"),
        initial=tuning.METHODS[0],
        choices=list(
            zip(
                tuning.METHODS,
                (_("a grid, as published"), _("exact, by least squares")),
                strict=True,
            )
        ),
    )
    seed = forms.IntegerField(label=_("Seed"), initial=1, min_value=0, max_value=MAX_SEED)

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["criterion"].choices = tuning.criteria(campaign)
        self.fields["metric"].choices = tuning.bases()
