from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0102_overview")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="analysis_plan",
            field=models.TextField(blank=True, default="", help_text="What will be compared, written before the lock."),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="campaign",
            name="sample_reason",
            field=models.TextField(
                blank=True, default="", help_text="Why so many questions and annotators, written before."
            ),
            preserve_default=False,
        ),
    ]
