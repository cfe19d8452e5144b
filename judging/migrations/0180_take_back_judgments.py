"""Whoever serves may delete no judgment; an owner's function removes those that one added file brought."""

from django.db import migrations

TAKE_BACK = """
CREATE FUNCTION judging_take_back_judgments(file bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE removed bigint;
BEGIN
    PERFORM set_config('quaestor.take_back', file::text, true);
    DELETE FROM judging_judgmentattribute WHERE judgment_id IN (
        SELECT id FROM judging_judgment WHERE added_file_id = file AND origin = 'imported'
    );
    DELETE FROM judging_judgment WHERE added_file_id = file AND origin = 'imported';
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END $$;
REVOKE ALL ON FUNCTION judging_take_back_judgments(bigint) FROM PUBLIC;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0160_retention'),
    ]

    operations = [
        migrations.RunSQL(TAKE_BACK, "DROP FUNCTION judging_take_back_judgments(bigint)"),
    ]
