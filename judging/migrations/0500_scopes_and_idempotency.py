"""Scopes of API tokens, and requests that are done once."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def rename_scopes(apps, schema_editor):
    keys = apps.get_model("judging", "AccessKey").objects
    keys.filter(scope="write").update(scope="manage")


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0490_no_uploads"),
    ]

    operations = [
        migrations.AlterField(
            model_name="accesskey",
            name="scope",
            field=models.CharField(
                choices=[("read", "read"), ("manage", "read and manage"), ("annotate", "annotate")],
                default="read",
                max_length=8,
            ),
        ),
        migrations.RunPython(rename_scopes, migrations.RunPython.noop),
        migrations.CreateModel(
            name="IdempotentRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                (
                    "digest",
                    models.CharField(help_text="Of method, address and content.", max_length=64),
                ),
                ("status", models.PositiveSmallIntegerField()),
                ("body", models.TextField()),
                ("location", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "key"), name="idempotency_key_once")
                ],
            },
        ),
    ]
