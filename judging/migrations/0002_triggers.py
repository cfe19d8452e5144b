"""What constraints cannot say: judgments are only added, rubrics never change."""

from django.db import migrations

APPEND_ONLY = """
CREATE FUNCTION judging_judgment_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF current_setting('quaestor.erase', true) = 'on' THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'judgments are never deleted' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.superseded_at IS NULL AND NEW.superseded_at IS NOT NULL
       AND (NEW.id, NEW.assignment_id, NEW.unit_id, NEW.criterion_id, NEW.value, NEW.origin, NEW.cause, NEW.revision, NEW.created_at)
         = (OLD.id, OLD.assignment_id, OLD.unit_id, OLD.criterion_id, OLD.value, OLD.origin, OLD.cause, OLD.revision, OLD.created_at) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'judgments are never changed, only superseded' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER judgment_append_only BEFORE UPDATE OR DELETE ON judging_judgment
    FOR EACH ROW EXECUTE FUNCTION judging_judgment_append_only();
"""

IMMUTABLE = """
CREATE FUNCTION judging_rubric_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rubrics never change; make a new version' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER rubric_immutable BEFORE UPDATE ON judging_rubric
    FOR EACH ROW EXECUTE FUNCTION judging_rubric_immutable();
CREATE TRIGGER criterion_immutable BEFORE UPDATE ON judging_criterion
    FOR EACH ROW EXECUTE FUNCTION judging_rubric_immutable();
CREATE TRIGGER scale_point_immutable BEFORE UPDATE ON judging_scalepoint
    FOR EACH ROW EXECUTE FUNCTION judging_rubric_immutable();
"""


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]

    operations = [
        migrations.RunSQL(
            APPEND_ONLY,
            "DROP TRIGGER judgment_append_only ON judging_judgment; DROP FUNCTION judging_judgment_append_only();",
        ),
        migrations.RunSQL(
            IMMUTABLE,
            "DROP TRIGGER rubric_immutable ON judging_rubric; DROP TRIGGER criterion_immutable ON judging_criterion; "
            "DROP TRIGGER scale_point_immutable ON judging_scalepoint; DROP FUNCTION judging_rubric_immutable();",
        ),
    ]
