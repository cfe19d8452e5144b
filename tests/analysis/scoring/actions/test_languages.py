"""A dataset's language reaches its metrics, its forms and its report."""

import pytest

from analysis.scoring.actions import degradations, offers, scores
from analysis.scoring.actions.degrading import WantedDegradation
from analysis.scoring.actions.scores import ChosenMetric
from analysis.scoring.forms.metrics import ScoresForm
from judging.datasets.models.dataset import Question, Reference
from judging.datasets.models.score import Metric, Score
from quaestor_metrics import Preparation
from quaestor_metrics._languages import default_preparation
from tests import factories
from tests.analysis import studies
from tests.refusing import refused

pytestmark = pytest.mark.django_db
JAPANESE = ("古い橋はいつ建てられましたか？", "古い橋は誰が払いましたか？")


def dataset(language):
    made = factories.dataset(sources=2, language=language)
    for source in made.sources.all():
        Reference.objects.create(source=source, position=1, text=JAPANESE[0])
    for unit, text in zip(
        Question.objects.filter(unit__question_set__source__dataset=made).order_by("unit"),
        JAPANESE * 2,
        strict=True,
    ):
        Question.objects.filter(pk=unit.pk).update(text=text)
    return made


def computed(made, ids, steps):
    preparation = Preparation(steps, steps)
    return scores.compute_scores(
        made, chosen=[ChosenMetric(id) for id in ids], preparation=preparation, step=lambda *_: None
    )


def test_japanese_is_segmented_and_the_recipe_says_how():
    made = dataset("ja")
    found = computed(
        made, ["bleu_4", "rouge_l", "answerability", "meteor"], default_preparation("ja")
    )
    assert set(found.failures) == {"answerability", "meteor"}
    assert found.failures["answerability"] == (
        "answerability: not for this language: it knows English, the texts are Japanese"
    )
    column = Metric.objects.get(made__id="rouge_l")
    assert column.made["preparation"] == {
        "hypothesis": "nfkc+characters",
        "reference": "nfkc+characters",
    }
    values = list(
        Score.objects.filter(metric=column).order_by("unit").values_list("value", flat=True)
    )
    assert values[0] == values[2] == pytest.approx(1)
    assert values[1] == values[3] < 0.9


def test_a_preparation_that_does_not_segment_is_no_choice_for_japanese():
    form = ScoresForm(
        {"metrics": ["bleu_1"], "prepare_hypothesis": "nqg", "prepare_reference": "nqg"},
        dataset=dataset("ja"),
    )
    assert not form.is_valid()
    assert "prepare_hypothesis" in form.errors
    assert form.fields["prepare_reference"].initial == "nfkc+characters"
    english = ScoresForm(dataset=dataset("en"))
    assert english.fields["prepare_hypothesis"].initial == "nqg"


def test_the_page_offers_what_knows_the_language():
    told = {offer.id: offer for offer in offers.list_metric_offers(dataset("ko"))}
    assert (
        told["answerability"].reason
        == "not for this language: it knows English, the texts are Korean"
    )
    assert told["type_ratio"].reason.startswith("not for this language")
    assert not told["bleu_1"].reason
    assert not [name for name in told["bleu_1"].variants if "q" in name]


def test_degradations_are_refused_where_their_words_are_not_known():
    made = dataset("ja")
    wanted = WantedDegradation(name="Worse", systems=["Alba"], noise=["entities"])
    with refused("cannot_degrade"):
        degradations.degrade_dataset(dataset=made, wanted=wanted, by=made.owner)


def test_a_report_prepares_for_its_language_and_tells_no_types():
    campaign = studies.imported()
    campaign.dataset.language = "ja"
    campaign.dataset.save()
    run = studies.analysed(campaign, metrics=["bleu_1", "answerability"])
    assert run.parameters["prepare_hypothesis"] == "nfkc+characters"
    tables = {result.key: result.document for result in run.results.all()}
    excluded = [row for row in tables["metric_definitions"] if row["kind"] == "not computed"]
    assert [(row["name"], "not for this language" in row["reason"]) for row in excluded] == [
        ("answerability", True)
    ]
    (facts, *_) = tables["text_statistics"]
    assert facts["type_who"] == facts["type_other"] == 0
    assert facts["type_share"] is None
