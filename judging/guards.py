"""Access control: which user may do what to which object. Pages, the API and the other apps use it;
an object of another user is a 404."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone, translation

from judging.models import (
    Assignment,
    Campaign,
    Collection,
    Job,
    Membership,
    Rubric,
    RubricDraft,
    User,
)
from judging.models.at_work import assignment_at_work
from judging.models.same_material import same_material
from judging.models.statements import rows

View = Callable[..., HttpResponse]

MANAGERS = (Membership.Role.MANAGER,)
STAFF = (Membership.Role.MANAGER, Membership.Role.ANALYST)
JUDGES = """
SELECT EXISTS (SELECT FROM judging_enrollment WHERE user_id = %(user)s)
    OR EXISTS (SELECT FROM judging_membership WHERE user_id = %(user)s AND role = 'annotator')
"""
CONFIRMED = "password_shown"  # in the session: when the user last entered the password
CONFIRMED_FOR = timedelta(minutes=15)


def collections_of(user: User) -> QuerySet[Collection]:
    """Return the collections a user owns, has a right on, or sees through a campaign they manage or
    analyse."""
    seen = Q(owner=user) | Q(shares__user=user) | Q(campaigns__in=Campaign.objects.visible_to(user))
    return Collection.objects.filter(seen, checks_of__isnull=True).distinct()


def collections_to_plan_with(user: User) -> QuerySet[Collection]:
    """Return the collections about which a user may plan campaigns: seeing one through another
    user's campaign is not enough."""
    return Collection.objects.filter(
        Q(owner=user) | Q(shares__user=user), checks_of__isnull=True
    ).distinct()


def jobs_of(user: User) -> QuerySet[Job]:
    """Return the jobs of campaigns a user manages or analyses, those they started about objects
    that are still theirs, and all computations on their collections, whoever started them."""
    about = Q(collection__isnull=True) | Q(collection__in=collections_of(user))
    started = Q(created_by=user, campaign__isnull=True) & about
    on_theirs = Q(kind__in=Job.COMPUTES, campaign__isnull=True, collection__owner=user)
    return Job.objects.filter(
        started | on_theirs | Q(campaign__in=Campaign.objects.visible_to(user))
    ).distinct()


def creates(user: User, job: Job) -> bool:
    """Return whether the user of a job that creates a collection or campaign may still do so."""
    return user.can_create_campaigns


def owns(user: User, job: Job) -> bool:
    """Return whether the user still owns the job's collection; a job about one of their files has
    none. If the collection was deleted, the job itself reports it."""
    theirs = user.collections.filter(pk=job.collection_id)
    return user.can_create_campaigns and (job.collection_id is None or theirs.exists())


def reads(user: User, job: Job) -> bool:
    """Return whether the user still sees the job's collection. If it was deleted, the job itself
    reports it."""
    return job.collection_id is None or collections_of(user).filter(pk=job.collection_id).exists()


def manages(user: User, job: Job) -> bool:
    """Return whether the user still manages the job's campaign, and may still use its
    collection."""
    managed = user.memberships.staff().filter(campaign=job.campaign_id, role__in=MANAGERS)
    return analyses(user, job) and managed.exists()


def analyses(user: User, job: Job) -> bool:
    """Return whether the user still manages or analyses the job's campaign."""
    return Campaign.objects.visible_to(user).filter(pk=job.campaign_id).exists()


def reports(user: User, job: Job) -> bool:
    """Return whether the user may still request a campaign's report: its staff, and the owner of
    the collection."""
    return analyses(user, job) or user.collections.filter(campaigns=job.campaign_id or 0).exists()


def rubrics_of(user: User) -> QuerySet[Rubric]:
    """Return the protocols that come with the software, the user's own, and those of campaigns they
    manage or analyse.

    Annotators see the guideline on their pages, and nothing of the protocol's checks.
    """
    seen = Campaign.objects.visible_to(user)
    if not (user.can_create_campaigns or seen.exists()):
        return Rubric.objects.none()
    return Rubric.objects.filter(
        Q(owner__isnull=True) | Q(owner=user) | Q(pk__in=seen.values("rubric"))
    )


def creator_required(view: View) -> View:
    """Admit only users who may create collections and campaigns."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        check_creator(request.user)
        return view(request, *args, **kwargs)

    return login_required(guarded)


def password_confirmed(view: View) -> View:
    """Ask for the password again before an act that cannot be undone or that gives rights away.

    Users who logged in or entered it within a quarter of an hour are not asked; nor are users
    without a password. The browser sends the form on to the page that asks for the password, and
    from there back to this view: the server stores none of it.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST" or is_confirmed(request):
            return view(request, *args, **kwargs)
        return redirect(_confirm_before(request.get_full_path()), preserve_request=True)

    return guarded


