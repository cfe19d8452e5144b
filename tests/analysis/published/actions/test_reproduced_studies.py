"""Published studies from files as they were released, or from look-alikes with their layout."""

import csv
import json
import random
import re
from collections import Counter, defaultdict

import krippendorff
import numpy as np
import pytest
from django.core.management import CommandError, call_command
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from analysis import frames
from analysis.published.actions.reproductions import REPRODUCED
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Attribute
from judging.datasets.models.score import Metric
from judging.work.models.judgment import Judgment
from tests import factories, shared_data
from tests.judging.imports.qgeval import (
    ANNOTATORS,
    BY_CRITERION,
    CRITERIA,
    METRICS,
    SUBSETS,
    SYSTEMS,
    QGEval,
)

pytestmark = pytest.mark.django_db
PART, BATCH = "qgbench/raw/final_result_part.csv", "qgbench/raw/batch_part.csv"


@pytest.fixture(autouse=True)
def administrator():
    return factories.user(is_superuser=True)


def reproduced(capsys, *arguments):
    call_command("reproduce", *map(str, arguments), "--json")
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "order", [(BATCH, PART), pytest.param((PART, BATCH), marks=pytest.mark.long)]
)
def test_reproduce_qgbench_genuine_piece_says_how_much_was_joined_and_computes_on_it(capsys, order):
    out = reproduced(capsys, "qgbench", *map(shared_data.path, order))

    read = frames.read_campaign(Campaign.objects.get())
    assert Judgment.objects.count() == 583 * 3 * 3
    assert out["joined"] == [
        "batch_part.csv: 580 of 600 questions joined (passage, answer and question 331; question "
        "within the same passage or sentence 237; question of the letter's system 3; question "
        "text alone 9), 3 added, 17 excluded."
    ]
    notes = read.campaign.dataset.mapping[REPRODUCED]["why"]
    [unjoined] = [note for note in notes if "did not join" in note]
    assert unjoined.startswith("Questions of batch_part.csv that did not join: “")
    assert len(re.findall(r"“[^”]+” \(row \d+\)", unjoined)) == 17
    for criterion, row in out["computed"]["agreement"].items():
        table, _ = aggregate_raters(three_ratings(read, criterion))
        assert row["fleiss_kappa"] == pytest.approx(fleiss_kappa(table), rel=1e-9)
    assert len(out["computed"]["system_mean"]) == 6
    assert out["computed"]["metrics"]["Bleu_4"]["within_1e-6"] == 1, "of scored questions"
    assert len(out["computed"]["williams_p_two_sided"]["correctness"]["Bleu_4"]) == 4


@pytest.mark.long
def test_reproduce_qgbench_questions_that_batches_add_do_not_count_as_released(capsys):
    call_command("reproduce", "qgbench", *map(str, map(shared_data.path, (BATCH, PART))))

    assert "rest on 3,000 questions; these have 580." in capsys.readouterr().out


def three_ratings(read, criterion) -> np.ndarray:
    """Return the ratings of each question, checked against the cells of the released batch."""
    rows = read.judgments[read.judgments["criterion"] == criterion]
    found = rows.groupby("unit")["value"].apply(sorted)
    released = Counter(
        tuple(sorted(map(float, values))) for values in released_ratings(criterion).values()
    )
    assert not Counter(map(tuple, found)) - released
    return np.array(found.to_list(), dtype=int)


def released_ratings(criterion) -> dict[tuple[str, str], list[str]]:
    found = defaultdict(list)
    for row in csv.DictReader(shared_data.path(BATCH).open(encoding="utf-8")):
        for name, value in row.items():
            if name and name.startswith(f"Answer.{criterion}_"):
                found[row["HITId"], name].append(value)
    return found


def written(folder, files):
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in files]


