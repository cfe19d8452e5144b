"""The answer “cannot judge”: an answer to the task, and missing to every statistic."""

import pytest

from analysis import frames
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.work.actions import judgment_rows
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import address, page

pytestmark = pytest.mark.django_db
SMALL = factories.SMALL.replace(
    "definition: Content alone.,", "definition: Content alone., cannot_judge: true,"
)


def test_cannot_judge_completes_a_task_and_is_missing_in_the_analysis() -> None:
    protocol = protocols.install(document=documents.parse(SMALL, "small.yaml"))
    campaign = studies.opened(protocol=protocol, sources=1, systems=("Alba",))
    client, enrollment = studies.annotator(campaign)
    task = studies.held(enrollment)
    html = page(client, task)
    assert html.count('value="-99"') == 1
    assert "Cannot judge" in html

    form = studies.filled(task, correctness=-99, grammaticality=3)
    client.post(address(task, "submit/"), form)

    task.refresh_from_db()
    assert task.state == "submitted"
    assert sorted(Judgment.objects.values_list("value", flat=True)) == [-99, 3]
    judgments = frames.read_campaign(campaign).judgments
    assert judgments["value"].isna().sum() == 1
    exported = judgment_rows.campaign_judgments(campaign=campaign)
    lines = "".join(judgment_rows.json_lines(exported, is_simulated=False))
    assert '"value":-99' in lines
    assert "– Cannot judge" in client.get(f"/work/{campaign.uuid}/start/").text.replace(
        "</b>", ""
    ).replace("<b>", "")
