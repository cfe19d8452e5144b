"""The history: events that are only added, sealed in a chain when their transaction commits.

The seal is written by a trigger that is deferred to the commit, so that writers wait for each other no longer than a commit
takes, however long their transactions are. It runs as the owner: the serving role can add events and can seal none.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

CHAIN = """
CREATE FUNCTION judging_event_seal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    last_position bigint;
    last_digest text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('judging_event'));
    SELECT position, digest INTO last_position, last_digest FROM judging_eventseal ORDER BY position DESC LIMIT 1;
    last_digest := coalesce(last_digest, repeat('0', 64));
    INSERT INTO judging_eventseal (event_id, position, previous, digest) VALUES (
        NEW.id, coalesce(last_position, 0) + 1, last_digest,
        encode(sha256(convert_to(json_build_array(
            last_digest, NEW.id, to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), NEW.who, NEW.act,
            NEW.campaign, NEW.about, NEW.before, NEW.after
        )::text, 'UTF8')), 'hex')
    );
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER event_seal AFTER INSERT ON judging_event
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION judging_event_seal();
CREATE FUNCTION judging_event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the history is only added to' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE ON judging_event
    FOR EACH ROW EXECUTE FUNCTION judging_event_append_only();
CREATE TRIGGER event_seal_append_only BEFORE UPDATE OR DELETE ON judging_eventseal
    FOR EACH ROW EXECUTE FUNCTION judging_event_append_only();
"""
NO_CHAIN = """
DROP TRIGGER event_seal ON judging_event; DROP TRIGGER event_append_only ON judging_event;
DROP TRIGGER event_seal_append_only ON judging_eventseal;
DROP FUNCTION judging_event_seal(); DROP FUNCTION judging_event_append_only();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0051_score_detail'),
    ]

    operations = [
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('who', models.BigIntegerField(editable=False, help_text='The id of the account that acted; none where nobody was logged in.', null=True)),
                ('act', models.CharField(editable=False, max_length=40)),
                ('campaign', models.UUIDField(editable=False, help_text="The campaign's uuid, which outlasts a draft.", null=True)),
                ('about', models.CharField(blank=True, editable=False, help_text='What was acted on: account 7, A03.', max_length=120)),
                ('before', models.CharField(blank=True, editable=False, max_length=200)),
                ('after', models.CharField(blank=True, editable=False, max_length=200)),
            ],
        ),
        migrations.CreateModel(
            name='EventSeal',
            fields=[
                ('event', models.OneToOneField(db_constraint=False, editable=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='seal', serialize=False, to='judging.event')),
                ('position', models.BigIntegerField(editable=False, unique=True)),
                ('previous', models.CharField(editable=False, max_length=64, unique=True)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
            ],
        ),
        migrations.AddIndex(
            model_name='event',
            index=models.Index(condition=models.Q(('campaign__isnull', False)), fields=['campaign', 'id'], name='event_of_campaign'),
        ),
        migrations.RunSQL(CHAIN, NO_CHAIN),
    ]
