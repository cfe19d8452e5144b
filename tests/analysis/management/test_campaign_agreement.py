import json
import uuid

import pytest
from django.core.management import CommandError, call_command

from analysis import frames
from analysis.actions import agreement
from tests.analysis import studies

pytestmark = pytest.mark.django_db


def test_prints_what_the_whole_table_gives(capsys):
    campaign = studies.imported()
    call_command("campaign_agreement", str(campaign.uuid), "--json")
    rows = json.loads(capsys.readouterr().out)
    [printed] = [row for row in rows if (row["criterion"], row["coefficient"]) == ("correctness", "gwet_ac1")]
    whole = agreement.records(frames.material(campaign))
    [given] = [row for row in whole if (row["criterion"], row["coefficient"]) == ("correctness", "gwet_ac1")]
    assert (printed["value"], printed["low"], printed["n"]) == (given["value"], given["low"], given["n"])
    assert printed["bootstrap_low"] < printed["value"] < printed["bootstrap_high"]


def test_says_why_where_nobody_judged(capsys):
    call_command("campaign_agreement", str(studies.imported().uuid), "--round", "pilot")
    assert "no unit has two ratings" in capsys.readouterr().out


def test_an_unknown_campaign_is_an_error():
    with pytest.raises(CommandError, match="No campaign has the key"):
        call_command("campaign_agreement", str(uuid.uuid4()))
