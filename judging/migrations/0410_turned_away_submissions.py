"""A full study ends a submission and not the person: who was turned away may come with another one, and both are kept."""

from django.db import migrations, models

TURNED_AWAY = models.Q(('end', 'quota_full'), ('enrollment__isnull', True))


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0400_times_of_events'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='participation',
            name='participation_once',
        ),
        migrations.AddConstraint(
            model_name='participation',
            constraint=models.UniqueConstraint(condition=~TURNED_AWAY, fields=('platform', 'person'), name='participation_once'),
        ),
        migrations.AddConstraint(
            model_name='participation',
            constraint=models.UniqueConstraint(condition=TURNED_AWAY, fields=('platform', 'person', 'session'), name='participation_turned_away_once'),
        ),
    ]
