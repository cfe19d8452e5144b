"""Orders of questions are computed for each page."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('analysis', '0320_report_pages'),
    ]

    operations = [
        migrations.DeleteModel(
            name='OrderedQuestion',
        ),
        migrations.DeleteModel(
            name='QuestionOrder',
        ),
    ]