def test_reproduce_qgeval_workbooks_have_the_alpha_of_krippendorff(tmp_path, capsys):
    study = QGEval()

    out = reproduced(capsys, "qgeval", *written(tmp_path, study.files()))

    for criterion in CRITERIA:
        expected = krippendorff.alpha(
            [study.ratings[criterion][name] for name in ANNOTATORS],
            level_of_measurement="ordinal",
        )
        computed = out["computed"]["agreement"][criterion]["krippendorff_alpha_ordinal"]
        assert computed == pytest.approx(expected, rel=1e-9)
    labels = Judgment.objects.values_list("assignment__enrollment__label", flat=True)
    assert set(labels) == set(ANNOTATORS)
    assert out["published"] == {}


@pytest.mark.long
def test_reproduce_qgeval_scores_of_a_criterion_become_metrics_and_names_are_split(
    tmp_path, capsys
):
    study = QGEval()

    out = reproduced(capsys, "qgeval", *written(tmp_path, study.files()))

    expected = {*METRICS, *(f"{name}.{key}" for name in BY_CRITERION for key in CRITERIA)}
    assert {(each.name, each.kind) for each in Metric.objects.all()} == {
        (name, "imported") for name in expected
    }
    assert set(out["computed"]["system_mean"]) == set(SYSTEMS)
    assert set(out["computed"]["spearman"]["fluency"]) == expected
    subsets = Counter(Attribute.objects.filter(name="subset").values_list("value", flat=True))
    assert subsets == dict.fromkeys(SUBSETS, len(study.questions) // 2)
    for system in SYSTEMS:
        places = [n for n, texts in enumerate(study.questions) if texts[-1].endswith(system)]
        ratings = [study.ratings["clarity"][name][n] for name in ANNOTATORS for n in places]
        computed = out["computed"]["system_mean"][system]["clarity"]
        assert computed == pytest.approx(np.mean(ratings), rel=1e-9)


@pytest.mark.long
def test_reproduce_qgeval_annotators_alone_are_joined_with_each_other(tmp_path, capsys):
    files = QGEval(passages=2).files()
    del files["metric_result.xlsx"]

    out = reproduced(capsys, "qgeval", *written(tmp_path, files))

    assert out["joined"] == [
        f"{name}.xlsx: 12 of 12 questions joined (passage, answer and question 12), 0 added, 0 excluded."
        for name in ANNOTATORS[1:]
    ]
    assert Judgment.objects.count() == 12 * 3 * len(CRITERIA)


PLUS = ("relevance", "questionType", "correctness", "ambiguity", "variety")
MOST = dict(zip(PLUS, (4, 2, 4, 3, 3), strict=True))
SHORT = dict(zip(PLUS, ("Rel", "QT", "Cor", "Amb", "Var"), strict=True))


def plus(*, sentences, systems="abcd"):
    """Return invented questions with the ratings of three annotators on each criterion."""
    rng = random.Random(3)
    for number in range(sentences):
        for system in systems:
            for target in ("who", "when"):
                for place in (1, 2):
                    ratings = {}
                    for criterion, most in MOST.items():
                        value = rng.randint(1, most)
                        ratings[criterion] = [
                            value if rng.random() < 0.8 else rng.randint(1, most) for _ in range(3)
                        ]
                    text = f"{target.title()} was gate {number}.{place} mended, {system}?"
                    yield f"Sentence {number} is on mills.", system, target, text, ratings


def plus_csv(questions, *, full=False):
    """Return the released table; `full`: with the columns' other names."""
    names = [
        f"{criterion}_{n}" if full else f"{SHORT[criterion]}_{n}"
        for criterion in PLUS
        for n in (1, 2, 3)
    ]
    head = ["uid", "Statement", "Submitter", "Source", "Target"]
    lines = [[*head, "Question" if full else "Generated Question", *names, "Relevance"]]
    for number, (sentence, system, target, text, ratings) in enumerate(questions, 1):
        values = [value for criterion in PLUS for value in ratings[criterion]]
        mean = f"{np.mean(ratings['relevance']):.2f}"
        lines.append([number, sentence, system, "Mills", target, f"{text} ", *values, mean])
    return "\n".join("\t".join(map(str, line)) for line in lines).encode()


def plus_xml(questions):
    """Return the released XML; a submission is absent if its system gave no question."""
    instances = defaultdict(lambda: defaultdict(list))
    for sentence, system, target, text, ratings in questions:
        rated = "".join(
            f'<rating rater="{rater}" '
            + " ".join(f'{criterion}="{ratings[criterion][n]}"' for criterion in PLUS)
            + "/>"
            for n, rater in enumerate(("CP", "KD", "KG"))
        )
        question = f'<question type="{target}">{text} {rated}</question>'
        instances[sentence][system].append(question)
    found = "".join(
        f"<instance id='{n}'><text>{sentence}</text>"
        "<targetQuestionType>who</targetQuestionType><targetQuestionType>when</targetQuestionType>"
        + "".join(
            f"<submission id='{system}'>{''.join(asked)}</submission>"
            for system, asked in systems.items()
        )
        + "</instance>"
        for n, (sentence, systems) in enumerate(instances.items(), 1)
    )
    return f"<?xml version='1.0' encoding='utf-8'?><dataset>{found}</dataset>".encode()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ReEvaluated-data.xml", plus_xml),
        ("QG-STEC_R.csv", plus_csv),
        ("other.csv", lambda questions: plus_csv(questions, full=True)),
    ],
)
def test_reproduce_qgstec_plus_has_the_alpha_of_krippendorff(tmp_path, capsys, name, content):
    questions = list(plus(sentences=6))
    [file] = written(tmp_path, {name: content(questions)})

    computed = reproduced(capsys, "qgstec-plus", file)["computed"]

    for criterion in PLUS:
        expected = krippendorff.alpha(
            np.array([ratings[criterion] for *_, ratings in questions]).T,
            level_of_measurement="interval",
        )
        found = computed["agreement"][criterion]["krippendorff_alpha_interval"]
        assert found == pytest.approx(expected, rel=1e-9)
    assert computed["returned"] == dict.fromkeys("abcd", 24)


