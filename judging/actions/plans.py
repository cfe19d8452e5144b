"""The plan of a draft as its manager writes it: protocol, design, texts and declared hypotheses.

The selection, training, checks and quality of a draft have actions of their own.
"""

import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError

from judging import hypotheses
from judging.actions import campaigns, panels, sheets
from judging.campaign_texts import TRANSLATED
from judging.hypotheses import GREATER, Hypotheses, PrimaryHypothesis
from judging.limits import MAX_DOCUMENT_CHARACTERS
from judging.models import Campaign, Collection, Rubric, System, User
from judging.protocols.rubric_schema import RubricCriterion
from judging.refusals import InvalidInput, check_between, check_length

LEVELS = (0.0001, 0.5)  # of the primary test
SMALLEST_MARGIN = 0.0001
# names for the server's own clock, which differs on each machine
NO_PLACES = {"localtime", "Factory", "posixrules"}


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignPlan:
    """The plan of a draft; the defaults are those of a campaign.

    Without `annotators_per_task` there are as many as the protocol says. `translated_texts` holds
    the texts in other languages than `text_language`, by language and name.
    """

    title: str
    rubric: Rubric
    annotators_per_task: int | None = None
    tasks_per_annotator: int | None = None
    order: str = Campaign.Order.DEPTH
    lease_minutes: int = 120
    fixed_language: str = ""
    fixed_view: str = ""
    review_before_submit: bool = True
    highlight_keywords: bool = False
    time_zone: str = "UTC"
    text_language: str = "en"
    introduction: str = ""
    pay: str = ""
    consent: str = ""
    contact: str = ""
    ethics: str = ""
    withdrawal: bool = False
    retention_days: int | None = None
    analysis_plan: str = ""
    sample_reason: str = ""
    translated_texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    hypotheses: Hypotheses = field(default_factory=Hypotheses)


FIELDS = tuple(each.name for each in fields(CampaignPlan))
PLAIN_FIELDS = tuple(
    name for name in FIELDS if name not in ("rubric", "translated_texts", "hypotheses")
)


def plan_of(campaign: Campaign) -> CampaignPlan:
    """Return the present plan of a campaign."""
    columns = {name: getattr(campaign, name) for name in FIELDS}
    return CampaignPlan(**columns | {"hypotheses": hypotheses.from_document(campaign.hypotheses)})


def create(*, by: User, collection: Collection, plan: CampaignPlan) -> Campaign:
    """Create a draft about a dataset.

    Raises
    ------
    InvalidInput
        For the first part of the plan that cannot be used; `field` is its name, such as
        `hypotheses.primary.criterion`.
    """
    columns = _checked_columns(plan, collection)
    return campaigns.create(by=by, collection=collection, rubric=plan.rubric, plan=columns)


def change(*, campaign: Campaign, plan: CampaignPlan) -> None:
    """Replace the plan of a draft; raises as `create`, and NotAllowedNow after the lock."""
    columns = _checked_columns(plan, campaign.collection)
    campaigns.change_plan(campaign=campaign, plan=columns)


def _checked_columns(plan: CampaignPlan, collection: Collection) -> dict[str, Any]:
    """Return the columns of a campaign that has the plan."""
    columns: dict[str, Any] = {name: getattr(plan, name) for name in PLAIN_FIELDS}
    if plan.annotators_per_task is None:
        columns["annotators_per_task"] = sheets.known(plan.rubric).document.annotators
    _check_plain(columns)
    _check_order(plan)
    declared = _checked_hypotheses(plan, collection)
    return columns | {
        "rubric": plan.rubric,
        "translated_texts": _checked_texts(plan),
        "hypotheses": hypotheses.to_document(declared),
    }


def _check_plain(columns: Mapping[str, Any]) -> None:
    """Check numbers, choices and lengths as the columns of a campaign have them."""
    others = {column.name for column in Campaign._meta.fields} - columns.keys()
    try:
        Campaign(**columns).clean_fields(exclude=others)
    except ValidationError as wrong:
        name, messages = next(iter(wrong.message_dict.items()))
        raise InvalidInput(" ".join(messages), field=name) from None
    for name in campaigns.LONG_TEXTS:
        check_length(columns[name], MAX_DOCUMENT_CHARACTERS, field=name)
    languages = dict(settings.LANGUAGES)
    for name in ("fixed_language", "text_language"):
        if columns[name] and columns[name] not in languages:
            raise InvalidInput(f"The languages are {', '.join(languages)}.", field=name)
    if columns["time_zone"] not in zoneinfo.available_timezones() - NO_PLACES:
        raise InvalidInput(
            f"{columns['time_zone']} is not a known time zone; write one such as Europe/Berlin.",
            field="time_zone",
        )


