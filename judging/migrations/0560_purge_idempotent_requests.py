"""Stored responses contained secrets in clear: a webhook's secret, an invitation's link."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0550_keywords_as_a_condition"),
    ]

    operations = [
        migrations.RunSQL(
            "DELETE FROM judging_idempotentrequest", reverse_sql=migrations.RunSQL.noop
        ),
    ]
