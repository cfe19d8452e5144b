"""The API's own export of judgments is read again as the study that it came from."""

import csv
import io
import json

import pytest

from judging.actions import judgment_rows
from judging.imports.actions import adding
from judging.imports.actions.refusals import CannotImport
from judging.imports.readers.outline import outline
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.registry import sniff
from judging.models import Campaign, Judgment, Question
from tests.analysis import studies
from tests.judging.imports.accepting import accepted
from tests.judging.imports.readers.shape.reading import as_workbook
from tests.judging.imports.views.test_preview import NOW, planned
from tests.shared_data import path

pytestmark = pytest.mark.django_db
Table = list[dict[str, str]]


@pytest.fixture
def campaign() -> Campaign:
    return studies.imported(sources=8)


def exported(campaign: Campaign) -> str:
    judgments = judgment_rows.of_campaign(campaign=campaign)
    return "".join(judgment_rows.csv_lines(judgments, is_simulated=False))


def rows_of(text: str) -> Table:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def as_csv(rows: Table, delimiter: str = ",") -> bytes:
    written = io.StringIO()
    table = csv.DictWriter(written, rows[0].keys(), delimiter=delimiter)
    table.writeheader()
    table.writerows(rows)
    return written.getvalue().encode()


def as_json_lines(campaign: Campaign) -> bytes:
    judgments = judgment_rows.of_campaign(campaign=campaign)
    return "".join(judgment_rows.json_lines(judgments, is_simulated=False)).encode()


def ratings(study: StudyRecords) -> set[tuple[str, str, int | None, str, str, int]]:
    return {
        (
            each.source_key,
            each.system,
            each.position,
            each.rater,
            each.criterion,
            int(each.value),
        )
        for each in study.ratings
    }


def stored() -> set[tuple[str, str, int | None, str, str, int]]:
    names = ("source__key", "system__name")
    fields = [f"unit__question_set__{name}" for name in names]
    fields += ["unit__position", "assignment__enrollment__label", "criterion__key", "value"]
    return set(Judgment.objects.values_list(*fields))


@pytest.mark.parametrize("form", ["csv", "semicolons", "json lines", "json", "workbook"])
def test_api_export_of_judgments_is_the_study_that_it_came_from(campaign, form):
    text = exported(campaign)
    rows = rows_of(text)
    data, name = {
        "csv": (text.encode(), "judgments.csv"),
        "semicolons": (as_csv(rows, ";"), "judgments.csv"),
        "json lines": (as_json_lines(campaign), "judgments.jsonl"),
        "json": (
            json.dumps(
                [json.loads(line) for line in as_json_lines(campaign).splitlines()]
            ).encode(),
            "judgments.json",
        ),
        "workbook": (
            as_workbook(Sheet=[list(rows[0]), *(list(row.values()) for row in rows)]),
            "judgments.xlsx",
        ),
    }[form]

    study = accepted(data, name)

    assert len(study.questions) == 24
    assert len(study.sources) == 8
    assert ratings(study) == stored()
    assert not [problem for problem in study.problems if problem.kind == "row"]


def test_api_export_language_of_the_page_is_none_of_the_texts(campaign):
    rows = [row | {"language": "de"} for row in rows_of(exported(campaign))]

    study = accepted(as_csv(rows), "judgments.csv")

    assert {source.language for source in study.sources} == {""}


@pytest.mark.parametrize(
    "without",
    [
        {"round": "pilot"},
        {"round": "calibration"},
        {"state": "extra"},
        {"excluded": "True"},
        {"excluded": "true"},
    ],
    ids=["pilot", "calibration", "extra", "excluded", "excluded in JSON"],
)
def test_api_export_rows_that_reports_do_not_count_are_refused_with_the_reason(campaign, without):
    rows = rows_of(exported(campaign))
    rows[:2] = [row | without for row in rows[:2]]

    study = accepted(as_csv(rows), "judgments.csv")

    refused = [problem for problem in study.problems if problem.kind == "row"]
    assert [problem.row for problem in refused] == [2, 3]
    assert {problem.column for problem in refused} == set(without)
    assert len(study.ratings) == len(rows) - 2
    assert sum(each.count for each in study.lost_ratings) == 2


def test_api_export_of_the_released_case_has_each_question_once():
    data = path("cases/50-row-ids/j-csv.csv").read_bytes()

    study = accepted(data, "j-csv.csv")

    assert (len(study.sources), len(study.questions), len(study.ratings)) == (8, 24, 144)
    assert len(study.raters) == 3


def test_table_with_some_columns_of_the_export_is_no_export():
    data = b"source,system,question,annotator,criterion,value\np1,Alba,Why?,Ann,fluency,3\n"

    proposed = outline(data=data, known=sniff("r.csv", data)).proposed

    assert proposed.rater == "annotator"
    assert not proposed.rating_metadata


def test_api_export_in_a_new_dataset_has_the_same_questions_and_ratings(campaign):
    again = adding.start(name="Again", by=campaign.collection.owner)
    added = planned(again, exported(campaign).encode(), "judgments.csv", campaign.rubric)

    adding.add(added=added, by=again.owner, now=NOW)

    kept = Judgment.objects.filter(assignment__round__campaign__collection=again)
    assert kept.count() == 96
    assert Question.objects.filter(unit__question_set__source__collection=again).count() == 24
    assert not again.quarantine.exists()


def test_api_export_in_its_own_dataset_adds_nothing(campaign):
    collection = campaign.collection
    added = planned(collection, exported(campaign).encode(), "judgments.csv", campaign.rubric)

    with pytest.raises(CannotImport, match="already has everything"):
        adding.add(added=added, by=collection.owner, now=NOW)
