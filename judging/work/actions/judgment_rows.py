"""Judgments as flat rows with the texts they are about, and streams of them.

The database makes the JSON of a stream and sends it some rows at a time, so a stream of any length
takes little more time than `COPY`, and little memory.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet, Value

from judging.base.formulas import BYTE_ORDER_MARK, defuse_cell
from judging.base.transactions import one_moment
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Exclusion
from judging.work.models.judgment import Judgment

ROWS_A_PIECE = 1_000
# By default a cursor is planned for its first rows; here all rows are wanted.
WHOLE_RESULT = "SET LOCAL cursor_tuple_fraction = 1.0"
IS_EXCLUDED = Exists(
    Exclusion.objects.standing().filter(enrollment=OuterRef("assignment__enrollment"))
)
# each column of a stream, and the field or expression in it
COLUMNS: Mapping[str, Any] = {
    "id": "pk",
    "item": "unit",
    "source_id": "unit__question_set__source__key",
    "system": "unit__question_set__system__name",
    "position": "unit__position",
    "question": "unit__question__text",
    "annotator": "assignment__enrollment__label",
    "criterion": "criterion__key",
    "value": "value",
    "origin": "origin",
    "cause": "cause",
    "revision": "revision",
    "round": "assignment__round__kind",
    "round_number": "assignment__round__number",
    "state": "assignment__state",
    "excluded": IS_EXCLUDED,
    "created_at": "created_at",
    "first_shown_at": "first_shown_at",
    "answered_at": "answered_at",
    "instruction_language": "assignment__language",
    "view": "assignment__view",
    "device": "assignment__device",
    "input": "assignment__input",
    "keywords": "assignment__keywords",
    "review": "assignment__review",
}


def campaign_judgments(
    *, campaign: Campaign, extras: bool = False, trials: bool = False
) -> QuerySet[Judgment]:
    """Return the judgments of a campaign that are not superseded.

    `extras`: also those submitted after their place had gone to another annotator. `trials`: also
    those of pilot and calibration rounds.
    """
    rounds = campaign.rounds.exclude(kind=Round.Kind.CHECKS)
    if not trials:
        rounds = rounds.filter(kind=Round.Kind.MAIN)
    states = [Assignment.State.SUBMITTED, *([Assignment.State.EXTRA] if extras else [])]
    return Judgment.objects.standing().filter(
        assignment__round__in=list(rounds.values_list("pk", flat=True)),
        assignment__state__in=states,
    )


def json_lines(judgments: QuerySet[Judgment], *, is_simulated: bool) -> Iterator[str]:
    """Yield judgments as JSON Lines, some at a time."""
    for rows in _read("row_to_json(found)::text", judgments, is_simulated=is_simulated):
        yield "".join(f"{line}\n" for (line,) in rows)


def csv_lines(judgments: QuerySet[Judgment], *, is_simulated: bool) -> Iterator[str]:
    """Yield judgments as CSV, some at a time; cells that a spreadsheet could take for formulas are
    made inert."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    buffer.write(BYTE_ORDER_MARK)
    writer.writerow(COLUMNS)
    for rows in _read("found.*", judgments, is_simulated=is_simulated):
        for row in rows:
            writer.writerow([defuse_cell(cell) if isinstance(cell, str) else cell for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _read(
    wanted: str, judgments: QuerySet[Judgment], *, is_simulated: bool
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield some rows at a time of the expression `wanted` over the rows `found`, from one snapshot
    of the database."""
    simulated = {"origin": Value(Campaign.Origin.SIMULATED)} if is_simulated else {}
    selected = judgments.order_by("pk").values_list(*(dict(COLUMNS) | simulated).values())
    sql, parameters = selected.query.sql_with_params()
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    with one_moment(), connection.cursor() as settings, connection.chunked_cursor() as cursor:
        settings.execute(WHOLE_RESULT)
        cursor.execute(f"SELECT {wanted} FROM ({sql}) AS found ({names})", parameters)  # noqa: S608
        while rows := cursor.fetchmany(ROWS_A_PIECE):
            yield rows
