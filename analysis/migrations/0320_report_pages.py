import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('analysis', '0200_question_orders'),
    ]

    operations = [
        migrations.CreateModel(
            name='ReportPage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('language', models.CharField(max_length=20)),
                ('made_with', models.CharField(max_length=64)),
                ('parts', models.JSONField(default=dict)),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pages', to='analysis.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('run', 'language'), name='report_page_once')],
            },
        ),
    ]
