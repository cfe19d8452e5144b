"""Rights on a collection are its own. Whoever has a campaign about another's collection keeps it until the owner ends it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

STANDING = """
INSERT INTO judging_collectionshare (collection_id, user_id, created_at)
SELECT DISTINCT campaign.collection_id, campaign.created_by_id, now()
FROM judging_campaign campaign JOIN judging_collection collection ON collection.id = campaign.collection_id
WHERE campaign.created_by_id <> collection.owner_id
"""


class Migration(migrations.Migration):
    dependencies = [("judging", "0022_links_for_annotators")]

    operations = [
        migrations.CreateModel(
            name="CollectionShare",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "collection",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="shares", to="judging.collection",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="collection_shares",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("collection", "user"), name="collection_share_once"),
                ],
            },
        ),
        migrations.RunSQL(STANDING, migrations.RunSQL.noop),
    ]
