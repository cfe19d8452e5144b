"""A site with one of each kind of result, and the addresses that show them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from django.urls import URLResolver, get_resolver, reverse
from django.utils import timezone

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis.evidence.actions import examples
from analysis.models import Result
from analysis.planning.actions import planning
from analysis.planning.api.documents import DOCUMENTS
from analysis.published.actions import repeatability, reproductions
from analysis.scoring.actions import tuning
from analysis.sections import SECTIONS
from judging.campaigns.actions import campaigns, clones, rounds
from judging.campaigns.models.campaign import Campaign, Task
from judging.datasets.models.dataset import Dataset, Reference, Unit
from judging.enrolments.actions import enrollments
from judging.jobs import storage
from judging.jobs.models.job import Job
from judging.people.models.user import User
from tests import factories
from tests.analysis import studies
from tests.analysis.scoring.actions.test_tuning import ASKED, tunable
from tests.analysis.scoring.views import test_matching
from tests.annotation import studies as annotated
from tests.judging import trials
from tests.judging.imports.crowd import Crowd
from tests.judging.programs import API, program
from tests.judging.workers import varied, work
from tests.working import carry_out

# What the parts of addresses stand for, by the segment before them
Values: TypeAlias = Mapping[str, Iterable[Any]]
POWER = {
    "variances": "qgeval/fluency",
    "difference": 0.5,
    "annotators": 1,
    "power": 0.6,
    "level": 0.05,
    "comparisons": 1,
}
SCORED = {"metrics": ["bleu_1", "rouge_l"], "prepare_hypothesis": "raw", "prepare_reference": "raw"}
PART = re.compile(r"<(?:\w+:)?(\w+)>")
# Values of parts that are the same everywhere, by name
SAME = {
    "name": ["light"],
    "ending": ["csv", "json", "pdf", "png", "svg", "tex", "zip"],
    "piece": ["agreement"],
    "kind": ["csv", "jsonl"],
}


@dataclass(frozen=True)
class Route:
    """A form of addresses, and the app whose views answer."""

    name: str
    form: str
    app: str


@dataclass(frozen=True)
class Page:
    """An address of the site, and a user who may read it."""

    user: User
    name: str
    address: str


def done(job: Job) -> Job:
    """Do a job as a worker does."""
    done = carry_out(job)
    assert (done.state, done.error) == ("done", "")
    return done


def asked(response: Any) -> None:
    """Do the job that a response of the REST API names."""
    assert response.status_code == 202, response.content
    done(Job.objects.get(pk=response.json()["id"]))


def analysed() -> Campaign:
    """Return a campaign with computed scores, two runs, a power analysis and a kept example."""
    campaign = studies.imported()
    first = Unit.objects.filter(question_set__source__dataset=campaign.dataset).order_by("pk")[0]
    examples.keep_example(
        campaign=campaign, unit=first.pk, note="", by=campaign.created_by, now=timezone.now()
    )
    api, path = program(campaign.created_by), f"{API}/datasets/{campaign.dataset_id}/scoring/"
    for address in (f"{path}estimate/", path):
        asked(api.post(address, SCORED))
    for _ in range(2):
        studies.analysed(campaign)
    done(
        planning.start_planning(
            campaign=campaign, by=campaign.created_by, settings=planning.PowerSettings(**POWER)
        )
    )
    return campaign


def tuned() -> Campaign:
    """Return a campaign with a tuned metric."""
    campaign = tunable()
    done(
        tuning.start_tuning(
            campaign=campaign, by=campaign.created_by, settings=tuning.TuningSettings(**ASKED)
        )
    )
    return campaign


def tried() -> tuple[Campaign, Campaign]:
    """Return a draft with a finished calibration round, and the copy of its dry run."""
    campaign = factories.campaign(dataset=factories.dataset(sources=8))
    body = {"gap": 30, "question": 5, "severity": 10, "noise": 10, "seed": 3}
    api = program(campaign.created_by)
    asked(api.post(f"{API}/campaigns/{campaign.uuid}/dry-runs/", body))
    people = [enrollments.enroll(campaign=campaign, user=factories.user()) for _ in range(2)]
    round = trials.begun(campaign)
    for value, person in enumerate(people, 2):
        trials.judged(person, round, lambda text, key, value=value: 1 + (len(text + key) % value))
    rounds.end_round(round=round, by=campaign.created_by, now=trials.NOW)
    address = reverse("analysis:calibration", args=[campaign.uuid, round.pk])
    factories.logged_in(campaign.created_by).get(address)
    done(campaign.jobs.get(kind="analysis.calibration"))
    return campaign, campaign.dry_runs.get().campaign


def repeated() -> tuple[Campaign, Campaign]:
    """Return a judged campaign, and its reproduction with their comparison."""
    first = judged(factories.campaign(annotators_per_task=1))
    second = clones.clone_study(campaign=first, by=first.created_by)
    second = judged(second)
    done(repeatability.start_comparison(campaign=second, by=second.created_by))
    return first, second


def judged(draft: Campaign) -> Campaign:
    """Open a campaign, have one annotator judge all of it, and close it."""
    now = timezone.now()
    campaigns.lock_plan(campaign=draft, now=now)
    campaigns.open_campaign(campaign=draft, now=now)
    work(factories.enrollment(draft), tasks=100, choose=varied)
    campaigns.close_campaign(campaign=draft, now=now)
    return draft


def published() -> Campaign:
    """Return a published study, reproduced from its released files."""
    crowd = Crowd(batches=2, hits=1)
    texts = {"metrics.csv": crowd.metrics()}
    texts |= {f"batch_{number}.csv": batch for number, batch in enumerate(crowd.batches)}
    files = [
        reproductions.ReleasedFile(name, storage.store_bytes(text.encode()))
        for name, text in texts.items()
    ]
    found = reproductions.reproduce_study(
        key="qgbench", files=files, by=factories.researcher(), now=timezone.now()
    )
    return found.campaign


def matched() -> Dataset:
    """Return a dataset with a matching of questions and references, and a degraded copy."""
    dataset = factories.dataset(expected=2)
    source = dataset.sources.get(key="s1")
    for place, text in enumerate(test_matching.REFERENCES, 1):
        Reference.objects.create(source=source, position=place, text=text)
    test_matching.matched(dataset, test_matching.column(dataset))
    path = f"{API}/datasets/{dataset.pk}/degraded-copies/"
    systems = [dataset.systems.get(name="Alba").pk]
    asked(program(dataset.owner).post(path, {"systems": systems, "noise": ["entities"]}))
    return dataset


def of_dataset(dataset: Dataset) -> Values:
    """Return what the parts of a dataset's addresses stand for."""
    matchings = dataset.jobs.done("analysis.matching")
    return {
        "datasets": [dataset.pk],
        "degraded-copies": [job.pk for job in dataset.jobs.done("analysis.degrade")],
        "files": [file.number for file in dataset.added_files.all()[:1]],
        "items": [dataset.sources.order_by("pk")[0].pk],
        "metrics": dataset.metrics.values_list("pk", flat=True)[:1],
        "matching": [job.pk for job in matchings],
        "name": [name for job in matchings for name in job.result["figures"]],
    }


