"""*Needs you*: each line names the person, the evidence and the act, and leads to its field."""

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.campaigns.quality_plan import QualityPlan
from judging.datasets.models.dataset import Quarantine
from judging.people.models.user import User
from judging.quality.actions import exclusions, snapshots
from judging.quality.quality import Checked, Workload, broken_rules, flag_annotators
from judging.work.actions import drafts, judgments, sheets
from judging.work.actions.drafts import SentPage
from judging.work.models.assignment import Draft, Note
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation.studies import held, opened
from tests.judging.campaign_pages import address
from tests.judging.quality.views.test_pay import RATE
from tests.judging.workers import varied

pytestmark = pytest.mark.django_db
LINE = re.compile(r'<li><div>(.*?) <a href="([^"]+)">(.*?)</a></div></li>', re.DOTALL)


def needs(page: Client, campaign: Campaign) -> list[tuple[str, str, str]]:
    """Return the lines of the overview: sentence, address, act."""
    part = page.get(address("now", campaign)).text
    listed = part[part.index('id="needs"') :]
    listed = listed[: listed.index("</ul>")]
    assert listed.count("<li") == max(1, len(LINE.findall(listed)))
    return [tuple(unescape(text) for text in found) for found in LINE.findall(listed)]


def work_with_times(enrollment: Enrollment, *, quick: int) -> None:
    """Have an annotator submit 20 values in five tasks, `quick` of them within 400 ms."""
    shown, given = timezone.now(), 0
    for _task in range(5):
        own = held(enrollment)
        sheet = sheets.sheet_of_assignment(own)
        answers = [(asked, varied(own, asked)) for asked in sheet.asked()]
        drafts.save_draft(assignment=own, page=SentPage(answers, 1))
        for draft in own.drafts.all():
            took = timedelta(milliseconds=400 if given < quick else 401)
            own.drafts.filter(pk=draft.pk).update(first_shown_at=shown, answered_at=shown + took)
            given += 1
        own.refresh_from_db()
        judgments.submit_task(assignment=own, token=own.submit_token, sheet=sheet)
        Assignment.objects.filter(pk=own.pk).update(active_seconds=60)


@pytest.fixture(scope="module")
def judged(lasting) -> Campaign:
    campaign = opened(sources=5)
    for label in ("A01", "A02"):
        person = factories.enrollment(campaign, label=label)
        work_with_times(person, quick={"A01": 4, "A02": 5}[label])
    Campaign.objects.filter(pk=campaign.pk).update(rate=RATE)
    return campaign


@pytest.fixture
def campaign(judged) -> Campaign:
    return Campaign.objects.get(pk=judged.pk)


@pytest.fixture
def owner(campaign) -> User:
    return campaign.created_by


@pytest.fixture
def hasty(campaign) -> Enrollment:
    return campaign.enrollments.get(label="A02")


def test_quarter_of_quick_answers_is_flagged_with_person_evidence_act_and_link(
    page, campaign, hasty
):
    [(sentence, url, act)] = needs(page, campaign)
    assert sentence.startswith("A02 gave 5 of 20 answers within 400 ms")
    assert act == "See the questions"
    assert url == f"/campaigns/{campaign.uuid}/items/?annotator=A02&sort=outlier"
    assert page.get(url).status_code == 200
    html = page.get(address("annotators", campaign)).text
    assert "5 of 20 within 400 ms" in html
    assert html.count("chip good") - html.count("chip good open") >= 1


@pytest.mark.parametrize(
    ("quick", "timed", "is_flagged"), [(3, 12, True), (2, 12, False), (11, 11, False)]
)
def test_quick_answers_are_flagged_from_a_quarter_of_twelve(quick, timed, is_flagged):
    work_done = Workload("A01", 4, 600, timed, {}, quick=quick, timed=timed)
    found = flag_annotators([work_done], QualityPlan()).get("A01", [])
    assert [flag.reason for flag in found] == ["quick"] * is_flagged


def test_failed_gold_is_flagged_by_the_plans_rule_before_the_share_of_three_counts():
    failed = Workload("A01", 4, 600, 24, {}, Checked(gold=2, passed=0))
    plan = QualityPlan(exclude_gold=1, exclude_gold_of=2)
    assert flag_annotators([failed], QualityPlan()) == {}
    [flag] = flag_annotators([failed], plan)["A01"]
    assert (flag.reason, flag.own, flag.others, flag.n) == ("gold", 0, 0.5, 2)
    assert broken_rules(failed, [flag], plan) == ["exclude_gold"]
    assert flag_annotators([replace(failed, checked=Checked(gold=2, passed=1))], plan) == {}


