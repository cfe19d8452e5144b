"""What annotators did, where it is known when they did it."""

from dataclasses import replace

import pytest

from analysis import frames
from analysis.sections.agreement.annotators import Annotators
from judging.campaigns.actions import campaigns
from judging.enrolments.actions import enrollments
from tests import factories
from tests.analysis.sections.computing import picked, records
from tests.annotation import studies

pytestmark = pytest.mark.django_db


def test_the_longest_run_is_of_values_in_the_order_they_were_given() -> None:
    campaign, person = studies.opened(), factories.user()
    campaigns.add_member(campaign=campaign, user=person, role="annotator")
    enrollment, client = (
        enrollments.enroll(campaign=campaign, user=person),
        factories.logged_in(person),
    )
    for _ in range(2):  # two sources, two systems on each
        task = studies.held(enrollment)
        client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task))
    read = frames.read_campaign(campaign)
    judgments = read.judgments.sort_values(["criterion", "unit"], kind="stable")
    judgments["value"] = [2.0, 2, 2, 1] * 2
    judgments["created_at"] = [minute * 60_000_000 for minute in (2, 4, 1, 3)] * 2
    # given are 2, 2, 1, 2: the third question, the first, the fourth, the second
    rows = records(Annotators, replace(read, judgments=judgments))
    (row,) = picked(rows, criterion="correctness")
    assert (row["n"], row["longest_run"], row["run_reason"]) == (4, 2, "")
    assert (row["top_share"], row["mean"]) == (0.75, 1.75)
    assert row["severity"] is None
    (none,) = picked(
        records(Annotators, replace(read, judgments=judgments.assign(origin="imported"))),
        criterion="correctness",
    )
    assert (none["longest_run"], none["run_reason"]) == (
        None,
        "not known: imported ratings have no order",
    )
