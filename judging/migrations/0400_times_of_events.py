"""The time of an event is the database's: who may add events could date one of today back by years, and it was sealed."""

from django.db import migrations

OWN_TIME = """
CREATE FUNCTION judging_event_time() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.at := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER event_time BEFORE INSERT ON judging_event FOR EACH ROW EXECUTE FUNCTION judging_event_time();
"""
ANY_TIME = "DROP TRIGGER event_time ON judging_event; DROP FUNCTION judging_event_time();"


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0390_studies_of_a_crowd_platform'),
    ]

    operations = [
        migrations.RunSQL(OWN_TIME, ANY_TIME),
    ]
