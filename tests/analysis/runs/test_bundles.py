"""The bundle of a run: its data, from which a script without the application computes the tables
again, and their descriptions."""

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from django.db.models.functions import Now
from django.utils import timezone

from analysis.models import Run
from analysis.runs.actions import bundles, exports
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Attribute, Question, Unit
from judging.protocols.models.protocol import Criterion
from judging.quality.models.adjudication import SettledValue
from judging.work.models.judgment import Judgment
from tests import factories, shared_data
from tests.analysis import studies
from tests.annotation import studies as annotated
from tests.judging.programs import API, program

pytestmark = pytest.mark.django_db
LIBRARY = Path(bundles.__file__).parents[3] / "packages/quaestor-stats/src"
# runs the script where nothing of the application can be imported
ALONE = (
    "import runpy, sys; "
    "sys.modules |= dict.fromkeys(('django', 'judging', 'analysis', 'config', 'quaestor_metrics')); "
    "runpy.run_path('recompute.py', run_name='__main__')"
)
LINE = re.compile(r"(\w+): (\d+) rows, (\d+) values, largest difference (\S+)")
WITHOUT_METRICS = {"agreement", "systems", "system_comparisons", "ceiling"}


@pytest.fixture(scope="module")
def run(lasting: None) -> Run:
    return studies.analysed(studies.imported(sources=18), further=[])


