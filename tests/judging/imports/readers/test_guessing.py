"""A proposal of columns from a header."""

from collections.abc import Iterable

import pytest

from judging.imports.readers.columns import ColumnRoles, RatingColumn
from judging.imports.readers.guessing import guess
from judging.imports.readers.records import ScoreColumn


def test_guess_maps_the_header_of_the_benchmark_release() -> None:
    means = ["correctness", "grammaticality", "understandability"]
    metrics = ["Bleu_4", "METEOR", "ROUGE_L", "BERTScore", "MoverScore"]
    given = [
        "reference_raw",
        "answer_raw",
        "paragraph_raw",
        "sentence_raw",
        "reference_norm",
        "model",
    ]
    header = [*means, "prediction", *metrics, *given]
    columns = guess(header)
    assert (columns.question, columns.system, columns.passage) == (
        "prediction",
        "model",
        "paragraph_raw",
    )
    assert (columns.answer, columns.sentence) == ("answer_raw", "sentence_raw")
    assert (columns.references, columns.metadata) == (("reference_norm",), ("reference_raw",))
    assert {score.name for score in columns.scores if score.kind == "human_mean"} == set(means)
    assert [score.name for score in columns.scores if score.kind == "metric"] == metrics
    assert {score.direction for score in columns.scores} == {"higher"}


def test_guess_maps_the_header_of_the_answerability_release() -> None:
    header = (
        "Gold Question",
        "Modified Question",
        "Answerability Score User 1",
        "Answerability Score User 2",
    )
    assert guess(header) == ColumnRoles(
        question="Modified Question",
        references=("Gold Question",),
        ratings=(
            RatingColumn(
                column="Answerability Score User 1", criterion="answerability", rater="User 1"
            ),
            RatingColumn(
                column="Answerability Score User 2", criterion="answerability", rater="User 2"
            ),
        ),
        default_system="noised",
    )


def test_guess_maps_a_dataset_of_questions() -> None:
    columns = guess(("id", "title", "context", "question", "answer", "answer_start"))
    assert (columns.question, columns.passage, columns.key) == ("question", "context", "id")
    assert (columns.answer, columns.answer_start, columns.metadata) == (
        "answer",
        "answer_start",
        ("title",),
    )


def test_guess_compares_predictions_with_the_questions_beside_them() -> None:
    columns = guess(("paragraph", "question", "prediction"))
    assert (columns.question, columns.references) == ("prediction", ("question",))


def test_guess_finds_ratings_by_criterion_and_rater() -> None:
    columns = guess(("question", "fluency@J1", "fluency @ J2"))
    assert columns.ratings == (
        RatingColumn(column="fluency@J1", criterion="fluency", rater="J1"),
        RatingColumn(column="fluency @ J2", criterion="fluency", rater="J2"),
    )


def test_guess_finds_ratings_beside_a_rater_column() -> None:
    columns = guess(("question", "annotator", "fluency", "Relevance"))
    assert columns.rater == "annotator"
    assert [rating.criterion for rating in columns.ratings] == ["fluency", "relevance"]


def test_guess_finds_one_rating_to_a_row() -> None:
    columns = guess(("question", "rater", "criterion", "value", "comment"))
    assert (columns.rater, columns.criterion, columns.value) == ("rater", "criterion", "value")
    assert (columns.note, columns.scores) == ("comment", ())


def test_guess_leaves_a_criterion_without_value_among_the_rest() -> None:
    assert guess(("question", "criterion")).metadata == ("criterion",)


def test_guess_takes_a_gold_column_for_the_answer_where_its_cells_stand_in_the_passages() -> None:
    header = ("ex_no", "context", "target", "generator", "output", "bert_f1")
    rows = [
        (f"ex{number}", f"In {1900 + number} a bridge was built.", answer, system, "When?", "0.8")
        for number, answer in ((1, "1901"), (2, "1902"), (3, "1903"))
        for system in ("Alba", "Brisa")
    ]
    columns = guess(header, rows)
    assert (columns.answer, columns.references) == ("target", ())
    assert (columns.source_id, columns.system) == ("ex_no", "generator")
    assert columns.scores[0].direction == "higher"
    asked = [(*row[:2], "When was it built?", *row[3:]) for row in rows]
    assert (guess(header, asked).answer, guess(header, asked).references) == ("", ("target",))


def test_guess_takes_several_columns_of_references() -> None:
    assert guess(("question", "reference_1", "reference_2", "ref3")).references == (
        "reference_1",
        "reference_2",
        "ref3",
    )


def test_guess_looks_at_cells_for_scores_of_unknown_name() -> None:
    rows = [
        ("a", "0.25", "12", "1", "31.5"),
        ("b", "", "7", "2", "0.5"),
        ("c", "1e-3", "8", "3", "2"),
    ]
    columns = guess(("question", "magic", "tokens", "batch", "BLEU"), rows)
    assert columns.scores == (
        ScoreColumn(column="magic", name="magic"),
        ScoreColumn(column="BLEU", name="BLEU", direction="higher", scale="percent"),
    )
    assert columns.metadata == ("tokens", "batch")


