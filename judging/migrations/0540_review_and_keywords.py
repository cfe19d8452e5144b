"""Whether annotators review answers before they submit them, and see keywords highlighted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0530_webhooks"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="highlight_keywords",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether the words of a question are highlighted in its passage.",
            ),
        ),
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
