"""A system's name may be split into a subset and the system."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0460_queues_and_parts_of_jobs'),
    ]

    operations = [
        migrations.AlterField(
            model_name='systemchange',
            name='what',
            field=models.CharField(
                choices=[
                    ('renamed', 'renamed'),
                    ('marked', 'marked'),
                    ('merged', 'merged'),
                    ('split', 'split into subset and system'),
                ],
                max_length=7,
            ),
        ),
    ]
