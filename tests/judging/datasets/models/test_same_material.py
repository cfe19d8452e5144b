"""Which datasets are of the same dataset: copies, and datasets of one file."""

import pytest

from judging.campaigns.actions import dataset_uses
from judging.campaigns.guards import judges_now
from judging.datasets.actions import datasets
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.same_content import datasets_with_same_content
from judging.people.actions import history
from judging.people.models.event import Event
from tests import factories
from tests.judging.imports import studies

pytestmark = pytest.mark.django_db
OTHERS = """\
passage,answer,system,question
The bell rings at noon.,at noon,Alba,When does the bell ring?
The bell rings at noon.,at noon,Brisa,What rings?
"""


def copy_of(dataset: Dataset) -> Dataset:
    """Return a copy, as degrading makes one, without what it degrades."""
    about = datasets.dataset_name(dataset)
    how = {"of": {"dataset": str(dataset.pk)}}
    made = factories.dataset(owner=dataset.owner, mapping={"degraded": how})
    history.record_event(Event.Act.DATASET_DEGRADED, about=about, after=datasets.dataset_name(made))
    return made


def same(*group: Dataset) -> bool:
    """Say whether each of the datasets finds just these."""
    return all(
        datasets_with_same_content(each.pk) == {other.pk for other in group} for each in group
    )


def test_copies_of_copies_and_datasets_of_one_file_are_the_datasets_with_same_content() -> None:
    first, again = studies.assembled(), studies.assembled()
    copies = copy_of(first), copy_of(again)
    assert same(first, again, *copies, copy_of(copies[0]))


def test_two_files_stay_two_materials_beside_a_dataset_that_holds_both() -> None:
    one, other, pooled = studies.assembled(), studies.assembled(OTHERS), studies.assembled()
    studies.add(pooled, OTHERS)
    assert datasets_with_same_content(pooled.pk) == {one.pk, other.pk, pooled.pk}
    assert datasets_with_same_content(one.pk) == {one.pk, pooled.pk}
    assert datasets_with_same_content(other.pk) == {other.pk, pooled.pk}


def test_two_files_stay_two_materials_when_a_copy_that_joined_them_is_deleted() -> None:
    one, other, between = studies.assembled(), studies.assembled(OTHERS), studies.assembled()
    joined = copy_of(between)
    studies.add(joined, OTHERS)
    gone = between.pk, joined.pk
    for each in (joined, between):
        dataset_uses.delete_dataset(dataset=each)
    assert datasets_with_same_content(one.pk) == {one.pk, *gone}
    assert other.pk not in datasets_with_same_content(one.pk)
    assert one.pk not in datasets_with_same_content(other.pk)


def test_who_judges_one_file_keeps_the_sight_of_another_that_somebody_pooled_with_it() -> None:
    judged, own = studies.assembled(), studies.assembled(OTHERS)
    campaign = factories.campaign(dataset=judged)
    factories.enrollment(campaign, account=own.owner)
    pooled = studies.assembled()
    studies.add(pooled, OTHERS)
    assert judges_now(own.owner, judged) and judges_now(own.owner, pooled)
    assert not judges_now(own.owner, own)
