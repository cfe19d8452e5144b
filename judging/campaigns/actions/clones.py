"""Reproductions: campaigns that repeat a closed study by the same protocol on the same items, with
new annotators."""

from django.db import transaction

from judging.campaigns.actions import campaigns, plan_parts
from judging.campaigns.actions.campaigns import NotAllowedNow
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.guideline import GuidelineVersion
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User

ENDED = (Campaign.State.CLOSED, Campaign.State.ARCHIVED)


def clone_study(*, campaign: Campaign, by: User) -> Campaign:
    """Make a draft that reproduces a closed study: its plan, checks, items and decisions, no
    annotators.

    The draft cannot be locked if a part that decides what is judged and how was changed since
    (`fixed_parts`).
    """
    if campaign.state not in ENDED or campaign.origin == Campaign.Origin.SIMULATED:
        raise NotAllowedNow(
            "Only a study that is closed can be reproduced.", code="campaign_not_closed"
        )
    plan = {key: getattr(campaign, key) for key in campaigns.PLANNED}
    longest = Campaign._meta.get_field("title").max_length or 0
    plan["title"] = f"Reproduction of {campaign.title}"[:longest]
    with transaction.atomic():
        # its parts do not change while they are copied
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        made = campaigns.create_campaign(
            by=by,
            dataset=campaign.dataset,
            protocol=campaign.protocol,
            plan=plan,
            selection=campaign.selection,
            reproduces=campaign,
        )
        if Event.objects.filter(act=Event.Act.REPRODUCTION_MADE, campaign=made.uuid).exists():
            return made  # asked for twice at once
        plan_parts.copy_parts(campaign, made)
        _copy_decisions(campaign, made)
        history.record_event(
            Event.Act.REPRODUCTION_MADE, by=by, campaign=made, about=f"campaign {campaign.uuid}"
        )
    return made


def _copy_decisions(of: Campaign, to: Campaign) -> None:
    standing = of.guideline_versions.filter(number=of.guideline_version).first()
    if standing is None:
        return
    GuidelineVersion.objects.create(
        campaign=to,
        number=1,
        text=standing.text,
        written_by=standing.written_by,
        written_at=standing.written_at,
    )
    Campaign.objects.filter(pk=to.pk).update(guideline_version=1)
    to.guideline_version = 1
