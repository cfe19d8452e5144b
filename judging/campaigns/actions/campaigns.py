"""Studies from plan to archive: creating, locking, opening, pausing, closing, and what changed
after the lock."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Field, ProtectedError, Q, QuerySet
from django.db.models.functions import Now

from judging.base.actions import bulk
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import InvalidInput, Refused, check_bounds
from judging.campaigns import campaign_texts
from judging.campaigns.actions import (
    authorships,
    discussions,
    draws,
    fixed_parts,
    locked_plans,
    plan_parts,
    rounds,
    selections,
    webhooks,
)
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.authorship import BarredTask
from judging.campaigns.models.campaign import Campaign, Deviation, Round, Task, TaskUnit
from judging.campaigns.models.dry_run import DryRun
from judging.campaigns.models.members import Invitation, Membership
from judging.campaigns.quality_plan import (
    BOUNDS,
    QualityPlan,
    quality_plan_from_document,
    quality_plan_to_document,
)
from judging.campaigns.selection import CannotChoose
from judging.datasets.models.dataset import Dataset, QuestionSet, Unit
from judging.jobs.actions import jobs
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User, token_digest
from judging.protocols.models.protocol import Protocol

PLANNED = (
    "title",
    "annotators_per_task",
    "tasks_per_annotator",
    "order",
    "lease_minutes",
    "fixed_language",
    "fixed_view",
    "review_before_submit",
    "review_is_optional",
    "highlight_keywords",
    "time_zone",
    "introduction",
    "consent",
    "text_language",
    "translated_texts",
    "contact",
    "ethics",
    "pay",
    "withdrawal",
    "retention_days",
    "analysis_plan",
    "sample_reason",
    "hypotheses",
    "pass_mark",
    "tries",
    "qualification_paid",
    "quality",
    "rate",
)
DOUBLE_CLICK = timedelta(seconds=10)
MAKING = 1_903_783  # class of the advisory locks for making drafts, one lock per user
OPENED_ONCE = {  # by the code that makes them
    Campaign.Origin.SIMULATED.value: "A simulation takes no judgments: open the campaign that it copies.",
    Campaign.Origin.IMPORTED.value: "Imported ratings take no judgments: plan another campaign about the dataset.",
}
LONG_TEXTS = ("introduction", "consent", "analysis_plan", "sample_reason")
LAUNCH, DISCARD = "judging.launch", "judging.discard"  # kinds of jobs
LARGE = 20_000  # tasks and places; above that, removing them is a job with progress
LARGE_LAYOUT_SETS = 3_000  # question sets; above that, laying out their places is a job
LARGE_LAYOUT_PLACES = 30_000  # places or questions; above that, it is a job as well
AMENDABLE = ("lease_minutes", "introduction", "consent", "ethics", "contact", "pay")


class NotAllowedNow(Refused):
    """The campaign's state does not allow this; the message says what would."""

    code = "not_allowed_now"


def create_campaign(
    *, by: User, dataset: Dataset, protocol: Protocol, plan: Mapping[str, Any], **columns: Any
) -> Campaign:
    """Make a draft with its main round; its creator manages it. If the same draft is made again
    within `DOUBLE_CLICK`, return the first one."""
    asked = {"dataset": dataset, "protocol": protocol, "created_by": by, **columns}
    asked |= {key: plan[key] for key in PLANNED if key in plan}
    asked |= {"checked": quality_plan_from_document(asked.get("quality", {})).has_checks}
    with transaction.atomic():
        with connection.cursor() as cursor:
            # not the account's row: an import takes minutes, and its owner must be able to log in and out
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [MAKING, by.pk])
        drafts = Campaign.objects.filter(
            state=Campaign.State.DRAFT, created_at__gt=Now() - DOUBLE_CLICK
        )
        if made := drafts.filter(**asked).first():
            return made
        campaign = Campaign.objects.create(**asked)
        Membership.objects.create(user=by, campaign=campaign, role=Membership.Role.MANAGER)
        Round.objects.create(campaign=campaign, kind=Round.Kind.MAIN)
        history.record_event(
            Event.Act.CAMPAIGN_MADE, by=by, campaign=campaign, about=f"dataset {dataset.pk}"
        )
    return campaign


