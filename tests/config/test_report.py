"""`report FILE`: what the pages make when all that they propose is accepted, by one command."""

import re
from collections import Counter
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.models import Run
from analysis.runs.actions import exports, runs
from judging.jobs import tasks
from judging.protocols import documents
from tests import factories
from tests.judging.importing import added_by, mapped, sent
from tests.working import WorkingClient

pytestmark = pytest.mark.django_db(transaction=True)
SYSTEMS = {"Alder": 3, "Birch": 2}
CELL = re.compile(r"<td[^>]*>(.*?)</td>", re.S)
TAG = re.compile(r"<[^>]*>")


def rows(criteria: tuple[str, ...] = ("Clarity", "Depth"), highest: int = 5) -> str:
    """Return ratings by two annotators of the questions of two systems, with a score."""
    lines = [",".join(["id,passage,system,question,annotator,overlap", *criteria])]
    for number in range(6):
        for system, quality in SYSTEMS.items():
            for place, annotator in enumerate(("Ann", "Bo")):
                values = [
                    min(highest, max(1, quality + (number * step + place) % 3 - 1))
                    for step, _criterion in enumerate(criteria, 1)
                ]
                question = f"What does {system.lower()} ask of number {number}?"
                score = quality / 4 + number / 100
                cells = [f"p{number}", f"Passage {number}.", system, question, annotator, score]
                lines.append(",".join(map(str, [*cells, *values])))
    return "\n".join(lines) + "\n"


def reported(folder: Path, text: str, **options: Any) -> tuple[str, Path]:
    """Return what the command prints, and the folder of its report."""
    file, printed = folder / "ratings.csv", StringIO()
    file.write_text(text)
    call_command("report", file, to=folder / "made", stdout=printed, **options)
    return printed.getvalue(), folder / "made"


def stopped(folder: Path, content: str | bytes, **options: Any) -> tuple[str, str]:
    """Return what the command prints until it stops, and its reason."""
    data = content.encode() if isinstance(content, str) else content
    file, printed = (
        folder / ("ratings.zip" if data.startswith(b"PK") else "ratings.csv"),
        StringIO(),
    )
    file.write_bytes(data)
    with pytest.raises(CommandError) as refused:
        call_command("report", file, to=folder / "made", stdout=printed, **options)
    return printed.getvalue(), str(refused.value)


def bundle(criteria: tuple[str, ...], protocol: str) -> bytes:
    """Return the bundle of a run with ratings from 1 to 2, without passages."""
    items, judgments = ["item,source_id,system,position,question"], []
    for number in range(1, 5):
        place = f"{number},p{number},Alder,1"
        items.append(f"{place},What is {number}?")
        judgments += [f"{place},Ann,{criterion},{number % 2 + 1}" for criterion in criteria]
    files = {
        "data/items.csv": items,
        "data/judgments.csv": [
            "item,source_id,system,position,annotator,criterion,value",
            *judgments,
        ],
        "data/scores.csv": ["item,source_id,system,position,metric,kind,direction,scale,value"],
        "protocol.yaml": [protocol],
    }
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        for name, lines in files.items():
            archive.writestr(name, "\n".join(lines) + "\n")
    return data.getvalue()


def cells(html: str) -> Counter[str]:
    return Counter(" ".join(TAG.sub("", cell).split()) for cell in CELL.findall(html))


def lines_of(run: Run, name: str) -> list[str]:
    """Return the lines of a table; criteria may have another order."""
    return sorted(exports.table_csv(name, runs.StoredTables(run)[name]).splitlines())


def test_report_of_a_file_has_the_numbers_of_the_pages(tmp_path: Path) -> None:
    factories.protocol()
    page = WorkingClient()
    page.force_login(factories.researcher())
    added = sent(page, rows())
    mapped(page, added, own_scale="yes")
    added_by(page, added)
    answer = page.post(reverse("analysis:dataset_report", args=[added.dataset_id]))
    tasks.execute_due_jobs()
    by_pages = Run.objects.get()
    shown = page.get(answer.url).text

    printed, folder = reported(tmp_path, rows(), metric=["overlap=lower"], accept_surprises=True)

    by_command = Run.objects.exclude(pk=by_pages.pk).get()
    assert "overlap: score of an automatic metric, “overlap”, lower is better" in printed
    assert "annotator: annotator of the row" in printed
    assert "Protocol: Clarity from 1 to 4, Depth from 1 to 4" in printed
    for name in ("agreement", "systems", "system_comparisons", "distributions"):
        file = folder / "tables" / f"{name}.csv"
        assert sorted(file.read_text().splitlines()) == lines_of(by_command, name)
        assert lines_of(by_command, name) == lines_of(by_pages, name)
    html = (folder / "report.html").read_text()
    agreement = shown[shown.index('id="chapter-agreement"') : shown.index('id="chapter-metrics"')]
    assert cells(agreement)
    assert cells(agreement) <= cells(html)
    assert not re.search(r'(?:href|src|srcset|action)="/', html)
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.long
@pytest.mark.parametrize(
    ("criteria", "options", "protocol"),
    [
        (("Grammaticality", "Correctness"), {}, "Protocol: Small (small)."),
        (("Correctness",), {}, "Protocol: Correctness from 1 to 3 (correctness)."),
        (("Correctness",), {"protocol": "qgbench"}, "(qgbench)."),
    ],
)
def test_report_uses_the_protocol_named_or_exactly_fitting_else_the_scales_of_the_file(
    tmp_path: Path, criteria, options, protocol
) -> None:
    factories.protocol()
    metric = ["overlap=higher"]
    printed, _folder = reported(
        tmp_path, rows(criteria, highest=3), metric=metric, accept_surprises=True, **options
    )
    assert protocol in printed


