"""Access control of campaigns, and of what their annotators must not see."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation

from judging.base.guards import View, guard_by
from judging.base.models.statements import query_rows
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.datasets import guards as dataset_guards
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.same_content import datasets_with_same_content
from judging.jobs import guards as job_guards
from judging.jobs.models.job import Job
from judging.people.models.user import User
from judging.protocols import guards as protocol_guards

MANAGERS = (Membership.Role.MANAGER,)
STAFF = (Membership.Role.MANAGER, Membership.Role.ANALYST)
JUDGES = """
SELECT EXISTS (SELECT FROM judging_enrollment WHERE user_id = %(user)s)
    OR EXISTS (SELECT FROM judging_membership WHERE user_id = %(user)s AND role = 'annotator')
"""


def manages(user: User, job: Job) -> bool:
    """Return whether the user still manages the job's campaign, and may still use its
    dataset."""
    managed = user.memberships.staff().filter(campaign=job.campaign_id, role__in=MANAGERS)
    return analyses(user, job) and managed.exists()


def analyses(user: User, job: Job) -> bool:
    """Return whether the user still manages or analyses the job's campaign."""
    return Campaign.objects.visible_to(user).filter(pk=job.campaign_id).exists()


def reports(user: User, job: Job) -> bool:
    """Return whether the user may still request a campaign's report: its staff, and the owner of
    the dataset."""
    return analyses(user, job) or user.datasets.filter(campaigns=job.campaign_id or 0).exists()


def campaign_for_user(user: User, uuid: UUID, roles: tuple[str, ...]) -> Campaign:
    """Return the campaign if the user has one of the roles; others, such as its annotators, may not
    learn that it exists."""
    theirs = user.memberships.staff().filter(campaign__uuid=uuid)
    held = set(theirs.values_list("role", flat=True))
    campaign = held and (
        Campaign.objects.rightful(user)
        .select_related("dataset", "protocol")
        .filter(uuid=uuid)
        .first()
    )
    if not campaign:
        raise Http404
    if held.isdisjoint(roles):
        raise PermissionDenied("Only a manager of this campaign may do that.")
    return campaign


def _judged_campaign(request: HttpRequest, uuid: UUID) -> Campaign | None:
    judges = request.user.memberships.filter(role=Membership.Role.ANNOTATOR).values("campaign")
    own = Campaign.objects.select_related("dataset", "protocol").filter(pk__in=judges)
    return own.filter(uuid=uuid).first()


def _campaign_of_member(request: HttpRequest, uuid: UUID) -> Campaign | None:
    """Return the campaign if the user judges in it, or sees it as a manager or an analyst."""
    seen = Campaign.objects.visible_to(request.user).select_related("dataset", "protocol")
    return _judged_campaign(request, uuid) or seen.filter(uuid=uuid).first()


def campaign_to_adjudicate(user: User, uuid: UUID) -> Campaign | None:
    """Return the campaign whose adjudicator the user is; the copy of a dry run only if the user
    manages or analyses it."""
    seen = Q(pk__in=Campaign.objects.visible_to(user).values("pk"))
    rightful = Campaign.objects.rightful(user).filter(Q(dry_run__draft__isnull=True) | seen)
    named = rightful.select_related("dataset", "protocol", "adjudication")
    return named.filter(uuid=uuid, adjudication__adjudicator=user).first()


def use_fixed_language(request: HttpRequest, subject: Campaign | Assignment) -> None:
    """Show the rest of this request in the language that the campaign fixes, if it fixes one."""
    campaign = subject if isinstance(subject, Campaign) else subject.round.campaign
    if campaign.fixed_language:
        translation.activate(campaign.fixed_language)
        request.LANGUAGE_CODE = campaign.fixed_language
        request.is_language_fixed = True


def _campaign_for(*roles: str) -> Callable[[View], View]:
    return guard_by(lambda request, uuid: campaign_for_user(request.user, uuid, roles), key="uuid")


campaign_for_managers = _campaign_for(*MANAGERS)
campaign_for_staff = _campaign_for(*STAFF)
campaign_for_annotators = guard_by(_judged_campaign, key="uuid", prepare=use_fixed_language)
campaign_for_members = guard_by(_campaign_of_member, key="uuid", prepare=use_fixed_language)
campaign_for_adjudicator = guard_by(
    lambda request, uuid: campaign_to_adjudicate(request.user, uuid), key="uuid"
)