def written(run: Run, folder: Path, **options: bool) -> Path:
    """Return the folder of a bundle."""
    for name, content in exports.files(run, **options):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def recompute(folder: Path) -> tuple[int, dict[str, float], str]:
    """Return the status of the script, the largest difference of each table, and what it printed."""
    ran = subprocess.run(
        [sys.executable, "-P", "-c", ALONE],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(LIBRARY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ran.stderr, ran.stderr
    found = {match[1]: float(match[4]) for match in LINE.finditer(ran.stdout)}
    return ran.returncode, found, ran.stdout


def test_script_without_the_application_computes_all_tables_again(run: Run, tmp_path: Path) -> None:
    status, gaps, printed = recompute(written(run, tmp_path))
    assert (status, set(gaps)) == (0, set(bundles.RECOMPUTED)), printed
    assert max(gaps.values()) <= 1e-9


def test_script_ends_with_an_error_if_a_rating_was_changed(run: Run, tmp_path: Path) -> None:
    judgments = written(run, tmp_path) / "data/judgments.csv"
    judgments.write_text(judgments.read_text().replace(",correctness,1,", ",correctness,3,", 1))
    status, gaps, _printed = recompute(tmp_path)
    assert status == 1
    assert gaps["systems"] > 1e-9


@pytest.mark.parametrize(
    "settings",
    [
        {"design": "sources+annotators", "without_systems": ["Brisa"]},
        pytest.param({"design": "sources+systems", "items": "common"}, marks=pytest.mark.long),
        pytest.param({"without_annotators": ["A2"]}, marks=pytest.mark.long),
        pytest.param({"without_criteria": ["correctness"]}, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_script_follows_the_settings_of_the_run(settings: dict[str, Any], tmp_path: Path) -> None:
    run = studies.analysed(studies.imported(sources=12), further=[], **settings)
    status, _gaps, printed = recompute(written(run, tmp_path))
    assert status == 0, printed


@pytest.mark.parametrize("reading", ["by_protocol", "as_released"])
def test_script_follows_rules_of_the_protocol_and_adjudication(
    reading: str, tmp_path: Path, adjudicated: Campaign
) -> None:
    run = studies.analysed(adjudicated, further=[], reading=reading, adjudicated=True)
    folder = written(run, tmp_path)
    with (folder / "data/judgments.csv").open() as file:
        causes = {row["judgment:adjusted_by"] for row in csv.DictReader(file)}
    assert causes == {"", "adjudication"} | ({"rule"} if reading == "by_protocol" else set())
    status, gaps, printed = recompute(folder)
    assert (status, set(gaps)) == (0, WITHOUT_METRICS), printed


@pytest.fixture(scope="module")
def adjudicated(lasting: None) -> Campaign:
    """Return the released ratings of QG-STEC+, whose protocol has rules about sets of questions, with
    adjudicated ratings of some questions."""
    data = shared_data.path("genuine/qgstec_plus_table.csv").read_bytes()
    campaign = studies.campaign_of(data, protocol=factories.protocol("qgstec-plus"))
    rated = Judgment.objects.filter(assignment__round__campaign=campaign, criterion__position=0)
    for judgment in rated.order_by("unit", "pk").distinct("unit")[:9]:
        SettledValue.objects.create(
            campaign=campaign,
            unit=judgment.unit,
            criterion=judgment.criterion,
            value=3 - judgment.value if judgment.value < 3 else 1,
            settled_by=campaign.created_by,
            settled_at=timezone.now(),
        )
    return campaign


def test_script_gives_agreement_also_without_values_that_rules_of_the_page_set(
    tmp_path: Path,
) -> None:
    campaign = annotated.opened(sources=4, annotators_per_task=2)
    criteria = list(Criterion.objects.filter(protocol=campaign.protocol))
    for number in range(2):
        _client, enrollment = annotated.annotator(campaign)
        for _task in range(4):
            held = annotated.held(enrollment)
            for unit, criterion in product(held.task.task_units.all(), criteria):
                is_forced = number == 0 and criterion.key == "correctness"
                Judgment.objects.create(
                    assignment=held,
                    unit=unit.unit,
                    criterion=criterion,
                    value=1 + (unit.unit_id + number) % 3,
                    origin="rule" if is_forced else "judged",
                    cause="grammaticality" if is_forced else "",
                )
            submitted = {"state": "submitted", "submitted_at": Now(), "lease_expires_at": None}
            Assignment.objects.filter(pk=held.pk).update(**submitted)
    run = studies.analysed(campaign, further=[], metrics=[])
    folder = written(run, tmp_path / "first")
    assert "without forced values" in (folder / "expected/agreement.csv").read_text()
    status, _gaps, printed = recompute(folder)
    assert status == 0, printed

    again = studies.campaign_of(exports.archive(run), name="report.zip", protocol=campaign.protocol)
    second = written(studies.analysed(again, further=[], metrics=[]), tmp_path / "second")
    for name in ("agreement", "systems", "system_comparisons"):
        file = f"expected/{name}.csv"
        assert (second / file).read_text() == (folder / file).read_text()
    assert recompute(second)[0] == 0


def test_bundle_names_what_its_tables_rest_on(run: Run, tmp_path: Path) -> None:
    folder = written(run, tmp_path)
    crate = json.loads((folder / "ro-crate-metadata.json").read_text())
    parts = {part["@id"]: part for part in crate["@graph"]}
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    listed = {part["@id"] for part in parts["./"]["hasPart"]}
    assert listed == files - {"ro-crate-metadata.json"}
    for name in listed:
        assert parts[name]["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    assert parts["#seed"]["value"] == run.seed
    assert run.input_sha256 in parts["#run"]["description"]
    assert {"#numpy", "#quaestor-stats"} <= {each["@id"] for each in parts["#run"]["instrument"]}

    croissant = json.loads((folder / "croissant.json").read_text())
    hashes = {file["contentUrl"]: file["sha256"] for file in croissant["distribution"]}
    for records in croissant["recordSet"]:
        name = f"data/{records['name']}.csv"
        with (folder / name).open(newline="") as file:
            header = next(csv.reader(file))
        assert [field["source"]["extract"]["column"] for field in records["field"]] == header
        assert hashes[name] == parts[name]["sha256"]


def test_readme_is_a_card_whose_configurations_name_the_tables(run: Run, tmp_path: Path) -> None:
    folder = written(run, tmp_path)
    _before, front, text = (folder / "README.md").read_text().split("---\n", 2)
    card = yaml.safe_load(front)
    assert [each["config_name"] for each in card["configs"]] == ["items", "judgments", "scores"]
    assert all((folder / each["data_files"]).exists() for each in card["configs"])
    assert run.input_sha256 in text


@pytest.mark.long
def test_hugging_face_loads_the_tables(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    datasets = pytest.importorskip("datasets")
    folder = str(written(run, tmp_path / "bundle"))
    loaded = {name: datasets.load_dataset(folder, name)["train"] for name in bundles.DATA}
    assert len(loaded["items"]) == 18 * 3
    assert len(loaded["judgments"]) == 18 * 3 * 2 * 2
    assert {"item", "source_id", "system"} <= set(loaded["scores"].column_names)


def test_data_are_written_as_they_are_stored(run: Run, tmp_path: Path) -> None:
    Question.objects.filter(text="What?").update(text="=1+1")
    folder = written(run, tmp_path)
    for name in bundles.DATA:
        assert not (folder / f"data/{name}.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert ",=1+1," in (folder / "data/items.csv").read_text()
    frame = pd.read_parquet(folder / "data/judgments.parquet")
    assert frame["value"].mean() == pd.read_csv(folder / "data/judgments.csv")["value"].mean()
    assert frame["item"].dtype == "int64"


def test_parquet_has_the_columns_and_the_longest_texts_of_the_csv() -> None:
    text = "Lock, gate\nand " * 200_000
    content = f'item,"attribute:a,b","attribute:c""d",value\n1,"{text}",NA,2.5\n,x,,\n'.encode()
    [(_name, written_file)] = bundles._parquet("data/items.parquet", content)
    table = pd.read_parquet(io.BytesIO(written_file))
    assert list(table.columns) == ["item", "attribute:a,b", 'attribute:c"d', "value"]
    assert table["attribute:a,b"].tolist() == [text, "x"]
    assert table['attribute:c"d'].tolist()[0] == "NA"
    assert table["value"].tolist()[0] == 2.5


def test_bundle_with_pseudonyms_names_no_system_and_computes_the_same(
    run: Run, tmp_path: Path
) -> None:
    Campaign.objects.filter(pk=run.campaign_id).update(title="Alba against Brisa")
    Attribute.objects.bulk_create(
        Attribute(unit=unit, name="file", value=f"out_{unit.question_set.system.name}.txt")
        for unit in Unit.objects.filter(question_set__source__dataset=run.campaign.dataset)
        if unit.position
    )
    folder = written(Run.objects.get(pk=run.pk), tmp_path, pseudonyms=True)
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix != ".parquet":
            assert not re.search("Alba|Brisa|Corvo", path.read_text()), path.name
    files = {path.name for path in folder.rglob("*")}
    assert not files & {"report.pdf", "report.json", "methods.txt", "latex", "figures", "tables"}
    card = (folder / "README.md").read_text()
    assert "Left out, because they name systems" in card.replace("\n", " ")
    assert "out_System 1.txt" in (folder / "data/items.csv").read_text()
    status, gaps, printed = recompute(folder)
    assert (status, set(gaps)) == (0, set(bundles.RECOMPUTED)), printed


def test_bundle_is_downloaded_with_pseudonyms_from_the_page_and_by_program(run: Run) -> None:
    owner, uuid = run.campaign.created_by, run.campaign.uuid
    page = factories.logged_in(owner).get(f"/campaigns/{uuid}/runs/1/report.zip?pseudonyms=true")
    path = f"{API}/campaigns/{uuid}/runs/1/report/zip/"
    reader = program(owner, "read")
    assert reader.get(path, {"pseudonyms": "yes"}).status_code == 422
    assert reader.get(path.replace("zip", "json"), {"pseudonyms": "true"}).status_code == 422
    sent = reader.get(path, {"pseudonyms": "true"})
    for answer in (page, sent):
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert b"Alba" not in archive.read("data/items.csv")
            assert "report.pdf" not in archive.namelist()
