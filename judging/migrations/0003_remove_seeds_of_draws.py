"""Remove the columns of orders that were drawn from a seed, before campaigns had secrets."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0002_functions_and_triggers"),
    ]

    operations = [
        migrations.RemoveField(
            model_name="campaign",
            name="seed",
        ),
        migrations.RemoveField(
            model_name="campaign",
            name="seeded_before",
        ),
    ]
