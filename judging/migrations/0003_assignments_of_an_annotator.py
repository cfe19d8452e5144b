from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0002_triggers"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("submitted_at__isnull", False)),
                fields=["enrollment", "round", "submitted_at"],
                name="assignment_done_by",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                condition=models.Q(("state", "released")), fields=["enrollment", "round"], name="assignment_left_by"
            ),
        ),
    ]