def password_confirmed_first(view: View) -> View:
    """Ask for the password also before a page is shown."""
    asking_again = password_confirmed(view)

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "GET" or is_confirmed(request):
            return asking_again(request, *args, **kwargs)
        return redirect(_confirm_before(request.path))

    return guarded


def _confirm_before(address: str) -> str:
    """Return the address of the page that asks for the password, and then leads to this one."""
    return f"{reverse('judging:confirm')}?{urlencode({'next': address})}"


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the password was entered recently, or cannot be asked for."""
    return (
        not request.user.is_authenticated
        or not request.user.has_usable_password()
        or timezone.now().timestamp() - request.session.get(CONFIRMED, 0)
        < CONFIRMED_FOR.total_seconds()
    )


def administrator_required(view: View) -> View:
    """Admit only administrators."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_superuser:
            raise PermissionDenied("Only an administrator may do that.")
        return view(request, *args, **kwargs)

    return login_required(guarded)


def campaign_of(user: User, uuid: UUID, roles: tuple[str, ...]) -> Campaign:
    """Return the campaign if the user has one of the roles; others, such as its annotators, may not
    learn that it exists."""
    theirs = user.memberships.staff().filter(campaign__uuid=uuid)
    held = set(theirs.values_list("role", flat=True))
    campaign = held and (
        Campaign.objects.rightful(user)
        .select_related("collection", "rubric")
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
    own = Campaign.objects.select_related("collection", "rubric").filter(pk__in=judges)
    return own.filter(uuid=uuid).first()


def _campaign_of_member(request: HttpRequest, uuid: UUID) -> Campaign | None:
    """Return the campaign if the user judges in it, or sees it as a manager or an analyst."""
    seen = Campaign.objects.visible_to(request.user).select_related("collection", "rubric")
    return _judged_campaign(request, uuid) or seen.filter(uuid=uuid).first()


def campaign_to_adjudicate(user: User, uuid: UUID) -> Campaign | None:
    """Return the campaign whose adjudicator the user is; the copy of a dry run only if the user
    manages or analyses it."""
    seen = Q(pk__in=Campaign.objects.visible_to(user).values("pk"))
    rightful = Campaign.objects.rightful(user).filter(Q(dry_run__draft__isnull=True) | seen)
    named = rightful.select_related("collection", "rubric", "adjudication")
    return named.filter(uuid=uuid, adjudication__adjudicator=user).first()


def _collection(request: HttpRequest, pk: int) -> Collection | None:
    return collections_of(request.user).filter(pk=pk).first()


def _own_collection(request: HttpRequest, pk: int) -> Collection | None:
    collection = _collection(request, pk)
    if collection:
        check_owner(request.user, collection)
    return collection


def check_owner(user: User, collection: Collection) -> None:
    """Raise PermissionDenied if the user is not the owner of a dataset; readers change nothing."""
    if collection.owner_id != user.pk:
        raise PermissionDenied("Only the owner of this dataset may do that.")


def check_creator(user: User) -> None:
    """Raise PermissionDenied if the user may not create datasets and campaigns."""
    if not user.can_create_campaigns:
        raise PermissionDenied("Ask an administrator for the right to create campaigns.")


def _hands(
    find: Callable[[HttpRequest, Any], Any],
    *,
    key: str = "pk",
    door: Callable[[View], View] = login_required,
    is_for_annotators: bool = False,
) -> Callable[[View], View]:
    """Return a decorator, combined with the guard `door`: it passes the view what `find` returns
    for the key in the address, and answers 404 if that is None, or was deleted during the view."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            named = kwargs.pop(key)
            found = find(request, named)
            if found is None:
                raise Http404
            if is_for_annotators:
                use_fixed_language(request, campaign_about(found))
            try:
                return view(request, found, *args, **kwargs)
            except (ObjectDoesNotExist, IntegrityError):
                if find(request, named) is None:
                    raise Http404 from None
                raise

        return door(guarded)

    return guard


def campaign_about(found: Campaign | Assignment) -> Campaign:
    """Return a campaign, or the campaign of an assignment."""
    return found if isinstance(found, Campaign) else found.round.campaign


def use_fixed_language(request: HttpRequest, campaign: Campaign) -> None:
    """Show the rest of this request in the language that a campaign fixes, if it fixes one."""
    if campaign.fixed_language:
        translation.activate(campaign.fixed_language)
        request.LANGUAGE_CODE = campaign.fixed_language
        request.is_language_fixed = True


def _campaign_for(*roles: str) -> Callable[[View], View]:
    return _hands(lambda request, uuid: campaign_of(request.user, uuid, roles), key="uuid")


campaign_for_managers = _campaign_for(*MANAGERS)
campaign_for_staff = _campaign_for(*STAFF)
campaign_for_annotators = _hands(_judged_campaign, key="uuid", is_for_annotators=True)
campaign_for_members = _hands(_campaign_of_member, key="uuid", is_for_annotators=True)
campaign_for_adjudicator = _hands(
    lambda request, uuid: campaign_to_adjudicate(request.user, uuid), key="uuid"
)
assignment_for_annotator = _hands(
    lambda request, uuid: assignment_at_work(pk=uuid, user_pk=request.user.pk),
    key="uuid",
    is_for_annotators=True,
)
collection_for_readers = _hands(_collection)
collection_for_owner = _hands(_own_collection, door=creator_required)
# a job's result may be hundreds of megabytes, and most requests only ask for its progress
job_for_readers = _hands(
    lambda request, pk: jobs_of(request.user).defer("result").filter(pk=pk).first()
)
rubric_for_readers = _hands(lambda request, pk: rubrics_of(request.user).filter(pk=pk).first())
draft_for_owner = _hands(
    lambda request, pk: RubricDraft.objects.filter(owner=request.user, pk=pk).first(),
    door=creator_required,
)


def judges_now(user: User, collection: Collection, *, but_in: Campaign | None = None) -> bool:
    """Return whether a user judges, or may yet judge, this dataset in a campaign that has not
    ended, in this collection or another of the same dataset; `but_in` names one that does not
    count.

    Until then no page that they may see for another role names the system of a question. Being
    named an annotator is enough in this very collection; for its owner it counts only in campaigns
    that they created, so that others cannot hide the dataset from them. A campaign whose creator
    may no longer use the collection does not count.
    """
    return bool(_judged_by(user, collection, but_in=but_in))


def judged_now(user: User, collection: Collection) -> set[int]:
    """Return the collections of this dataset that a user judges, or may yet judge."""
    return set(_judged_by(user, collection).values())


def _judged_by(
    user: User, collection: Collection, *, but_in: Campaign | None = None
) -> dict[int, int]:
    """Return the campaigns because of which a user must not know the systems of a collection, each
    with its collection."""
    # Most users judge nothing anywhere. Pages ask several times, and building the whole query costs
    # more than answering this one.
    if not rows(JUDGES, {"user": user.pk})[0][0]:
        return {}
    ended = (Campaign.State.CLOSED, Campaign.State.ARCHIVED)
    running = Campaign.objects.in_use().exclude(state__in=ended)
    if but_in is not None:
        running = running.exclude(pk=but_in.pk)
    named = running.filter(
        collection=collection,
        memberships__user=user,
        memberships__role=Membership.Role.ANNOTATOR,
    )
    if collection.owner_id == user.pk:
        named = named.filter(created_by=user)
    joined = running.filter(enrollments__in=user.enrollments.may_judge())
    found = dict(joined.union(named).values_list("pk", "collection"))
    material = same_material(collection.pk) if found else set()
    return {pk: about for pk, about in found.items() if about in material}


def how_to_decline(user: User, collection: Collection) -> str:
    """Return the advice for a user who judges the dataset only because they were named, and has not
    begun; "" for all other users."""
    judged = _judged_by(user, collection)
    if not judged or user.memberships.not_begun().filter(campaign__in=judged).count() < len(judged):
        return ""
    return (
        "You were named to judge it and have not begun: if you do not want to, decline under "
        "“Your studies”, in the menu of your account."
    )


def with_how_to_decline(said: str, user: User, collection: Collection) -> str:
    """Return why a user who judges the dataset is shown none of it, with how to decline if they
    can."""
    return f"{said} {how_to_decline(user, collection)}".strip()


def check_not_judging(user: User, collection: Collection) -> None:
    """Raise PermissionDenied if the user still judges the dataset, because the page would name the
    system of each question."""
    if judges_now(user, collection):
        refused = (
            "You judge this dataset in a campaign that has not ended. Until then no page names "
            "a system here."
        )
        raise PermissionDenied(with_how_to_decline(refused, user, collection))


def not_for_who_judges(view: View) -> View:
    """Refuse users who still judge the dataset: the view names the system of each question."""

    @wraps(view)
    def guarded(request: HttpRequest, collection: Collection, **parts: Any) -> HttpResponse:
        check_not_judging(request.user, collection)
        return view(request, collection, **parts)

    return guarded


def hidden_enrollments(user: User, campaign: Campaign) -> set[int]:
    """Return the enrolments whose work the user may not see: their own, while they judge the
    dataset and the campaign has checks. Counts after each task would reveal which was a check."""
    own = campaign.enrollments.filter(user=user).values_list("pk", flat=True)
    return set(own) if campaign.checked and judges_now(user, campaign.collection) else set()


def unproposed_enrollments(user: User, campaign: Campaign) -> set[int]:
    """Return the enrolments that exclusion rules do not propose to the user: their own, while they
    judge the dataset. A proposal would reveal how they did in checks."""
    own = campaign.enrollments.filter(user=user).values_list("pk", flat=True)
    return set(own) if judges_now(user, campaign.collection) else set()
