"""Published studies as data files: a study is added by its file alone."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.published.actions import published
from analysis.published.actions.published import STUDIES, read_folder
from analysis.published.actions.published_computations import Computation
from analysis.published.actions.reproductions import ReleasedFile, reproduce_study
from analysis.published.reports.published_numbers import NUMBERS
from judging.jobs import storage
from judging.protocols.protocol_yaml import ProtocolError
from tests import factories
from tests.analysis.published.actions.test_reproductions import written
from tests.judging.imports.crowd import Crowd
from tests.judging.programs import API, program
from tests.judging.studies import NOW

STUDY = """\
key: invented
title: An invented study
source: Nobody (2026), A Study of Nothing
protocol: nema-khapra
files: one
mapping:
  system: noised
  columns:
    First version: {role: reference}
    Second version: {role: question}
    Anna says: {role: ratings, name: answerability, rater: Anna}
    Ben says: {role: ratings, name: answerability, rater: Ben}
compute: [agreement, system_mean]
belongs: {questions: 8, annotators: [2, 3]}
printed:
  - number: agreement
    source: Table 1
    columns: [percent_agreement, cohen_kappa_linear]
    rows:
      answerability: [0.51, null]
  - number: system_mean / noised
    source: Section 4
    rows:
      answerability: [2.75]
      beauty: [5]
notes:
  - when: {published: true}
    unless: {questions: [9, 10]}
    text: The study has {questions:,} questions.
  - when: {published: false}
    text: These are other questions.
"""
HEAD = "First version\tSecond version\tAnna says\tBen says\n"
ROWS = [f"Who ran mill {n}?\tWho mill {n}?\t{n % 5 + 1}\t{n % 4 + 1}\n" for n in range(8)]


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study that consists of its data file."""
    folder = tmp_path / "studies"
    folder.mkdir()
    (folder / "invented.yaml").write_text(STUDY)
    [(key, found)] = read_folder(folder).items()
    monkeypatch.setitem(STUDIES, key, found)
    return found


def reproduced(file, capsys):
    call_command("reproduce", "invented", str(file), "--json")
    as_json = json.loads(capsys.readouterr().out)
    call_command("reproduce", "invented", str(file))
    return as_json, capsys.readouterr().out


@pytest.mark.django_db
def test_reproduce_study_of_a_data_file_has_printed_beside_computed(study, tmp_path, capsys):
    factories.user(is_superuser=True)
    file = tmp_path / "released.tsv"
    file.write_text(HEAD + "".join(ROWS))

    out, said = reproduced(file, capsys)

    assert out["published"] == {
        "agreement": {"answerability": {"percent_agreement": 0.51}},
        "system_mean": {"noised": {"answerability": 2.75, "beauty": 5}},
    }
    assert out["computed"]["agreement"]["answerability"]["percent_agreement"] == 0.5
    assert out["computed"]["system_mean"] == {"noised": {"answerability": 2.5625}}
    lines = [line.split() for line in said.splitlines()]
    assert ["agreement", "/", "answerability", "/", "percent_agreement", "0.51", "0.5"] in lines
    assert ["system_mean", "/", "noised", "/", "beauty", "5", "–"] in lines
    assert "The study has 8 questions." in said
    assert "from Nobody (2026), A Study of Nothing (Table 1; Section 4)." in said
    assert "other questions" not in said


@pytest.mark.django_db
def test_reproduced_study_of_a_data_file_api_and_page_have_printed_beside_computed(study, client):
    asker = factories.researcher()
    file = ReleasedFile("released.tsv", storage.store_bytes((HEAD + "".join(ROWS)).encode()))
    campaign = reproduce_study(key="invented", files=[file], by=asker, now=NOW).campaign

    rows = program(asker).get(f"{API}/campaigns/{campaign.uuid}/published/").json()

    assert rows[0] == {
        "number": "agreement / answerability / percent_agreement",
        "published": 0.51,
        "computed": 0.5,
    }
    assert {"number": "system_mean / noised / beauty", "published": 5, "computed": None} in rows
    client.force_login(asker)
    page = client.get(reverse("analysis:published", args=[campaign.uuid])).text
    percent = '<th scope="row">Agreement: Answerability, percent agreement</th>'
    assert f'{percent}<td class="n">0.51</td><td class="n">0.5000</td>' in page


