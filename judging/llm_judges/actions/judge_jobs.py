"""Jobs that ask an LLM judge, whose key is stored only until the job ends, and jobs that import a
judge from a large table of answers."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal
from math import inf
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from judging.base.actions import seals
from judging.base.refusals import InvalidInput, Refused, check_bounds
from judging.campaigns.models.campaign import Campaign
from judging.formats.frames import Unreadable
from judging.formats.judge_tables import JudgeAnswers
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.file import StoredFile
from judging.jobs.models.job import Job
from judging.llm_judges.actions import asking, chats, llm_judges
from judging.llm_judges.actions.asking import Estimated, Prices, QuestionsPart
from judging.llm_judges.actions.chats import CannotAsk, Chat
from judging.llm_judges.models.llm_judge import JudgeKey
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.llm_prompts import asked_criteria

KIND, ADD = jobs.WAITS_FOR_OTHERS, "judging.add_judge"
MAX_REPEATS = 20
BOUNDS = {
    "temperature": (0, 2),
    "repeats": (1, MAX_REPEATS),
    "first": (1, inf),
    "at_once": (1, inf),
}
A_BREATH = 0.5  # seconds between two checks for a cancellation


@dataclass(frozen=True, kw_only=True)
class WantedJudge:
    """Which judge is asked at which address, about what, and for how much; all but the key."""

    address: str
    model: str
    name: str
    temperature: float = 0.0
    criteria: tuple[str, ...] = ()
    repeats: int = 1
    first: int | None = None
    price_in: str = "0"
    price_out: str = "0"
    budget: str = ""
    currency: str = ""
    own_systems: tuple[str, ...] = ()
    at_once: int = 4

    @property
    def part(self) -> QuestionsPart:
        return QuestionsPart(criteria=self.criteria, repeats=self.repeats, first=self.first)

    @property
    def prices(self) -> Prices:
        budget = Decimal(self.budget) if self.budget else None
        return Prices(Decimal(self.price_in), Decimal(self.price_out), budget)

    @classmethod
    def from_job(cls, parameters: Mapping[str, Any]) -> "WantedJudge":
        """Return the judge that a job's parameters describe."""
        lists = {name: tuple(parameters[name]) for name in ("criteria", "own_systems")}
        return cls(**{**parameters, **lists})


def allowed_addresses() -> list[str]:
    """Return the addresses that the operator lets researchers ask; none by default."""
    return list(settings.JUDGE_ADDRESSES)


def newest_judge_jobs(campaign: Campaign) -> dict[str, Job]:
    """Return the newest job of each judge that was asked at an address, by the judge's name."""
    every = Job.objects.filter(kind=KIND, campaign=campaign).order_by("created_at")
    return {job.parameters["name"]: job for job in every}


def last_asked(campaign: Campaign, name: str) -> dict[str, Any]:
    """Return the parameters with which a judge was last asked, to go on with them; empty if it
    never was."""
    job = newest_judge_jobs(campaign).get(name)
    return dict(job.parameters) if job else {}


def check_wanted_judge(campaign: Campaign, wanted: WantedJudge) -> None:
    """Raise InvalidInput, or CannotAsk for an address that is not allowed, if the judge cannot be
    asked as wanted."""
    if campaign.state == Campaign.State.DRAFT:
        raise CannotAsk(
            "Lock the campaign first: a draft's protocol may still change.", code="not_locked"
        )
    if wanted.address not in allowed_addresses():
        raise CannotAsk("The operator of this site does not allow this address.", field="address")
    check_bounds(wanted, BOUNDS)
    protocol = documents.protocol_from_document(campaign.protocol.document)
    asked = {criterion.key for criterion in asked_criteria(protocol)}
    if unknown := [key for key in wanted.criteria if key not in asked]:
        raise InvalidInput(f"A judge cannot be asked about {unknown[0]}.", field="criteria")
    prices = wanted.prices
    amounts = {
        "price_in": prices.tokens_in,
        "price_out": prices.tokens_out,
        "budget": prices.budget or 0,
    }
    for field, amount in amounts.items():
        if amount < 0:
            raise InvalidInput("An amount of money is not negative.", field=field)
    if prices.budget is not None and not (prices.tokens_in or prices.tokens_out):
        raise InvalidInput("A budget needs the prices.", field="budget")
    llm_judges.check_own_systems(campaign, wanted.own_systems)


def estimate_judge_job(campaign: Campaign, wanted: WantedJudge) -> Estimated:
    """Estimate the cost of asking a judge; raise as `check_wanted`."""
    check_wanted_judge(campaign, wanted)
    return asking.estimate_asking(
        campaign=campaign, name=wanted.name, prices=wanted.prices, part=wanted.part
    )


