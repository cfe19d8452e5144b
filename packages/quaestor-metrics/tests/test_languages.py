"""QG-Bench's eight languages: the same question reaches the top of each scale, another one stays
below, or it is told why a metric has no recipe."""

import unicodedata
from math import isfinite
from types import SimpleNamespace

import pytest

from quaestor_metrics import MetricResult, MoverScore
from quaestor_metrics import _registry as registry
from quaestor_metrics._contract import (
    Need,
    NotForLanguage,
    Preparation,
    ScoredQuestion,
    ScoredSet,
    ScoredSystem,
    ScoredUnit,
    Status,
    recipe_fingerprint,
)
from quaestor_metrics._degradations import knows_noise
from quaestor_metrics._languages import UNSPACED, default_preparation
from quaestor_metrics._preparation import not_for, preparation_step, separates_words
from quaestor_metrics._question_types import knows_types
from quaestor_metrics._scoring import score_items
from quaestor_metrics._segmentation import sudachi, sudachi_version

# a question, another one with words in common, and one that shares nothing
QUESTIONS = {
    "en": (
        "In which year was the old bridge built?",
        "Who paid for the old bridge?",
        "Why do swans sing?",
    ),
    "de": (
        "In welchem Jahr wurde die alte Brücke gebaut?",
        "Wer hat die alte Brücke bezahlt?",
        "Warum singen Vögel?",
    ),
    "es": (
        "¿En qué año se construyó el puente viejo?",
        "¿Quién pagó el puente viejo?",
        "¿Por qué cantan las aves?",
    ),
    "fr": (
        "En quelle année a-t-on bâti le vieux pont ?",
        "Qui a payé le vieux pont ?",
        "Pourquoi chantent-elles ?",
    ),
    "it": (
        "In che anno fu costruito il ponte vecchio?",
        "Chi pagò il ponte vecchio?",
        "Perché cantano gli uccelli?",
    ),
    "ru": ("В каком году построили старый мост?", "Кто оплатил старый мост?", "Почему поют птицы?"),
    "ja": (
        "古い橋はいつ建てられましたか？",
        "古い橋は誰が払いましたか？",
        "鳥はなぜ歌うのでしょう",
    ),
    "ko": (
        "그 오래된 다리는 몇 년에 지어졌습니까?",
        "그 오래된 다리는 누가 지불했습니까?",
        "새들이 노래하는 이유",
    ),
}
LONG = " ".join(f"w{i % 977}" for i in range(10_000))
# One language with spaces between words and one without stand for all in the short form.
LANGUAGES = [
    pytest.param(each, marks=() if each in ("en", "ja") else pytest.mark.long) for each in QUESTIONS
]
OF_WORDS = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l")


def prepared(language: str) -> Preparation:
    return Preparation(*[default_preparation(language)] * 2)


@pytest.mark.parametrize("language", QUESTIONS)
@pytest.mark.parametrize("id", OF_WORDS)
def test_the_same_question_is_at_the_top_and_another_below(language: str, id: str) -> None:
    question, near, far = QUESTIONS[language]
    batch = [ScoredQuestion(text, (question,)) for text in (question, near, far)]
    same, some, none = (
        result.value
        for result in score_items(
            registry.get(id), batch, preparation=prepared(language), language=language
        )
    )
    assert same == pytest.approx(1, abs=1e-8)
    assert same > some >= none
    assert none < 0.5


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "entry", [entry for entry in registry.list_metrics() if entry.usable], ids=lambda one: one.id
)
def test_every_metric_scores_the_language_or_says_why_not(
    language: str, entry: registry.RegisteredMetric
) -> None:
    question, near, _ = QUESTIONS[language]
    metric = entry.metric
    assert metric is not None
    asked = [
        ScoredQuestion(text, (question,), f"{question} {near}", "1790") for text in (question, near)
    ]
    items = {
        ScoredUnit.SET: [
            ScoredSet(
                (each.hypothesis,),
                each.references,
                ("1790",),
            )
            for each in asked
        ],
        ScoredUnit.SYSTEM: [ScoredSystem((each,)) for each in asked],
    }.get(metric.spec.unit, asked)
    try:
        found = score_items(metric, items, preparation=prepared(language), language=language)
    except NotForLanguage as reason:
        assert "not for this language" in str(reason)
        assert language != "en"
        assert not_for(metric.spec, language)
        return
    if lacking := [result.reason for result in found if result.value is None]:
        # a local model may not know the letters of a language: it says so, question by question
        assert all("not for this language" in reason for reason in lacking)
        return
    if Need.REFS in metric.spec.needs and not entry.id.startswith(
        ("cardinality", "nist", "corpus_nist")
    ):
        values = [result.value for result in found]
        if metric.spec.unit is not ScoredUnit.SET or entry.id in registry.PRINTED:
            assert values[0] > values[1]
            if isfinite(metric.spec.range[1]):  # METEOR takes a thousandth off the same question
                assert values[0] >= 0.99 * metric.spec.range[1]


