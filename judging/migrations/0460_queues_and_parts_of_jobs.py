"""A job may have parts, which workers of its queue share."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0450_no_kept_counts_of_collections'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='queue',
            field=models.CharField(
                default='celery', help_text='The queue of the workers that may do it.', max_length=20
            ),
        ),
        migrations.AddField(
            model_name='job',
            name='parent',
            field=models.ForeignKey(
                blank=True,
                help_text='The job that this is a part of, and that goes on when all its parts have ended.',
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name='parts',
                to='judging.job',
            ),
        ),
    ]
