"""Judged campaigns for tests of analyses: ratings stored straight, as an import stores them."""

import re
from typing import Any

from django.test import Client
from django.utils import timezone

from analysis.models import Run
from analysis.runs.actions import runs
from analysis.sections import FURTHER
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.formats.mapping import mapping_from
from judging.imports.actions import adding
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol
from tests import factories

SYSTEMS = {"Alba": 3, "Brisa": 2, "Corvo": 1}


HEADER = ["source_id", "passage", "answer", "system", "question", "reference", "meteor"]
RATINGS = ["grammaticality@A1", "correctness@A1", "grammaticality@A2", "correctness@A2"]


def csv_of(sources: int = 6) -> bytes:
    """Return a small study as CSV: three systems, two annotators, a metric that follows
    correctness."""
    rows = [",".join(HEADER + RATINGS)]
    for number in range(sources):
        for place, (system, quality) in enumerate(SYSTEMS.items()):
            reference = f"Who built lock {number}?"
            question = {3: reference, 2: f"Who is it lock {number}?", 1: "What?"}[quality]
            passage = f"Lock {number} was built by Ada Lind in {1700 + number}."
            other = min(3, max(1, quality + (number + place) % 2))
            meteor = quality / 4 + number / 100
            cells = (
                number,
                passage,
                "Ada Lind",
                system,
                question,
                reference,
                meteor,
                3,
                quality,
                3 - number % 2,
                other,
            )
            rows.append(",".join(map(str, cells)))
    return "\n".join(rows).encode()


def analysed(campaign: Campaign, **parameters: object) -> Run:
    """Analyse a campaign as the worker does, and return the run."""
    run = runs.start_run(
        campaign=campaign,
        by=campaign.created_by,
        seed=1,
        parameters={"resamples": 100, "further": list(FURTHER), **parameters},
    )
    job = jobs.claim_job(job_id=run.job_id)
    assert job is not None
    jobs.finish_job(job=job, result=runs.execute_run(run=run, work=jobs.Work(job, worker="test")))
    return Run.objects.get(pk=run.pk)


def whole_report(client: Client, address: str) -> str:
    """Return the page of a report and behind it the pages of sections that show one of their tables
    at a time."""
    page = client.get(address).text
    sections = dict.fromkeys(re.findall(r'href="([^"]+/sections/[^"]+)"', page))
    return page + "".join(client.get(each).text for each in sections)


def imported(
    *, by: User | None = None, sources: int = 6, protocol: Protocol | None = None
) -> Campaign:
    """Return the closed campaign that the small study becomes."""
    return campaign_of(csv_of(sources), by=by, protocol=protocol)


def campaign_of(
    data: bytes,
    *,
    by: User | None = None,
    protocol: Protocol | None = None,
    name: str = "locks.csv",
    **mapping: Any,
) -> Campaign:
    """Return the closed campaign that a file becomes, read as proposed where no mapping is given."""
    made = adding.import_file(
        file=storage.store_bytes(data),
        file_name=name,
        name="Locks",
        by=by or factories.researcher(),
        now=timezone.now(),
        mapping=mapping_from(mapping),
        protocols=Protocol.objects.none(),
        protocol=protocol or factories.protocol(),
        again=True,
        accept_surprises=True,
    )
    assert made.campaign is not None
    return made.campaign


def exclude(enrollment: Enrollment, *, by: User) -> None:
    """Leave an annotator out of analyses."""
    Exclusion.objects.create(
        enrollment=enrollment, reason="slept", excluded_by=by, excluded_at=timezone.now()
    )
