"""What was entered for an import lies with its upload; in the session it was read at every request."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0420_parts_of_files'),
    ]

    operations = [
        migrations.AddField(
            model_name='upload',
            name='entered',
            field=models.TextField(blank=True, default=''),
            preserve_default=False,
        ),
    ]
