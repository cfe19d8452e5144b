"""The plan of a draft as its manager writes it: protocol, design, texts and declared hypotheses.

The selection, training, checks and quality of a draft have actions of their own.
"""

import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError

from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.base.refusals import InvalidInput, check_length
from judging.campaigns import hypotheses
from judging.campaigns.actions import campaigns, declarations, panels
from judging.campaigns.campaign_texts import TRANSLATED
from judging.campaigns.hypotheses import Hypotheses
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset
from judging.people.models.user import User
from judging.protocols.actions.protocols import document_of
from judging.protocols.models.protocol import Protocol

# names for the server's own clock, which differs on each machine
NO_PLACES = {"localtime", "Factory", "posixrules"}


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignPlan:
    """The plan of a draft; the defaults are those of a campaign.

    Without `annotators_per_task` there are as many as the protocol says. `translated_texts` holds
    the texts in other languages than `text_language`, by language and name.
    """

    title: str
    protocol: Protocol
    annotators_per_task: int | None = None
    tasks_per_annotator: int | None = None
    order: str = Campaign.Order.DEPTH
    lease_minutes: int = 120
    fixed_language: str = ""
    fixed_view: str = ""
    review_before_submit: bool = True
    review_is_optional: bool = False
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
    name for name in FIELDS if name not in ("protocol", "translated_texts", "hypotheses")
)


def plan_of(campaign: Campaign) -> CampaignPlan:
    """Return the present plan of a campaign."""
    columns = {name: getattr(campaign, name) for name in FIELDS}
    return CampaignPlan(
        **columns | {"hypotheses": hypotheses.hypotheses_from_document(campaign.hypotheses)}
    )


def create_draft(*, by: User, dataset: Dataset, plan: CampaignPlan) -> Campaign:
    """Create a draft about a dataset.

    Raises
    ------
    InvalidInput
        For the first part of the plan that cannot be used; `field` is its name, such as
        `hypotheses.primary.0.criterion`.
    """
    columns = _checked_columns(plan, dataset)
    return campaigns.create_campaign(by=by, dataset=dataset, protocol=plan.protocol, plan=columns)


def replace_plan(*, campaign: Campaign, plan: CampaignPlan) -> None:
    """Replace the plan of a draft; raises as `create`, and NotAllowedNow after the lock."""
    columns = _checked_columns(plan, campaign.dataset)
    campaigns.change_plan(campaign=campaign, plan=columns)


def declare_hypotheses(*, campaign: Campaign, declared: Hypotheses) -> None:
    """Replace the declared hypotheses of a draft; raises as `create`, and NotAllowedNow after the
    lock."""
    replace_plan(campaign=campaign, plan=replace(plan_of(campaign), hypotheses=declared))


def _checked_columns(plan: CampaignPlan, dataset: Dataset) -> dict[str, Any]:
    """Return the columns of a campaign that has the plan."""
    columns: dict[str, Any] = {name: getattr(plan, name) for name in PLAIN_FIELDS}
    if plan.annotators_per_task is None:
        columns["annotators_per_task"] = document_of(plan.protocol).annotators
    _check_plain(columns)
    _check_order(plan)
    declared = declarations.check_hypotheses(
        plan.hypotheses, protocol=plan.protocol, dataset=dataset
    )
    return columns | {
        "protocol": plan.protocol,
        "translated_texts": _checked_texts(plan),
        "hypotheses": hypotheses.hypotheses_to_document(declared),
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
    if not panels.fits_panel(plan.protocol):
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