def judges_now(user: User, dataset: Dataset, *, but_in: Campaign | None = None) -> bool:
    """Return whether a user judges, or may yet judge, this dataset in a campaign that has not
    ended, in this dataset or another with the same content; `but_in` names one that does not
    count.

    Until then no page that they may see for another role names the system of a question. Being
    named an annotator is enough in this very dataset; for its owner it counts only in campaigns
    that they created, so that others cannot hide the dataset from them. A campaign whose creator
    may no longer use the dataset does not count.
    """
    return bool(_judged_by(user, dataset, but_in=but_in))


def judged_now(user: User, dataset: Dataset) -> set[int]:
    """Return the datasets with the same content that a user judges, or may yet judge."""
    return set(_judged_by(user, dataset).values())


def _judged_by(user: User, dataset: Dataset, *, but_in: Campaign | None = None) -> dict[int, int]:
    """Return the campaigns because of which a user must not know the systems of a dataset, each
    with its dataset."""
    # Most users judge nothing anywhere. Pages ask several times, and building the whole query costs
    # more than answering this one.
    if not query_rows(JUDGES, {"user": user.pk})[0][0]:
        return {}
    ended = (Campaign.State.CLOSED, Campaign.State.ARCHIVED)
    running = Campaign.objects.in_use().exclude(state__in=ended)
    if but_in is not None:
        running = running.exclude(pk=but_in.pk)
    named = running.filter(
        dataset=dataset,
        memberships__user=user,
        memberships__role=Membership.Role.ANNOTATOR,
    )
    if dataset.owner_id == user.pk:
        named = named.filter(created_by=user)
    joined = running.filter(enrollments__in=user.enrollments.may_judge())
    found = dict(joined.union(named).values_list("pk", "dataset"))
    material = datasets_with_same_content(dataset.pk) if found else set()
    return {pk: about for pk, about in found.items() if about in material}


def how_to_decline(user: User, dataset: Dataset) -> str:
    """Return the advice for a user who judges the dataset only because they were named, and has not
    begun; "" for all other users."""
    judged = _judged_by(user, dataset)
    if not judged or user.memberships.not_begun().filter(campaign__in=judged).count() < len(judged):
        return ""
    return (
        "You were named to judge it and have not begun: if you do not want to, decline under "
        "“Your studies”, in the menu of your account."
    )


def with_how_to_decline(said: str, user: User, dataset: Dataset) -> str:
    """Return why a user who judges the dataset is shown none of it, with how to decline if they
    can."""
    return f"{said} {how_to_decline(user, dataset)}".strip()


def check_not_judging(user: User, dataset: Dataset) -> None:
    """Raise PermissionDenied if the user still judges the dataset, because the page would name the
    system of each question."""
    if judges_now(user, dataset):
        refused = (
            "You judge this dataset in a campaign that has not ended. Until then no page names "
            "a system here."
        )
        raise PermissionDenied(with_how_to_decline(refused, user, dataset))


def not_for_who_judges(view: View) -> View:
    """Refuse users who still judge the dataset: the view names the system of each question."""

    @wraps(view)
    def guarded(request: HttpRequest, dataset: Dataset, **parts: Any) -> HttpResponse:
        check_not_judging(request.user, dataset)
        return view(request, dataset, **parts)

    return guarded


def hidden_enrollments(user: User, campaign: Campaign) -> set[int]:
    """Return the enrolments whose work the user may not see: their own, while they judge the
    dataset and the campaign has checks. Counts after each task would reveal which was a check."""
    own = campaign.enrollments.filter(user=user).values_list("pk", flat=True)
    return set(own) if campaign.checked and judges_now(user, campaign.dataset) else set()


def unproposed_enrollments(user: User, campaign: Campaign) -> set[int]:
    """Return the enrolments that exclusion rules do not propose to the user: their own, while they
    judge the dataset. A proposal would reveal how they did in checks."""
    own = campaign.enrollments.filter(user=user).values_list("pk", flat=True)
    return set(own) if judges_now(user, campaign.dataset) else set()


def _seen_campaigns(user: User) -> QuerySet[Campaign]:
    return Campaign.objects.visible_to(user)


protocol_guards.SEEN_BY["campaigns"] = lambda user: Q(
    pk__in=_seen_campaigns(user).values("protocol")
)
dataset_guards.SEEN_BY["campaigns"] = lambda user: Q(campaigns__in=_seen_campaigns(user))
job_guards.SEEN_BY["campaigns"] = lambda user: Q(campaign__in=_seen_campaigns(user))