def of_campaign(campaign: Campaign) -> Values:
    """Return what the parts of a campaign's addresses stand for."""
    jobs = {kind: list(campaign.jobs.done(kind)) for kind in (planning.KIND, tuning.KIND)}
    figures = Result.objects.filter(run__campaign=campaign, file__isnull=False)
    enrollments_made = campaign.enrollments.order_by("pk")[:1]
    return (
        of_dataset(campaign.dataset)
        | {
            "campaigns": [campaign.uuid],
            "annotators": [each.pk for each in enrollments_made],
            "documents": list(DOCUMENTS),
            "dry-runs": [each.campaign.uuid for each in campaign.dry_runs.all()],
            "enrolments": [each.pk for each in enrollments_made],
            "examples": examples.load_examples(campaign).values_list("pk", flat=True),
            "export": ["csv", "jsonl", "judgments"],
            "figures": [  # of pages, which name the ink, and of the API
                name
                for key in figures.values_list("key", flat=True)[:1]
                for name in (key.removeprefix("figure-"), key.split("-")[1])
            ],
            "jobs": campaign.jobs.values_list("pk", flat=True),
            "planning": [job.pk for job in jobs[planning.KIND]],
            "power-analyses": [job.pk for job in jobs[planning.KIND]],
            "protocols": [campaign.protocol_id],
            "rounds": campaign.rounds.values_list("pk", flat=True),
            "runs": campaign.runs.order_by("pk").values_list("number", flat=True)[:1],
            "sections": [section.key for section in SECTIONS],
            "tables": [section.key for section in SECTIONS if section.leads],
            "tasks": Task.objects.filter(round__campaign=campaign).values_list("pk", flat=True)[:1],
            "tunings": [job.pk for job in jobs[tuning.KIND]],
        }
    )


