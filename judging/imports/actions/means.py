"""Means of human ratings without the ratings: a closed campaign represents them, so that they can
be analysed."""

from datetime import datetime

from judging.imports.actions.added_ratings import campaign_of, closed_campaign
from judging.models import Campaign, Collection, Metric, Rubric, User


def means_of(collection: Collection) -> list[Metric]:
    """Return the columns of mean human scores."""
    return list(collection.metrics.filter(kind=Metric.Kind.HUMAN_MEAN))


def campaign_of_means(
    *, collection: Collection, rubric: Rubric, title: str, by: User, now: datetime
) -> Campaign:
    """Return the campaign that represents the means of a dataset; create it if there is none. No
    annotator judges in it."""
    if known := campaign_of(collection, rubric):
        return known
    plan = {"title": title, "annotators_per_task": 1}
    return closed_campaign(collection=collection, rubric=rubric, plan=plan, by=by, now=now)