def test_guess_knows_metrics_that_are_best_low() -> None:
    assert [score.direction for score in guess(("question", "TER", "perplexity")).scores] == [
        "lower",
        "lower",
    ]


@pytest.mark.parametrize(
    ("direction", "names"),
    [
        ("lower", "gpt2_ppl QG-loss CER HTER NLL levenshtein self_bleu4 word_error_rate distance"),
        ("higher", "avg_bleu QuestEval token_accuracy recall cosine ngram_precision answer_f1"),
        ("unknown", "our_metric passage_overlap length_ratio center flower"),
    ],
)
def test_guess_well_known_words_in_the_name_of_a_metric_tell_its_direction(
    direction: str, names: str
) -> None:
    header = ("question", *names.split())
    columns = guess(header, [("Who is it?", *("0.51" for _ in header[1:]))])

    assert {score.column: score.direction for score in columns.scores} == dict.fromkeys(
        names.split(), direction
    )


def test_guess_a_word_of_metrics_alone_makes_no_column_of_whole_numbers_a_metric() -> None:
    columns = guess(("question", "accuracy", "errors"), [("Who is it?", "2", "1")])

    assert (columns.scores, columns.metadata) == ((), ("accuracy", "errors"))


def test_guess_does_not_say_which_end_of_an_unclear_criterion_is_best() -> None:
    assert [score.direction for score in guess(("question", "correctness", "variety")).scores] == [
        "unknown",
        "unknown",
    ]


def test_guess_names_no_column_twice() -> None:
    header = (
        "text",
        "document",
        "question",
        "output",
        "id",
        "qid",
        "rank",
        "slot",
        "gold",
        "user",
        "score",
    )
    named = list(guess(header).named())
    assert sorted(named) == sorted(header)


@pytest.mark.parametrize(
    ("column", "criterion", "rater"),
    [
        ("fluency_ann1", "fluency", "ann1"),
        ("J1_fluency", "fluency", "J1"),
        ("Fluency 2", "fluency", "2"),
        ("answer_consistency_rating_3", "answer_consistency", "3"),
        ("quality by ear score annotator_7", "quality_by_ear", "annotator_7"),
    ],
)
def test_guess_finds_the_rater_in_a_name(column: str, criterion: str, rater: str) -> None:
    assert guess(("question", column)).ratings == (
        RatingColumn(column=column, criterion=criterion, rater=rater),
    )


def test_guess_takes_means_of_criteria_for_human_scores() -> None:
    scores = guess(("question", "fluency_mean", "avg_relevance"), [("a", "2.5", "3")]).scores
    assert [(score.name, score.kind) for score in scores] == [
        ("fluency_mean", "human_mean"),
        ("avg_relevance", "human_mean"),
    ]


def test_guess_takes_no_text_for_scores() -> None:
    columns = guess(("question", "questionType", "difficulty"), [("a", "who", "easy")])
    assert (columns.scores, columns.metadata) == ((), ("questionType", "difficulty"))


def test_guess_takes_a_lone_rating_beside_a_rater_column() -> None:
    columns = guess(("Question", "Judge", "Rating"))
    assert (columns.rater, columns.ratings) == (
        "Judge",
        (RatingColumn(column="Rating", criterion="rating"),),
    )


def test_guess_takes_an_id_that_systems_share_for_that_of_the_source() -> None:
    rows = [
        (str(n), name, f"Where does river {n} rise, {name}?")
        for n in range(8)
        for name in ("Alba", "Brisa")
    ]

    columns = guess(("id", "system", "Frage"), rows)

    assert (columns.source_id, columns.key, columns.question) == ("id", "", "Frage")


def test_guess_takes_an_id_of_every_row_for_that_of_the_question() -> None:
    rows = [
        (f"{n}{name}", name, f"Where does river {n} rise?")
        for n in range(8)
        for name in ("Alba", "Brisa")
    ]

    columns = guess(("id", "system", "Frage"), rows)

    assert (columns.source_id, columns.key, columns.question) == ("", "id", "Frage")


@pytest.mark.parametrize("name", ["item", "Nr.", "doc"])
def test_guess_takes_any_column_for_the_sources_id_whose_values_systems_share(name: str) -> None:
    rows = [
        (f"it{n}", system, f"0.{n}{len(system)}") for n in range(8) for system in ("Alba", "Brisa")
    ]

    assert guess((name, "system", "chrF"), rows).source_id == name


SENTENCES = (
    "Ida Kern built the mill in 1889.",
    "The river rises in the hills north of Vell.",
    "Two bridges lead from the island to the town.",
)
CLAUSES = ("那座磨坊建于一八八九年。", "这条河发源于北方的山中。", "两座桥通往城里。")


