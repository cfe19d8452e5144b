"""Forms to add or ask an LLM judge."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.llm_judges.actions import judge_jobs
from judging.llm_judges.actions.judge_jobs import MAX_REPEATS, WantedJudge
from judging.protocols import documents
from judging.protocols.llm_prompts import asked_criteria


class OwnSystemsField(forms.MultipleChoiceField):
    """The systems of a dataset that are of the judge's own model family."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Systems of its own model family"),
            required=False,
            widget=forms.CheckboxSelectMultiple,
            help_text=_(
                "Judges often prefer texts of their own kind; the report looks at these apart."
            ),
        )

    def offer(self, dataset: Dataset) -> None:
        names = dataset.systems.order_by("name").values_list("name", flat=True)
        self.choices = [(name, name or _("(no name)")) for name in names]


class LLMJudgeForm(forms.Form):
    """An LLM judge, and the table of its answers."""

    file = forms.FileField(
        label=_("Table of its answers"),
        help_text=_(
            "CSV, TSV, JSON Lines or a workbook: a row for each question with a column for each criterion, or a row "
            "for each answer with the columns criterion and value. Of a reason, and of an answer as it came, the first "
            "20,000 characters are kept."
        ),
    )
    name = forms.CharField(label=_("Name in reports"), max_length=100)
    model = forms.CharField(
        label=_("Model"),
        max_length=200,
        help_text=_("Provider's model ID, e.g. gpt-4o-2024-08-06."),
    )
    version = forms.CharField(label=_("Version"), max_length=200, required=False)
    temperature = forms.FloatField(
        label=_("Temperature"), min_value=0, max_value=10, required=False
    )
    judged_on = forms.DateField(
        label=_("Date"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("When it judged."),
    )
    cost = forms.DecimalField(
        label=_("Cost"), max_digits=12, decimal_places=4, min_value=0, required=False
    )
    currency = forms.CharField(
        label=_("Currency"), max_length=3, required=False, help_text=_("Such as EUR.")
    )
    prompt = forms.CharField(
        label=_("Prompt"),
        required=False,
        max_length=MAX_DOCUMENT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("Word for word; the report contains its hash."),
    )
    own_systems = OwnSystemsField()

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["own_systems"].offer(campaign.dataset)

    def about(self) -> dict[str, Any]:
        """Return the stored properties of the judge."""
        return {name: value for name, value in self.cleaned_data.items() if name != "file"}


class AskJudgeForm(forms.Form):
    """The model to ask, its address, the questions and the budget."""

    address = forms.ChoiceField(
        label=_("Address"), help_text=_("Those that the operator of this site allows.")
    )
    model = forms.CharField(
        label=_("Model"), max_length=200, help_text=_("Its id as the address knows it.")
    )
    name = forms.CharField(
        label=_("Name in reports"),
        max_length=100,
        required=False,
        help_text=_("Unless given, the model's id. The same name goes on where it ended."),
    )
    temperature = forms.FloatField(label=_("Temperature"), min_value=0, max_value=2, initial=0)
    repeats = forms.IntegerField(
        label=_("Times each question is asked"),
        min_value=1,
        max_value=MAX_REPEATS,
        initial=1,
        help_text=_("Twice or more shows whether it says the same again."),
    )
    first = forms.IntegerField(
        label=_("Questions at most"),
        min_value=1,
        required=False,
        help_text=_(
            "A random part: sources come in an order drawn from the campaign's secret, and a larger "
            "number goes on from there."
        ),
    )
    at_once = forms.IntegerField(
        label=_("Questions under way at once"),
        min_value=1,
        initial=4,
        help_text=_(
            "One where the server answers one at a time, or allows few questions a minute."
        ),
    )
    criteria = forms.MultipleChoiceField(
        label=_("Criteria"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Asked together in one answer. Other criteria are another prompt, so another judge."
        ),
    )
    price_in = forms.DecimalField(
        label=_("Price of a million tokens asked"),
        min_value=0,
        max_digits=12,
        decimal_places=4,
        required=False,
    )
    price_out = forms.DecimalField(
        label=_("Price of a million tokens answered"),
        min_value=0,
        max_digits=12,
        decimal_places=4,
        required=False,
    )
    currency = forms.CharField(label=_("Currency"), max_length=3, required=False)
    budget = forms.DecimalField(
        label=_("Budget"),
        min_value=0,
        max_digits=12,
        decimal_places=4,
        required=False,
        help_text=_("Asking stops after the answer that reaches it, all times together."),
    )
    own_systems = OwnSystemsField()

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        asked = asked_criteria(documents.protocol_from_document(campaign.protocol.document))
        self.fields["address"].choices = [(one, one) for one in judge_jobs.allowed_addresses()]
        self.fields["criteria"].choices = [(each.key, each.name) for each in asked]
        self.fields["criteria"].initial = [each.key for each in asked]
        self.fields["own_systems"].offer(campaign.dataset)

    def wanted(self) -> WantedJudge:
        """Return the judge that the form describes."""
        given = self.cleaned_data
        return WantedJudge(
            address=given["address"],
            model=given["model"],
            name=given["name"] or given["model"][:100],
            temperature=given["temperature"],
            criteria=tuple(given["criteria"]),
            repeats=given["repeats"],
            first=given["first"],
            price_in=str(given["price_in"] or 0),
            price_out=str(given["price_out"] or 0),
            budget="" if given["budget"] is None else str(given["budget"]),
            currency=given["currency"],
            own_systems=tuple(given["own_systems"]),
            at_once=given["at_once"],
        )


class JudgeKeyForm(forms.Form):
    """The key of the address, used for this job only."""

    key = forms.CharField(
        label=_("Key"),
        required=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_(
            "Blank if the address needs none. It is stored encrypted, separately from the campaign, until "
            "this job ends in any way, and is then deleted."
        ),
    )
