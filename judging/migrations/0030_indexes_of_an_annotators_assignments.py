"""Bring all databases to the same indexes: 0003 was edited after it had landed, so older ones hold another."""

from django.db import migrations

ONE_SET = """
DROP INDEX IF EXISTS assignment_by_enrollment;
CREATE INDEX IF NOT EXISTS assignment_done_by ON judging_assignment (enrollment_id, round_id, submitted_at)
    WHERE submitted_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS assignment_left_by ON judging_assignment (enrollment_id, round_id)
    WHERE state = 'released';
"""


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0028_reopened_places"),
    ]

    operations = [migrations.RunSQL(ONE_SET, migrations.RunSQL.noop)]
