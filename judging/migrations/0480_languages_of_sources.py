"""A source may be in another language than most of its collection."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0470_split_names_of_systems'),
    ]

    operations = [
        migrations.AddField(
            model_name='source',
            name='language',
            field=models.CharField(
                blank=True,
                default='',
                help_text="A tag; blank if it is the collection's.",
                max_length=35,
            ),
            preserve_default=False,
        ),
    ]
