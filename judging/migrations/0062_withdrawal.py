"""Annotators may withdraw where a study lets them; erasing needs no owner, but one function that writes down what it did."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ERASE = """
CREATE FUNCTION judging_erase_judgments(wanted bigint, by_whom bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE erased bigint;
BEGIN
    PERFORM set_config('quaestor.erase', 'on', true);
    DELETE FROM judging_judgmentattribute WHERE judgment_id IN (
        SELECT j.id FROM judging_judgment j JOIN judging_assignment a ON a.id = j.assignment_id
        WHERE a.enrollment_id = wanted
    );
    DELETE FROM judging_judgment USING judging_assignment a WHERE a.id = assignment_id AND a.enrollment_id = wanted;
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('quaestor.erase', 'off', true);
    INSERT INTO judging_event (who, act, campaign, about, before, after)
    SELECT by_whom, 'annotator.erased', c.uuid, left(e.label, 120), erased || ' judgments', ''
    FROM judging_enrollment e JOIN judging_campaign c ON c.id = e.campaign_id WHERE e.id = wanted;
    RETURN erased;
END $$;
REVOKE ALL ON FUNCTION judging_erase_judgments(bigint, bigint) FROM PUBLIC;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0061_second_factor'),
    ]

    operations = [
        migrations.AddField(
            model_name='campaign',
            name='withdrawal',
            field=models.BooleanField(default=False, help_text='Annotators may erase what they did themselves, until the campaign is closed.'),
        ),
        migrations.AlterField(
            model_name='erasure',
            name='erased_by',
            field=models.ForeignKey(blank=True, help_text='Nobody where the annotator withdrew.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.RunSQL(ERASE, "DROP FUNCTION judging_erase_judgments(bigint, bigint)"),
    ]
