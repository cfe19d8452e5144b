"""What a collection holds is counted for each page."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0440_scores_read_from_their_index'),
    ]

    operations = [
        migrations.DeleteModel(
            name='CollectionSnapshot',
        ),
    ]
