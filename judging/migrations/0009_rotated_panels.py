from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0008_units_of_answers")]

    operations = [
        migrations.AlterField(
            model_name="campaign",
            name="order",
            field=models.CharField(
                choices=[
                    ("depth", "depth first: finish tasks one after the other"),
                    ("breadth", "breadth first: one annotator on everything, then the next"),
                    ("panel", "rotated panel: each annotator meets each source once, with the systems in turn"),
                ],
                default="depth",
                max_length=7,
            ),
        )
    ]
