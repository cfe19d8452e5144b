"""CSV files for spreadsheets begin with a byte order mark, without which a spreadsheet takes UTF-8
for the encoding of its system; files for programs have none."""

import csv
import io
import zipfile

import pytest
from django.urls import reverse
from pandas.testing import assert_frame_equal

from analysis.models import Run
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Question
from judging.formats.child import FRAMES
from judging.formats.mapping import Mapping
from judging.imports.actions.adding import study_in
from judging.people.models.user import User
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db

MARK = b"\xef\xbb\xbf"
GUARDED = {
    "judging:codebook": "column",
    "judging:exit_answers": "question",
    "judging:export": "item",
    "judging:history_table": "position",
    "judging:llm_judge_items": "item",
    "judging:quarantine": "row",
    "judging:site_history_table": "position",
    "judging:top_ups": "annotator",
    "analysis:table": "criterion",
}


@pytest.fixture(scope="module")
def made(lasting: None) -> Run:
    Question.objects.update(text="Où est l'écluse ?")
    return studies.analysed(studies.imported())


@pytest.fixture
def campaign(made: Run, db: None) -> Campaign:
    return Campaign.objects.get(pk=made.campaign_id)


def content(campaign: Campaign, name: str, **more: object) -> bytes:
    """Return a file as the owner downloads it."""
    parts = {
        "judging:quarantine": {"pk": campaign.dataset_id},
        "judging:site_history_table": {},
        "analysis:table": {"number": 1, "name": "systems"},
        "analysis:bundle": {"number": 1},
        "analysis:everything": {"number": 1},
    }
    own = (
        {}
        if name in ("judging:quarantine", "judging:site_history_table")
        else {"uuid": campaign.uuid}
    )
    User.objects.filter(pk=campaign.created_by_id).update(is_superuser=True)
    client = factories.logged_in(campaign.created_by)
    answer = client.get(reverse(name, kwargs=own | parts.get(name, {}) | more))
    assert answer.status_code == 200, name
    return answer.getvalue() if answer.streaming else answer.content


@pytest.mark.parametrize(("name", "first"), GUARDED.items())
def test_csv_for_spreadsheets_begins_with_one_byte_order_mark(
    campaign: Campaign, name: str, first: str
) -> None:
    found = content(campaign, name, **({"key": "csv"} if name == "judging:export" else {}))
    assert found.startswith(MARK)
    assert found.count(MARK) == 1
    header = next(csv.reader(io.StringIO(found.decode("utf-8-sig"))))
    assert header[0] == first


@pytest.mark.parametrize("key", ["csv-raw", "jsonl", "label-studio"])
def test_exports_for_programs_have_no_byte_order_mark(campaign: Campaign, key: str) -> None:
    assert MARK not in content(campaign, "judging:export", key=key)


def test_bundle_marks_its_csv_but_those_that_scripts_read(
    campaign: Campaign,
) -> None:
    archive = zipfile.ZipFile(io.BytesIO(content(campaign, "analysis:bundle")))
    files = {name: archive.read(name) for name in archive.namelist()}
    marked = {name for name, data in files.items() if data.startswith(MARK)}
    raw = {name for name in files if name.startswith(("data/", "expected/"))}
    assert marked == {name for name in files if name.endswith(".csv")} - raw
    assert all(files[name].count(MARK) == 1 for name in marked)
    assert {"codebook.csv", "tables/systems.csv"} <= marked
    assert {"data/judgments.csv", "expected/systems.csv"} <= raw
    assert b'read.csv("data/judgments.csv"' in files["mixed-model.R"]


def test_csv_for_spreadsheets_is_read_in_again_without_its_byte_order_mark(
    campaign: Campaign,
) -> None:
    marked, raw = (content(campaign, "judging:export", key=key) for key in ("csv", "csv-raw"))
    assert marked.startswith(MARK)
    read, again = (study_in(name="j.csv", data=each, mapping=Mapping()) for each in (raw, marked))
    assert len(read.ratings) == 72
    for frame in FRAMES:
        assert_frame_equal(getattr(read, frame), getattr(again, frame))