def test_what_knows_english_words_alone_says_so() -> None:
    for id in ("meteor", "answerability", "q_bleu_1", "type_ratio", "answer_consistency_f1"):
        spec = registry.get(id).spec
        assert not_for(spec, "en-GB") == ""
        assert (
            not_for(spec, "ja") == "not for this language: it knows English, the texts are Japanese"
        )
    assert knows_types("en") and not knows_types("de")
    assert knows_noise("en-US") and not knows_noise("ko")


def test_meteor_runs_as_english_only_where_that_is_asked() -> None:
    spec = registry.get("meteor").spec
    assert not_for(spec, "de")
    assert not not_for(spec, "de", as_english=True)


@pytest.mark.parametrize("steps", ["raw", "nqg", "nfc+nqg", "ptb", "lower"])
def test_a_preparation_without_segmentation_is_refused_for_japanese(steps: str) -> None:
    question = QUESTIONS["ja"][0]
    with pytest.raises(
        NotForLanguage, match="Japanese has no spaces between words; choose one that segments"
    ):
        score_items(
            registry.get("bleu_1"),
            [ScoredQuestion(question, (question,))],
            preparation=Preparation(steps, steps),
            language="ja",
        )


def test_every_language_without_spaces_has_a_default_that_segments() -> None:
    assert all(separates_words(default_preparation(language)) for language in UNSPACED)
    assert not any(
        separates_words(default_preparation(language))
        for language in ("en", "de", "ko", "ru", "ar")
    )


def test_characters_part_ideographs_and_keep_words_and_marks() -> None:
    characters = preparation_step("characters")
    assert characters("NASAは2014年に?") == "nasa は 2014 年 に ?"
    assert characters("ไฟ้า") == "ไ ฟ้ า"  # a tone mark stays on its letter
    assert characters("Wer war's 👩‍🔬?") == "wer war ' s 👩‍🔬 ?"
    assert characters("") == ""


@pytest.mark.parametrize("language", ["de", "ko", "fr"])
def test_one_unicode_form_makes_the_same_letters_the_same(language: str) -> None:
    question = QUESTIONS[language][0]
    apart = unicodedata.normalize("NFD", question)
    assert apart != question
    one = [ScoredQuestion(apart, (question,))]
    (formed,) = score_items(
        registry.get("bleu_4"), one, preparation=prepared(language), language=language
    )
    (unformed,) = score_items(
        registry.get("bleu_4"), one, preparation=Preparation("nqg", "nqg"), language=language
    )
    assert formed.value == pytest.approx(1, abs=1e-8)
    assert unformed.value < 0.9


def test_full_width_signs_are_the_same_in_nfkc() -> None:
    assert (
        preparation_step("nfkc+characters")("ＮＡＳＡは？")
        == preparation_step("nfkc+characters")("NASAは?")
        == "nasa は ?"
    )


def test_a_preparation_does_not_reach_what_tokenises_by_itself() -> None:
    for id in ("sacrebleu", "chrf", "bertscore", "moverscore"):
        spec = registry.get(id).spec
        plain = recipe_fingerprint(spec, {}, Preparation("raw", "raw"))
        assert recipe_fingerprint(spec, {}, Preparation("nqg", "nqg")) == plain
        assert recipe_fingerprint(spec, {}, Preparation("nfc+nqg", "nfc+nqg")) != plain


def test_memory_of_a_program_is_no_part_of_a_recipe() -> None:
    spec = registry.get("meteor").spec
    raw = Preparation("raw", "raw")
    assert recipe_fingerprint(spec, {"memory": "2G", "timeout": 9}, raw) == recipe_fingerprint(
        spec, {}, raw
    )
    assert recipe_fingerprint(spec, {"as_english": True}, raw) != recipe_fingerprint(spec, {}, raw)


