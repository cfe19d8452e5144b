"""The METEOR runner: what reaches the Java program, and what becomes of one that fails. Values:
tests/published."""

import os
import signal
from pathlib import Path

import pytest

from quaestor_metrics._contract import ScoredQuestion
from quaestor_metrics._meteor import METEOR
from quaestor_metrics._meteor import meteor as combined
from quaestor_metrics._meteor_jar import JAR_VARIABLE, Jvm, MeteorStopped, defuse_text, jar
from quaestor_metrics._progress import on_each_text
from quaestor_metrics._scoring import keep_running, score_items

PAIR = ScoredQuestion("the boy went home", ("the boy will go home",))


# METEOR 1.5's own statistics (SCORE) and score (EVAL) of four pairs
JAR_SAYS = [
    ("11 11 6 5 4 4 4 4 0 0 0 0 0 0 0 0 0 0 0 0 3 8 8", 0.35726833560869237),
    ("9 8 4 3 4 4 2 2 0 0 0 0 0 0 0 0 1 1 2 1 1 9 8", 0.9086168687263723),
    ("3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", 0.0),
]


@pytest.mark.parametrize("most", [0, 4, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "words",
    [2, pytest.param(2000, marks=pytest.mark.long), 20_000],  # the last is longer than a pipe
)
def test_each_question_is_told_while_its_answer_is_waited_for(
    most: int, words: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A program that gives every question the same numbers stands for Java, which may be missing.

    It gives no more of them than are asked to be told, so who has more to write than its pipe holds
    would wait for ever.
    """
    program = tmp_path / "java"
    program.write_text(
        f"#!/bin/sh\nn=0\nwhile [ $n -lt {most} ] && read -r line\n"
        f'do echo "{JAR_SAYS[0][0]}"; n=$((n + 1)); done\nexec sleep 600\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    jvm, told = Jvm(tmp_path / "meteor.jar"), []

    def tell() -> None:
        if len(told) == most:
            raise InterruptedError
        told.append(len(told))

    try:
        with pytest.raises(InterruptedError), on_each_text(tell):
            jvm.statistics([ScoredQuestion("who " * words, ("who",))] * 40)
        assert len(told) == most
    finally:
        jvm.close()


@pytest.mark.parametrize(("statistics", "expected"), JAR_SAYS)
def test_the_formula_is_the_jars(statistics: str, expected: float) -> None:
    got = combined([float(number) for number in statistics.split()])
    assert got == pytest.approx(expected, abs=1e-15)


def test_words_that_all_match_in_one_chunk_have_no_penalty() -> None:
    assert combined([2, 2, 1, 1, 1, 1, 1, 1, *[0] * 12, 1, 2, 2]) == 1


def test_nothing_but_unmatched_words_is_0() -> None:
    assert combined([0, 2, *[0] * 21]) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", "a b"),
        ("a\r\nb\tc\x00d", "a b c d"),
        ("a ||| b", "a b"),
        ("a||b", "a b"),
        ("||||", ""),
        ("a | b", "a | b"),
        ("a\u2028b\x85c", "a b c"),
    ],
)
def test_defused_leaves_nothing_of_the_protocol(text: str, expected: str) -> None:
    assert defuse_text(text) == expected


def test_without_a_jar_the_metric_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(JAR_VARIABLE, raising=False)
    usable, reason = METEOR().available()
    assert usable or "Java" in reason or JAR_VARIABLE in reason


def test_a_path_without_a_jar_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(JAR_VARIABLE, str(tmp_path / "none.jar"))
    usable, reason = METEOR().available()
    assert not usable
    assert "Java" in reason or f"there is no file {tmp_path / 'none.jar'}" == reason
    assert METEOR().spec.library.endswith("missing")


def test_a_jar_without_its_paraphrases_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "meteor-1.5.jar").write_bytes(b"")
    monkeypatch.setenv(JAR_VARIABLE, str(tmp_path / "meteor-1.5.jar"))
    usable, reason = METEOR().available()
    assert not usable
    assert "Java" in reason or "paraphrase-en.gz is missing" in reason


def test_odd_texts_stay_in_step(meteor: METEOR) -> None:
    odd = ["a ||| b", "a\nb", "|||", "|", "SCORE ||| a", "\ud800 x", "?", "x" * 70_000, "ṛṣṇ ǌ"]
    questions = [ScoredQuestion(text, ("a b",)) for text in odd]
    questions += [ScoredQuestion("a b", (text,)) for text in odd]
    with keep_running([meteor]):
        got = score_items(meteor, [*questions, PAIR])
        assert got == [score_items(meteor, [question])[0] for question in [*questions, PAIR]]
    assert (got[0].value, got[1].value, got[2].value) == (1.0, 1.0, 0.0)


def test_several_references_give_the_best(meteor: METEOR) -> None:
    both = ScoredQuestion(PAIR.hypothesis, ("nothing alike", *PAIR.references))
    got = score_items(meteor, [both, PAIR])
    assert got[0] == got[1]


def test_long_texts_are_scored(meteor: METEOR) -> None:
    text = " ".join(f"w{number}" for number in range(10_000))
    assert score_items(meteor, [ScoredQuestion(text, (text,))])[0].value == pytest.approx(1)


def test_kept_runs_one_jvm_for_many_batches(meteor: METEOR) -> None:
    with keep_running([meteor]):
        score_items(meteor, [PAIR])
        first = meteor._jvm
        score_items(meteor, [PAIR])
        assert meteor._jvm is first
        assert first is not None
    assert meteor._jvm is None


def test_a_killed_jvm_is_a_named_error_and_the_next_batch_starts_anew(meteor: METEOR) -> None:
    with keep_running([meteor]):
        before = score_items(meteor, [PAIR])
        assert meteor._jvm is not None
        os.kill(meteor._jvm.pid, signal.SIGKILL)
        with pytest.raises(MeteorStopped, match="METEOR's Java ended with status -9"):
            score_items(meteor, [PAIR])
        assert score_items(meteor, [PAIR]) == before


def test_a_silent_jvm_is_given_up(meteor: METEOR) -> None:
    with pytest.raises(MeteorStopped, match=r"METEOR gave no answer in 0\.2 seconds"):
        meteor.score([PAIR], {"memory": "1G", "timeout": 0.2})


def test_too_little_memory_is_said_in_javas_words(meteor: METEOR) -> None:
    with pytest.raises(MeteorStopped, match="OutOfMemoryError"):
        meteor.score([PAIR], {"memory": "40M", "timeout": 300})


def test_a_file_that_is_no_jar_is_said_in_javas_words(meteor: METEOR, tmp_path: Path) -> None:
    (tmp_path / "meteor-1.5.jar").write_text("no jar")
    jvm = Jvm(tmp_path / "meteor-1.5.jar")
    with pytest.raises(MeteorStopped, match=r"[Ii]nvalid or corrupt jarfile"):
        jvm.statistics([PAIR])
    jvm.close()


def test_the_library_names_the_jar_by_its_content(meteor: METEOR) -> None:
    assert jar() is not None
    assert meteor.spec.library.startswith("METEOR 1.5 -l en -norm, jar sha256 ")
