import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0143_ethics")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="retention_days",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="So long after closing the accounts of annotators without a password are forgotten; empty: never.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(3650),
                ],
            ),
        ),
    ]
