"""No pattern with nested repetition meets unbounded input: a megabyte of the worst kind costs a
megabyte's time.

What is compared is the processor time of n and of 8n characters, which does not depend on what else
the machine does: 8 times the text may cost about 8 times the time, where a quadratic pattern costs
64 times as much.
"""

import json
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest

from analysis.metrics import consistency, meteor_jar, preparation, ptb
from judging import spans
from judging.formulas import inert
from judging.imports.formats import doccano, mturk
from judging.imports.forms.added_files import LANGUAGE
from judging.imports.readers import guessing, locating, numbers
from judging.imports.readers.pseudonyms import Pseudonyms
from judging.imports.readers.registry import sniff
from judging.imports.readers.text import Unreadable, decodings
from judging.protocols import guideline
from judging.protocols.documents import parse
from judging.protocols.rubric_checks import asks_overall
from judging.protocols.rubric_nodes import RubricError, _outer

pytestmark = pytest.mark.long

MEGABYTE = 1_000_000
LONGEST = 5.0  # seconds of processor time; the slowest of these needs a tenth of it
NOTHING_MUCH = 0.02  # seconds, below which a growth cannot be measured


def seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


def of(unit: str, end: str = "") -> Callable[[int], str]:
    return lambda length: unit * (length // len(unit)) + end


def header(name: str) -> object:
    return guessing.guess(("question", name), [("Who?", "1")])


def sniffed(text: str) -> object:
    return sniff("a.csv", text.encode())


def pasted(text: str) -> object:
    return list(spans.Searched(text).places(text[: len(text) // 2] + "b"))


def labelled(text: str) -> object:
    return Pseudonyms(b"0123456789abcdef").in_text(text)


def headers(text: str) -> object:
    names = [f"{text[: len(text) // 1_000]} {number}" for number in range(1_000)]
    return guessing.guess(("question", *names), [("Who?", *("3" for _ in names))])


def located(text: str) -> object:
    return locating.locate(passage=text, sentence=".", answer="b")


def encoded(text: str) -> object:
    return decodings(text.encode("latin-1"))


def rubric(text: str) -> object:
    with pytest.raises(RubricError):
        parse(f"key: {text}\nversion: x\n", "a.yaml")


WORST: dict[str, tuple[Callable[[str], object], Callable[[int], str]]] = {
    "a long form's header": (sniffed, of("source_id,system,position,question,rater,", "\n")),
    "a long form's header, one column over and over": (sniffed, of("source_id,", "\n")),
    "a crowd batch's header": (sniffed, of("WorkerId Input", "\n")),
    "digits": (numbers.is_number, of("1", "x")),
    "digits that are a number": (numbers.is_number, of("1")),
    "decimals": (numbers.is_number, of("1.", "x")),
    "raters in a name": (header, of("a_user_", "!")),
    "scores and raters in a name": (header, of("a score user ", "!")),
    "means in a name": (header, of("mean_", "!")),
    "numbers in a name": (header, of("fluency_1", "!")),
    "underlines in a name": (header, of("_-", "!")),
    "references in a name": (header, of("refs_raw_", "!")),
    "labels of doccano": (doccano._split, of("a:", "")),
    "colons of doccano": (doccano._split, of(":", "a:")),
    "blanks between a guideline's lines": (guideline.blocks, of("\n \t", "x")),
    "spaces behind a guideline's line": (
        guideline.blocks,
        lambda length: "a\n" + " " * length + "b",
    ),
    "an index in a name": (mturk.split, of("_1")),
    "a pasted piece": (pasted, of("a ")),
    "blanks in a pasted piece": (pasted, of(" \n", "a")),
    "ranges": (spans.read, of("1-2 ")),
    "an address in a text": (labelled, of("a.b+c@d-e.f ", "!")),
    "parts of an address": (labelled, of("a.", "@")),
    "figures of a worker": (labelled, of("A0 ")),
    "figures of a participant": (labelled, of("0123456789abcdef")),
    "pieces of names": (headers, of("a b c d e f g h i j ")),
    "bytes in no encoding": (encoded, of("é\x81")),
    "a place in a rubric": (_outer, of("a", "]")),
    "a criterion's name": (asks_overall, of("overall ", "qualit")),
    "a criterion's name, the other way": (asks_overall, of("quality ", "overal")),
    "a rubric's key": (rubric, of("a-", "!")),
    "a language": (LANGUAGE.fullmatch, of("aa-", "!")),
    "answers beside sentences": (located, of("b.")),
    "answers that the passage writes otherwise": (located, of("B.")),
    "marks combined with a letter": (located, of("\u0301")),
    "articles": (consistency._ARTICLES.findall, of("a the an ")),
    "quotations": (preparation._QUOTED.findall, of('"a ')),
    "quotation marks": (preparation._QUOTED.findall, of('"')),
    "bars": (lambda text: meteor_jar._UNSAFE.sub(" ", text), of("| ||")),
    "initials": (ptb.words, of("a.", "!")),
    "words of a site": (ptb.words, of("a1.", "!")),
    "an address": (ptb.words, of("a+.", "!")),
    "numbers in a text": (ptb.words, of("1,", "!")),
    "digits in a text": (ptb.words, of("1", "-")),
    "one long word": (ptb.words, of("a")),
    "hyphens": (ptb.words, of("a-")),
    "apostrophes": (ptb.words, of("a'")),
    "cells in a cell": (inert, of('; "')),
    "spaces where a cell may begin": (inert, of(" ", ";")),
}


@pytest.mark.parametrize(("work", "text"), WORST.values(), ids=WORST)
def test_a_megabyte_of_the_worst_kind_grows_with_its_length(
    work: Callable[[str], object], text: Callable[[int], str]
) -> None:
    few, many = text(4_000), text(32_000)
    at_few, at_many = seconds(work, few), seconds(work, many)
    if at_many > NOTHING_MUCH:
        at_many = min(at_many, seconds(work, many))  # another thread may have run, or a dataset
        at_few = max(NOTHING_MUCH / 20, *(seconds(work, few) for _ in range(3)))
        assert at_many < 24 * at_few, (
            "eight times the text costs far more than eight times the time"
        )
    assert seconds(work, text(MEGABYTE)) < LONGEST


NEAR = 240_000  # bytes of a small file
KEYS = ",".join(f'"k{number}":"a"' for number in range(1_900))
FEW = ",".join(f'"{number}":1' for number in range(NEAR // 20))


def squad(passage: str, answer: str) -> str:
    qas = [
        {"question": "Q", "answers": [{"text": answer, "answer_start": NEAR + number}]}
        for number in range(NEAR // 2 // 80)
    ]
    return json.dumps({"data": [{"paragraphs": [{"context": passage, "qas": qas}]}]})


def answers_all_over(passage: str) -> str:
    """Questions about one passage, each about another place of it."""
    qas = [
        {"question": "Q", "answers": [{"text": "a", "answer_start": 2 * number}]}
        for number in range(NEAR // 2 // 80)
    ]
    return json.dumps({"data": [{"paragraphs": [{"context": passage, "qas": qas}]}]})


def in_lists(levels: int) -> str:
    text = "[" + "{}," * (NEAR // 6) + "{}]"
    for level in range(levels):
        keys = ",".join(f'"{level} {number}":1' for number in range(100))
        text = f'[{{{keys},"questions":{text}}}]'
    return f'{{"questions":{text}}}'


def shared_by_questions(passage: str) -> str:
    asked = [{"text": "Q", "system": "A"} for _ in range(NEAR // 2 // 29)]
    return json.dumps({"passage": passage, "questions": asked}, ensure_ascii=False)


def spans_of_one_question() -> str:
    """A page on which all of a long question is marked over and over."""
    spans = [{"start_i": 0, "end_i": NEAR} for _ in range(NEAR // 2 // 34)]
    item = {"item_id": "a", "src": "s", "tgt": {"A": "x" * (NEAR // 2)}}
    said = {"A": {"score": 1, "error_spans": spans}}
    return json.dumps({"actions": [], "annotation": [said], "item": [item], "user_id": "u"})


def batch(most: int, *, index: str = "") -> str:
    """Assignments with so many questions and as many answers."""
    names = [f"{side}{index}_{n}" for side in ("Input.question", "Answer.f") for n in range(most)]
    row = ",".join(["w", *("Q" for _ in range(most)), *("" for _ in range(most))])
    head = ",".join(["WorkerId", "Input.question_1", *names])
    return "\n".join([head, *[f"{row},"] * ((NEAR - len(head)) // (len(row) + 2))])


def task(keys: int, ratings: int) -> str:
    """One task of Label Studio with so many keys, and so many ratings of it."""
    data = ",".join(f'"{number}":1' for number in range(keys))
    results = ",".join(['{"type":"textarea"}'] * ratings)
    return f'[{{"data":{{{data}}},"annotations":[{{"result":[{results}]}}]}}]'


def assignment(questions: int, answers: int) -> str:
    """One assignment of MTurk with so many questions, and so many answers that belong to none."""
    letters = str.maketrans("0123456789", "abcdefghij")  # a number would be a question's
    names = ",".join(f'""z{str(number).translate(letters)}"":""x""' for number in range(answers))
    inputs = ",".join(f"Input.question{number}" for number in range(questions))
    head = f"WorkerId,Answer.taskAnswers,{inputs}"
    return f'{head}\nw,"[{{{names}}}]",{",".join("Q" * questions)}\n'


def sets_in_xml(types: int, systems: int) -> str:
    """An instance of so many types, with as many submissions that hold no question."""
    asked = "".join(f"<targetQuestionType>t{n}</targetQuestionType>" for n in range(types))
    given = "".join(f'<submission id="s{n}"/>' for n in range(systems))
    return f'<dataset><instance id="1"><text>Owls.</text>{asked}{given}</instance></dataset>'


SMALL_AND_BAD: dict[str, tuple[str, Callable[[], str]]] = {
    "rows that share many cells": (
        "a.jsonl",
        lambda: f'{{{KEYS},"questions":[{"{}," * (NEAR // 4)}{{}}]}}',
    ),
    "rows that share one list": (
        "a.jsonl",
        lambda: f'{{"a":[{"1," * (NEAR // 4)}1],"questions":[{"{}," * (NEAR // 8)}{{}}]}}',
    ),
    "lists in lists": ("a.jsonl", lambda: in_lists(11)),
    "one long name before many": ("a.jsonl", lambda: f'{{"{"a" * (NEAR // 2)}":{{{FEW}}}}}'),
    "answers beside sentences": (
        "a.csv",
        lambda: f"passage,sentence,answer,system,question\n{'b.' * (NEAR // 2)},.,b,S,Q\n",
    ),
    "answers that stand elsewhere": ("a.json", lambda: squad("a " * (NEAR // 4), "a")),
    "one passage and many answers": ("a.json", lambda: answers_all_over("a " * (NEAR // 4))),
    "answers inside one word": ("a.json", lambda: squad("a" * (NEAR // 2), "a")),
    "rows that share a text beyond ASCII": (
        "a.jsonl",
        lambda: shared_by_questions("é" * (NEAR // 4)),
    ),
    "one question marked over and over": ("a.jsonl", spans_of_one_question),
    "assignments with many questions": ("a.csv", lambda: batch(990)),
    "questions with long numbers": ("a.csv", lambda: batch(100, index="_1" * 450)),
    "a task with many keys": ("a.json", lambda: task(3_000, 1_500)),
    "a task with as many keys as are read": ("a.json", lambda: task(1_900, 2_000)),
    "answers to no question": ("a.csv", lambda: assignment(800, 5_000)),
    "systems that owe each source": (
        "a.csv",
        lambda: "source_id,system,question\n" + "".join(f"a{n},b{n},Q\n" for n in range(2_000)),
    ),
    "systems that owe each type": ("a.xml", lambda: sets_in_xml(1_000, 1_200)),
    "answers to no question, as many as are read": ("a.csv", lambda: assignment(1_500, 1_900)),
}


def read(name: str, text: str) -> None:
    """Read a file as the page of its columns does, and go on where it is refused."""
    data = text.encode()
    with suppress(Unreadable, ValueError):
        known = sniff(name, data)
        known.study_of(known.take(data, {}, Pseudonyms(b"0123456789abcdef")), name=name)


@pytest.mark.parametrize(("name", "text"), SMALL_AND_BAD.values(), ids=SMALL_AND_BAD)
def test_a_small_file_that_repeats_itself_is_read_or_refused_at_once(
    name: str, text: Callable[[], str]
) -> None:
    made = text()
    assert seconds(lambda known: read(name, known), made) < LONGEST


@pytest.mark.parametrize(
    "case",
    [
        "one long name before many",
        "one question marked over and over",
        "a task with many keys",
        "a task with as many keys as are read",
        "answers to no question",
        "answers to no question, as many as are read",
        "systems that owe each source",
        "systems that owe each type",
    ],
)
def test_what_stands_once_in_a_file_is_not_held_again_and_again(case: str) -> None:
    tracemalloc.start()
    name, text = SMALL_AND_BAD[case]
    read(name, text())
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 50_000_000
