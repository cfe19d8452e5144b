"""The index of a metric's scores holds their values: a column is read without its rows."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0430_answers_about_uploads'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='score',
            name='score_once_per_unit',
        ),
        migrations.AddConstraint(
            model_name='score',
            constraint=models.UniqueConstraint(condition=models.Q(('unit__isnull', False)), fields=('metric', 'unit'), include=('value',), name='score_once_per_unit'),
        ),
    ]
