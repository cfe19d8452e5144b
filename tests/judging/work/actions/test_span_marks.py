"""Marks in the passage: stored as a set under a number, by code points, and required unless they
are optional."""

import pytest
from django.db import transaction
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.datasets.models.dataset import Passage
from judging.protocols.spans import Marked, parse_marks
from judging.work.actions import drafts, judgments, sheets, span_marks
from judging.work.actions.span_marks import OutsidePassage
from judging.work.models.assignment import SpanMark
from tests.annotation import studies
from tests.refusing import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Assignment:
    _client, enrollment = studies.annotator(
        studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    )
    return studies.held(enrollment)


def mark(assignment: Assignment, text: str, *, sequence: int, question: int = 1) -> bool:
    asked = sheets.sheet_of_assignment(assignment).find_mark(f"m{question}")
    return not drafts.save_draft(
        assignment=assignment, page=drafts.SentPage([], sequence, marks={asked: parse_marks(text)})
    )


def stored(assignment: Assignment) -> list[tuple[int, int]]:
    return list(
        SpanMark.objects.filter(assignment=assignment)
        .order_by("unit", "start")
        .values_list("start", "end")
    )


def answer_all(assignment: Assignment) -> None:
    given = [
        (asked, asked.criterion.points[0].value)
        for asked in sheets.sheet_of_assignment(assignment).asked()
    ]
    drafts.save_draft(assignment=assignment, page=drafts.SentPage(given, 1))


def test_marks_of_a_question_are_replaced_as_a_set(task: Assignment) -> None:
    assert mark(task, "0-4 20-25", sequence=1)
    assert mark(task, "5-9", sequence=2)
    assert stored(task) == [(5, 9)]


@pytest.mark.parametrize("sequence", [3, 4])
def test_late_marks_lose(task: Assignment, sequence: int) -> None:
    mark(task, "5-9", sequence=4)
    assert not mark(task, "0-4", sequence=sequence)
    assert mark(task, "5-9", sequence=sequence)
    assert stored(task) == [(5, 9)]


def test_a_late_request_does_not_bring_back_what_was_removed(task: Assignment) -> None:
    mark(task, "", sequence=4)
    assert not mark(task, "0-4", sequence=3)
    assert stored(task) == []


def test_saying_that_nothing_answers_removes_marks_and_counts_as_an_answer(
    task: Assignment,
) -> None:
    mark(task, "0-4", sequence=1)
    mark(task, "none", sequence=2)
    kept, number = span_marks.load_marks(task)
    assert (list(kept.values()), number, stored(task)) == ([Marked(nothing=True)], 2, [])
    assert [asked.name for asked in sheets.sheet_of_assignment(task).unmarked(kept)] == ["m2"]


def test_marks_count_code_points_of_the_passage(task: Assignment) -> None:
    text = "👩‍🚀 Ada 𝒜 e\u0301cole."
    Passage.objects.update(text=text)
    assert mark(task, f"0-{len(text)}", sequence=1)
    with pytest.raises(OutsidePassage):
        mark(task, f"0-{len(text) + 1}", sequence=2)
    assert stored(task) == [(0, len(text))]


def test_a_task_holds_no_more_marks_than_its_page_shows(
    task: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(span_marks, "MAX_MARKS", 3)
    mark(task, "0-1 2-3", sequence=1)
    mark(task, "0-1", sequence=2, question=2)
    with refused("too_many_marks"), transaction.atomic():
        mark(task, "0-1 2-3", sequence=3, question=2)
    mark(task, "", sequence=4)
    assert mark(task, "0-1 2-3 4-5", sequence=5, question=2)
    assert stored(task) == [(0, 1), (2, 3), (4, 5)]


def test_questions_about_one_passage_share_its_text(task: Assignment) -> None:
    asked = [each.mark.unit for each in sheets.sheet_of_assignment(task).questions() if each.mark]
    texts = span_marks.texts([*asked, -1])
    assert texts.keys() == set(asked)
    assert len({id(text) for text in texts.values()}) == 1


def test_a_task_is_complete_only_with_every_question_marked(task: Assignment) -> None:
    answer_all(task)
    mark(task, "0-4", sequence=2)
    with refused("answers_missing"):
        judgments.submit_task(assignment=task, token=task.submit_token)
    mark(task, "none", sequence=3, question=2)
    assert judgments.submit_task(assignment=task, token=task.submit_token).state == "submitted"
    assert stored(task) == [(0, 4)]


def test_marks_may_be_left_out_where_the_protocol_says_so() -> None:
    from dataclasses import replace

    from judging.protocols import documents
    from tests import factories

    shipped = documents.shipped("qgstec2010-a")
    assert shipped.span_mark is not None
    optional = replace(shipped, key="optional", span_mark=replace(shipped.span_mark, optional=True))
    campaign = factories.opened(protocol=factories.protocols.install(document=optional))
    task = studies.held(studies.annotator(campaign)[1])
    answer_all(task)
    assert judgments.submit_task(assignment=task, token=task.submit_token).state == "submitted"


def test_marks_of_a_closed_stage_stay(task: Assignment) -> None:
    Assignment.objects.filter(pk=task.pk).update(stage=1)
    task.refresh_from_db()
    with refused("stage_closed"):
        mark(task, "0-4", sequence=1)


def test_erasing_a_person_removes_their_marks(task: Assignment) -> None:
    from judging.overview.actions import erasures

    mark(task, "0-4", sequence=1)
    by = task.round.campaign.created_by
    erasure = erasures.erase_annotator(enrollment=task.enrollment, by=by, now=timezone.now())
    assert erasure.counts["spanmark"] == 1
    assert SpanMark.objects.count() == 0
