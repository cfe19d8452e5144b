"""A collection's counts: when they are kept, and when they are counted again."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.actions import collection_snapshots, fit, jobs
from judging.models import CollectionSnapshot, Metric, Score, Unit
from tests import factories

pytestmark = pytest.mark.django_db
COUNTED = ("judging_question", "judging_unit", "judging_score")  # what grows with a collection


@pytest.fixture
def material(monkeypatch):
    monkeypatch.setattr(collection_snapshots, "LARGE", -1)
    return factories.collection(sources=2, systems=("Alba", "Brisa"))


def statements_of(look):
    with CaptureQueriesContext(connection) as asked:
        look()
    return " ".join(each["sql"] for each in asked.captured_queries)


def scored(material, name="bleu"):
    metric = Metric.objects.create(
        collection=material, name=name, kind="imported", fingerprint=name
    )
    units = Unit.objects.filter(question_set__source__collection=material)
    Score.objects.bulk_create(Score(metric=metric, unit=each, value=1.0) for each in units)
    return metric


def test_large_collection_is_counted_once_for_all_who_look(material):
    scored(material)
    looks = [
        lambda: collection_snapshots.of(material),
        lambda: collection_snapshots.systems(material),
        lambda: collection_snapshots.metrics(material),
        lambda: fit.facts(material),
    ]
    first = [look() for look in looks]

    for look, before in zip(looks, first, strict=True):
        said = statements_of(look)
        assert not [table for table in COUNTED if f'"{table}"' in said or f" {table} " in said]
        assert look() == before


def test_small_collection_is_counted_each_time_and_nothing_is_kept():
    material = factories.collection(sources=1, systems=("Alba",))

    assert collection_snapshots.of(material).questions == 1
    assert collection_snapshots.systems(material)[0].returned == 1
    assert not CollectionSnapshot.objects.exists()


def test_new_metric_has_a_large_collection_counted_again(material):
    assert collection_snapshots.metrics(material) == []

    scored(material)

    assert [each.score_count for each in collection_snapshots.metrics(material)] == [8]


def test_ended_job_has_a_large_collection_counted_again(material):
    metric = scored(material)
    collection_snapshots.metrics(material)
    Score.objects.filter(metric=metric).first().delete()
    assert [each.score_count for each in collection_snapshots.metrics(material)] == [8]
    asked = jobs.enqueue(
        kind="analysis.scores", parameters={}, by=material.owner, collection=material
    )

    jobs.finish(job=jobs.claim(job_id=asked.pk), result={})

    assert [each.score_count for each in collection_snapshots.metrics(material)] == [7]


def test_forgotten_counts_are_counted_again(material):
    metric = scored(material)
    collection_snapshots.metrics(material)
    Score.objects.filter(metric=metric).delete()

    collection_snapshots.forget(material)

    assert [each.score_count for each in collection_snapshots.metrics(material)] == [0]


def test_totals_of_several_collections_take_as_many_statements_as_of_one(
    material, django_assert_num_queries
):
    others = [factories.collection(sources=1, owner=material.owner) for _ in range(3)]
    collection_snapshots.totals([material, *others])

    for asked, questions in (([material], [4]), ([material, *others], [4, 2, 2, 2])):
        with django_assert_num_queries(2):
            found = collection_snapshots.totals(asked)
        assert [found[each.pk].questions for each in asked] == questions


def test_facts_of_a_draft_about_all_of_a_large_collection_are_kept(material):
    campaign = factories.campaign(collection=material, manager=material.owner)

    assert fit.of_draft(campaign).questions == 4
    assert CollectionSnapshot.objects.get().document["facts"]["sources"] == 2
