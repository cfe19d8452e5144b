from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0062_withdrawal")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="pay",
            field=models.CharField(blank=True, default="", help_text="What annotators get, in words.", max_length=300),
            preserve_default=False,
        ),
    ]
