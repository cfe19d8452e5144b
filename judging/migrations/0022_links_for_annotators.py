"""Links are kept as hashes and are for annotators only; those that made managers or analysts are revoked."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

import judging.models.people

HASHED = "UPDATE judging_invitation SET digest = encode(sha256(convert_to(token, 'UTF8')), 'hex')"
REVOKED = """
UPDATE judging_invitation SET revoked_at = now() WHERE role <> 'annotator' AND revoked_at IS NULL
"""


class Migration(migrations.Migration):
    dependencies = [("judging", "0021_versions_of_accounts")]

    operations = [
        migrations.AddField(
            model_name="invitation", name="digest", field=models.CharField(editable=False, max_length=64, null=True)
        ),
        migrations.AddField(
            model_name="invitation",
            name="number",
            field=models.CharField(default=judging.models.people.new_nonce, editable=False, max_length=32),
        ),
        migrations.RunSQL(HASHED, migrations.RunSQL.noop),
        migrations.RunSQL(REVOKED, migrations.RunSQL.noop),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RemoveField(model_name="invitation", name="token"),
        migrations.AlterField(
            model_name="invitation", name="digest", field=models.CharField(editable=False, max_length=64, unique=True)
        ),
        migrations.AlterField(
            model_name="invitation",
            name="places",
            field=models.PositiveIntegerField(
                blank=True, default=1, help_text="How many may join; empty, in older links: no limit.", null=True
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=Q(role="annotator") | Q(revoked_at__isnull=False), name="invitation_for_annotators"
            ),
        ),
        migrations.AddField(
            model_name="enrollment",
            name="visitor",
            field=models.CharField(
                blank=True, default="", editable=False, max_length=64,
                help_text="A keyed hash of where they joined from, for one day.",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="enrollment",
            name="twin_of",
            field=models.ForeignKey(
                blank=True, editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL,
                related_name="twins", to="judging.enrollment",
                help_text="Who joined before from the same place on the same day.",
            ),
        ),
    ]
