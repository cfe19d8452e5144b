"""The exit form: written by a manager with a reason for each question, answered or skipped by
annotators, stored separately."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.enrolments.actions import exit_forms
from judging.enrolments.models.exit_form import ExitAnswer, ExitQuestion
from judging.overview.actions import erasures
from judging.quality.actions import checks
from judging.work.actions import judgments, sheets
from judging.work.actions.drafts import SentPage
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db
OPEN = {
    "text": "Was anything unclear?",
    "reason": "To mend the guideline.",
    "kind": "text",
    "options": "",
}
AGE = {
    "text": "How old are you?",
    "reason": "The panel must be mixed.",
    "kind": "choice",
    "options": "under 30\n30 or older\n30 or older\n",
    "personal": "on",
}


def asked(client: Client, campaign: Campaign, **fields: str) -> int:
    return client.post(
        reverse("judging:exit_question_add", args=[campaign.uuid]), fields
    ).status_code


@pytest.fixture
def draft() -> tuple[Campaign, Client]:
    """Return a draft with two questions, one of them about the person, and its manager's
    browser."""
    made = factories.campaign(dataset=factories.dataset(sources=1), annotators_per_task=2)
    client = factories.logged_in(made.created_by)
    assert asked(client, made, **OPEN) == asked(client, made, **AGE) == 302
    return made, client


def finished(campaign: Campaign) -> tuple[Client, Enrollment]:
    """Return the browser of an annotator who has done the last task."""
    client, own = studies.annotator(campaign)
    held = studies.held(own)
    sheet = sheets.sheet_of_assignment(held)
    given = [(each, 3) for each in sheet.asked()]
    judgments.submit_and_claim_next(
        claim_next=checks.claim_next_with_checks,
        assignment=held,
        page=SentPage(given, 1, None),
        token=held.submit_token,
        sheet=sheet,
    )
    return client, own


def opened(campaign: Campaign) -> None:
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    campaigns.open_campaign(campaign=campaign, now=timezone.now())


def test_a_question_needs_its_reason_and_a_choice_its_options(draft) -> None:
    campaign, client = draft
    assert asked(client, campaign, **OPEN | {"reason": ""}) == 422
    assert asked(client, campaign, **AGE | {"options": "one"}) == 422
    personal = ExitQuestion.objects.filter(campaign=campaign).values_list("personal", "options")
    assert list(personal) == [(False, []), (True, ["under 30", "30 or older"])]


def test_the_lock_fixes_the_form_and_a_duplicate_takes_it_along(draft) -> None:
    campaign, client = draft
    copy = campaigns.duplicate_campaign(campaign=campaign, by=campaign.created_by)
    assert exit_forms.exit_form_document(copy) == exit_forms.exit_form_document(campaign)
    opened(campaign)
    campaign.refresh_from_db()
    assert [each["text"] for each in campaign.locked_plan["exit_form"]] == [
        OPEN["text"],
        AGE["text"],
    ]
    assert asked(client, campaign, **OPEN) == 422
    first = campaign.exit_questions.first()
    client.post(reverse("judging:exit_question_remove", args=[campaign.uuid, first.pk]))
    assert campaign.exit_questions.count() == 2
    assert "exit_form" not in factories.opened().locked_plan


def test_an_annotator_answers_after_the_last_task_changes_it_leaves_it_and_is_erased(draft) -> None:
    campaign, manager = draft
    opened(campaign)
    page = f"/work/{campaign.uuid}/questions/"
    newcomer, _own = studies.annotator(campaign)
    assert newcomer.get(page).status_code == 404
    client, own = finished(campaign)
    values = Judgment.objects.count()
    assert page in client.get(f"/work/{campaign.uuid}/").text
    assert client.post(page, {"e1": " The scale. ", "e2": "older than that"}).status_code == 422
    assert client.post(page, {"e1": " The scale. ", "e2": "under 30"}).status_code == 302
    assert client.post(page, {"e1": "Nothing", "e2": "under 30"}).status_code == 302
    said = dict(own.exit_answers.values_list("question__number", "text"))
    assert said == {1: "Nothing", 2: "under 30"}
    assert Judgment.objects.count() == values

    seen = manager.get(reverse("judging:exit_form", args=[campaign.uuid])).text
    assert "under 30: not shown separately" in seen
    assert "30 or older: not shown separately" in seen
    answers = manager.get(reverse("judging:exit_answers", args=[campaign.uuid])).content
    table = answers.decode("utf-8-sig")
    rows = [(row["annotator"], row["answer"]) for row in csv.DictReader(io.StringIO(table))]
    assert rows == [(own.label, "Nothing"), ("", "(not shown separately)")]
    export = manager.get(reverse("judging:export", args=[campaign.uuid, "csv"]))
    assert "Nothing" not in export.getvalue().decode()

    client.post(page, {"e1": "", "e2": ""})
    assert not ExitAnswer.objects.exists()
    client.post(page, {"e1": "Again"})
    erasures.erase_annotator(enrollment=own, by=campaign.created_by, now=timezone.now())
    assert not ExitAnswer.objects.exists()


@pytest.fixture
def about_people() -> ExitQuestion:
    """Return a question about the person with three options, of a campaign that is closed."""
    campaign = factories.opened()
    Campaign.objects.filter(pk=campaign.pk).update(state="closed", closed_at=timezone.now())
    campaign.refresh_from_db()
    return ExitQuestion.objects.create(
        campaign=campaign, number=1, text="Age?", reason="Mixed.", kind="choice", personal=True,
        options=["young", "middle", "old"],
    )  # fmt: skip


def said(question: ExitQuestion, counts: list[int]) -> None:
    texts = [text for text, n in zip(question.options, counts, strict=True) for _ in range(n)]
    for number, text in enumerate(texts, 1):
        own = factories.enrollment(question.campaign, label=f"A{number:02d}")
        kept = {"text": text, "answered_at": timezone.now()}
        ExitAnswer.objects.create(question=question, enrollment=own, **kept)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ([5, 9, 0], [5, 9, 0]),
        ([3, 9, 6], [None, 9, None]),  # 18 answered, so 18 - 9 - 6 would be revealed
        ([3, 2, 9], [None, None, 9]),
        ([2, 2, 9], [None, None, None]),  # together a small group still
        ([3, 0, 0], [None, None, None]),  # else it is revealed that all are young
        ([1, 6, 0], [None, None, None]),
        ([7, 0, 0], [7, 0, 0]),
    ],
)
def test_small_group_is_told_by_no_count_sum_or_row_of_the_table(
    about_people, counts: list[int], told: list[int | None]
) -> None:
    campaign = about_people.campaign
    said(about_people, counts)
    [result] = exit_forms.exit_form_results(campaign)
    assert [count for _option, count in result.options] == told
    rows = [row["answer"] for row in exit_forms.exit_form_rows(campaign)]
    assert len(rows) == result.answered == sum(counts)
    assert [rows.count(option) for option in about_people.options] == [n or 0 for n in told]
    assert rows.count("(not shown separately)") == sum(counts) - sum(n or 0 for n in told)


def test_what_people_say_of_themselves_is_told_when_nobody_can_answer_any_more(
    about_people,
) -> None:
    campaign = about_people.campaign
    own = {"kind": "text", "personal": True, "options": [], "reason": "Mixed."}
    free = ExitQuestion.objects.create(campaign=campaign, number=2, text="Language?", **own)
    said(about_people, [5, 0, 0])
    for each in campaign.enrollments.all():
        exit_forms.store_exit_answers(
            enrollment=each, given={free.pk: "Basque"}, now=timezone.now()
        )
    assert not free.answers.exists()
    Campaign.objects.filter(pk=campaign.pk).update(state="open", closed_at=None)
    for each in campaign.enrollments.all():
        given = {free.pk: "Basque", about_people.pk: "young"}
        exit_forms.store_exit_answers(enrollment=each, given=given, now=timezone.now())
    campaign.refresh_from_db()
    assert {row["answer"] for row in exit_forms.exit_form_rows(campaign)} == {
        "(not shown separately)"
    }
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    assert {row["answer"] for row in exit_forms.exit_form_rows(campaign)} == {"Basque", "young"}
    free.answers.first().delete()
    assert exit_forms.exit_form_results(campaign)[1].texts == []


def test_what_was_told_once_takes_no_answer_when_the_campaign_is_opened_again() -> None:
    campaign, now = factories.opened(), timezone.now()
    own = factories.enrollment(campaign)
    columns = {"campaign": campaign, "kind": "text", "reason": "Mixed."}
    person = ExitQuestion.objects.create(number=1, text="Age?", personal=True, **columns)
    unclear = ExitQuestion.objects.create(number=2, text="Unclear?", **columns)
    assert set(exit_forms.asked_now(campaign)) == {person, unclear}
    campaigns.close_campaign(campaign=campaign, now=now)
    campaigns.open_campaign(campaign=campaign, now=now)
    exit_forms.store_exit_answers(
        enrollment=own, given={person.pk: "30", unclear.pk: "no"}, now=now
    )
    assert [each.question for each in ExitAnswer.objects.all()] == [unclear]


def test_answers_are_stored_once_a_changed_text_is_agreed_to(draft) -> None:
    campaign, _manager = draft
    opened(campaign)
    client, _own = finished(campaign)
    Campaign.objects.update(consent="I agree to more.")
    page = f"/work/{campaign.uuid}/questions/"
    assert "I agree to more." in client.post(page, {"e1": "The scale."}).text
    assert not ExitAnswer.objects.exists()
    client.post(page, {"e1": "The scale.", "agree": "on"})
    assert ExitAnswer.objects.get().text == "The scale."


def test_nothing_is_asked_where_the_form_is_empty() -> None:
    campaign = studies.opened(sources=1)
    client, _own = finished(campaign)
    assert "questions/" not in client.get(f"/work/{campaign.uuid}/").text
    assert client.get(f"/work/{campaign.uuid}/questions/").status_code == 404
