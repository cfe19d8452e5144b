"""SQL functions and triggers: what constraints cannot say."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).with_name("functions_and_triggers.sql").read_text(encoding="utf-8")


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]

    operations = [migrations.RunSQL(SQL)]