@pytest.mark.django_db
def test_reproduce_study_of_a_data_file_other_data_have_no_printed_numbers(study, tmp_path, capsys):
    factories.user(is_superuser=True)
    file = tmp_path / "other.tsv"
    file.write_text(HEAD + "".join(ROWS[:7]))

    out, said = reproduced(file, capsys)

    assert out["published"] == {}
    assert "These are other questions." in said
    assert "A Study of Nothing" not in said


@pytest.mark.django_db
def test_reproduce_qgbench_printed_pair_of_metrics_in_either_order(tmp_path, capsys, monkeypatch):
    factories.user(is_superuser=True)
    monkeypatch.setitem(STUDIES, "qgbench", STUDIES["qgbench"].model_copy(update={"belongs": {}}))

    call_command("reproduce", "qgbench", *written(tmp_path, Crowd(batches=2, hits=1)), "--json")

    out = json.loads(capsys.readouterr().out)
    # the figure has ROUGE-L before METEOR, the files METEOR before ROUGE-L
    assert out["published"]["spearman_metrics"]["METEOR"]["ROUGE_L"] == 0.91236
    assert out["computed"]["spearman_metrics"]["METEOR"]["ROUGE_L"] is not None
    one_sided = out["published"]["williams_p_one_sided"]["grammaticality"]
    assert one_sided["METEOR"]["ROUGE_L"] == 0.1838


@pytest.mark.parametrize(
    ("right", "wrong", "line", "key", "reason"),
    [
        ("protocol: nema-khapra", "protocol: nema", 4, "protocol", "nema-khapra"),
        ("title: An", "titel: An", 2, "titel", "unknown key"),
        ("role: reference", "role: referenze", 9, "mapping.columns.First version.role", "question"),
        ("[agreement, sys", "[agreements, sys", 13, "compute[0]", "agreement"),
        ("questions: 8", "question: 8", 14, "belongs.question", "questions"),
        ("number: agreement", "number: agreed", 16, "printed[0]", "agreed is none of the numbers"),
        ("system_mean / noised", "system_mean", 21, "printed[1]", "listed by system and criterion"),
        ("[0.51, null]", "[0.51]", 16, "printed[0]", "row answerability must have a cell for each"),
        ("[2.75]", "[2.75a]", 24, "printed[1].rows.answerability[0]", "2.75a"),
        ("{questions:,}", "{question}", 29, "notes[0].text", "'question' is none of the facts"),
        ("{questions: 8", "{questions: [8", 14, "", "not valid YAML"),
    ],
)
def test_read_wrong_file_names_file_line_and_key(right, wrong, line, key, reason):
    assert right in STUDY

    with pytest.raises(ProtocolError) as refused:
        published.read_published_study(STUDY.replace(right, wrong), "invented.yaml")

    found = [each for each in refused.value.problems if each.key.startswith(key)]
    assert any(reason in each.reason for each in found), str(refused.value)
    assert "invented.yaml, line" in str(refused.value)
    if key:
        assert line in {each.line for each in found}


def test_read_example_in_the_docs_is_a_study():
    page = Path("docs/published-studies.md").read_text(encoding="utf-8")
    example = page.partition("```yaml\n")[2].partition("```")[0]

    assert published.read_published_study(example, "example.yaml").key == "invented"


def test_every_number_has_a_computation():
    assert all(callable(getattr(Computation, name)) for name in NUMBERS)


@pytest.mark.parametrize("key", sorted(STUDIES))
def test_study_computes_every_number_that_it_has_in_print(key):
    study = STUDIES[key]

    printed = {path[0] for table in study.printed for path in table.values()}

    assert printed <= set(study.compute)


@pytest.mark.parametrize(
    ("key", "number", "values"),
    [
        ("qgeval", "system_mean", 15 * 7),
        ("qgbench", "system_mean", 6 * 3),
        ("qgbench", "system_score", 6 * 5),
        ("qgbench", "spearman", 3 * 5),  # Figure 3
        ("qgbench", "spearman_criteria", 3),  # Figure 5: each two of three
        ("qgbench", "spearman_metrics", 10),  # Figure 6: each two of five
        ("qgbench", "williams_p_one_sided", 3 * 10),  # Figure 7
        ("qgstec2010", "mean_returned", 4 * 5),
    ],
)
def test_study_has_every_cell_of_its_printed_tables(key, number, values):
    printed = [path for table in STUDIES[key].printed for path in table.values()]

    assert len({path for path in printed if path[0] == number}) == values
