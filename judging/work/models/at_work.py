"""An assignment with what a page about it needs, read by a plain statement: an annotator waits for it
with every click, and building the joins each time costs the ORM more than the database needs to
answer."""

import json
from functools import cache
from typing import Any
from uuid import UUID

from django.db import models

from judging.base.models.statements import query_rows
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, Task
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Dataset
from judging.protocols.models.protocol import Protocol

# documents that few pages read
LARGE = {
    "locked_plan",
    "document",
    "mapping",
    "quality",
    "selection",
}
PARTS: dict[str, type[models.Model]] = {
    "own": Assignment,
    "task": Task,
    "enrolled": Enrollment,
    "round": Round,
    "campaign": Campaign,
    "protocol": Protocol,
    "dataset": Dataset,
}
AT_WORK = """
SELECT {columns} FROM judging_assignment own
JOIN judging_task task ON task.id = own.task_id
JOIN judging_enrollment enrolled ON enrolled.id = own.enrollment_id
JOIN judging_round round ON round.id = own.round_id
JOIN judging_campaign campaign ON campaign.id = round.campaign_id
JOIN judging_protocol protocol ON protocol.id = campaign.protocol_id
JOIN judging_dataset dataset ON dataset.id = campaign.dataset_id
JOIN judging_membership member
    ON member.user_id = enrolled.user_id AND member.campaign_id = campaign.id AND member.role = 'annotator'
WHERE own.id = %(own)s AND enrolled.user_id = %(user)s
"""


def assignment_at_work(*, pk: UUID, user_pk: int) -> Assignment | None:
    """Return a user's own assignment in a campaign they judge in; None if it is not theirs."""
    found = query_rows(_statement(), {"own": pk, "user": user_pk})
    if not found:
        return None
    values = iter(found[0])
    objects: list[Any] = []
    for model in PARTS.values():
        fields = _fields(model)
        attributes = {field.attname: next(values) for field in fields}
        for field in fields:  # a plain statement returns documents as text
            if isinstance(field, models.JSONField) and isinstance(attributes[field.attname], str):
                attributes[field.attname] = json.loads(attributes[field.attname])
        objects.append(model.from_db("default", list(attributes), list(attributes.values())))
    own, task, enrollment, round, campaign, protocol, dataset = objects
    own.task, own.enrollment, own.round = task, enrollment, round
    round.campaign = enrollment.campaign = campaign
    campaign.protocol, campaign.dataset = protocol, dataset
    return own  # type: ignore[no-any-return]


@cache
def _statement() -> str:
    columns = (
        f'{part}."{field.column}"' for part, model in PARTS.items() for field in _fields(model)
    )
    return AT_WORK.format(columns=", ".join(columns))


@cache
def _fields(model: type[models.Model]) -> list["models.Field[Any, Any]"]:
    """Return the fields that pages read."""
    return [field for field in model._meta.concrete_fields if field.name not in LARGE]
