"""A stream of 100,000 judgments takes little memory; `bench/exports.py` measures its time."""

import tracemalloc

import pytest
from django.db import connection

from judging.work.actions import judgment_rows
from tests import factories

pytestmark = [pytest.mark.long, pytest.mark.django_db]
SOURCES, ANNOTATORS = 2_500, 10
MAX_BYTES = 20_000_000
FILL = """
UPDATE judging_assignment SET state = 'submitted', submitted_at = now(), held_at = now(),
    enrollment_id = (%(people)s::bigint[])[place] WHERE round_id = %(round)s;
INSERT INTO judging_judgment (assignment_id, unit_id, criterion_id, value, cause, revision, origin)
SELECT done.id, shown.unit_id, criterion.id, 2, '', 1, 'judged'
FROM judging_assignment done
JOIN judging_taskunit shown ON shown.task_id = done.task_id
JOIN judging_question question ON question.unit_id = shown.unit_id
CROSS JOIN judging_criterion criterion
WHERE done.round_id = %(round)s AND criterion.protocol_id = %(protocol)s;
ANALYZE judging_judgment;
ANALYZE judging_assignment;
"""


@pytest.fixture
def campaign():
    material = factories.dataset(sources=SOURCES)
    made = factories.opened(dataset=material, annotators_per_task=ANNOTATORS)
    people = [factories.enrollment(made).pk for _ in range(ANNOTATORS)]
    main = made.rounds.get(kind="main")
    with connection.cursor() as cursor:
        first = main.assignments.order_by("place").values_list("place", flat=True).first()
        padded = people if first else people[1:] + people[:1]
        cursor.execute(FILL, {"people": padded, "round": main.pk, "protocol": made.protocol_id})
    return made


def test_stream_of_100_000_judgments_takes_little_memory(campaign) -> None:
    rows = judgment_rows.campaign_judgments(campaign=campaign)
    tracemalloc.start()
    count = sum(piece.count("\n") for piece in judgment_rows.json_lines(rows, is_simulated=False))
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 100_000
    assert peak < MAX_BYTES
