"""Whether keywords were highlighted while a task was judged."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0540_review_and_keywords"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="keywords",
            field=models.CharField(
                blank=True,
                choices=[("highlighted", "highlighted"), ("plain", "not highlighted")],
                db_default="",
                default="",
                help_text="Whether the words of the question in view were highlighted in its passage.",
                max_length=11,
            ),
        ),
    ]