def _check_order(plan: CampaignPlan) -> None:
    """Check that a rotated panel has no limit on tasks, and a protocol that it fits."""
    if plan.order != Campaign.Order.PANEL:
        return
    if plan.tasks_per_annotator:
        raise InvalidInput(
            "In a rotated panel every annotator judges every source; leave this empty.",
            field="tasks_per_annotator",
        )
    if not panels.fits(plan.rubric):
        raise InvalidInput(
            "This protocol shows several systems at once; a panel needs one system to a task.",
            field="order",
        )


def _checked_texts(plan: CampaignPlan) -> dict[str, dict[str, str]]:
    """Return the texts in other languages, without empty ones."""
    languages = dict(settings.LANGUAGES)
    found: dict[str, dict[str, str]] = {}
    for language, texts in plan.translated_texts.items():
        if language not in languages:
            raise InvalidInput(
                f"The pages have no language {language}, only {', '.join(languages)}.",
                field="translated_texts",
            )
        written = {name: texts[name] for name in TRANSLATED if texts.get(name)}
        for name, text in written.items():
            column = Campaign._meta.get_field(name)
            most = getattr(column, "max_length", None) or MAX_DOCUMENT_CHARACTERS
            check_length(text, most, field="translated_texts")
        if written and language != plan.text_language:
            found[language] = written
    return found


def _checked_hypotheses(plan: CampaignPlan, collection: Collection) -> Hypotheses:
    """Return the declared hypotheses, with the criterion by its key."""
    declared = plan.hypotheses
    if declared.margin is not None and declared.margin < SMALLEST_MARGIN:
        raise InvalidInput(
            f"The margin must be at least {SMALLEST_MARGIN:g}.", field="hypotheses.margin"
        )
    if declared.primary is None:
        return declared
    return replace(declared, primary=_checked_primary(declared.primary, plan.rubric, collection))


def _checked_primary(
    primary: PrimaryHypothesis, rubric: Rubric, collection: Collection
) -> PrimaryHypothesis:
    at = "hypotheses.primary"
    if not primary.criterion:
        raise InvalidInput("Name the criterion of the hypothesis.", field=f"{at}.criterion")
    criterion = _find_criterion(primary.criterion, rubric)
    if criterion is None:
        raise InvalidInput(
            "The protocol has no criterion of this name whose values can be averaged.",
            field=f"{at}.criterion",
        )
    if primary.direction == GREATER and criterion.best == "none" and not primary.metric:
        raise InvalidInput(
            "This criterion has no better end. Choose the two-sided test.",
            field=f"{at}.direction",
        )
    check_between(primary.level, *LEVELS, field=f"{at}.level")
    _check_compared(primary, collection)
    return replace(primary, criterion=criterion.key)


def _find_criterion(name: str, rubric: Rubric) -> RubricCriterion | None:
    """Return the criterion of a key or name, if its values can be averaged."""
    for each in sheets.known(rubric).document.criteria:
        if name.casefold() in (each.key.casefold(), each.name.casefold()):
            return each if each.best != "none" or each.level == "interval" else None
    return None


def _check_compared(primary: PrimaryHypothesis, collection: Collection) -> None:
    """Check that a hypothesis names two systems of the dataset or one metric."""
    at = "hypotheses.primary"
    systems = {"first": primary.first, "second": primary.second}
    if bool(primary.metric) == any(systems.values()):
        raise InvalidInput("Name two systems or one metric.", field=f"{at}.metric")
    if primary.metric:
        return
    if primary.first == primary.second:
        raise InvalidInput("Name two different systems.", field=f"{at}.second")
    known = set(System.objects.filter(collection=collection).values_list("name", flat=True))
    for name, system in systems.items():
        if system not in known:
            raise InvalidInput("The dataset has no system of this name.", field=f"{at}.{name}")
