"""The treebank words, rule by rule, and how often they are those of the Java tokeniser on real
questions."""

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from released_data import path

from quaestor_metrics._treebank import PUNCTUATION, ptb, treebank_words

JAR_VARIABLE = "QUAESTOR_CORENLP_JAR"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who won?", "who won"),
        ("What isn't Ann's?", "what is n't ann 's"),
        ("They can't, we'll, I've", "they ca n't we 'll i 've"),
        ("the U.S. army", "the u.s. army"),
        ("the u.s", "the u.s"),
        ("by J. Smith", "by j. smith"),
        ("Dr. Who", "dr. who"),
        ('the "old" gate', "the old gate"),
        ("the “old” gate", "the old gate"),
        ("1,000 or 3.5 at 10:30", "1,000 or 3.5 at 10:30"),
        ("$5 and 50%", "$ 5 and 50 %"),
        ("well-known and/or V&A", "well-known and/or v&a"),
        ("1990–1995", "1990 1995"),
        ("f (x)", "f -lrb- x -rrb-"),
        ("O'Brien o'clock", "o'brien o'clock"),
        ("I cannot", "i can not"),
        ("Temüjin's", "temüjin 's"),
        ("", ""),
        (" ?! ", "?!"),
    ],
)
def test_words_rule_by_rule(text: str, expected: str) -> None:
    assert ptb(text) == expected


def test_words_keep_punctuation_until_asked_to_drop_it() -> None:
    assert treebank_words("Who, me?") == ["who", ",", "me", "?"]


def test_no_letter_or_digit_is_lost() -> None:
    text = "Odd—“text”: it's 3,000 of v1.2, isn't it? (yes/no) [N.B. e.g. etc.] 'tis a&b"
    kept = re.sub(r"[^a-z0-9]", "", re.sub(r"-[lr][rs]b-", "", " ".join(treebank_words(text))))
    assert kept == re.sub(r"[^a-z0-9]", "", text.lower())


def java_words(texts: list[str], folder: Path) -> list[str]:
    """What Stanford's tokeniser makes of the texts, as coco's evaluation calls it."""
    package = find_spec("pycocoevalcap")
    inside = (
        Path((package.submodule_search_locations or [""])[0]) / "tokenizer" if package else Path()
    )
    jar = Path(os.environ.get(JAR_VARIABLE) or inside / "stanford-corenlp-3.4.1.jar")
    if not jar.is_file() or shutil.which("java") is None:
        pytest.skip(f"no Java or no Stanford tokeniser ({JAR_VARIABLE})")
    (folder / "in.txt").write_text("\n".join(texts), encoding="utf-8")
    command = [
        "java",
        "-Dfile.encoding=UTF-8",
        "-cp",
        str(jar),
        "edu.stanford.nlp.process.PTBTokenizer",
    ]
    ran = subprocess.run(
        [*command, "-preserveLines", "-lowerCase", "in.txt"], cwd=folder, capture_output=True
    )
    lines = ran.stdout.decode("utf-8").split("\n")
    return [
        " ".join(word for word in line.split() if word not in PUNCTUATION)
        for line in lines[: len(texts)]
    ]


def test_words_are_stanfords_on_every_squad_question(tmp_path: Path) -> None:
    lines = path("nema2018/squad.tsv").read_text(encoding="utf-8").splitlines()[1:]
    texts = [text for line in lines for text in line.split("\t")[:2]]
    assert len(texts) == 1794
    assert [ptb(text) for text in texts] == java_words(texts, tmp_path)


def test_words_are_stanfords_on_questions_the_rules_were_not_made_on(tmp_path: Path) -> None:
    found = re.findall(
        r"<question[^>]*>([^<]+)<", path("qgstec2010/EvaluatedSubmissions.xml").read_text("utf-8")
    )
    texts = [" ".join(text.split()) for text in found if "&" not in text]
    same = sum(
        mine == theirs
        for mine, theirs in zip(map(ptb, texts), java_words(texts, tmp_path), strict=True)
    )
    assert len(texts) > 500
    assert same / len(texts) > 0.98