def duplicate_campaign(*, campaign: Campaign, by: User) -> Campaign:
    """Make a draft with the plan of another campaign: same dataset, protocol, design and texts, no
    annotators."""
    plan = {key: getattr(campaign, key) for key in PLANNED}
    longest = Campaign._meta.get_field("title").max_length or 0
    plan["title"] = f"Copy of {campaign.title}"[:longest]
    with transaction.atomic():
        # its parts do not change while they are copied
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        made = create_campaign(
            by=by,
            dataset=campaign.dataset,
            protocol=campaign.protocol,
            plan=plan,
            selection=campaign.selection,
        )
        if Event.objects.filter(act=Event.Act.CAMPAIGN_COPIED, campaign=made.uuid).exists():
            return made  # asked for twice at once
        plan_parts.copy_parts(campaign, made)
        history.record_event(
            Event.Act.CAMPAIGN_COPIED, by=by, campaign=made, about=f"campaign {campaign.uuid}"
        )
    return made


def change_plan(*, campaign: Campaign, plan: Mapping[str, Any]) -> None:
    """Change a draft; a locked campaign can only be amended, with a reason."""
    with transaction.atomic():
        held = _held(campaign)
        if held.state != Campaign.State.DRAFT:
            raise NotAllowedNow(
                "The plan is locked. Amend it with a reason; the report will list the change.",
                code="plan_locked",
            )
        if "protocol" in plan and plan["protocol"] != held.protocol and held.exercises.exists():
            raise NotAllowedNow(
                "Training and qualification items go by this protocol. Remove them first.",
                code="exercises_exist",
            )
        if (
            "protocol" in plan
            and plan["protocol"] != held.protocol
            and held.rounds.trials().exists()
        ):
            raise NotAllowedNow(
                "Rounds of this draft were judged by its protocol. Write what changes as decisions of the guideline, "
                "or duplicate the campaign to judge by another protocol.",
                code="rounds_judged",
            )
        if "quality" in plan:
            plan = {
                **plan,
                "checked": quality_plan_from_document(plan["quality"]).has_checks,
            }
        _set(
            held,
            {
                key: plan[key]
                for key in (*PLANNED, "protocol", "selection", "checked")
                if key in plan
            },
        )


def set_quality(*, campaign: Campaign, plan: QualityPlan) -> None:
    """Replace the quality plan of a draft."""
    check_bounds(plan, BOUNDS)
    change_plan(campaign=campaign, plan={"quality": quality_plan_to_document(plan)})


def amend_field(
    *, campaign: Campaign, what: str, value: Any, reason: str, by: User, now: datetime
) -> Deviation:
    """Change a field that may change after the lock, and store who changed it, when, from what to
    what, and why. A text that changes loses its translations."""
    if what not in AMENDABLE:
        raise NotAllowedNow(f"{what} is fixed once the plan is locked.", code="plan_locked")
    value = _clean_value(what, value)
    with transaction.atomic():
        held = _held(campaign)
        if held.state == Campaign.State.DRAFT:
            raise NotAllowedNow("Nothing is locked yet: change the plan itself.", code="not_locked")
        before = getattr(held, what)
        rewritten = (
            {"translated_texts": campaign_texts.drop_translations(held, what)}
            if what in campaign_texts.TRANSLATED
            else {}
        )
        _set(held, {what: value} | rewritten)
        history.record_event(
            Event.Act.DEVIATED, by=by, campaign=held, about=what, before=before, after=value
        )
        return Deviation.objects.create(
            campaign=held,
            what=what,
            before=str(before),
            after=str(value),
            reason=reason,
            made_by=by,
            made_at=now,
        )


