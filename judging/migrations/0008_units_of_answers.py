import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Indexes by which a collection's units are let go: without them each unit would look through all answers."""

    dependencies = [("judging", "0007_log_in_attempts")]

    operations = [
        migrations.AlterField(
            model_name=model,
            name="unit",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="judging.unit", **more
            ),
        )
        for model, more in (("draft", {}), ("marking", {}), ("note", {"blank": True, "null": True}))
    ]