def test_texts_a_model_does_not_know_have_no_likeness() -> None:
    np = pytest.importorskip("numpy")
    from quaestor_metrics._encoder import Encoded

    def text(unknown: int) -> Encoded:
        return Encoded(
            ("[CLS]",) + ("x",) * 8 + ("[SEP]",),
            np.ones((10, 2)),
            np.array([True] + [False] * 8 + [True]),
            False,
            unknown,
        )

    def result(hypothesis: Encoded, reference: Encoded) -> MetricResult:
        return MoverScore()._result(hypothesis, reference, {})

    assert result(text(0), text(0)).value == pytest.approx(1)
    assert "of the question" in result(text(8), text(0)).reason
    assert "of the reference" in result(text(0), text(1)).reason


def test_mover_score_of_the_same_text_is_at_the_top_whatever_the_model_rounds() -> None:
    import numpy as np

    from quaestor_metrics._encoder import Encoded
    from quaestor_metrics._moverscore import mover_score

    vectors = np.random.default_rng(5).normal(size=(6, 384)).astype("float32")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) * np.float32(1.00001)
    text = Encoded(tuple("abcdef"), vectors, np.zeros(6, dtype=bool), False)
    assert mover_score(text, text) == pytest.approx(1, abs=1e-6)


def test_a_value_outside_the_declared_range_is_a_failure_and_a_hair_over_it_is_its_end() -> None:
    from quaestor_metrics._contract import MetricResult, MetricSpec

    metric = SimpleNamespace(
        spec=MetricSpec(id="odd", name="Odd", version="1", unit=ScoredUnit.MULTI_REF),
        available=lambda: (True, ""),
        score=lambda batch, params: [MetricResult(value) for value in (1 + 1e-9, 42.0, -0.2)],
    )
    top, over, under = score_items(metric, [ScoredQuestion("a", ("b",))] * 3)
    assert top.value == 1.0
    assert over.reason == "the value 42 is outside the metric's range 0 to 1"
    assert under.value is None


@pytest.mark.skipif(
    not sudachi_version(), reason="sudachi is not installed (python3 run.py extras japanese)"
)
def test_japanese_words_are_sudachis() -> None:
    assert sudachi("古い橋はいつ建てられましたか？").split()[:3] == ["古い", "橋", "は"]


@pytest.mark.parametrize(
    "id", ["bleu_1", "bleu_4", "rouge_l", "nist", "f_bleu_1", "corpus_bleu_4", "self_bleu_2"]
)
def test_what_a_preparation_leaves_nothing_of_is_told_and_breaks_nothing(id: str) -> None:
    metric = registry.get(id)
    questions = [
        ScoredQuestion("Who?", ("?",)),
        ScoredQuestion("Who built it?", ("Who built it?", "?!")),
        ScoredQuestion("?", ("Who?",)),
    ]
    items = {
        ScoredUnit.SET: [ScoredSet((one.hypothesis,), one.references) for one in questions],
        ScoredUnit.SYSTEM: [ScoredSystem(tuple(questions))],
    }.get(metric.spec.unit, questions)
    found = score_items(metric, items, preparation=Preparation("ptb", "ptb"))
    if metric.spec.unit is ScoredUnit.MULTI_REF:
        assert found[0].reason == "nothing is left of the reference once it is prepared"
        assert found[1].value > 0
        assert found[2].value == 0
    else:
        assert not [result for result in found if result.status is Status.FAILED]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "text",
    [
        "👩‍🔬 wer war es?",
        "e\u0301 a\u0300 und ü",
        "日本 and русский 한국 ไทย?",
        " ".join(f"w{i % 977}" for i in range(10_000)),
    ],
    ids=["emoji", "marks", "scripts", "long"],
)
def test_odd_texts_score_as_themselves(text: str, language: str) -> None:
    for id in ("bleu_1", "rouge_l"):
        (result,) = score_items(
            registry.get(id),
            [ScoredQuestion(text, (text,))],
            preparation=prepared(language),
            language=language,
        )
        assert result.value == pytest.approx(1, abs=1e-6)