def test_report_of_a_bundle_uses_its_protocol(tmp_path: Path) -> None:
    shipped = (documents.SHIPPED / "qgstec2010-b.yaml").read_text()
    criteria = ("relevance", "question_type", "correctness", "ambiguity", "variety")

    printed, reason = stopped(tmp_path, bundle(criteria, shipped))

    assert "(qgstec2010-b)." in printed
    assert "taken as best" not in reason


def test_report_stops_if_several_protocols_fit(tmp_path: Path) -> None:
    criteria = ("Grammaticality", "Understandability", "Correctness")

    _printed, reason = stopped(tmp_path, rows(criteria, highest=3))

    assert "qgbench, qgbench-staged" in reason
    assert "--protocol" in reason


def test_report_asks_which_end_of_a_scale_of_the_file_is_best(tmp_path: Path) -> None:
    _printed, reason = stopped(tmp_path, rows(("Clarity", "Rank")), metric=["overlap=lower"])

    assert "Clarity from 1 to 4: no protocol says so, but 4 is taken as best." in reason
    assert "Rank from 1 to 4: no protocol says so, but 1 is taken as best." in reason
    assert "--accept-surprises" in reason


def test_report_prints_notes_of_reading_llm_judges_and_refused_rows(tmp_path: Path) -> None:
    lines = rows().replace("Ann", "gpt-4o").splitlines()
    lines[3] += ",9"
    printed, _reason = stopped(
        tmp_path, "\n".join([*lines, "Grüße"]).encode("cp1252"), metric=["overlap=lower"]
    )

    assert "The file is not in UTF-8" in printed
    assert "LLM judges: gpt-4o." in printed
    assert re.search(r"^Row 4: .*9 cells", printed, re.M)


def test_report_names_a_surprise_once(tmp_path: Path) -> None:
    criteria = ("Understandability", "Grammaticality", "Correctness")
    options = {"protocol": "qgbench", "metric": ["overlap=lower"]}

    _printed, reason = stopped(tmp_path, rows(criteria, highest=5), **options)

    assert reason.count("go to quarantine") == 1


def test_report_names_a_criterion_without_a_scale_of_its_own(tmp_path: Path) -> None:
    labelled = re.sub(r",(\d)$", r",\1 - Grade", rows(("Clarity", "Fluency")), flags=re.M)

    _printed, reason = stopped(tmp_path, labelled, metric=["overlap=lower"])

    assert re.search(r"^fluency: .*\d - Grade", reason, re.M)
    assert "larity" not in reason
    assert "--protocol" in reason


def test_report_says_how_to_change_a_file_that_leaves_something_open(tmp_path: Path) -> None:
    _printed, reason = stopped(tmp_path, rows().replace("Ann", "Max"), metric=["overlap=lower"])

    assert "“Max”: say whether this is an annotator" in reason
    assert "change the file" in reason


def test_report_stops_at_a_surprise_until_it_is_accepted(tmp_path: Path) -> None:
    without_passages = re.sub(r"Passage \d\.", "", rows())
    with pytest.raises(CommandError, match="passage") as refused:
        reported(tmp_path, without_passages)
    assert "--accept-surprises" in str(refused.value)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("", {}, "The file is empty."),
        (rows(), {"protocol": "no-such"}, "There is no protocol no-such"),
        (rows(), {"metric": ["overlop=higher"]}, "The columns are id, passage"),
        ("passage,system,question\nA lock.,Alba,What?\n", {}, "no ratings"),
    ],
)
def test_report_that_cannot_be_made_says_why(tmp_path, text, options, reason) -> None:
    with pytest.raises(CommandError, match=reason):
        reported(tmp_path, text, **options)


def test_report_overwrites_no_folder(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "notes.txt").touch()
    with pytest.raises(CommandError, match="Name a new folder with --to"):
        reported(tmp_path, rows())