def note_lacks(*, campaign: Campaign, lacks: Sequence[str], by: User, now: datetime) -> None:
    """Record as a deviation what a campaign lacks when its manager opens it nevertheless."""
    if not lacks:
        return
    what, missing = "the campaign was opened without", ", ".join(lacks)
    history.record_event(Event.Act.DEVIATED, by=by, campaign=campaign, about=what, after=missing)
    Deviation.objects.create(
        campaign=campaign,
        what=what,
        after=missing,
        reason="Its manager was asked, and confirmed.",
        made_by=by,
        made_at=now,
    )


def _clean_value(what: str, value: Any) -> Any:
    """Return the new value of a column of a campaign; raise InvalidInput if it cannot have it."""
    column = cast("Field[Any, Any]", Campaign._meta.get_field(what))
    try:
        return column.clean(value, None)
    except ValidationError as wrong:
        raise InvalidInput(" ".join(wrong.messages), field="value") from None


def lock_plan(
    *, campaign: Campaign, now: datetime, by: User | None = None, secret: str = ""
) -> None:
    """Fix the plan and its hash; from here on every change is a deviation. Refreshes
    `campaign`.

    The orders are drawn from a secret that is made here, unless a pilot has needed it before; a
    simulation may be given one, so that it can be repeated.
    """
    with transaction.atomic():
        held = _held(campaign)
        # no file is added meanwhile
        Dataset.objects.select_for_update(no_key=True).get(pk=held.dataset_id)
        if held.state == Campaign.State.DRAFT and (misfit := authorships.check_plan(held)):
            raise NotAllowedNow(misfit, code="plan_misfit")
        draws.keep_secret(campaign=held, given=secret)
        for each in held.rounds.trials().running():
            rounds.close_round(round=each, now=now)
        locked_plan = plan_document(held) | _fixed_selection(held)
        try:  # at most one task per unit; once it is locked the plan could not be corrected
            judged = selections.judged_units(held)
            own = judged.filter(question_set__source__dataset=held.dataset_id)
            rounds.check_assignments(own.count() * held.annotators_per_task)
            if held.origin != Campaign.Origin.IMPORTED:  # imported campaigns show no pages
                rounds.check_round_pages(held, own)
                held.state = Campaign.State.LOCKED  # what is judged is read as it was fixed above
                plan_parts.check_parts(held)
        except rounds.NothingToJudge as refused:
            raise NotAllowedNow(str(refused), code=refused.code) from None
        locked_plan |= _reproduced(held, locked_plan)
        fixed = {"locked_plan": locked_plan, "locked_digest": hash_plan(locked_plan)}
        move_campaign(campaign=campaign, to=Campaign.State.LOCKED, now=now, by=by, **fixed)