def test_flag_excludes_nobody_and_changes_no_pay(campaign, hasty):
    counted = snapshots.campaign_counts(campaign)
    assert [standing.work.label for standing in counted.flagged] == ["A02"]
    assert counted.earned["A01"].amount == counted.earned["A02"].amount
    plan = QualityPlan(exclude_speed=True, exclude_same=True, exclude_degraded=True)
    standing = counted.annotators[hasty.pk]
    assert broken_rules(standing.work, standing.flags, plan) == []
    assert not Exclusion.objects.exists()


def test_excluded_annotators_need_nobody(page, campaign, hasty):
    manager = campaign.created_by
    exclusions.exclude_annotator(enrollment=hasty, reason="fast", by=manager, now=timezone.now())
    assert needs(page, campaign) == []
    assert "Nothing at the moment." in page.get(address("now", campaign)).text


def test_task_held_for_a_day_without_a_save_is_flagged_also_before_a_submission(page, campaign):
    newcomer = factories.enrollment(campaign, label="A03")
    own = held(newcomer)
    long_ago = timezone.now() - timedelta(hours=25)
    Assignment.objects.filter(pk=own.pk).update(held_at=long_ago)

    [_hasty, (sentence, url, act)] = needs(page, campaign)
    assert sentence.startswith("A03 holds a task, and has saved no answer in it since")
    assert (url, act) == (address("annotator", campaign, newcomer.pk), "Remind the annotator")
    assert "A03 holds a task" in page.get(url).text

    Campaign.objects.filter(pk=campaign.pk).update(state="paused")
    assert len(needs(page, campaign)) == 1
    Campaign.objects.filter(pk=campaign.pk).update(state="open")
    unit, criterion = own.task.task_units.first().unit, campaign.protocol.criteria.first()
    Draft.objects.create(assignment=own, unit=unit, criterion=criterion, value=1, sequence=1)
    assert len(needs(page, campaign)) == 1


def test_managers_who_judge_do_not_read_that_their_own_task_is_idle(page, campaign):
    Campaign.objects.filter(pk=campaign.pk).update(checked=True)
    own = factories.enrollment(campaign, account=campaign.created_by, label="A04")
    task = held(own)
    Assignment.objects.filter(pk=task.pk).update(held_at=timezone.now() - timedelta(days=2))
    assert all("A04" not in sentence for sentence, _url, _act in needs(page, campaign))


def test_each_line_of_a_draft_opens_its_field(page, draft):
    lines = needs(page, draft)
    assert [url for _sentence, url, _act in lines] == [
        f"{address('plan', draft)}?open={name}#line-{name}"
        for name in ("consent", "contact", "ethics")
        if not getattr(draft, name)
    ]
    for _sentence, url, _act in lines:
        where, anchor = url.split("#")
        html = page.get(where).text
        line = html[html.index(f'<li id="{anchor}">') :]
        assert line.index("<details open>") < line.index("<summary>")
        assert html.count("<details open>") == 1


def test_every_line_of_a_running_campaign_leads_to_its_field(page, campaign, hasty):
    Campaign.objects.filter(pk=campaign.pk).update(rate=RATE | {"floor": "90.00"})
    Quarantine.objects.create(
        dataset=campaign.dataset, row=3, column="a", value="x", reason="no number"
    )
    unit = Judgment.objects.filter(assignment__enrollment=hasty).first().unit
    task = Assignment.objects.filter(enrollment=hasty).first()
    Note.objects.create(assignment=task, unit=unit, text="Broken", sequence=1)
    lines = {act: (sentence, url) for sentence, url, act in needs(page, campaign)}
    assert lines == {
        "See the questions": lines["See the questions"],
        "Read the reports": (
            "A02 reported questions as broken: 1.",
            f"{address('tasks', campaign)}#broken",
        ),
        "See the top-ups": (
            "A01 and A02 earned less per hour than your floor.",
            f"{address('pay', campaign)}#earned",
        ),
        "See the values": (
            "The dataset has values in quarantine: 1.",
            f"/datasets/{campaign.dataset_id}/#quarantine",
        ),
    }
    for _sentence, url in lines.values():
        where, _hash, anchor = url.partition("#")
        assert not anchor or f'id="{anchor}"' in page.get(where).text


def test_erase_is_on_the_persons_page_and_not_on_the_list(page, campaign, hasty):
    erase = address("erase", campaign, hasty.pk)
    assert erase not in page.get(address("annotators", campaign)).text
    assert erase not in page.get(address("campaign", campaign)).text
    assert f'href="{erase}"' in page.get(address("annotator", campaign, hasty.pk)).text
