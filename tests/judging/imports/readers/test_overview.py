from judging.imports.readers.overview import (
    SystemCounts,
    handful,
    per_system,
    pieces,
    source_pieces,
    surroundings,
)
from judging.imports.readers.records import SourceRecord
from tests.judging.studies import study

TEXT = "One day. The lock is old. It rusts."


def test_per_system_counts_what_came_what_is_missing_and_what_came_twice():
    text = "passage,system,question\nA,Alba,Why?\nA,Alba,Why  ?\nA,Alba,why?\nA,Alba, Why?\nA,Brisa,Who?\nB,Alba,How?\n"

    counts = per_system(study(text, passage="passage", system="system", question="question"))

    assert counts == (SystemCounts("Alba", 5, 0, 1), SystemCounts("Brisa", 1, 4, 0))


def test_what_is_shown_of_a_source_and_a_system_has_an_end():
    rows = "".join(f"P,{'x' * 300}{n},Why {n}?,R{n}\n" for n in range(600))
    roles = {"passage": "passage", "system": "system", "question": "question"}
    read = study("passage,system,question,ref\n" + rows, **roles, references=["ref"])

    counts = per_system(read)

    assert (len(counts), len(counts[0].name)) == (200, 200)
    [each] = handful(read, most=5, seed=1)
    assert (len(each.questions), each.more) == (200, 400)
    assert max(len(one.system) for one in each.questions) == 200
    assert len(each.source.references) <= 200


def test_a_handful_keeps_a_set_together_and_mixes_systems():
    rows = "".join(f"P,{system},{n}?\n" for system in ("Alba", "Brisa", "Corvo") for n in (1, 2))
    read = study(
        "passage,system,question\n" + rows, passage="passage", system="system", question="question"
    )

    orders = {
        tuple((q.system, q.position) for q in handful(read, most=5, seed=s)[0].questions)
        for s in range(30)
    }

    assert len(orders) == 6
    assert all([place for _, place in order] == [1, 2, 1, 2, 1, 2] for order in orders)


def test_pieces_mark_the_answer_within_its_sentence():
    assert pieces(TEXT, answer=(13, 17), sentence=(9, 25)) == (
        ("One day. ", ""),
        ("The ", "sentence"),
        ("lock", "sentence_mark"),
        (" is old.", "sentence"),
        (" It rusts.", ""),
    )


def test_pieces_of_a_text_without_marks_is_the_text():
    assert pieces(TEXT, answer=None, sentence=None) == ((TEXT, ""),)


def test_pieces_keep_every_character_where_spans_overlap_or_reach_beyond():
    found = pieces(TEXT, answer=(5, 99), sentence=(0, 12))

    assert "".join(text for text, _ in found) == TEXT


def test_pieces_of_nothing_is_nothing():
    assert pieces("", answer=None, sentence=None) == ()


def test_source_without_passage_shows_its_sentence():
    source = SourceRecord(key="1", sentence="The lock is old.", answer="lock", answer_start=4)

    assert source_pieces(source) == (("The ", ""), ("lock", "mark"), (" is old.", ""))


def test_surroundings_show_a_place_with_what_stands_beside_it():
    assert surroundings(TEXT, 13, 4, most=4) == (("…The ", ""), ("lock", "mark"), (" is …", ""))