def start_judge_job(*, campaign: Campaign, by: User, wanted: WantedJudge, key: str) -> Job:
    """Create a queued job that asks a judge. The caller notifies workers after commit.

    Raises
    ------
    CannotAsk
        If the operator does not allow the address, or this judge is being asked already.
    """
    check_wanted_judge(campaign, wanted)
    if not chats.is_key(key):
        raise InvalidInput(
            "The key is one word of printable ASCII characters without spaces and backslashes.",
            field="key",
        )
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        at_work = Job.objects.unfinished().filter(kind=KIND, campaign=campaign)
        if at_work.filter(parameters__name=wanted.name).exists():
            raise CannotAsk(f"{wanted.name} is being asked already.")
        job = jobs.enqueue(kind=KIND, parameters=asdict(wanted), by=by, campaign=campaign)
        if key:
            JudgeKey.objects.create(job=job, sealed=seals.seal_secret(key))
        history.record_event(
            Event.Act.MACHINE_JUDGE_ASKED,
            by=by,
            campaign=campaign,
            about=f"LLM judge {wanted.name}",
            after=wanted.address,
        )
    return job


def execute_judge_job(work: jobs.Work, *, check: Callable[[Job], None]) -> Mapping[str, Any]:
    """Ask the judge, an answer at a time; a job after a cancelled or dead one asks what is left.
    `check` raises CannotDo if the job may not begin or go on."""
    job = work.job
    campaign = job.campaign
    if campaign is None:
        raise jobs.CannotDo("The campaign is gone already.")
    check(job)
    wanted = WantedJudge.from_job(job.parameters)
    if wanted.address not in allowed_addresses():
        raise jobs.CannotDo("The operator of this site does not allow this address any more.")
    about = {"currency": wanted.currency, "own_systems": list(wanted.own_systems)}

    def step(done: int, total: int) -> None:
        check(job)
        work.progress(done, total, f"asking {wanted.name}")

    def wait(seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            work.again()
            time.sleep(min(left, A_BREATH))

    done = asking.ask_llm_judge(
        campaign=campaign,
        by=job.created_by,
        name=wanted.name,
        prices=wanted.prices,
        chat=Chat(
            wanted.address,
            wanted.model,
            wanted.temperature,
            key=_key(job),
            wait=wait,
            at_once=wanted.at_once,
        ),
        today=timezone.localdate(),
        part=wanted.part,
        about=about,
        step=step,
    )
    if done.stopped and not done.answered:
        raise jobs.CannotDo(f"Stopped: {done.stopped}")
    return {
        "judge": wanted.name,
        "answered": done.answered,
        "unanswered": done.unanswered,
        "left": done.left,
        "cost": str(done.cost),
        "stopped": done.stopped,
    }


def _key(job: Job) -> str:
    held = JudgeKey.objects.filter(job=job).first()
    if held is None:
        return ""
    key = seals.unseal_secret(held.sealed)
    if not key:
        raise jobs.CannotDo("The site's own key has changed; type the judge's key again.")
    return key


def start_adding(
    *, campaign: Campaign, by: User, file: StoredFile, file_name: str, about: Mapping[str, Any]
) -> Job:
    """Create a queued job that imports a judge from a large table; the caller notifies workers.
    Raise CannotTake if it cannot be imported, whatever the table contains."""
    llm_judges.check_can_add_llm_judge(campaign=campaign, about=about)
    plain = {
        name: str(value) if isinstance(value, Decimal | date) else value
        for name, value in about.items()
    }
    parameters = {"file": file.sha256, "file_name": file_name, "about": plain}
    return jobs.enqueue(kind=ADD, parameters=parameters, by=by, campaign=campaign)


def read_queued_table(work: jobs.Work) -> tuple[Campaign, StoredFile, JudgeAnswers]:
    """Read the table of a judge that is to be added; delete the file if it cannot be imported."""
    said, campaign = work.job.parameters, work.job.campaign
    file = StoredFile.objects.defer("content").filter(sha256=said["file"]).first()
    if campaign is None or file is None:
        raise jobs.CannotDo("The campaign or the file is gone already.")
    work.progress(0, 0, "Reading the table")
    try:
        found = llm_judges.read_judge_table(
            by=work.job.created_by,
            campaign=campaign,
            file=file,
            file_name=said["file_name"],
            progress=work.progress,
        )
    except Unreadable as unreadable:
        storage.release_file(file, of_job=work.job)
        raise jobs.CannotDo(str(unreadable)) from None
    except (jobs.JobCancelled, Refused):
        storage.release_file(file, of_job=work.job)
        raise
    return campaign, file, found


def store_read_judge(
    work: jobs.Work, campaign: Campaign, file: StoredFile, found: JudgeAnswers
) -> Mapping[str, Any]:
    """Store the judge of a table that was read, with its answers."""
    said = work.job.parameters
    judge = llm_judges.store_llm_judge(
        campaign=campaign,
        by=work.job.created_by,
        file=file,
        file_name=said["file_name"],
        about=said["about"],
        found=found,
    )
    return {"judge": judge.name, "answers": len(found.answers), "problems": len(found.problems)}
