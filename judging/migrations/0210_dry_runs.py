"""Copies of drafts for simulated annotators: no account joins one, and all of it can be deleted."""

import django.db.models.deletion
from django.db import migrations, models

NOBODY = """
CREATE FUNCTION judging_nobody_in_dry_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.user_id IS NOT NULL AND EXISTS (SELECT FROM judging_dryrun WHERE campaign_id = NEW.campaign_id) THEN
        RAISE EXCEPTION 'no person judges in a dry run' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER nobody_in_dry_run BEFORE INSERT OR UPDATE OF user_id, campaign_id ON judging_enrollment
    FOR EACH ROW EXECUTE FUNCTION judging_nobody_in_dry_run();
"""
REMOVE = """
CREATE FUNCTION judging_remove_dry_run_judgments(wanted bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE removed bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM judging_dryrun d JOIN judging_campaign c ON c.id = d.campaign_id
                   WHERE c.id = wanted AND c.origin = 'simulated') THEN
        RAISE EXCEPTION 'only judgments of a dry run are removed' USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM set_config('quaestor.erase', 'on', true);
    DELETE FROM judging_judgment USING judging_assignment a JOIN judging_round r ON r.id = a.round_id
    WHERE a.id = assignment_id AND r.campaign_id = wanted;
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('quaestor.erase', 'off', true);
    RETURN removed;
END $$;
REVOKE ALL ON FUNCTION judging_remove_dry_run_judgments(bigint) FROM PUBLIC;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0190_preregistration'),
    ]

    operations = [
        migrations.CreateModel(
            name='DryRun',
            fields=[
                ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='dry_run', serialize=False, to='judging.campaign')),
                ('number', models.PositiveSmallIntegerField()),
                ('settings', models.JSONField(default=dict, help_text='What was assumed of systems and annotators.')),
                ('outcome', models.JSONField(blank=True, default=dict, help_text='What was planted, and with what power it is found.')),
                ('draft', models.ForeignKey(help_text='What it is a copy of.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='dry_runs', to='judging.campaign')),
            ],
            options={
                'ordering': ['draft', '-number'],
                'constraints': [models.UniqueConstraint(fields=('draft', 'number'), name='dry_run_number')],
            },
        ),
        migrations.RunSQL(NOBODY, "DROP TRIGGER nobody_in_dry_run ON judging_enrollment; DROP FUNCTION judging_nobody_in_dry_run();"),
        migrations.RunSQL(REMOVE, "DROP FUNCTION judging_remove_dry_run_judgments(bigint)"),
    ]
