"""An imported column is recognised by its recipe; details of scores are kept and told per
column."""

import pytest
from django.urls import reverse

from analysis.scoring.actions import fitting, scores
from analysis.scoring.actions.scores import ChosenMetric
from judging.datasets.models.dataset import Question, Reference
from judging.datasets.models.score import Metric, Score
from quaestor_metrics import Preparation
from quaestor_metrics._contract import RAW
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset():
    made = factories.dataset(sources=4, expected=2)
    for source in made.sources.all():
        Reference.objects.create(
            source=source, position=1, text=f"Who built lock {source.position}, and when?"
        )
    return made


def computed(made, id, preparation, **params):
    scores.compute_scores(
        made, chosen=[ChosenMetric(id, params)], preparation=preparation, step=lambda *_: None
    )
    return Metric.objects.get(made__id=id)


def imported(made, source, scale=1.0, change=0.0):
    column = Metric.objects.create(
        dataset=made, name="Paper", kind="imported", fingerprint="f" * 64, made={}
    )
    rows = Score.objects.filter(metric=source).values_list("unit", "value")
    Score.objects.bulk_create(
        Score(metric=column, unit_id=unit, value=value * scale + change) for unit, value in rows
    )
    return column


def test_the_recipe_behind_a_column_comes_first(dataset, monkeypatch):
    column = imported(dataset, computed(dataset, "bleu_2", Preparation("nqg", "raw")), scale=100)
    first, *_ = fitting.nearest_recipes(dataset, column).best
    assert (first.id, first.hypothesis, first.reference) == ("bleu_2", "nqg", "raw")
    assert first.is_it and first.divided
    assert first.n == 16
    one = len(Question.objects.order_by("unit")[0].text) + len("Who built lock 1, and when?")
    monkeypatch.setattr(fitting, "MAX_DOCUMENT_CHARACTERS", 5 * one)
    assert 3 <= fitting.nearest_recipes(dataset, column).best[0].n <= 5
    monkeypatch.setattr(fitting, "MAX_DOCUMENT_CHARACTERS", one)
    assert fitting.nearest_recipes(dataset, column) is None


def test_a_column_of_another_program_has_no_recipe(dataset):
    column = imported(dataset, computed(dataset, "rouge_l", RAW), change=0.013)
    assert not any(fit.is_it for fit in fitting.nearest_recipes(dataset, column).best)


def test_the_page_names_the_recipe(client, dataset):
    own = computed(dataset, "rouge_l", Preparation("nqg", "nqg"))
    column = imported(dataset, own)
    client.force_login(dataset.owner)
    address = reverse("analysis:metrics_compare", args=[dataset.pk])
    compared = {"first": own.pk, "second": column.pk}
    page = client.get(address, compared).text
    assert "<code>rouge_l</code>" not in page
    page = client.get(address, compared | {"recipes": "quick"}).text
    assert "<code>rouge_l</code>" in page


def test_meteor_and_bertscore_are_recognised_where_they_run(dataset, model):
    for params in ({"part": "f1"}, {"part": "recall"}):
        column = imported(dataset, computed(dataset, "bertscore", RAW, **params))
        first, *_ = fitting.nearest_recipes(dataset, column, slow=True).best
        assert (first.id, first.setting, first.is_it) == (
            "bertscore",
            f"part={params['part']}",
            True,
        )
        Metric.objects.all().delete()


def test_details_are_kept_and_told_per_column(client, dataset):
    Question.objects.filter(unit__position=1).update(text="who built it")
    Reference.objects.update(text="who built the lock")
    column = computed(dataset, "answerability", RAW)
    details = set(
        Score.objects.filter(metric=column).values_list("unit__position", "detail__cased")
    )
    assert details == {(1, False), (2, True)}
    client.force_login(dataset.owner)
    page = client.get(reverse("analysis:metrics", args=[dataset.pk])).content.decode()
    assert "8 without capitals, so entities are not told" in page
