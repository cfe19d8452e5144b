"""Published studies again: a released file into a closed campaign, its numbers beside those in print."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from analysis import frames
from analysis.actions.published import STUDIES, Numbers, Published
from judging import storage
from judging.actions import campaigns, imports, rubrics
from judging.formats import rubric as documents
from judging.models import Campaign, Collection, Metric, Rubric, User


class UnknownStudy(LookupError):
    """No published study goes by that name."""


@dataclass(frozen=True)
class Reproduction:
    """What came out: the campaign the file is in, and both sets of numbers under the same keys."""

    study: Published
    file_sha256: str
    campaign: Campaign
    quarantined: int
    computed: Numbers


def reproduce(*, key: str, content: bytes, name: str, by: User, now: datetime) -> Reproduction:
    """Import a released file, once for each hash, and compute what its authors published."""
    if key not in STUDIES:
        raise UnknownStudy(f"{key} is none of {', '.join(STUDIES)}")
    study = STUDIES[key]
    campaign = _campaign(study, content, name, by, now)
    read = frames.material(campaign, excluded=())
    return Reproduction(
        study=study,
        file_sha256=hashlib.sha256(content).hexdigest(),
        campaign=campaign,
        quarantined=campaign.collection.quarantine.count(),
        computed=study.computed(read),
    )


def _campaign(study: Published, content: bytes, name: str, by: User, now: datetime) -> Campaign:
    """Return the campaign this file became earlier, or import it."""
    rubric = rubrics.install(document=documents.shipped(study.rubric))
    sha256 = hashlib.sha256(content).hexdigest()
    known = Campaign.objects.filter(
        collection__owner=by, collection__file_sha256=sha256, rubric=rubric, origin=Campaign.Origin.IMPORTED
    )
    if found := known.order_by("pk").first():
        return found
    imported = imports.import_study(
        study=study.read(content), name=study.title, by=by, now=now, file=storage.keep(content), file_name=name,
        rubric=rubric, ratings_title=f"{study.title}: released ratings", again=True,
    )  # fmt: skip
    if imported.campaign is not None:
        return imported.campaign
    if not imported.collection.metrics.filter(kind=Metric.Kind.HUMAN_MEAN).exists():
        raise imports.CannotImport(["The file holds no ratings, so there is nothing to reproduce."])
    return _of_means(study, imported.collection, rubric, by, now)


def _of_means(study: Published, collection: Collection, rubric: Rubric, by: User, now: datetime) -> Campaign:
    """Return a closed campaign to stand for means whose single ratings were not released: nobody judges in it."""
    campaign = campaigns.create(
        by=by, collection=collection, rubric=rubric, plan={"title": f"{study.title}: released means"},
        origin=Campaign.Origin.IMPORTED,
    )  # fmt: skip
    campaigns.lock(campaign=campaign, now=now)
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.CLOSED, closed_at=now)
    campaign.refresh_from_db()
    return campaign
