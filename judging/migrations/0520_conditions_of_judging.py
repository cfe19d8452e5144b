"""What annotators are told, and the conditions and times of their answers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0510_hypotheses"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="qualification_paid",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether the time of the qualification is paid, passed or not.",
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="total_shown",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="How many tasks in all its annotator was told of on its page.",
                null=True,
            ),
        ),
    ]
