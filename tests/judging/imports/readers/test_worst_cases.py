"""The time of patterns grows linearly with the text, also on the worst text.

The tests compare the processor time of n and of 8n characters: 8 times the text may take about 8
times as long, while a quadratic pattern takes 64 times as long.
"""

import time
from collections.abc import Callable

import pytest

from analysis.metrics import consistency, meteor_jar, preparation, ptb
from judging import spans
from judging.formulas import inert
from judging.imports.formats import doccano, mturk
from judging.imports.forms.added_files import LANGUAGE
from judging.imports.readers import guessing, locating, numbers
from judging.imports.readers.pseudonyms import Pseudonyms
from judging.imports.readers.registry import sniff
from judging.imports.readers.text import decodings
from judging.protocols import guideline
from judging.protocols.documents import parse
from judging.protocols.rubric_checks import asks_overall
from judging.protocols.rubric_nodes import RubricError, _outer

pytestmark = pytest.mark.long

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
def test_time_of_a_pattern_on_its_worst_text_grows_linearly(
    work: Callable[[str], object], text: Callable[[int], str]
) -> None:
    few, many = text(4_000), text(32_000)
    at_few, at_many = seconds(work, few), seconds(work, many)
    if at_many > NOTHING_MUCH:
        at_many = min(at_many, seconds(work, many))  # another thread may have run, or a dataset
        at_few = max(NOTHING_MUCH / 20, *(seconds(work, few) for _ in range(3)))
        assert at_many < 24 * at_few, "eight times the text takes far more than eight times as long"
