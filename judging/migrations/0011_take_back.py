"""Imported judgments may go with the file that brought them; collections of before get their file listed."""

from django.db import migrations

APPEND_ONLY = """
CREATE OR REPLACE FUNCTION judging_judgment_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF current_setting('quaestor.erase', true) = 'on' THEN
            RETURN OLD;
        END IF;
        {take_back}
        RAISE EXCEPTION 'judgments are never deleted' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.superseded_at IS NULL AND NEW.superseded_at IS NOT NULL
       AND (NEW.id, NEW.assignment_id, NEW.unit_id, NEW.criterion_id, NEW.value, NEW.origin, NEW.cause, NEW.revision, NEW.created_at)
         = (OLD.id, OLD.assignment_id, OLD.unit_id, OLD.criterion_id, OLD.value, OLD.origin, OLD.cause, OLD.revision, OLD.created_at)
       {same_file} THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'judgments are never changed, only superseded' USING ERRCODE = 'restrict_violation';
END $$;
"""
TAKE_BACK = """
        IF OLD.origin = 'imported' AND OLD.added_file_id IS NOT NULL
           AND current_setting('quaestor.take_back', true) = OLD.added_file_id::text THEN
            RETURN OLD;
        END IF;
"""
SAME_FILE = "AND NEW.added_file_id IS NOT DISTINCT FROM OLD.added_file_id"

LISTED = """
INSERT INTO judging_addedfile
    (collection_id, number, file_id, name, state, plan, choices, examined, brought, added_by_id, uploaded_at, added_at)
SELECT id, 1, file_id, file_name, 'added', mapping, '{}', '{}', '{}', owner_id, created_at, created_at
FROM judging_collection WHERE file_id IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [("judging", "0010_added_files")]

    operations = [
        migrations.RunSQL(
            APPEND_ONLY.format(take_back=TAKE_BACK, same_file=SAME_FILE),
            APPEND_ONLY.format(take_back="", same_file=""),
        ),
        migrations.RunSQL(LISTED, "DELETE FROM judging_addedfile"),
    ]
