"""An imported column is recognised by its recipe; details of scores are kept and told per
column."""

import pytest
from django.urls import reverse

from analysis.actions import fitting, scores
from analysis.actions.scores import ChosenMetric
from analysis.metrics import registry
from analysis.metrics.contract import RAW, Preparation
from judging.models import Metric, Question, Reference, Score
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    made = factories.collection(sources=4, expected=2)
    for source in made.sources.all():
        Reference.objects.create(
            source=source, position=1, text=f"Who built lock {source.position}, and when?"
        )
    return made


def computed(made, id, preparation, **params):
    scores.compute(
        made, chosen=[ChosenMetric(id, params)], preparation=preparation, step=lambda *_: None
    )
    return Metric.objects.get(made__id=id)


def imported(made, source, scale=1.0, change=0.0):
    column = Metric.objects.create(
        collection=made, name="Paper", kind="imported", fingerprint="f" * 64, made={}
    )
    rows = Score.objects.filter(metric=source).values_list("unit", "value")
    Score.objects.bulk_create(
        Score(metric=column, unit_id=unit, value=value * scale + change) for unit, value in rows
    )
    return column


def test_the_recipe_behind_a_column_comes_first(collection, monkeypatch):
    column = imported(
        collection, computed(collection, "bleu_2", Preparation("nqg", "raw")), scale=100
    )
    first, *_ = fitting.fits(collection, column).best
    assert (first.id, first.hypothesis, first.reference) == ("bleu_2", "nqg", "raw")
    assert first.is_it and first.divided
    assert first.n == 16
    one = len(Question.objects.order_by("unit")[0].text) + len("Who built lock 1, and when?")
    monkeypatch.setattr(fitting, "MAX_DOCUMENT_CHARACTERS", 5 * one)
    assert 3 <= fitting.fits(collection, column).best[0].n <= 5
    monkeypatch.setattr(fitting, "MAX_DOCUMENT_CHARACTERS", one)
    assert fitting.fits(collection, column) is None


def test_a_column_of_another_program_has_no_recipe(collection):
    column = imported(collection, computed(collection, "rouge_l", RAW), change=0.013)
    assert not any(fit.is_it for fit in fitting.fits(collection, column).best)


def test_the_page_names_the_recipe(client, collection):
    own = computed(collection, "rouge_l", Preparation("nqg", "nqg"))
    column = imported(collection, own)
    client.force_login(collection.owner)
    address = reverse("analysis:metrics_compare", args=[collection.pk])
    compared = {"first": own.pk, "second": column.pk}
    page = client.get(address, compared).text
    assert "Find the recipe of the imported column" in page
    assert "Recipes nearest to Paper" not in page
    page = client.get(address, compared | {"recipes": "quick"}).text
    assert "Find the recipe" not in page
    assert "Recipes nearest to Paper" in page
    assert "this is it" in page
    assert "<code>rouge_l</code>" in page


def test_what_takes_longer_is_tried_on_request_or_said_to_be_missing(
    client, collection, monkeypatch
):
    own = computed(collection, "rouge_l", RAW)
    column = imported(collection, own)
    client.force_login(collection.owner)
    address = reverse("analysis:metrics_compare", args=[collection.pk])
    given = {"first": own.pk, "second": column.pk, "recipes": "quick"}
    monkeypatch.delenv("QUAESTOR_METRIC_MODEL", raising=False)
    told = client.get(address, given).content.decode()
    assert "BERTScore was not tried:" in told
    assert "not installed" in told or "QUAESTOR_METRIC_MODEL" in told
    # a metric that runs everywhere in the place of the slow ones
    monkeypatch.setattr(fitting, "SLOW", (("bleu_3", {}),))
    monkeypatch.setattr(fitting, "QUICK", ("bleu_1",))
    told = client.get(address, given).content.decode()
    name = registry.get("bleu_3").spec.name
    assert f"{name} was not tried: it takes longer." in " ".join(told.split())
    assert "recipes=all" in told
    assert "<code>bleu_3</code>" not in told
    told = client.get(address, given | {"recipes": "all"}).content.decode()
    assert "<code>bleu_3</code>" in told
    assert "was not tried" not in told


def test_meteor_and_bertscore_are_recognised_where_they_run(collection, model):
    for params in ({"part": "f1"}, {"part": "recall"}):
        column = imported(collection, computed(collection, "bertscore", RAW, **params))
        first, *_ = fitting.fits(collection, column, slow=True).best
        assert (first.id, first.setting, first.is_it) == (
            "bertscore",
            f"part={params['part']}",
            True,
        )
        Metric.objects.all().delete()


def test_details_are_kept_and_told_per_column(client, collection):
    Question.objects.filter(unit__position=1).update(text="who built it")
    Reference.objects.update(text="who built the lock")
    column = computed(collection, "answerability", RAW)
    details = set(
        Score.objects.filter(metric=column).values_list("unit__position", "detail__cased")
    )
    assert details == {(1, False), (2, True)}
    client.force_login(collection.owner)
    page = client.get(reverse("analysis:metrics", args=[collection.pk])).content.decode()
    assert "8 without capitals, so entities are not told" in page


def test_imported_column_beside_itself_is_fitted_once(client, collection):
    column = imported(collection, computed(collection, "rouge_l", RAW))
    client.force_login(collection.owner)
    address = reverse("analysis:metrics_compare", args=[collection.pk])
    asked = {"first": column.pk, "second": column.pk, "recipes": "quick"}
    assert client.get(address, asked).text.count("Recipes nearest to Paper") == 1


def test_column_without_references_says_that_no_recipe_fits(client, collection):
    column = imported(collection, computed(collection, "rouge_l", RAW))
    Reference.objects.all().delete()
    client.force_login(collection.owner)
    address = reverse("analysis:metrics_compare", args=[collection.pk])
    asked = {"first": column.pk, "second": column.pk, "recipes": "quick"}
    assert "it needs questions with references" in client.get(address, asked).text
