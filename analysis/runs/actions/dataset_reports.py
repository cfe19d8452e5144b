"""A report on ratings or means that were imported with a dataset, without any judging here."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from analysis.models import Run
from analysis.runs.actions import runs
from analysis.scoring.actions.scores import core_metrics
from judging.base.refusals import Refused
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset, Reference
from judging.datasets.models.score import Metric
from judging.formats.vocabulary import criterion_of_mean
from judging.imports.actions import fit, rated_campaigns
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol

SEED = 1


class NothingToAnalyse(Refused):
    """The dataset has neither ratings nor means that a protocol fits; the message says what is
    missing."""

    code = "nothing_to_analyse"


def start_dataset_report(
    *, dataset: Dataset, protocols: Iterable[Protocol], by: User, now: datetime
) -> Run:
    """Create a queued job for a report with the default settings. The caller notifies workers.

    `protocols`: the protocols from which one is chosen for imported means.

    Raises
    ------
    NothingToAnalyse
        If the dataset has neither ratings nor means.
    """
    with transaction.atomic():
        campaign = imported_campaign(dataset) or _of_means(dataset, protocols, by, now)
        referenced = Reference.objects.filter(source__dataset=dataset).exists()
        metrics = core_metrics(dataset) if referenced else []
        return runs.start_run(campaign=campaign, by=by, seed=SEED, parameters={"metrics": metrics})


def imported_campaign(dataset: Dataset) -> Campaign | None:
    """Return the campaign with the dataset's imported ratings, the one with most annotators if
    there are several."""
    imported = dataset.campaigns.filter(origin=Campaign.Origin.IMPORTED, enrollments__isnull=False)
    return imported.order_by("-annotators_per_task", "pk").first()


def _of_means(dataset: Dataset, protocols: Iterable[Protocol], by: User, now: datetime) -> Campaign:
    columns = [metric.name for metric in dataset.metrics.filter(kind=Metric.Kind.HUMAN_MEAN)]
    if not columns:
        raise NothingToAnalyse(
            "The dataset has no ratings and no means of ratings. Add a file that has them."
        )
    names = [criterion_of_mean(name) for name in columns]
    protocol = fit.find_fitting_protocol(protocols, {name: {} for name in names})
    if protocol is None:
        named = ", ".join(f"“{name}”" for name in columns[:5])
        raise NothingToAnalyse(
            f"No protocol has the criteria {named}. Make one under Protocols, or rename the columns."
        )
    title = f"{dataset.name}: means as imported"
    return rated_campaigns.campaign_of_means(
        dataset=dataset, protocol=protocol, title=title, by=by, now=now
    )
