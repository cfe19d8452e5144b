"""Whether annotators review the answers of a task before they submit it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0530_webhooks"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="review_before_submit",
            field=models.BooleanField(
                db_default=True,
                default=True,
                help_text="Whether annotators see all answers of a task before they submit it.",
            ),
        ),
    ]
