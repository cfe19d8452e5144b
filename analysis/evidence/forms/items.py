"""Form for the order and filters of a list of questions, read from its address."""

from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.evidence.listing import OF_ONE_CRITERION, Chosen
from analysis.reports.evidence import ItemQuery
from analysis.reports.metric_names import metric_names
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric
from judging.protocols.models.protocol import Criterion

SORTS = {
    "file": gettext_lazy("as in the file"),
    "disagreement": gettext_lazy("annotators disagree most"),
    "gap": gettext_lazy("metric against people, largest gap"),
    "loss": gettext_lazy("the system’s largest losses"),
    "outlier": gettext_lazy("the annotator’s outliers"),
    "mean": gettext_lazy("people’s mean, the worst first"),
    "score": gettext_lazy("metric, the worst first"),
}
OF_DATASET = ("file", "score")


class ItemsForm(forms.Form):
    """The order and the filters of a list of questions; its names are those of `ItemQuery`."""

    sort = forms.ChoiceField(label=gettext_lazy("Order"), required=False)
    criterion = forms.ChoiceField(label=gettext_lazy("Criterion"), required=False)
    metric = forms.ChoiceField(label=gettext_lazy("Metric"), required=False)
    system = forms.ChoiceField(label=gettext_lazy("System"), required=False)
    against = forms.ChoiceField(label=gettext_lazy("Against"), required=False)
    value = forms.IntegerField(
        label=gettext_lazy("With the value"), required=False, min_value=-32768, max_value=32767
    )
    annotator = forms.ChoiceField(label=gettext_lazy("Annotator"), required=False)
    text = forms.CharField(label=gettext_lazy("Words, or source"), required=False, max_length=200)
    attribute = forms.CharField(
        label=gettext_lazy("Column of the file"), required=False, max_length=100
    )
    attribute_value = forms.CharField(
        label=gettext_lazy("Its value"), required=False, max_length=500
    )

    def __init__(
        self, *args: Any, dataset: Dataset, campaign: Campaign | None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.dataset, self.campaign = dataset, campaign
        sorts = SORTS if campaign else {name: SORTS[name] for name in OF_DATASET}
        self.fields["sort"].choices = list(sorts.items())
        self._offer("metric", list(self.metrics))
        self._offer("system", list(self.systems))
        if not campaign:
            for name in ("criterion", "against", "value", "annotator"):
                del self.fields[name]
            return
        self._offer("against", list(self.systems), _("all others"))
        self.fields["criterion"].choices = [
            ("", _("any")),
            *((criterion.key, criterion.name) for criterion in self.criteria),
        ]
        labels = (
            Enrollment.objects.filter(campaign=campaign)
            .order_by("label")
            .values_list("label", flat=True)
        )
        self._offer("annotator", list(labels))

    def _offer(self, field: str, names: list[str], nothing: str = "") -> None:
        self.fields[field].choices = [("", nothing or _("any")), *((name, name) for name in names)]

    @cached_property
    def criteria(self) -> list[Criterion]:
        """The criteria of the campaign, in the protocol's order."""
        return list(self.campaign.protocol.criteria.all()) if self.campaign else []

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics of the dataset by the names that reports give them."""
        rows = list(Metric.objects.filter(dataset=self.dataset).order_by("pk"))
        names = metric_names(rows)
        return {names[row.pk]: row for row in rows}

    @cached_property
    def systems(self) -> dict[str, int]:
        return dict(self.dataset.systems.order_by("name").values_list("name", "pk"))

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        sort = given.get("sort")
        lacking = {
            "gap": ("metric", _("Choose a metric to compare with people.")),
            "score": ("metric", _("Choose a metric to sort by.")),
            "loss": ("system", _("Choose the system whose losses are looked for.")),
            "outlier": ("annotator", _("Choose the annotator whose ratings are looked at.")),
        }
        if sort in lacking and not given.get(lacking[sort][0]):
            self.add_error(*lacking[sort])
        if given.get("value") is not None and not given.get("criterion"):
            self.add_error("criterion", _("Choose the criterion that the value is of."))
        if given.get("attribute_value") and not given.get("attribute"):
            self.add_error("attribute", _("Name the column that the value stands in."))
        return given

    def chosen(self) -> Chosen:
        """Return the settings of the list. If an order needs a criterion and none is chosen, it uses
        the first one."""
        given = self.cleaned_data
        sort = given.get("sort") or "file"
        criterion = next(
            (criterion for criterion in self.criteria if criterion.key == given.get("criterion")),
            None,
        )
        if criterion is None and sort in OF_ONE_CRITERION and self.criteria:
            criterion = self.criteria[0]
        return Chosen(
            dataset=self.dataset,
            campaign=self.campaign,
            sort=sort,
            criterion=criterion,
            metric=self.metrics.get(given.get("metric", "")),
            system=self.systems.get(given.get("system", "")),
            against=self.systems.get(given.get("against", "")),
            value=given.get("value"),
            annotator=given.get("annotator", ""),
            attribute=given.get("attribute", ""),
            attribute_value=given.get("attribute_value", ""),
            text=given.get("text", ""),
        )

    def query(self) -> ItemQuery:
        """Return the order and filters, to be put into addresses."""
        given = {
            name: value for name, value in self.cleaned_data.items() if value not in (None, "")
        }
        if given.get("sort") == "file":
            del given["sort"]
        return ItemQuery(**{name: str(value) for name, value in given.items()})

    def details(self) -> list[forms.BoundField]:
        """Return the filters that most do without."""
        return [
            self[name]
            for name in ("against", "value", "attribute", "attribute_value")
            if name in self.fields
        ]

    @property
    def details_in_use(self) -> bool:
        return any(field.value() for field in self.details())