@pytest.mark.long
def test_reproduce_qgstec_plus_xml_and_table_have_the_same_numbers(tmp_path, capsys):
    questions = [each for each in plus(sentences=5) if "gate 1.2" not in each[3]]
    files = {"a.xml": plus_xml(questions), "a.csv": plus_csv(questions)}

    xml, table = (reproduced(capsys, "qgstec-plus", each) for each in written(tmp_path, files))

    assert xml["computed"] == table["computed"]


@pytest.mark.long
def test_reproduce_qgstec_plus_of_896_questions_has_the_published_numbers(tmp_path, capsys):
    [file] = written(tmp_path, {"a.csv": plus_csv(plus(sentences=56))})

    call_command("reproduce", "qgstec-plus", str(file))

    said = capsys.readouterr().out
    for criterion, alpha in zip(PLUS, (".806", ".859", ".838", ".688", ".904"), strict=True):
        assert re.search(rf"{criterion} / krippendorff_alpha_interval +0{alpha} ", said)
    assert ".807, .865, .845, .691 and .914" in said


def test_reproduce_qgstec_plus_table_without_a_column_says_which(tmp_path):
    rows = [line.split(b"\t") for line in plus_csv(plus(sentences=1)).splitlines()]
    place = rows[0].index(b"Submitter")
    content = b"\n".join(b"\t".join(row[:place] + row[place + 1 :]) for row in rows)
    [file] = written(tmp_path, {"a.csv": content})

    with pytest.raises(CommandError, match="Submitter"):
        call_command("reproduce", "qgstec-plus", str(file))


def test_reproduce_study_of_one_file_refuses_several(tmp_path):
    questions = list(plus(sentences=1))
    files = {"a.xml": plus_xml(questions), "a.csv": plus_csv(questions)}

    with pytest.raises(CommandError):
        call_command("reproduce", "qgstec-plus", *map(str, written(tmp_path, files)))

    assert not Campaign.objects.exists()
