"""A dataset may hold sources in several languages."""

import json

import pytest
from django.urls import reverse

from analysis.actions import scores
from analysis.actions.scores import ChosenMetric
from analysis.metrics.contract import Preparation
from judging.actions import exports
from judging.imports.actions import adding
from judging.imports.formats.long import write_long_csv
from judging.imports.readers.registry import sniff
from judging.models import Collection, Score
from tests import shared_data
from tests.judging.imports.accepting import accepted, proposed
from tests.judging.imports.studies import assembled
from tests.judging.views.importing import added_by, at, imported, mapped, sent

pytestmark = pytest.mark.django_db
TEXTS = {
    "en": ("The old mill stands by the river.", "Where is the old mill today?"),
    "zh": ("谁建造了这座古老的磨坊？", "谁建造了这座古老的磨坊？"),
    "ar": ("بُنِيَ القفل (NASA) في عام 1794.", "متى بُنِيَ القفل؟"),
}


def rows(column="language", names=None):
    return [
        {
            "passage": passage,
            "system": "Alba",
            column: (names or {}).get(tag, tag),
            "question": question,
            "reference": question,
        }
        for tag, (passage, question) in TEXTS.items()
    ]


def jsonl(found):
    return "\n".join(json.dumps(row) for row in found).encode()


def languages(study):
    return [source.language for source in study.sources]


def test_a_column_names_the_language_of_each_source():
    data = shared_data.path("cases/13-mixed-languages/96.csv").read_bytes()

    assert set(languages(accepted(data, "96.csv"))) == {"en", "ja", "zh"}


@pytest.mark.parametrize(
    ("column", "names"),
    [
        ("lang", {"zh": "zh_Hans"}),
        ("locale", {"en": "en-GB"}),
        ("Language", {"ar": "Arabic", "zh": "Chinese", "en": "English"}),
    ],
)
def test_tags_may_be_written_in_several_ways(column, names):
    study = accepted(jsonl(rows(column, names)), "a.jsonl")

    expected = [names.get(tag, tag).replace("_", "-") for tag in TEXTS]
    short = {"Arabic": "ar", "Chinese": "zh", "English": "en"}
    assert languages(study) == [short.get(tag, tag) for tag in expected]


def test_a_language_that_is_no_tag_is_told_and_left_out():
    study = accepted(jsonl(rows(names={"zh": "row two"})), "a.jsonl")

    assert languages(study) == ["en", "", "ar"]
    assert "no language tag" in study.problems[0].reason


@pytest.mark.long
def test_mixed_scripts_without_a_column_are_told(page):
    without = [{key: value for key, value in row.items() if key != "language"} for row in rows()]
    upload = sent(page, jsonl(without), "a.jsonl")

    assert "The scripts of the questions are mixed" in page.get(at("columns", upload)).text
    with_column = sent(page, jsonl(rows()), "b.jsonl")
    assert "are mixed" not in page.get(at("columns", with_column)).text


def test_texts_carry_the_language_of_their_source(page):
    upload = sent(page, jsonl(rows()), "a.jsonl")
    mapped(page, upload)
    shown = page.get(at("preview", upload)).text
    assert 'dir="auto" lang="ar"' in shown
    assert 'lang="zh"' in shown
    added_by(page, upload)

    collection = Collection.objects.get()
    assert list(collection.sources.values_list("language", flat=True)) == list(TEXTS)
    for source in collection.sources.all():
        address = reverse("analysis:collection_item", args=[collection.pk, source.pk])
        assert f'lang="{source.language}"' in page.get(address).text


@pytest.mark.long
def test_exports_hold_the_language_of_each_source(page):
    imported(page, sent(page, jsonl(rows()), "a.jsonl"))

    text = write_long_csv(exports.material_of(collection=Collection.objects.get()))

    assert languages(sniff("a.csv", text.encode()).read(text.encode())) == list(TEXTS)


@pytest.mark.long
def test_metrics_use_the_language_of_each_source(page):
    imported(page, sent(page, jsonl(rows()), "a.jsonl", language="en"))
    collection = Collection.objects.get()
    chosen = [ChosenMetric("bleu_4", {})]

    computed = scores.compute(
        collection, chosen=chosen, preparation=Preparation("raw", "raw"), step=lambda *_: None
    )

    found = Score.objects.order_by("unit__question_set__source__position")
    assert not computed.failures
    assert [each.value is not None for each in found] == [True, False, True]
    assert "Chinese has no spaces between words" in found[1].reason


def test_a_further_file_fills_the_language_of_a_source():
    collection = assembled()
    text = "passage,answer,lang\nHerons wade at dawn.,at dawn,de\n"
    added = adding.upload(
        collection=collection,
        name="languages.csv",
        file=adding.storage.keep(text.encode()),
        by=collection.owner,
    )
    plan = adding.Plan(format="csv", columns=proposed(text.encode()))
    adding.decide(added=added, plan=plan)

    joined = adding.examine(added=added)

    assert len(joined.fills) == 1