def routes() -> Iterator[Route]:
    """Yield each form of address that the site answers to."""

    def found(patterns: list[Any], before: str, space: str) -> Iterator[Route]:
        for each in patterns:
            form = before + str(each.pattern)
            if isinstance(each, URLResolver):
                space_inside = f"{each.namespace}:" if each.namespace else space
                yield from found(each.url_patterns, form, space_inside)
            else:
                view = getattr(each.callback, "cls", each.callback)
                yield Route(f"{space}{each.name}", form, view.__module__.partition(".")[0])

    yield from found(get_resolver().url_patterns, "", "")


def filled(form: str, values: Values) -> Iterator[str]:
    """Yield the addresses of a form, with all values that its parts can have."""
    segments, choices = form.split("/"), []
    for place, segment in enumerate(segments):
        named = PART.findall(segment)
        before = "/".join(segments[max(place - 2, 0) : place])
        last = before.rpartition("/")[2]
        if segment.startswith("<"):
            first = named.pop(0)
            choices.append(values.get(before) or values.get(last) or values_of(first, values))
        choices += [values_of(name, values) for name in named]
    for chosen in product(*choices):
        parts = iter(chosen)
        yield "/" + PART.sub(lambda _part: str(next(parts)), form)  # noqa: B023


def values_of(name: str, values: Values) -> Iterable[Any]:
    """Return the values of a part that no segment before it decides."""
    return values.get(name) or SAME.get(name, ())


def pages_of(user: User, values: Values, *, app: str = "") -> Iterator[Page]:
    """Yield the addresses with parts that a user may read, of one app or of all."""
    for route in routes():
        if PART.search(route.form) and app in ("", route.app):
            for address in filled(route.form, values):
                yield Page(user, route.name, address)


def pages() -> Iterator[Page]:
    """Populate the site, and yield the addresses that show something of it."""
    administrator = User.objects.create_superuser("administrator")
    for route in routes():
        if not PART.search(route.form):
            yield Page(administrator, route.name, f"/{route.form}")
    yield from pages_of(administrator, {"accounts": [administrator.pk]})

    opened = annotated.opened(consent="")
    annotator = factories.enrollment(opened)
    held = annotated.held(annotator)
    own = {
        "work": [opened.uuid],
        "tasks": [held.pk],
        "annotate/campaigns": [opened.uuid],
        "annotate/tasks": [held.pk],
    }
    yield from pages_of(User.objects.get(pk=annotator.user_id), own)

    judged = analysed()
    yield from pages_of(judged.created_by, of_campaign(judged))
    yield from comparisons(judged)
    dataset = matched()
    yield from pages_of(dataset.owner, of_dataset(dataset), app="analysis")
    for campaign in (opened, tuned(), *tried(), *repeated(), published()):
        yield from pages_of(campaign.created_by, of_campaign(campaign), app="analysis")


def comparisons(campaign: Campaign) -> Iterator[Page]:
    """Yield the page that compares two metrics, without and with the recipes nearest to them."""
    first, second = campaign.dataset.metrics.order_by("pk")[:2]
    name = "analysis:metrics_compare"
    address = reverse(name, args=[campaign.dataset_id])
    asked = f"{address}?first={first.pk}&second={second.pk}"
    yield Page(campaign.created_by, name, asked)
    yield Page(campaign.created_by, name, f"{asked}&recipes=quick")
