"""A plan declares a primary hypothesis and an equivalence margin."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0500_scopes_and_idempotency"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="hypotheses",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="The primary hypothesis and the equivalence margin: judging.hypotheses.",
            ),
        ),
    ]
