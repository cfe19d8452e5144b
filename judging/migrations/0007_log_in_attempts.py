from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0006_judgment_attributes"),
    ]

    operations = [
        migrations.CreateModel(
            name="LogInAttempts",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("last_at", models.DateTimeField(db_index=True)),
            ],
        ),
    ]
