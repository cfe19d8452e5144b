"""Sessions and keys end with the version of their account; keys have a scope and an end, sessions can be listed."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# The hashes of Django REST framework's tokens had 40 of the 64 digits; a key cannot be hashed again, so old ones end.
OLD_TOKENS = """
DO $$ BEGIN
    IF to_regclass('authtoken_token') IS NOT NULL THEN DELETE FROM authtoken_token; END IF;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("judging", "0020_campaign_secret")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="version",
            field=models.PositiveIntegerField(
                default=0, editable=False, help_text="Sessions and keys made under an earlier version are worthless.",
            ),
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("session_key", models.CharField(max_length=40, unique=True)),
                ("browser", models.CharField(blank=True, max_length=60)),
                ("began_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField(db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="visits", to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ["-seen_at"]},
        ),
        migrations.CreateModel(
            name="AccessKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "scope",
                    models.CharField(
                        choices=[("read", "read only"), ("write", "read, and ask for analyses")], default="read", max_length=5,
                    ),
                ),
                ("version", models.PositiveIntegerField(help_text="The version of the account when the key was made.")),
                ("made_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, help_text="The last use, to the hour.", null=True)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="access_key", to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.RunSQL(OLD_TOKENS, migrations.RunSQL.noop),
    ]
