import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0005_markings")]

    operations = [
        migrations.CreateModel(
            name="JudgmentAttribute",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("value", models.TextField()),
                (
                    "judgment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attributes",
                        to="judging.judgment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("judgment", "name"), name="judgment_attribute_once"),
                ],
            },
        ),
    ]
