"""Up to when an annotator's time at work was counted, so that no moment counts twice, and none after a task was handed in."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0370_large_collections_and_changed_tasks'),
    ]

    operations = [
        migrations.AddField(
            model_name='enrollment',
            name='at_work_until',
            field=models.DateTimeField(blank=True, editable=False, help_text='Up to when their time at work was counted, for whichever task.', null=True),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='active_seconds',
            field=models.FloatField(default=0, help_text='Time at work until first handed in: gaps between saves, each capped.'),
        ),
    ]
