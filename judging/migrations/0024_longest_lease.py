"""A place stays reserved for a week at most."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("judging", "0023_collection_shares")]

    operations = [
        migrations.RunSQL(
            "UPDATE judging_campaign SET lease_minutes = 10080 WHERE lease_minutes > 10080", migrations.RunSQL.noop
        ),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="campaign",
            name="lease_minutes",
            field=models.PositiveIntegerField(
                default=120, validators=[MinValueValidator(1), MaxValueValidator(10080)]
            ),
        ),
        migrations.RemoveConstraint(model_name="campaign", name="campaign_lease"),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=Q(lease_minutes__gte=1, lease_minutes__lte=10080), name="campaign_lease"
            ),
        ),
    ]