def _reproduced(campaign: Campaign, locked_plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan's entry on the study it reproduces; raise NotAllowedNow if parts that a
    reproduction keeps were changed."""
    first = campaign.reproduces
    if first is None:
        return {}
    imported = first.origin == Campaign.Origin.IMPORTED
    standing = plan_document(first)
    if chosen := locked_plans.read_locked_plan(first)["selection"]:
        standing["selection"] = chosen
    if others := fixed_parts.find_changed_parts(standing, locked_plan, imported=imported):
        raise NotAllowedNow(
            f"A reproduction must repeat the plan of its study. Changed: {', '.join(others)}. "
            "Restore them, or duplicate the study to plan another one.",
            code="reproduction_differs",
        )
    shared = fixed_parts.hash_fixed_parts(locked_plan, imported=imported)
    return {"reproduces": {"protocol": first.locked_digest, "shared": shared}}


def hash_plan(locked_plan: Mapping[str, Any]) -> str:
    """Return a plan's hash."""
    return hashlib.sha256(
        json.dumps(locked_plan, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()


def _fixed_selection(campaign: Campaign) -> dict[str, Any]:
    """Store which part of the dataset is judged, once; `move` refuses to lock a second time."""
    try:
        return selections.fix(campaign) if campaign.state == Campaign.State.DRAFT else {}
    except CannotChoose as refused:
        raise NotAllowedNow(
            f"The selection of what is judged no longer fits the dataset: {refused}",
            code=refused.code,
        ) from None


def plan_document(campaign: Campaign) -> dict[str, Any]:
    """Return the plan from which later changes deviate; for a dataset of several files, it
    contains the hash of each.

    Imported ratings have no draws and no checks, because nothing was drawn here.
    """

    def said(*names: str) -> dict[str, Any]:
        return {name: given for name in names if (given := getattr(campaign, name))}

    files = campaign.dataset.added_files.standing().order_by("number")
    hashes = list(files.values_list("file__sha256", flat=True))
    agreed = discussions.current_decisions(campaign)
    document = {
        "protocol": {
            "key": campaign.protocol.key,
            "version": campaign.protocol.version,
            "digest": campaign.protocol.digest,
        },
        "dataset": {
            "name": campaign.dataset.name,
            "file_sha256": campaign.dataset.file_sha256,
            **({"files": hashes} if len(hashes) > 1 else {}),
        },
        "design": {
            "annotators_per_task": campaign.annotators_per_task,
            "order": campaign.order,
            "lease_minutes": campaign.lease_minutes,
            "review_before_submit": campaign.review_before_submit,
            **said("tasks_per_annotator", "fixed_language", "fixed_view"),
            **said("review_is_optional", "highlight_keywords"),
        },
        "texts": {
            "introduction": campaign.introduction,
            "consent": campaign.consent,
            "contact": campaign.contact,
            **said("pay", "ethics", "withdrawal", "translated_texts"),
            **said("retention_days", "analysis_plan", "sample_reason"),
            **({"decisions": {"version": agreed.number, "text": agreed.text}} if agreed else {}),
        },
        **said("hypotheses"),
        **plan_parts.part_documents(campaign),
    }
    if campaign.origin != Campaign.Origin.IMPORTED:
        document |= {"draws": draws.commitment(campaign)} | _quality_of(campaign)
    return document


def _quality_of(campaign: Campaign) -> dict[str, Any]:
    """Return the protocol's entries on checks, flags, exclusion and the rate of pay, with every
    threshold's current value."""
    plan = {"quality": quality_plan_to_document(quality_plan_from_document(campaign.quality))}
    return plan | ({"rate": campaign.rate} if campaign.rate else {})


def move_campaign(
    *, campaign: Campaign, to: str, now: datetime, by: User | None = None, **columns: Any
) -> None:
    """Take a campaign to its next state, if the table of moves allows it; refreshes `campaign`."""
    with transaction.atomic():
        held = _held(campaign)
        if (held.state, to) == (Campaign.State.DRAFT, Campaign.State.OPEN):
            raise NotAllowedNow(
                "Lock the plan of the draft before you open it.", code="campaign_state"
            )
        if to not in Campaign.MOVES[Campaign.State(held.state)]:
            raise NotAllowedNow(
                f"A campaign that is {held.get_state_display()} cannot become {Campaign.State(to).label}.",
                code="campaign_state",
            )
        again = to == Campaign.State.OPEN and held.state != Campaign.State.LOCKED
        if again and (refused := OPENED_ONCE.get(held.origin)):
            raise NotAllowedNow(refused, code="campaign_state")
        if (
            held.secret_revealed_at
            and to != Campaign.State.ARCHIVED
            and held.state == Campaign.State.CLOSED
        ):
            raise NotAllowedNow(
                "The secret of the draws is revealed: anyone who knows it can name the systems. Plan another campaign.",
                code="draws_revealed",
            )
        if to == Campaign.State.OPEN:
            draws.keep_secret(campaign=held)
        if held.state == Campaign.State.DRAFT:
            columns["locked_at"] = now
        if to == Campaign.State.OPEN:
            columns["closed_at"] = None
        elif to == Campaign.State.CLOSED:
            # back from the archive it keeps its closing date, so that no account is erased later
            columns["closed_at"] = held.closed_at or now
        _set(held, {"state": to, **columns})
        after = f"{to}, plan {columns['locked_digest']}" if "locked_digest" in columns else to
        history.record_event(
            Event.Act(f"campaign.{to}"), by=by, campaign=held, before=held.state, after=after
        )
        webhooks.note_state(campaign=held, state=to)
    campaign.refresh_from_db()


def open_campaign(
    *,
    campaign: Campaign,
    now: datetime,
    by: User | None = None,
    progress: TellProgress = ignore_progress,
) -> None:
    """Open a campaign to its annotators; the first time, the main round's tasks and places are
    made."""
    with transaction.atomic():
        move_campaign(campaign=campaign, to=Campaign.State.OPEN, now=now, by=by)
        main = campaign.rounds.get(kind=Round.Kind.MAIN)
        if main.opened_at is None:
            rounds.open_round(round=main, now=now, progress=progress)
        else:
            rounds.reopen(round=main)
        if campaign.checked:
            own, _new = Round.objects.get_or_create(
                campaign=campaign, kind=Round.Kind.CHECKS, defaults={"opened_at": now}
            )
            rounds.reopen(round=own)
        # no annotator can join a simulated copy, and a dry run's user need not be the draft's maker
        if campaign.origin != Campaign.Origin.SIMULATED and not rounds.keeps_use(campaign):
            raise NotAllowedNow(rounds.USE_ENDED, code="use_ended")


def close_campaign(*, campaign: Campaign, now: datetime, by: User | None = None) -> None:
    """Close a campaign and its rounds; submitted tasks stay, and a task still held can be submitted
    as an extra."""
    with transaction.atomic():
        move_campaign(campaign=campaign, to=Campaign.State.CLOSED, now=now, by=by)
        for each in campaign.rounds.filter(opened_at__isnull=False, closed_at__isnull=True):
            rounds.close_round(round=each, now=now)


def discard_draft(
    *, campaign: Campaign, by: User | None = None, progress: TellProgress = ignore_progress
) -> None:
    """Delete a draft that no annotator has joined, with its links and roles."""
    with transaction.atomic():
        held = _held(campaign)
        if held.state != Campaign.State.DRAFT:
            raise NotAllowedNow(
                "Only a draft can be deleted. Close the campaign and archive it.",
                code="not_a_draft",
            )
        if held.enrollments.exists():
            raise NotAllowedNow(
                "Annotators have joined this draft already, so it cannot be deleted.",
                code="annotators_joined",
            )
        try:
            remove_campaign(campaign=held, by=by, progress=progress)
        except ProtectedError:
            raise NotAllowedNow(
                "This draft was analysed already, so it cannot be deleted.", code="already_analysed"
            ) from None


def remove_campaign(
    *, campaign: Campaign, by: User | None = None, progress: TellProgress = ignore_progress
) -> None:
    """Remove a campaign that no annotator joined or judged in, with its links and roles; the caller
    holds its lock. The job that removes it stays, and only the user who asked for it owns it.

    Raises
    ------
    ProtectedError
        If other rows, such as an analysis, refer to it.
    """
    with transaction.atomic():
        bulk.check_at_once()
        campaign.exercises.all().delete()
        bulk.delete_rows(*laid_out(campaign), progress=progress)
        plan_parts.discard_parts(campaign)
        campaign.rounds.all().delete()
        campaign.deviations.all().delete()
        jobs.delete_campaign_jobs(campaign)
        history.record_event(
            Event.Act.CAMPAIGN_DISCARDED, by=by, campaign=campaign, before=campaign.state
        )
        campaign.delete()


def laid_out(*campaigns: Campaign) -> tuple[QuerySet[Any], ...]:
    """Return the tasks and places of campaigns and the rows that refer to them, in the order in
    which they can be deleted."""
    check_tasks: Any = Task._meta.get_field("check_task").related_model
    own, of_tasks = {"round__campaign__in": campaigns}, {"task__round__campaign__in": campaigns}
    return (
        Assignment.objects.filter(**own),
        TaskUnit.objects.filter(**of_tasks),
        check_tasks.objects.filter(**of_tasks),
        BarredTask.objects.filter(**of_tasks),
        Task.objects.filter(**own),
    )


def is_slow_to_remove(*campaigns: Campaign) -> bool:
    """Return whether removing campaigns takes too long for a page, so that a job does it."""
    return sum(rows.count() for rows in laid_out(*campaigns)) > LARGE


def is_slow_to_open(campaign: Campaign) -> bool:
    """Return whether opening a campaign lays out so many places that a job does it."""
    if not campaign.rounds.filter(kind=Round.Kind.MAIN, opened_at__isnull=True).exists():
        return False
    sets = QuestionSet.objects.filter(source__dataset=campaign.dataset).count()
    questions = Unit.objects.filter(
        question_set__source__dataset=campaign.dataset, position__isnull=False
    ).count()
    of_sets = campaign.protocol.task != Protocol.Task.UNIT
    tasks = sets if of_sets else questions / campaign.protocol.page_size
    places = tasks * campaign.annotators_per_task
    return sets > LARGE_LAYOUT_SETS or max(questions, places) > LARGE_LAYOUT_PLACES


def follows_draft(campaign: Campaign) -> bool:
    """Return whether a campaign is the copy of a dry run, so that its people are those of its
    draft."""
    return DryRun.objects.filter(campaign=campaign, draft__isnull=False).exists()


def check_own_people(campaign: Campaign) -> None:
    """Raise NotAllowedNow for a dry run's copy: its roles and links cannot be changed, because its
    people are those of the draft."""
    if follows_draft(campaign):
        raise NotAllowedNow(
            "This is a copy of a dry run: simulated annotators judge in it, and its people are those "
            "of the draft. Give and take roles there, and make links there.",
            code="dry_run_copy",
        )


def create_invitation(
    *, campaign: Campaign, by: User, places: int = 1, **columns: Any
) -> Invitation:
    """Make a link by which `places` annotators can join; the same request within `DOUBLE_CLICK`
    returns the first link."""
    check_own_people(campaign)
    asked = {"campaign": campaign, "created_by": by, "places": places, **columns}
    with transaction.atomic():
        _held(campaign)
        recent = Invitation.objects.filter(
            revoked_at__isnull=True, created_at__gt=Now() - DOUBLE_CLICK
        )
        if link := recent.filter(**asked).first():
            return link
        link = Invitation(**asked)
        link.digest = token_digest(link.end_of_link())
        link.save()
        until = f", until {link.expires_at:%Y-%m-%d %H:%M} UTC" if link.expires_at else ""
        history.record_event(
            Event.Act.LINK_MADE,
            by=by,
            campaign=campaign,
            about=invitation_name(link),
            after=f"for {places}{until}",
        )
    return link


def invitation_name(link: Invitation) -> str:
    """Return the name of a link for events: not its label, which may name a person."""
    return f"link {link.pk}"


def revoke_invitation(*, invitation: Invitation, now: datetime, by: User | None = None) -> None:
    """Revoke a link; annotators who joined by it stay."""
    with transaction.atomic():
        if Invitation.objects.filter(pk=invitation.pk, revoked_at__isnull=True).update(
            revoked_at=now
        ):
            history.record_event(
                Event.Act.LINK_REVOKED,
                by=by,
                campaign=invitation.campaign,
                about=invitation_name(invitation),
            )


def add_member(*, campaign: Campaign, user: User, role: str, by: User | None = None) -> Membership:
    """Give an account a role; roles that see judgments need an account with a password, which shows
    whose it is. Such a role in a draft applies to its dry runs too."""
    check_own_people(campaign)
    if role != Membership.Role.ANNOTATOR and not user.has_usable_password():
        raise NotAllowedNow(
            "Managers and analysts need an account with a password of their own.",
            code="account_required",
        )
    if role == Membership.Role.ANNOTATOR and judged_the_first(campaign, user):
        raise NotAllowedNow(
            "They judged or adjudicated in a study that this one reproduces.",
            code="took_part_before",
        )
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # as declining does
        is_named = role == Membership.Role.ANNOTATOR and by != user
        if is_named and declined_users(campaign).filter(pk=user.pk).exists():
            raise NotAllowedNow(
                "They declined to judge in this study. Send them a link, by which they can still join.",
                code="declined",
            )
        member, new = Membership.objects.get_or_create(campaign=campaign, user=user, role=role)
        if new:
            if role != Membership.Role.ANNOTATOR:
                copies = Campaign.objects.filter(dry_run__draft=campaign)
                Membership.objects.bulk_create(
                    (Membership(campaign=copy, user=user, role=role) for copy in copies),
                    ignore_conflicts=True,
                )
            history.record_event(
                Event.Act.ROLE_GIVEN,
                by=by,
                campaign=campaign,
                about=history.account_name(user),
                after=role,
            )
    return member


def declined_users(campaign: Campaign) -> QuerySet[User]:
    """Return the users who declined to judge in a campaign after a manager had named them."""
    told = Event.objects.filter(act=Event.Act.DECLINED, campaign=campaign.uuid)
    return User.objects.filter(pk__in=told.values("who"))


def judged_the_first(campaign: Campaign, user: User) -> bool:
    """Return whether a user judged, or was named adjudicator, in the study that a campaign
    reproduces or in one that this reproduces in turn."""
    earlier, first = [], campaign.reproduces
    while first is not None:
        earlier.append(first)
        first = first.reproduces
    if not earlier:
        return False
    # the history also has adjudicators who were replaced later
    named = Event.objects.filter(
        act=Event.Act.ADJUDICATOR_NAMED,
        campaign__in=[each.uuid for each in earlier],
        about=history.account_name(user),
    )
    return user.enrollments.filter(campaign__in=earlier).exists() or named.exists()


def remove_member(*, campaign: Campaign, user: User, role: str, by: User | None = None) -> None:
    """Take a role away; a campaign keeps at least one manager. A user who is left with no role, or
    with the annotator's only, is no longer adjudicator until named again."""
    check_own_people(campaign)
    with transaction.atomic():
        _held(campaign)
        managers = Membership.objects.filter(
            campaign=campaign, role=Membership.Role.MANAGER, user__is_active=True
        )
        if role == Membership.Role.MANAGER and managers.exclude(user=user).count() == 0:
            raise NotAllowedNow(
                "A campaign keeps at least one manager who may log in.", code="last_manager"
            )
        gone, _of = Membership.objects.filter(campaign=campaign, user=user, role=role).delete()
        # dry runs show the same dataset and plan: users who leave a study leave its copies, even if
        # they were given another role there
        in_copies = Membership.objects.filter(campaign__dry_run__draft=campaign, user=user)
        staff = campaign.memberships.filter(user=user).exclude(role=Membership.Role.ANNOTATOR)
        (in_copies.filter(role=role) if staff.exists() else in_copies).delete()
        if role != Membership.Role.ANNOTATOR and not staff.exists():
            own = Q(pk=campaign.pk) | Q(dry_run__draft=campaign)
            for adjudicated in Campaign.objects.filter(own, adjudication__adjudicator=user):
                adjudicated.adjudication.delete()
        if gone:
            history.record_event(
                Event.Act.ROLE_TAKEN,
                by=by,
                campaign=campaign,
                about=history.account_name(user),
                before=role,
            )


def _held(campaign: Campaign) -> Campaign:
    return Campaign.objects.select_for_update().get(pk=campaign.pk)


def _set(campaign: Campaign, columns: Mapping[str, Any]) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(**columns)
