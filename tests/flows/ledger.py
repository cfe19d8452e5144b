"""What must hold of a site where annotators work while its processes die: what it acknowledged is
there, and once."""

from typing import Any, Protocol

from bench.soak_people import Annotator
from bench.soak_site import until
from tests.flows.outside import ROWS

DRAFTS = """
SELECT draft.assignment_id::text, criterion.key, draft.value
FROM judging_draft draft JOIN judging_criterion criterion ON criterion.id = draft.criterion_id
"""
JUDGMENTS = """
SELECT said.assignment_id::text, criterion.key, said.value
FROM judging_judgment said JOIN judging_criterion criterion ON criterion.id = said.criterion_id
"""
QUESTIONS = """
SELECT count(*), count(DISTINCT question.text) FROM judging_question question
JOIN judging_unit unit ON unit.id = question.unit_id
JOIN judging_questionset held ON held.id = unit.question_set_id
JOIN judging_system system ON system.id = held.system_id
JOIN judging_dataset dataset ON dataset.id = system.dataset_id
WHERE dataset.name = 'Large'
"""
HELD = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'COPY%judging_score%'"


class Rows(Protocol):
    """Whatever answers questions to the site's database."""

    def rows(self, statement: str) -> list[tuple[Any, ...]]: ...


def goes_on(people: list[Annotator]) -> None:
    """Wait until every annotator has submitted two more tasks."""
    before = [len(person.submitted) for person in people]
    until(
        lambda: all(
            len(person.submitted) > done + 1 for person, done in zip(people, before, strict=True)
        ),
        f"{before} {[person.problems for person in people]}",
    )


def assert_acknowledged_is_there(site: Rows, people: list[Annotator]) -> None:
    values = {
        (task, name.partition(".")[2]): value
        for one in people
        for (task, name), value in one.values.items()
    }
    notes = {task: text for one in people for task, text in one.notes.items()}
    drafts = {(task, criterion): value for task, criterion, value in site.rows(DRAFTS)}
    assert drafts == values
    assert dict(site.rows("SELECT assignment_id::text, text FROM judging_note")) == notes


def assert_submitted_once(site: Rows, people: list[Annotator]) -> None:
    done = {task for one in people for task in one.submitted}
    values = {
        (task, name.partition(".")[2]): value
        for one in people
        for (task, name), value in one.values.items()
    }
    judgments = site.rows(JUDGMENTS)
    assert len(judgments) == len(done) * 2
    assert {(task, criterion): value for task, criterion, value in judgments} == {
        place: value for place, value in values.items() if place[0] in done
    }
    assert {
        task
        for (task,) in site.rows(
            "SELECT id::text FROM judging_assignment WHERE state = 'submitted'"
        )
    } == done


def assert_places_are_right(site: Rows) -> None:
    """Each task has its three places, whoever holds them, and nobody has two of them."""
    places = site.rows(
        "SELECT task_id, array_agg(place ORDER BY place) FROM judging_assignment "
        "WHERE state IN ('open', 'held', 'submitted') GROUP BY task_id"
    )
    assert {tuple(numbers) for _task, numbers in places} in ({(1, 2, 3)}, {(0, 1, 2)})
    assert site.rows(
        "SELECT count(*) FROM judging_assignment WHERE state IN ('released', 'extra')"
    ) == [(0,)]


def assert_import_is_whole(site: Rows, job: str) -> None:
    one = f"SELECT state, attempts, error FROM judging_job WHERE id = '{job}'"
    until(lambda: site.rows(one)[0][0] not in ("queued", "running"), "the import did not end", 0.2)
    assert site.rows(one) == [("done", 2, "")]
    assert site.rows("SELECT count(*) FROM judging_dataset WHERE name = 'Large'") == [(1,)]
    assert site.rows(QUESTIONS) == [(ROWS, ROWS)]
