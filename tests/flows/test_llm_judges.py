"""A researcher imports an LLM judge in the browser, reads its chapter, and finds its mean
nowhere among people's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.urls import reverse

from analysis.models import Run
from analysis.runs.actions import runs
from judging.campaigns import guards
from judging.jobs import tasks as job_tasks
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.llm_judges import tasks as llm_judge_tasks
from judging.llm_judges.actions import llm_judges
from judging.llm_judges.models.llm_judge import JudgeKey
from tests.analysis import studies
from tests.analysis.sections.llm_judges.test_llm_judges import PEOPLE, SYSTEMS, study
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter
from tests.flows.test_main_road import PATIENCE
from tests.judging.llm_judges.actions.test_machine_asking import Server, server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still
__all__ = ["server", "still"]


def answers(campaign: Any, path: Path) -> float:
    """Write a judge's answers, 3 but for two questions, and return their mean, which no person and
    no system has."""
    items = llm_judges.questions_with_tokens(campaign)
    values = [2 if place in (4, 9) else 3 for place in range(len(items))]
    rows = [f"{item.token},{value},said so" for item, value in zip(items, values, strict=True)]
    path.write_text("\n".join(["item,correctness,rationale", *rows]))
    return sum(values) / len(values)


def test_a_judge_is_asked_at_an_address_and_its_reason_stands_on_the_item(
    still: Any, live_server: Any, server: Server, settings: Any
) -> None:
    settings.JUDGE_ADDRESSES = [server.address]
    campaign = studies.imported(sources=2)
    enter(still, campaign.created_by)
    ask = reverse("judging:judge_ask", args=[campaign.uuid])
    judges = reverse("judging:llm_judges", args=[campaign.uuid])
    still.goto(live_server.url + judges)
    still.get_by_role("link", name="Ask a model at an address").click()
    still.get_by_label("Model", exact=True).fill("maker/small")
    still.get_by_label("Name in reports").fill("Small")
    still.get_by_role("button", name="See the prompt and what it takes").click()
    still.get_by_role("heading", name="Cost of asking Small").wait_for()
    shown = still.inner_text("body")
    assert "Is it grammatical?" in shown and "2 = nearly" in shown
    assert f"of this campaign go to {server.address}" in shown
    assert server.asked == []
    found = looks.problems(still)
    still.set_viewport_size(looks.WIDE)
    still.get_by_label("Key").fill("secret-key")
    still.get_by_role("button", name="Ask Small", exact=True).click()
    still.get_by_role("heading", name="Asking an LLM judge").wait_for()
    job = Job.objects.get(kind="judging.ask_judge")
    job_tasks._carry_out(
        jobs.claim_job(job_id=job.pk),
        llm_judge_tasks.ask_judge,
        right=guards.manages,
        whole=False,
        first=None,
    )
    still.goto(live_server.url + judges)
    told = still.inner_text("body")
    assert "6 answered, 0 without a usable answer, 0 left" in told
    assert "secret-key" not in told and not JudgeKey.objects.exists()
    assert set(server.keys) == {"Bearer secret-key"}
    source = campaign.dataset.sources.first()
    item = reverse("analysis:item", args=[campaign.uuid, source.pk])
    still.goto(live_server.url + item)
    machines = still.locator(
        "section", has=still.get_by_role("heading", name="Verdicts of LLM judges")
    )
    assert machines.inner_text().count("clear") == 3
    assert "Small" not in still.get_by_role("region", name="Ratings and scores").inner_text()
    assert found + looks.problems_of(still, [judges, ask, item]) == []


def test_a_judge_is_imported_and_stands_apart(
    still: Any, live_server: Any, tmp_path: Path, worker: object
) -> None:
    campaign = study()
    file = tmp_path / "judge.csv"
    mean = answers(campaign, file)
    assert mean == 2.95
    assert not np.isclose(PEOPLE.mean(axis=0), mean).any()
    enter(still, campaign.created_by)
    still.goto(live_server.url + reverse("judging:campaign", args=[campaign.uuid]))
    still.get_by_role("link", name="People").click()
    still.get_by_role("link", name="LLM judges").click()
    still.get_by_label("Table of its answers").set_input_files(file)
    still.get_by_label("Name in reports").fill("Careful model")
    still.get_by_label("Model", exact=True).fill("maker/careful-7b")
    still.get_by_label("Prompt").fill("Does the question ask for the answer? Say 1, 2 or 3.")
    still.get_by_role("button", name="Add the judge").click()
    still.get_by_role("heading", name="Careful model").wait_for(timeout=PATIENCE)
    run: Run = studies.analysed(campaign, metrics=[])
    still.goto(live_server.url + reverse("analysis:run", args=[campaign.uuid, run.number]))
    chapters = still.locator(".chapter, .more-fold:has(> summary h2)")
    theirs = chapters.filter(has=still.locator("#chapter-judges")).text_content()
    assert "Alternative annotator test" in theirs
    assert "Careful model" in theirs
    assert "Passing is not enough" in theirs
    assert "maker/careful-7b" in theirs
    others = chapters.filter(has_not=still.locator("#chapter-judges")).all_text_contents()
    assert len(others) >= 3
    # the judge's mean is 2.95, and with it among people's values every mean of a system would be
    # another
    assert not [text for text in others if "Careful model" in text or "2.95" in text]
    rows = [
        row for row in dict(runs.StoredTables(run))["systems"] if row["criterion"] == "correctness"
    ]
    means = {row["system"]: row["value"] for row in rows}
    assert means == {
        name: pytest.approx(PEOPLE[name == SYSTEMS].mean()) for name in ("Alba", "Brisa")
    }
    judges = reverse("judging:llm_judges", args=[campaign.uuid])
    assert (
        looks.problems_of(
            still, [judges, reverse("analysis:run", args=[campaign.uuid, run.number])]
        )
        == []
    )
