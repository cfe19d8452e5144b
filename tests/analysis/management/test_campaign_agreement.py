import json
import uuid

import pytest
from django.core.management import CommandError, call_command

from analysis import frames
from analysis.reports.rows import encode
from analysis.sections.agreement.agreement import of_table
from quaestor_stats._alpha import krippendorff_alpha
from tests.analysis import studies

pytestmark = pytest.mark.django_db


def printed_row(capsys, campaign, *more, coefficient="gwet_ac1", level="nominal"):
    wanted = ("correctness", coefficient, level)
    call_command("campaign_agreement", str(campaign.uuid), "--json", *more)
    rows = json.loads(capsys.readouterr().out)
    [row] = [row for row in rows if (row["criterion"], row["coefficient"], row["level"]) == wanted]
    return row


def test_prints_what_the_whole_table_gives_over_units(capsys):
    campaign = studies.imported()
    printed = printed_row(capsys, campaign, "--over", "units")
    table = frames.read_campaign(campaign).ratings("correctness").to_numpy()
    whole = map(encode, of_table(table, frames.protocol_of(campaign).criterion("correctness")))
    [given] = [row for row in whole if row["coefficient"] == "gwet_ac1"]
    assert (printed["value"], printed["low"], printed["n"]) == (
        given["value"],
        given["low"],
        given["n"],
    )
    assert printed["low"] < printed["value"] < printed["high"]
    assert printed["clusters"] == 0


def test_intervals_are_over_sources(capsys):
    campaign = studies.imported(sources=13)
    alpha = {"coefficient": "krippendorff_alpha", "level": "ordinal"}
    printed = printed_row(capsys, campaign, **alpha)
    read = frames.read_campaign(campaign)
    ratings = read.ratings("correctness")
    sources = read.slots.set_index("unit")["source"][ratings.index].to_numpy()
    given = krippendorff_alpha(ratings.to_numpy(), level="ordinal", clusters=sources)
    found = (printed["value"], printed["low"], printed["high"], printed["df"])
    assert found == pytest.approx((given.value, given.ci.low, given.ci.high, given.df), rel=1e-10)
    assert (printed["n"], printed["clusters"]) == (39, 13)
    assert printed["low"] != pytest.approx(
        printed_row(capsys, campaign, "--over", "units", **alpha)["low"]
    )
    assert printed["low"] < printed["value"] < printed["high"]


def test_says_why_where_nobody_judged(capsys):
    call_command("campaign_agreement", str(studies.imported().uuid), "--round", "pilot")
    assert "no unit has two ratings" in capsys.readouterr().out


def test_an_unknown_campaign_is_an_error():
    with pytest.raises(CommandError):
        call_command("campaign_agreement", str(uuid.uuid4()))
