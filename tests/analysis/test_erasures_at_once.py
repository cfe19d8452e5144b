"""Somebody is erased while a run or an order of questions is made of what they said: real
transactions, side by side."""

import threading
from types import SimpleNamespace

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from analysis.actions import question_orders, runs
from analysis.evidence.listing import Chosen
from analysis.models import OrderedQuestion, QuestionOrder
from judging.actions import enrollments, jobs
from judging.models import Campaign
from tests.analysis.studies import analysed
from tests.analysis.test_erasures import OTHER, OWN, forgotten, with_three

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study() -> Campaign:
    return with_three(sources=2, key=None)


def test_two_who_are_erased_at_once_are_both_taken_out(study: Campaign) -> None:
    run, begin = analysed(study), threading.Barrier(2)

    def forget(label: str) -> None:
        begin.wait()
        runs.forget_annotators(run=run, labels=[label])
        connection.close()

    both = [threading.Thread(target=forget, args=[each]) for each in (OWN, OTHER)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert {each["annotator"] for each in runs.tables_of(run)["annotators"]} == {"A79"}


def test_erasing_waits_for_a_run_that_is_being_kept(study: Campaign) -> None:
    own = study.enrollments.get(label=OWN)
    waits = threading.Event()

    def erase() -> None:
        with connection.execute_wrapper(told):
            enrollments.erase(enrollment=own, by=study.created_by, now=timezone.now())
        connection.close()

    def told(execute, statement, *given):
        if "pg_advisory_xact_lock(" in statement:
            waits.set()
        return execute(statement, *given)

    with transaction.atomic():
        enrollments.hold_erasures(campaign=study)
        other = threading.Thread(target=erase)
        other.start()
        waits.wait()
        assert study.erasures.count() == 0
    other.join()
    assert study.erasures.count() == 1
    assert not study.jobs.exists(), "nothing was analysed, so no report is to forget anybody"


def test_an_order_that_is_being_worked_out_is_forgotten_with_what_it_holds(study: Campaign) -> None:
    analysed(study)
    own = study.enrollments.get(label=OWN)
    criterion = study.rubric.criteria.first()
    chosen = Chosen(collection=study.collection, campaign=study, sort="mean", criterion=criterion)
    order, _asked = question_orders.ask(chosen=chosen, address="/list", by=study.created_by)
    sorting = jobs.claim(job_id=order.job_id)
    enrollments.erase(enrollment=own, by=study.created_by, now=timezone.now())
    waits, failed = threading.Event(), []

    def told(execute, statement, *given):
        deletes = statement.startswith('DELETE FROM "analysis_questionorder"')
        if deletes or ("questionorder" in statement and "FOR UPDATE" in statement):
            waits.set()
        return execute(statement, *given)

    def forget() -> None:
        try:
            with connection.execute_wrapper(told), transaction.atomic():
                forgotten(study)
        except DatabaseError as error:
            failed.append(error)
        finally:
            waits.set()
            connection.close()

    other = threading.Thread(target=forget)
    with transaction.atomic():
        question_orders.execute(jobs.Work(sorting, worker="test"), now=timezone.now())
        jobs.finish(job=sorting, result={})
        other.start()
        assert waits.wait(60)
    other.join()
    assert not failed
    assert not QuestionOrder.objects.exists()
    assert not OrderedQuestion.objects.exists()


def test_an_order_that_was_forgotten_while_it_was_worked_out_does_not_come_back(
    study: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = Chosen(
        collection=study.collection,
        campaign=study,
        sort="mean",
        criterion=study.rubric.criteria.first(),
    )
    order, _asked = question_orders.ask(chosen=chosen, address="/list", by=study.created_by)
    first = QuestionOrder.objects.filter

    def found_and_gone(**wanted):
        found = list(first(**wanted))
        QuestionOrder.objects.all().delete()
        return SimpleNamespace(first=lambda: found[0])

    work = jobs.Work(jobs.claim(job_id=order.job_id), worker="test")
    monkeypatch.setattr(question_orders.QuestionOrder.objects, "filter", found_and_gone)
    with pytest.raises(jobs.CannotDo, match="Nobody waits"):
        question_orders.execute(work, now=timezone.now())
    monkeypatch.undo()
    assert not QuestionOrder.objects.exists()
