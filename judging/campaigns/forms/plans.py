"""Forms of a campaign's plan: a new campaign, the parts of a draft, and amendments of a locked plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.db.models import QuerySet
from django.forms.boundfield import BoundWidget
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_DOCUMENT_CHARACTERS, MAX_PAGE_ROWS
from judging.base.models.conditions import PageView
from judging.campaigns.actions import fit
from judging.campaigns.actions.campaigns import AMENDABLE, LONG_TEXTS
from judging.campaigns.actions.fit import MaterialFacts
from judging.campaigns.actions.plans import FIELDS, CampaignPlan, plan_of
from judging.campaigns.campaign_texts import TRANSLATED
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol

ANNOTATORS_CHOOSE = _("annotators choose")


@dataclass(frozen=True)
class PlanSection:
    """Fields of a plan that are changed together."""

    key: str
    title: Promise
    fields: tuple[str, ...]


PARTS = {
    part.key: part
    for part in (
        PlanSection(
            "design",
            _("Protocol and annotators"),
            ("title", "protocol", "annotators_per_task", "tasks_per_annotator", "order"),
        ),
        PlanSection("introduction", _("Introduction"), ("introduction",)),
        PlanSection("consent", _("Consent"), ("consent",)),
        PlanSection("contact", _("Contact"), ("contact",)),
        PlanSection("ethics", _("Ethics approval"), ("ethics",)),
        PlanSection("pay", _("Pay"), ("pay",)),
        PlanSection("analysis", _("Analysis plan"), ("analysis_plan", "sample_reason")),
        PlanSection("withdrawal", _("Withdrawal and accounts"), ("withdrawal", "retention_days")),
        PlanSection(
            "pages",
            _("Annotators’ pages"),
            (
                "text_language",
                "fixed_language",
                "fixed_view",
                "review_before_submit",
                "review_is_optional",
                "highlight_keywords",
                "time_zone",
                "lease_minutes",
            ),
        ),
    )
}


@dataclass(frozen=True)
class ProtocolChoice:
    """A protocol with its radio button, and what of the dataset it lacks."""

    button: BoundWidget
    protocol: Protocol
    misfits: list[str]


class PlanForm(forms.ModelForm):
    """Some fields of a draft's plan; `names` are the fields that it has."""

    class Meta:
        model = Campaign
        fields = tuple(name for part in PARTS.values() for name in part.fields)
        labels = {
            "title": _("Title"),
            "protocol": _("Protocol"),
            "annotators_per_task": _("Annotators for each task"),
            "tasks_per_annotator": _("Maximum tasks for each annotator"),
            "order": _("Order of the tasks"),
            "lease_minutes": _("Minutes an assignment stays reserved"),
            "fixed_language": _("Language of annotators’ pages"),
            "fixed_view": _("Layout of tasks"),
            "review_before_submit": _("Review before Submit"),
            "review_is_optional": _("Annotators may switch the review off"),
            "highlight_keywords": _("Highlight keywords"),
            "time_zone": _("Time zone"),
            "text_language": _("Language of the texts"),
            "introduction": _("Introduction"),
            "consent": _("Consent"),
            "contact": _("Contact"),
            "ethics": _("Ethics approval"),
            "withdrawal": _("Annotators may withdraw"),
            "analysis_plan": _("Analysis plan"),
            "sample_reason": _("Reason for the sample size"),
            "retention_days": _("Days until annotators’ accounts are forgotten"),
            "pay": _("Pay"),
        }
        help_texts = {
            "title": _("Annotators see it at the top of every page; do not name systems in it."),
            "annotators_per_task": _(
                "Agreement needs two or more. A rotated panel takes that many for each system."
            ),
            "tasks_per_annotator": _(
                "Leave empty for no limit. With one, and breadth first, each annotator judges a drawn sample of their "
                "own."
            ),
            "lease_minutes": _(
                "Saving an answer renews it. After that long without a sign the assignment goes to another annotator; "
                "the saved answers are kept."
            ),
            "fixed_language": _("Fix it if all annotators must read the same instructions."),
            "fixed_view": _("Fix it if all annotators must see tasks in the same way."),
            "review_before_submit": _(
                "Annotators see all answers of a task again before they submit it."
            ),
            "review_is_optional": _(
                "They get this choice after three tasks. The report states how they chose."
            ),
            "highlight_keywords": _(
                "Words of the question in view are highlighted in the passage."
            ),
            "time_zone": _("Times are shown in it, such as Europe/Berlin."),
            "text_language": _(
                "The language of introduction, pay and consent below. Annotators who read in another language see "
                "its own texts, or these if you leave them empty."
            ),
            "introduction": _("The subject of the study. Shown on the invitation page."),
            "analysis_plan": _(
                "What you expect and what you will compare, before there are data. The report computes more; this text "
                "names the analyses that count."
            ),
            "sample_reason": _(
                "The reason for the numbers of questions and annotators; the planner shows what they can detect."
            ),
            "retention_days": _(
                "Counted from closing, for annotators who came by a link or from a platform: their ratings stay under "
                "their labels, and can no longer be traced to them. Annotators are told. Leave empty to keep accounts."
            ),
            "pay": _(
                "The annotators' pay, such as “9 euros an hour, by bank transfer after the last task”. The invitation "
                "and the page before the first task show it; it is locked with the plan."
            ),
            "consent": _(
                "What annotators agree to. They tick it before the first task; leave empty for none."
            ),
            "contact": _("A name with an address, for annotators' questions."),
            "ethics": _(
                "The body that approved the study, with its number. Write “none” if none had to."
            ),
        }
        widgets = {
            "protocol": forms.RadioSelect,
            "order": forms.RadioSelect,
            "introduction": forms.Textarea(attrs={"rows": 4}),
            "consent": forms.Textarea(attrs={"rows": 4}),
            "analysis_plan": forms.Textarea(attrs={"rows": 4}),
            "sample_reason": forms.Textarea(attrs={"rows": 2}),
        }

    def __init__(
        self,
        *args: Any,
        names: Sequence[str],
        user: User,
        material: MaterialFacts | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.material = material
        for name in self.fields.keys() - set(names):
            del self.fields[name]
        for name in set(LONG_TEXTS) & self.fields.keys():
            self.fields[name].validators.append(MaxLengthValidator(MAX_DOCUMENT_CHARACTERS))
            self.fields[name].widget.attrs["maxlength"] = MAX_DOCUMENT_CHARACTERS
        self._set_choices("text_language", settings.LANGUAGES)
        self._set_choices("fixed_language", [("", ANNOTATORS_CHOOSE), *settings.LANGUAGES])
        if "fixed_view" in self.fields:
            self.fields["fixed_view"].choices = [("", ANNOTATORS_CHOOSE), *PageView.choices]
        if "protocol" in self.fields:
            # the list of buttons is rendered again and again, and needs no document
            protocols = self._protocols(user).order_by("title", "version").defer("document")
            self.fields["protocol"].queryset = protocols
            self.fields["protocol"].empty_label = None
        self._add_translations()

    def _set_choices(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        if name in self.fields:
            column = self.fields[name]
            self.fields[name] = forms.ChoiceField(
                label=column.label,
                help_text=column.help_text,
                choices=choices,
                required=all(value for value, _label in choices),
            )

    def _add_translations(self) -> None:
        """Add a field for each text in each language but the one the texts are written in."""
        self.translations: dict[tuple[str, str], str] = {}
        texts = [name for name in TRANSLATED if name in self.fields]
        for code, language in settings.LANGUAGES:
            if code == self.instance.text_language:
                continue
            for name in texts:
                field = f"{name}_{code}"
                self.translations[code, name] = field
                rows = 1 if name == "pay" else 4
                self.fields[field] = forms.CharField(
                    label=f"{self.fields[name].label} ({language})",
                    required=False,
                    max_length=Campaign._meta.get_field(name).max_length or MAX_DOCUMENT_CHARACTERS,
                    initial=self.instance.translated_texts.get(code, {}).get(name, ""),
                    widget=forms.Textarea(attrs={"rows": rows, "lang": code}),
                )

    def protocols(self) -> tuple[list[ProtocolChoice], list[ProtocolChoice]]:
        """Return the protocols that fit the dataset, and those that do not."""
        buttons = {button.data["value"].value: button for button in self["protocol"]}
        protocols = self.fields["protocol"].queryset.defer(None)
        if self.material is None:
            return [
                ProtocolChoice(buttons[protocol.pk], protocol, []) for protocol in protocols
            ], []
        choices = [
            ProtocolChoice(buttons[protocol.pk], protocol, misfits)
            for protocol, misfits in fit.order_by_fit(protocols, self.material)
        ]
        return [choice for choice in choices if not choice.misfits], [
            choice for choice in choices if choice.misfits
        ]

    def _protocols(self, user: User) -> QuerySet[Protocol]:
        """Return the newest version of each protocol, the latest of the user's own, and the one
        that is requested or planned already."""
        own = Protocol.objects.filter(owner__isnull=True) | Protocol.objects.filter(owner=user)
        newest = own.order_by("owner", "key", "-pk").distinct("owner", "key").values("pk")
        asked = [
            str(pk)
            for pk in (self.instance.protocol_id, self.initial.get("protocol"))
            if str(pk).isdecimal()
        ]
        made_last = own.filter(pk__in=newest, owner=user).order_by("-pk").values("pk")
        return (
            own.filter(pk__in=newest, owner__isnull=True)
            | own.filter(pk__in=made_last[:MAX_PAGE_ROWS])
            | own.filter(pk__in=asked)
        )

    def plan(self) -> CampaignPlan:
        """Return the campaign's plan with the fields of the form as they were entered."""
        texts: dict[str, Mapping[str, str]] = dict(self.instance.translated_texts)
        for (code, name), field in self.translations.items():
            texts[code] = {**texts.get(code, {}), name: self.cleaned_data[field]}
        entered = {name: self.cleaned_data[name] for name in FIELDS if name in self.fields}
        return replace(plan_of(self.instance), **entered, translated_texts=texts)


class NewCampaignForm(PlanForm):
    """What a new campaign needs; everything else is planned in its draft."""

    class Meta(PlanForm.Meta):
        fields = ("title", "dataset", "protocol", "annotators_per_task")
        labels = PlanForm.Meta.labels | {"dataset": _("Dataset")}
        help_texts = PlanForm.Meta.help_texts | {
            "annotators_per_task": _(
                "Empty: as many as the protocol says. Agreement needs two or more."
            )
        }

    def __init__(self, *args: Any, datasets: QuerySet[Dataset], **kwargs: Any) -> None:
        super().__init__(*args, names=self.Meta.fields, **kwargs)
        self.fields["dataset"].queryset = datasets
        self.fields["dataset"].empty_label = None
        annotators = self.fields["annotators_per_task"]
        annotators.required, annotators.initial = False, None


class AmendForm(forms.Form):
    """A change of one value after the lock, with its reason."""

    what = forms.ChoiceField(choices=[(name, name) for name in AMENDABLE], widget=forms.HiddenInput)
    value = forms.CharField(
        label=_("New value"),
        max_length=MAX_DOCUMENT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    reason = forms.CharField(label=_("Why"), help_text=_("The report lists it."), max_length=500)