def crossed(values: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return rows in which two systems ask about each value."""
    return [
        (value, name, f"What is said here, {name}?")
        for value in values
        for name in ("Alba", "Brisa")
    ]


@pytest.mark.parametrize("name", ["source", "Input", "src_text", "input sentence", "doc"])
@pytest.mark.parametrize("texts", [SENTENCES, CLAUSES])
def test_guess_takes_short_texts_that_systems_share_for_passages(name: str, texts) -> None:
    header = (name, "system", "question")
    columns = guess(header, crossed(texts))
    assert (columns.passage, columns.source_id, columns.metadata) == (name, "", ())
    ids = guess(
        ("source_id", *header), [(str(n // 2), *row) for n, row in enumerate(crossed(texts))]
    )
    assert (ids.passage, ids.source_id) == (name, "source_id")
    twice = guess(header, [row for row in crossed(texts) for _ in range(2)])
    assert twice.passage == name, "of each system several questions"


def test_guess_takes_codes_in_a_column_of_sources_for_their_ids() -> None:
    columns = guess(("source", "system", "question"), crossed(("s1", "s2", "s3")))
    assert (columns.passage, columns.source_id) == ("", "source")


def test_guess_leaves_where_sources_are_from_among_the_metadata() -> None:
    origin = ["The reading tests of one year"] * 4 + ["A handbook of the same town"] * 2
    columns = guess(("source", "system", "question"), crossed(origin))
    assert (columns.passage, columns.source_id, columns.metadata) == ("", "", ("source",))


def test_guess_takes_short_texts_for_passages_where_one_system_wrote_or_each_has_a_column() -> None:
    one = [(text, f"What of {n}?") for n, text in enumerate(SENTENCES)]
    assert guess(("source", "question"), one).passage == "source"
    wide = [(text, "Who built it?", "What was built?") for text in SENTENCES]
    columns = guess(("source", "Alba", "Brisa"), wide)
    assert (columns.passage, [each.system for each in columns.by_system]) == (
        "source",
        ["Alba", "Brisa"],
    )


def test_guess_takes_no_numbers_that_come_again_for_ids() -> None:
    rows = [(f"{n}", system, str(n % 3)) for n in range(8) for system in ("Alba", "Brisa")]

    columns = guess(("item", "system", "seconds"), rows)

    assert (columns.source_id, columns.metadata) == ("item", ("seconds",))
    assert (
        guess(
            ("seconds", "system"), [(str(9 * n % 7), "AB"[n % 2]) for n in range(14)][:9]
        ).source_id
        == ""
    )


@pytest.mark.parametrize(
    "scale", ["(1-3)", "(1 – 5)", "[1 = worst, 5 = best]", "(0/1)", "(1 to 5)"]
)
def test_guess_passes_over_a_scale_in_brackets_behind_a_criterion(scale: str) -> None:
    found = guess(["question", f"Fluency {scale}"], [("Who?", "3"), ("Why?", "1")])
    assert [(each.column, each.kind) for each in found.scores] == [
        (f"Fluency {scale}", "human_mean")
    ]


def test_guess_takes_a_name_in_brackets_for_a_rater_as_before() -> None:
    rows = [("Who?", "3", "2"), ("Why?", "1", "2")]
    found = guess(["question", "clarity (1)", "clarity (2)"], rows)
    assert [each.rater for each in found.ratings] == ["1", "2"]


def test_guess_takes_notes_for_metadata_where_nobody_is_named_who_wrote_them() -> None:
    header = ["question", "note", "fluency@A", "fluency@B"]
    row = [("Who?", "odd", "3", "2")]
    assert guess(header, row).note == ""
    assert guess(header, row).metadata == ("note",)
    assert guess(header[:3], [row[0][:3]]).note == "note"


def test_guess_takes_an_id_that_systems_share_beside_raters() -> None:
    header = ["id", "system", "question", "rater", "fluency"]
    rows = [
        (source, system, f"Who is {source}, {system}?", rater, "3")
        for source in ("S1", "S2", "S3")
        for system in "AB"
        for rater in ("ha", "uw")
    ]
    assert guess(header, rows).source_id == "id"
    of_questions = [(f"{row[0]}{row[1]}", *row[1:]) for row in rows]
    assert guess(header, of_questions).key == "id"


def test_guess_reads_the_last_part_of_an_opened_name_for_metrics() -> None:
    header = ["outputs.question", "outputs.scores.bleu"]
    [score] = guess(header, [("Who?", "0.3"), ("Why?", "0.1")]).scores
    assert (score.direction, score.scale) == ("higher", "fraction")


@pytest.mark.parametrize("metric", ["UniEval", "GPTScore-ref", "BARTScore"])
def test_guess_metric_that_scores_criteria_is_no_human_mean(metric: str) -> None:
    header = ["question", f"{metric}.fluency", f"{metric}.relevance", "scores.clarity"]
    rows = [("Who?", "0.3", "-1.5", "2.5"), ("Why?", "0.1", "-0.5", "1.5")]
    scores = guess(header, rows).scores
    assert [(score.kind, score.direction) for score in scores] == [
        ("metric", "higher"),
        ("metric", "higher"),
        ("human_mean", "higher"),
    ]
