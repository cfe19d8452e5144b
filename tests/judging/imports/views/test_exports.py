"""Judgments to take along: what cannot be written says why, and no title gets out of a file's
name."""

import csv
import io

import pytest
from defusedxml.ElementTree import fromstring
from django.urls import reverse

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Passage, Source, Unit
from judging.formats.recipes.writers import PIECE
from judging.imports.actions import exports
from tests import factories
from tests.analysis import studies
from tests.judging.exported import label_studio, long_csv, long_jsonl

pytestmark = pytest.mark.django_db
NAMES = ["csv", "csv-raw", "jsonl", "qgstec", "label-studio"]


@pytest.fixture(scope="module")
def imported(lasting) -> Campaign:
    return studies.imported(sources=2)


@pytest.fixture
def campaign(imported) -> Campaign:
    return Campaign.objects.get(pk=imported.pk)


@pytest.fixture
def page(client, campaign):
    client.force_login(campaign.created_by)
    return client


def address(campaign: Campaign, key: str) -> str:
    return reverse("judging:export", args=[campaign.uuid, key])


@pytest.mark.long
@pytest.mark.parametrize(
    "title",
    ['a"; filename="evil.exe', "a\r\nSet-Cookie: x=1", "../../etc/passwd", "\u202excod", "<b>"],
)
def test_title_stays_inside_the_name_of_the_file(page, campaign, title):
    Campaign.objects.filter(pk=campaign.pk).update(title=title)
    for key in ("csv", "jsonl", "label-studio"):
        answer = page.get(address(campaign, key))
        assert answer.status_code == 200
        kind, _, name = answer["Content-Disposition"].partition("; filename=")
        assert kind == "attachment"
        assert name.strip('"').replace("-", "").replace(".", "").isalnum()
        assert "x=1" not in answer.cookies.output()


def test_what_people_wrote_is_data_in_every_cell(page, campaign):
    Source.objects.filter(dataset=campaign.dataset).update(answer='=cmd()",\n<script>')
    rows = list(
        csv.DictReader(
            io.StringIO(page.get(address(campaign, "csv-raw")).getvalue().decode(), newline="")
        )
    )
    assert {row["answer"] for row in rows} == {'=cmd()",\n<script>'}
    guarded = csv.DictReader(
        io.StringIO(page.get(address(campaign, "csv")).getvalue().decode("utf-8-sig"), newline="")
    )
    assert {row["answer"] for row in guarded} == {"'" + '=cmd()",\n<script>'}
    assert "judgments-raw.csv" in page.get(address(campaign, "csv-raw"))["Content-Disposition"]


def test_parts_of_a_study_make_the_same_file_as_the_whole(page, campaign, monkeypatch):
    """The header also contains a column that only the last part uses."""
    last = campaign.dataset.sources.order_by("position").last()
    unit = Unit.objects.filter(question_set__source=last, question__isnull=False).first()
    unit.attributes.create(name="z", value="1")
    task = campaign.rounds.get().assignments.first()
    task.notes.create(text="odd", sequence=1)
    task.notes.create(unit=unit, text="why", sequence=1)
    whole = exports.export_campaign(campaign=campaign)
    monkeypatch.setattr(exports, "SOURCES_A_PART", 1)
    parts = campaign.dataset.sources.count()
    lines = list(page.get(address(campaign, "jsonl")))
    assert len(lines) == parts
    assert b"".join(lines).decode() == long_jsonl(whole)
    tasks = page.get(address(campaign, "label-studio")).getvalue().decode()
    assert tasks == label_studio(whole)
    pieces = list(page.get(address(campaign, "csv-raw")))
    assert len(pieces) == 1 + parts
    sent = list(csv.DictReader(io.StringIO(b"".join(pieces).decode(), newline="")))
    other = list(csv.DictReader(io.StringIO(long_csv(whole), newline="")))
    assert sent == other
    assert {"attribute:z", "note", "judgment:comment"} <= set(sent[0])


@pytest.mark.long
@pytest.mark.parametrize("key", ["csv", "jsonl", "label-studio"])
def test_file_that_repeats_a_long_passage_is_sent_in_pieces(page, campaign, key):
    Passage.objects.update(text="x" * PIECE)
    sent = [len(each) for each in page.get(address(campaign, key))]
    assert sum(sent) > 5 * PIECE
    assert max(sent) < 2.1 * PIECE


def test_the_campaigns_page_offers_every_format_that_can_hold_it(page, campaign):
    def offered():
        html = page.get(reverse("judging:campaign", args=[campaign.uuid])).text
        return {key for key in NAMES if f'href="{address(campaign, key)}"' in html}

    assert offered() == set(NAMES) - {"qgstec"}
    campaign.dataset.sources.update(
        passage=None,
        sentence="Locks were built.",
        sentence_start=None,
        answer_start=None,
        target_type="what",
    )
    assert offered() == set(NAMES)


def test_label_studio_gets_its_interface_with_every_criterion(page, client, campaign):
    where = reverse("judging:label_studio", args=[campaign.uuid])
    answer = page.get(where)
    assert answer["Content-Type"] == "application/xml; charset=utf-8"
    view = fromstring(answer.content)
    asked = {each.get("name") for each in view.iter("Choices")}
    assert {each.key for each in campaign.protocol.criteria.all()} <= asked
    assert where in page.get(reverse("judging:campaign", args=[campaign.uuid])).text
    client.force_login(factories.researcher())
    assert client.get(where).status_code == 404
