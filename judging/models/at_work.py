"""An assignment with what a page about it needs. In plain statements, for an annotator waits for it with every click:
putting the joins together anew each time costs the ORM more than the database needs to answer. There are two of them,
since planning one join of eight tables takes the database four times as long as planning two of four."""

from collections.abc import Mapping
from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection, models

from judging.models.assignment import Assignment
from judging.models.campaign import Campaign, Round, Task
from judging.models.material import Collection
from judging.models.people import Enrollment
from judging.models.rubric import Rubric

LARGE = {"protocol", "document", "mapping"}
OWN = """
SELECT {columns} FROM judging_assignment own
JOIN judging_task task ON task.id = own.task_id
JOIN judging_enrollment enrolled ON enrolled.id = own.enrollment_id
JOIN judging_round round ON round.id = own.round_id
WHERE own.id = %(pk)s AND enrolled.user_id = %(user)s
"""
STUDY = """
SELECT {columns} FROM judging_campaign campaign
JOIN judging_rubric rubric ON rubric.id = campaign.rubric_id
JOIN judging_collection collection ON collection.id = campaign.collection_id
JOIN judging_membership member
    ON member.user_id = %(user)s AND member.campaign_id = campaign.id AND member.role = 'annotator'
WHERE campaign.id = %(campaign)s
"""


def assignment_at_work(*, pk: UUID, user_pk: int) -> Assignment | None:
    """Return a user's own assignment in a campaign they judge in; None where it is not theirs."""
    found = _row(OWN, {"own": Assignment, "task": Task, "enrolled": Enrollment, "round": Round}, pk=pk, user=user_pk)
    if found is None:
        return None
    own, round = found["own"], found["round"]
    parts = {"campaign": Campaign, "rubric": Rubric, "collection": Collection}
    study = _row(STUDY, parts, campaign=round.campaign_id, user=user_pk)
    if study is None:
        return None
    own.task, own.enrollment, own.round = found["task"], found["enrolled"], round
    round.campaign = own.enrollment.campaign = study["campaign"]
    round.campaign.rubric, round.campaign.collection = study["rubric"], study["collection"]
    return own  # type: ignore[no-any-return]


def _row(statement: str, parts: Mapping[str, type[models.Model]], **names: Any) -> dict[str, Any] | None:
    """Return the one row of a join as the objects it is made of, by the names the statement gives the tables."""
    fields = {part: _fields(model) for part, model in parts.items()}
    columns = ", ".join(f'{part}."{column}"' for part in parts for column, _ in fields[part])
    with connection.cursor() as cursor:
        cursor.execute(statement.format(columns=columns), names)
        row = cursor.fetchone()
    if row is None:
        return None
    values = iter(row)
    return {
        part: model.from_db("default", [name for _, name in fields[part]], [next(values) for _ in fields[part]])
        for part, model in parts.items()
    }


@cache
def _fields(model: type[models.Model]) -> tuple[tuple[str, str], ...]:
    """Return columns and attributes, without documents that few pages read."""
    kept = (field for field in model._meta.concrete_fields if field.name not in LARGE)
    return tuple((str(field.column), field.attname) for field in kept)
