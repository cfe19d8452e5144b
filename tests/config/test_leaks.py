"""Small ways out: logs, caches, spreadsheets, placeholders, and what a form lets through."""

import csv
import io
import logging

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from analysis.reports.tables import to_csv
from config import settings as site
from config.logs import WithoutLinks
from judging.campaigns.actions import campaigns
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.protocols.protocol_yaml import ProtocolError
from tests import factories
from tests.annotation import studies

db = pytest.mark.django_db
FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\n=1", "＝1"]


@pytest.mark.parametrize("value", ["CHANGE-ME", "change-me-" * 10, "short"])
def test_placeholder_for_a_secret_does_not_start(monkeypatch, value) -> None:
    monkeypatch.setenv("QUAESTOR_SECRET_KEY", value)
    with pytest.raises(ImproperlyConfigured, match="QUAESTOR_SECRET_KEY must be a random text"):
        site._secret("secret_key")


@pytest.mark.parametrize(
    "path",
    [
        "/join/crowd/0a1b/?PROLIFIC_PID=c3-4f&STUDY_ID=abc-DEF_123",
        "/join/abc-DEF_123/",
        "/go/7.x-Y_z/",
        "/password/new/MQ/c3-4f/",
    ],
)
def test_logs_hold_no_end_of_a_link(path: str) -> None:
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    handler.addFilter(WithoutLinks())
    log = logging.getLogger("django.request.test")
    log.addHandler(handler)
    log.warning("%s: %s", "Not Found", path)
    log.removeHandler(handler)
    secret = path.strip("/").rpartition("/")[2]
    assert secret not in said.getvalue()
    assert "Not Found: /" in said.getvalue()


@pytest.mark.parametrize("text", FORMULAS)
def test_report_tables_hold_no_formula(text: str) -> None:
    rows = list(
        csv.reader(
            io.StringIO(
                to_csv([{"system": text, text: 1.5, "difference": -0.25}]).removeprefix("\ufeff"),
                newline="",
            )
        )
    )
    guarded = f"'{text[0]}'{text[1:]}" if text[0] in "\t\n" else f"'{text}"
    assert guarded in rows[0]
    assert guarded in rows[1]
    assert {"1.5", "-0.25"} < set(rows[1])


def test_report_tables_hold_no_formula_behind_a_carriage_return() -> None:
    assert to_csv([{"system": "Alba\r=1"}]) == '\ufeffsystem\n"Alba\n\'=1"\n'


@db
def test_codebook_holds_no_formula() -> None:
    text = factories.SMALL.replace("name: Grammaticality", 'name: "=HYPERLINK(1)"')
    campaign = factories.campaign(
        protocol=protocols.install(document=documents.parse(text, "small.yaml"))
    )
    client = factories.logged_in(campaign.created_by)
    said = client.get(reverse("judging:codebook", args=[campaign.uuid])).text
    assert "'=HYPERLINK(1)" in said
    assert ",=HYPERLINK(1)" not in said


@db
def test_annotators_do_not_read_the_protocol_with_its_checks() -> None:
    campaign = studies.opened()
    client, _enrollment = studies.annotator(campaign)
    for name in ("protocol", "protocol_file"):
        assert (
            client.get(reverse(f"judging:{name}", args=[campaign.protocol_id])).status_code == 404
        )
    analyst = factories.user()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst")
    client.force_login(analyst)
    assert (
        client.get(reverse("judging:protocol_file", args=[campaign.protocol_id])).status_code == 200
    )


@pytest.mark.parametrize("version", ['1"; filename="x.exe', "1\\r\\nX: 1", "../1", " ", "é"])
def test_version_that_could_break_a_download_is_refused(version: str) -> None:
    text = factories.SMALL.replace(
        'version: "1"', f"version: {version!r}" if "\\" not in version else f'version: "{version}"'
    )
    with pytest.raises(ProtocolError):
        documents.parse(text, "x.yaml")


@db
def test_private_answers_are_stored_nowhere_and_public_ones_are_as_they_were() -> None:
    campaign = factories.opened()
    client = factories.logged_in(campaign.created_by)
    for address in ("campaign", "codebook", "annotators"):
        answer = client.get(reverse(f"judging:{address}", args=[campaign.uuid]))
        assert "no-store" in answer["Cache-Control"]
    assert (
        "no-store"
        in client.get(reverse("judging:export", args=[campaign.uuid, "csv"]))["Cache-Control"]
    )
    assert "private" not in Client().get("/password/forgotten/").get("Cache-Control", "")
