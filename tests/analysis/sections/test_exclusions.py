"""Numbers with and without annotators left out."""

import pytest

from analysis.actions import runs
from judging.models import Enrollment
from tests.analysis import studies

pytestmark = pytest.mark.django_db
VALUE = ("data", "measure", "criterion", "system", "value", "n")


def test_a_run_that_counts_those_left_out_shows_the_same_numbers_of_both() -> None:
    campaign = studies.imported()
    studies.exclude(Enrollment.objects.get(campaign=campaign, label="A2"), by=campaign.created_by)
    tables = [
        runs.tables_of(studies.analysed(campaign, metrics=[], with_excluded=counted))["exclusions"]
        for counted in (False, True)
    ]
    without, counted = ([tuple(row[name] for name in VALUE) for row in rows] for rows in tables)
    assert without == counted
    assert list(dict.fromkeys(row[0] for row in without)) == ["all", "after exclusions"]
    means = {row[0]: row[4] for row in without if row[1:4] == ("mean", "grammaticality", "Alba")}
    assert means == {"all": 2.75, "after exclusions": 3.0}  # A1 gives 3; A2 gives 3 and 2 in turn
