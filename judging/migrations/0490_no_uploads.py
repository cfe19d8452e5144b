"""Uploads are gone: a file is kept with its dataset from the start."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0480_languages_of_sources"),
    ]

    operations = [
        migrations.DeleteModel(
            name="Upload",
        ),
    ]
