"""Orders are drawn from a secret of the campaign. Campaigns that run already get one; what is laid out stays as it is."""

import hashlib
import secrets
import uuid

from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone


def give_secrets(apps, schema_editor):
    running = Q(state__in=["locked", "open", "paused"]) | Q(state="draft", rounds__opened_at__isnull=False)
    campaigns = apps.get_model("judging", "Campaign").objects.filter(running).distinct()
    deviations = apps.get_model("judging", "Deviation").objects
    for campaign in campaigns:
        campaign.secret, campaign.seeded_before = secrets.token_hex(32), timezone.now()
        campaign.save(update_fields=["secret", "seeded_before"])
        if campaign.state == "draft":
            continue
        digest = hashlib.sha256(bytes.fromhex(campaign.secret)).hexdigest()
        deviations.create(
            campaign=campaign, what="draws", before="orders drawn from the seed",
            after=f"HMAC-SHA-256, version 1, SHA-256 of the secret: {digest}",
            reason="Orders drawn from a seed can be guessed.", made_by=campaign.created_by,
            made_at=campaign.seeded_before,
        )


def draw_ids(apps, schema_editor):
    for enrollment in apps.get_model("judging", "Enrollment").objects.only("pk"):
        enrollment.draw_id = uuid.uuid4()
        enrollment.save(update_fields=["draw_id"])


class Migration(migrations.Migration):
    dependencies = [("judging", "0015_ids_handed_out")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="secret",
            field=models.CharField(
                blank=True, default="", editable=False, max_length=64,
                help_text="256 bits from which every order is drawn, in hex.",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="campaign",
            name="seeded_before",
            field=models.DateTimeField(
                blank=True, editable=False, null=True, help_text="What was laid out before this was drawn from the seed.",
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="secret_revealed_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="campaign",
            name="seed",
            field=models.PositiveIntegerField(
                default=1,
                help_text="What orders were drawn from before campaigns had secrets; nothing new is drawn from it.",
            ),
        ),
        migrations.AddField(
            model_name="enrollment",
            name="draw_id",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.RunPython(give_secrets, migrations.RunPython.noop),
        migrations.RunPython(draw_ids, migrations.RunPython.noop),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="enrollment",
            name="draw_id",
            field=models.UUIDField(
                default=uuid.uuid4, editable=False, unique=True, help_text="What this annotator's orders are drawn for.",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=Q(state__in=["draft", "closed", "archived"]) | Q(secret__regex="^[0-9a-f]{64}$"),
                name="campaign_running_has_secret",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=Q(secret_revealed_at__isnull=True) | Q(state__in=["closed", "archived"]),
                name="campaign_revealed_is_closed",
            ),
        ),
    ]
