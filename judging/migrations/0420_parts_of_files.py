"""Large files lie in parts: of a row with 200 MB the database holds 1.2 GB while it is stored, and all of it for each piece that is read.
What was stored before stays as it is."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0410_turned_away_submissions'),
    ]

    operations = [
        migrations.CreateModel(
            name='StoredPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('content', models.BinaryField()),
                ('file', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='judging.storedfile')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('file', 'number'), name='stored_part_once')],
            },
        ),
    ]
