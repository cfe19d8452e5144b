"""A judgment belongs to its place, round and campaign for good, so that no people's judgments go with a simulation.

The function that removes a dry run's judgments finds them by round and campaign. Whoever serves could give people's round
to a simulation, or put a simulation in the place of their campaign: the keys were looked at when a transaction ends.
"""

from django.db import migrations

STAYS = """
CREATE FUNCTION judging_belongs_for_good() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what judgments belong to does not change' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER campaign_stays BEFORE UPDATE OF campaign_id ON judging_round
    FOR EACH ROW WHEN (NEW.campaign_id IS DISTINCT FROM OLD.campaign_id) EXECUTE FUNCTION judging_belongs_for_good();
CREATE TRIGGER round_stays BEFORE UPDATE OF round_id ON judging_assignment
    FOR EACH ROW WHEN (NEW.round_id IS DISTINCT FROM OLD.round_id) EXECUTE FUNCTION judging_belongs_for_good();
"""
CHANGES = """
DROP TRIGGER campaign_stays ON judging_round;
DROP TRIGGER round_stays ON judging_assignment;
DROP FUNCTION judging_belongs_for_good();
"""
KEYS = """
DO $$
DECLARE each record;
BEGIN
    FOR each IN
        SELECT conrelid::regclass AS of_table, conname FROM pg_constraint
        WHERE contype = 'f' AND (conrelid, confrelid) IN (
            ('judging_judgment'::regclass, 'judging_assignment'::regclass),
            ('judging_assignment'::regclass, 'judging_round'::regclass),
            ('judging_round'::regclass, 'judging_campaign'::regclass)
        )
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I {}', each.of_table, each.conname);
    END LOOP;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0312_sona'),
    ]

    operations = [
        migrations.RunSQL(STAYS, CHANGES),
        migrations.RunSQL(
            KEYS.replace('{}', 'NOT DEFERRABLE'),
            KEYS.replace('{}', 'DEFERRABLE INITIALLY DEFERRED'),
        ),
    ]
