"""An assignment with what a page about it needs. One plain statement: an annotator waits for it with every click, and
putting this join together anew each time costs the ORM more than the database needs to answer it."""

from functools import cache
from typing import Any
from uuid import UUID

from django.db import connection, models

from judging.models.assignment import Assignment
from judging.models.campaign import Campaign, Round, Task
from judging.models.material import Collection
from judging.models.people import Enrollment
from judging.models.rubric import Rubric

PARTS: dict[str, type[models.Model]] = {
    "own": Assignment,
    "task": Task,
    "enrolled": Enrollment,
    "round": Round,
    "campaign": Campaign,
    "rubric": Rubric,
    "collection": Collection,
}
LARGE = {"protocol", "document", "mapping"}
JOINED = """
SELECT {columns} FROM judging_assignment own
JOIN judging_task task ON task.id = own.task_id
JOIN judging_enrollment enrolled ON enrolled.id = own.enrollment_id AND enrolled.user_id = %(user)s
JOIN judging_round round ON round.id = own.round_id
JOIN judging_campaign campaign ON campaign.id = round.campaign_id
JOIN judging_rubric rubric ON rubric.id = campaign.rubric_id
JOIN judging_collection collection ON collection.id = campaign.collection_id
JOIN judging_membership member
    ON member.user_id = %(user)s AND member.campaign_id = campaign.id AND member.role = 'annotator'
WHERE own.id = %(pk)s
"""


def assignment_at_work(*, pk: UUID, user_pk: int) -> Assignment | None:
    """Return a user's own assignment in a campaign they judge in; None where it is not theirs."""
    statement, fields = _statement()
    with connection.cursor() as cursor:
        cursor.execute(statement, {"pk": pk, "user": user_pk})
        row = cursor.fetchone()
    return None if row is None else _joined(row, fields)


@cache
def _statement() -> tuple[str, dict[str, list[str]]]:
    kept = {
        part: [field for field in model._meta.concrete_fields if field.name not in LARGE]
        for part, model in PARTS.items()
    }
    columns = ", ".join(f'{part}."{field.column}"' for part, fields in kept.items() for field in fields)
    return JOINED.format(columns=columns), {part: [field.attname for field in kept[part]] for part in kept}


def _joined(row: tuple[Any, ...], fields: dict[str, list[str]]) -> Assignment:
    values, found = iter(row), {}
    for part, names in fields.items():
        found[part] = PARTS[part].from_db("default", names, [next(values) for _ in names])
    own, campaign = found["own"], found["campaign"]
    own.task, own.enrollment, own.round = found["task"], found["enrolled"], found["round"]
    own.round.campaign = own.enrollment.campaign = campaign
    campaign.rubric, campaign.collection = found["rubric"], found["collection"]
    return own
