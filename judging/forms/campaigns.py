"""Forms to plan a campaign, invite annotators, give roles and change a locked plan."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import MaxLengthValidator
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from judging import hypotheses
from judging.actions import fit
from judging.actions.campaigns import LONG_TEXTS
from judging.actions.fit import MaterialFacts
from judging.actions.plans import PLAIN_FIELDS, CampaignPlan
from judging.campaign_texts import TRANSLATED
from judging.limits import MAX_DOCUMENT_CHARACTERS, MAX_PAGE_ROWS
from judging.models import (
    Campaign,
    Collection,
    Enrollment,
    Invitation,
    Membership,
    PageView,
    Rubric,
    User,
)

FIRST_LIFE = timedelta(days=14)  # of a link, unless its creator chooses otherwise
ANNOTATORS_CHOOSE = _("annotators choose")
BEFOREHAND = ("analysis_plan", "sample_reason")
READ = (
    "text_language",
    "introduction",
    "pay",
    "consent",
    "contact",
    "ethics",
    "withdrawal",
    "retention_days",
)


class PlanForm(forms.ModelForm):
    """The design of a draft: protocol, annotators, order, lease and the texts annotators read."""

    class Meta:
        model = Campaign
        fields = (
            "title",
            "rubric",
            "annotators_per_task",
            "tasks_per_annotator",
            "order",
            "lease_minutes",
            "fixed_language",
            "fixed_view",
            "review_before_submit",
            "highlight_keywords",
            "time_zone",
            "text_language",
            "introduction",
            "pay",
            "consent",
            "contact",
            "ethics",
            "withdrawal",
            "retention_days",
            *BEFOREHAND,
        )
        labels = {
            "title": _("Title"),
            "rubric": _("Protocol"),
            "annotators_per_task": _("Annotators for each task"),
            "tasks_per_annotator": _("Maximum tasks for each annotator"),
            "order": _("Order of the tasks"),
            "lease_minutes": _("Minutes a task stays reserved"),
            "fixed_language": _("Language of annotators’ pages"),
            "fixed_view": _("Layout of tasks"),
            "review_before_submit": _("Review before Submit"),
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
                "Three or more let agreement be computed; with one there is none. A rotated panel takes that many for "
                "each system."
            ),
            "tasks_per_annotator": _(
                "Leave empty for no limit. With one, and breadth first, each annotator judges a drawn sample of their "
                "own."
            ),
            "lease_minutes": _(
                "Saving an answer renews it. After that long without a sign the task goes to another annotator; "
                "the saved answers are kept."
            ),
            "fixed_language": _("Fix it if all annotators must read the same instructions."),
            "fixed_view": _("Fix it if all annotators must see tasks in the same way."),
            "review_before_submit": _(
                "Annotators see all answers of a task again before they submit it."
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
                "and the page before the first task show it; it is locked with the protocol."
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
            "rubric": forms.RadioSelect,
            "order": forms.RadioSelect,
            "introduction": forms.Textarea(attrs={"rows": 4}),
            "consent": forms.Textarea(attrs={"rows": 4}),
            "analysis_plan": forms.Textarea(attrs={"rows": 4}),
            "sample_reason": forms.Textarea(attrs={"rows": 2}),
        }

    def __init__(
        self, *args: Any, user: User, material: MaterialFacts | None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.material = material
        for name in LONG_TEXTS:
            self.fields[name].validators.append(MaxLengthValidator(MAX_DOCUMENT_CHARACTERS))
            self.fields[name].widget.attrs["maxlength"] = MAX_DOCUMENT_CHARACTERS
        self.fields["text_language"] = forms.ChoiceField(
            label=self.fields["text_language"].label,
            help_text=self.fields["text_language"].help_text,
            choices=settings.LANGUAGES,
            initial=self.instance.text_language,
            required=False,
        )
        self._add_translations()
        languages = forms.ChoiceField(
            label=self.fields["fixed_language"].label,
            help_text=self.fields["fixed_language"].help_text,
            choices=[("", ANNOTATORS_CHOOSE), *settings.LANGUAGES],
            required=False,
        )
        self.fields["fixed_language"] = languages
        self.fields["fixed_view"].choices = [("", ANNOTATORS_CHOOSE), *PageView.choices]
        # the list of buttons is rendered again and again, and needs no document
        rubrics = self._rubrics(user).order_by("title", "version").defer("document")
        self.fields["rubric"].queryset = rubrics
        self.fields["rubric"].empty_label = None

    def _add_translations(self) -> None:
        """Add a field for each text in each language but the one the texts are written in."""
        self.translations: dict[tuple[str, str], str] = {}
        for code, language in settings.LANGUAGES:
            if code == self.instance.text_language:
                continue
            for name in TRANSLATED:
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

    def _translated_texts(self) -> dict[str, dict[str, str]]:
        """Return the texts in other languages: those that were sent, else as they are."""
        found: dict[str, dict[str, str]] = {}
        for (code, name), field in self.translations.items():
            before = self.instance.translated_texts.get(code, {}).get(name, "")
            text = self.cleaned_data.get(field, "") if field in self.data else before
            found.setdefault(code, {})[name] = text
        return found

    def protocols(self) -> list[tuple[Any, Rubric, list[str]]]:
        """Return the button of each protocol, the protocol, and its requirements that the dataset
        does not meet."""
        buttons = {button.data["value"].value: button for button in self["rubric"]}
        rubrics = self.fields["rubric"].queryset.defer(None)
        found = (
            fit.by_fit(rubrics, self.material)
            if self.material
            else [(each, []) for each in rubrics]
        )
        return [(buttons[rubric.pk], rubric, misfits) for rubric, misfits in found]

    def _rubrics(self, user: User) -> QuerySet[Rubric]:
        """Return the newest version of each protocol, the latest of the user's own, and the one
        that is requested or planned already."""
        own = Rubric.objects.filter(owner__isnull=True) | Rubric.objects.filter(owner=user)
        newest = own.order_by("owner", "key", "-pk").distinct("owner", "key").values("pk")
        asked = [
            str(pk)
            for pk in (self.instance.rubric_id, self.initial.get("rubric"))
            if str(pk).isdecimal()
        ]
        made_last = own.filter(pk__in=newest, owner=user).order_by("-pk").values("pk")
        return (
            own.filter(pk__in=newest, owner__isnull=True)
            | own.filter(pk__in=made_last[:MAX_PAGE_ROWS])
            | own.filter(pk__in=asked)
        )

    def sections(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """Return the fields by section: a title, the reason for asking, and the fields."""
        return [
            (_("Title and dataset"), "", self._bound("title", "collection")),
            (
                _("Protocol"),
                _("The questions to annotators and their scales."),
                self._bound("rubric"),
            ),
            (
                _("Annotators and tasks"),
                "",
                self._bound("annotators_per_task", "tasks_per_annotator", "order"),
            ),
            (
                _("Texts for annotators"),
                "",
                self._bound(*READ, *self.translations.values()),
            ),
            (
                _("Analysis plan and sample size"),
                _("Locked with the protocol; the preregistration document has it."),
                self._bound(*BEFOREHAND),
            ),
        ]

    def details(self) -> list[forms.BoundField]:
        """Return the fields that most users leave unchanged."""
        return self._bound(
            "lease_minutes",
            "fixed_language",
            "fixed_view",
            "review_before_submit",
            "highlight_keywords",
            "time_zone",
        )

    def details_need_a_look(self) -> bool:
        return any(field.errors for field in self.details())

    def _bound(self, *names: str) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields and not self[name].is_hidden]

    def plan(self) -> CampaignPlan:
        """Return the plan as the action takes it."""
        written = {name: self.cleaned_data[name] for name in (*PLAIN_FIELDS, "rubric")}
        written["text_language"] = written["text_language"] or self.instance.text_language
        return CampaignPlan(
            **written,
            translated_texts=self._translated_texts(),
            hypotheses=hypotheses.from_document(self.instance.hypotheses),
        )


class DatasetForm(forms.Form):
    """The dataset of a new campaign, which is chosen before its plan."""

    collection = forms.ModelChoiceField(
        queryset=Collection.objects.none(), label=_("Dataset"), empty_label=_("Choose")
    )

    def __init__(self, *, collections: QuerySet[Collection]) -> None:
        super().__init__()
        self.fields["collection"].queryset = collections


class NewCampaignForm(PlanForm):
    """A new plan, with the dataset it is about. Without a dataset that the user may use the form
    asks for one."""

    class Meta(PlanForm.Meta):
        fields = ("collection", *PlanForm.Meta.fields)
        labels = PlanForm.Meta.labels | {"collection": _("Dataset")}

    def __init__(self, *args: Any, collections: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["collection"].queryset = collections
        self.fields["collection"].empty_label = _("Choose")
        if self.material is not None:
            self.fields["collection"].widget = forms.HiddenInput()
        annotators = self.fields["annotators_per_task"]
        annotators.required, annotators.initial = False, None
        annotators.help_text = format_lazy(
            "{} {}", _("Empty: as many as the protocol says."), annotators.help_text
        )


class InvitationForm(forms.ModelForm):
    """A link by which annotators join."""

    class Meta:
        model = Invitation
        fields = ("label", "places", "expires_at")
        labels = {
            "label": _("Name of the link"),
            "places": _("Annotators who may join"),
            "expires_at": _("Valid until"),
        }
        help_texts = {
            "label": _("For yourself, such as where you send it."),
            "places": _("One annotator to a link is safest: nobody can join twice by it."),
        }
        widgets = {
            "expires_at": forms.DateTimeInput(
                attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"
            )
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["places"] = forms.IntegerField(
            label=self.fields["places"].label,
            help_text=self.fields["places"].help_text,
            min_value=1,
            max_value=10_000,
            initial=1,
        )
        self.fields["expires_at"].required = True
        self.fields["expires_at"].initial = lambda: timezone.now() + FIRST_LIFE


class MemberForm(forms.Form):
    """An account to which a role is given."""

    username = forms.CharField(label=_("User name"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)

    def __init__(
        self, *args: Any, roles: Sequence[tuple[str, str]] = Membership.Role.choices, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if not roles:
            del self.fields["role"]


class AmendForm(forms.Form):
    """A change after the lock, with its reason."""

    what = forms.ChoiceField(
        label=_("What changes"),
        choices=[
            ("lease_minutes", _("Minutes a task stays reserved")),
            ("introduction", _("Introduction")),
            ("consent", _("Consent: annotators are asked again")),
            ("contact", _("Contact")),
            ("ethics", _("Ethics approval")),
            ("pay", _("Pay")),
        ],
    )
    value = forms.CharField(
        label=_("New value"),
        max_length=MAX_DOCUMENT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    reason = forms.CharField(label=_("Why"), help_text=_("The report lists it."), max_length=500)


class ErasureForm(forms.Form):
    """The label of the annotator to erase, entered as a confirmation."""

    label = forms.CharField(label=_("The annotator's label"), max_length=100)

    def __init__(self, *args: Any, enrollment: Enrollment, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.enrollment = enrollment

    def clean_label(self) -> str:
        if self.cleaned_data["label"].strip() != self.enrollment.label:
            raise forms.ValidationError(_("This is not the label of the annotator on this page."))
        return self.enrollment.label


class ExclusionForm(forms.Form):
    """An annotator to exclude from the analysis, and the reason."""

    enrollment = forms.ModelChoiceField(
        label=_("Annotator"), queryset=Enrollment.objects.none(), empty_label=None
    )
    reason = forms.CharField(label=_("Why"), max_length=500, help_text=_("The report prints it."))

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["enrollment"].queryset = campaign.enrollments.order_by("label")
