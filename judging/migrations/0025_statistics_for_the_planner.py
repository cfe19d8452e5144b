"""Lets a role that owns no table bring the planner's statistics up to date, after much was stored at once."""

from django.db import migrations

FUNCTION = """
CREATE FUNCTION judging_analyze(tables regclass[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE each regclass;
BEGIN
    FOREACH each IN ARRAY tables LOOP
        EXECUTE format('ANALYZE %s', each);
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("judging", "0024_longest_lease")]

    operations = [migrations.RunSQL(FUNCTION, "DROP FUNCTION judging_analyze(regclass[])")]
