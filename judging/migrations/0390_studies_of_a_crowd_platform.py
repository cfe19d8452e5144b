"""Which studies of a crowd platform lead to a campaign: its key signs the links of all of them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0380_time_at_work_counted_once'),
    ]

    operations = [
        migrations.AddField(
            model_name='crowdplatform',
            name='studies',
            field=models.JSONField(blank=True, default=list, help_text="The platform's ids of the studies that lead here; the first signed link fills it."),
        ),
    ]
