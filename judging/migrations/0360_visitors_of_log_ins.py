"""Where the last attempt on a name came from, as a hash that changes with the day, so that one visitor cannot use up all others' attempts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0350_where_judgments_belong")]
    operations = [
        migrations.AddField(
            model_name="loginattempts",
            name="visitor",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        )
    ]
