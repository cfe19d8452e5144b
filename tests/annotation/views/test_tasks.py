"""The judging page: what it shows to whom, and what never reaches it. Autosave, steps and
submitting stand beside."""

import re

import pytest
from django.db import connection

from judging.campaigns.models.members import Membership
from judging.datasets.models.dataset import Passage, Question, System, Unit
from tests.annotation import studies
from tests.annotation.views.tasks import address, one_line, page, send

pytestmark = pytest.mark.django_db


# ---- the page


def test_page_shows_the_passage_the_questions_and_a_control_for_each_criterion(small) -> None:
    client, task = small
    html = page(client, task)
    assert '<span class="sentence">' in html
    assert "<mark>Agnes Tolliver</mark>" in html
    assert studies.fields(html) == {
        "q1.grammaticality",
        "q1.correctness",
        "q2.grammaticality",
        "q2.correctness",
    }
    assert html.count("question want to know?") == 2


def test_page_shows_what_was_entered_and_the_comment(small) -> None:
    client, task = small
    send(client, task, "q2.correctness", 2, 7)
    send(client, task, "note", "Hm, <b>odd</b>", 8)
    html = one_line(client.get(address(task)))
    assert re.search(r'name="q2.correctness" value="2" checked', html)
    assert "Hm, &lt;b&gt;odd&lt;/b&gt;" in html
    assert 'name="sequence" value="8"' in html


def test_page_locks_what_a_rule_forces_and_says_why() -> None:
    client, enrollment = studies.annotator(studies.opened("qgbench"))
    task = studies.held(enrollment)
    send(client, task, "q1.correctness", 3, 1)
    send(client, task, "q1.understandability", 1, 2)
    html = page(client, task)
    fieldset = re.search(r'<fieldset[^>]*id="q1.correctness".*?</fieldset>', html, re.DOTALL)[0]
    assert "data-locked" in fieldset
    assert 'data-own="3"' in fieldset
    assert fieldset.count("disabled") == 3
    assert "a question too complex to understand cannot be correct" in fieldset


def test_page_is_not_found_for_whom_the_role_was_taken_from(small) -> None:
    client, task = small
    Membership.objects.filter(user=task.enrollment.user).delete()
    assert client.get(address(task)).status_code == 404


def test_page_is_not_cached_and_keeps_the_content_security_policy(small) -> None:
    client, task = small
    response = client.get(address(task))
    assert "no-store" in response["Cache-Control"]
    assert "default-src 'self'" in response["Content-Security-Policy"]
    html = response.content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)", html)
    assert not re.search(r"\son[a-z]+=|\sstyle=|<style", html)


@pytest.mark.long
@pytest.mark.parametrize(
    "key", [None, "qgbench-staged", "qgstec2010-b", "nema-khapra", "schlichtkrull-cheng"]
)
def test_number_of_queries_does_not_grow_with_the_questions(
    key: str | None, django_assert_num_queries
) -> None:
    counts = []
    for systems in (("Alba",), ("Alba", "Brisa", "Corvo", "Duna", "Eira", "Fonte")):
        client, enrollment = studies.annotator(studies.opened(key, systems=systems, expected=3))
        task = studies.held(enrollment)
        page(client, task)
        with django_assert_num_queries(9) as counted:
            page(client, task)
        counts.append(len(counted))
    assert counts[0] == counts[1]


# ---- nothing that names a system


SYSTEMS = ("GPT-9 secret", "zebra-large", "human-gold")


@pytest.mark.parametrize(
    "key",
    [
        None,
        "qgbench-staged",
        "qgstec2010-a",
        "qgstec2010-b",
        "nema-khapra",
        "qgeval",
        "schlichtkrull-cheng",
    ],
)
def test_nothing_of_systems_or_keys_reaches_the_page(key: str | None) -> None:
    shift_keys()
    campaign = studies.opened(key, systems=SYSTEMS, expected=2)
    client, enrollment = studies.annotator(campaign)
    task = studies.held(enrollment)
    html = page(client, task)
    for system in System.objects.all():
        assert system.name not in html
    assert not set(re.findall(r"\d+", html)) & database_keys(campaign)


def shift_keys() -> None:
    """Give units, sets and systems keys that no number on a page equals by chance."""
    with connection.cursor() as cursor:
        for table in (
            "judging_unit",
            "judging_questionset",
            "judging_system",
            "judging_source",
            "judging_taskunit",
        ):
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), 7000001)")


def database_keys(campaign) -> set[str]:
    units = Unit.objects.filter(question_set__source__dataset=campaign.dataset)
    rows = units.values_list(
        "pk", "question_set", "question_set__system", "question_set__source", "task_units"
    )
    return {str(key) for row in rows for key in row if key is not None}


def test_order_of_questions_is_each_annotators_own() -> None:
    campaign = studies.opened(sources=1, systems=[f"S{n}" for n in range(12)])
    orders = set()
    for _ in range(3):
        client, enrollment = studies.annotator(campaign)
        orders.add(
            tuple(re.findall(r"the (\d+)th question", page(client, studies.held(enrollment))))
        )
    assert len(orders) == 3
    assert len({frozenset(order) for order in orders}) == 1


def test_progress_counts_this_task(small) -> None:
    client, task = small
    assert "Task 1 of 2" in page(client, task)
    client.post(address(task, "submit/"), studies.filled(task))
    assert "Task 2 of 2" in page(client, studies.held(task.enrollment))


def test_page_of_texts_with_markup_renders_them_as_text() -> None:
    campaign = studies.opened(sources=1)
    Question.objects.update(text="<script>alert(1)</script> =cmd()")
    Passage.objects.update(text="<b>bold</b> & brave")
    client, enrollment = studies.annotator(campaign)
    html = page(client, studies.held(enrollment))
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; =cmd()" in html
    assert "<b>bold</b>" not in html
