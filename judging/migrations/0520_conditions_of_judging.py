"""What annotators are told, and the conditions and times of their answers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0510_hypotheses"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="device",
            field=models.CharField(
                blank=True,
                choices=[("phone", "phone"), ("tablet", "tablet"), ("desktop", "desktop")],
                db_default="",
                default="",
                max_length=7,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="input",
            field=models.CharField(
                blank=True,
                choices=[("touch", "touch"), ("mouse", "mouse"), ("keyboard", "keyboard")],
                db_default="",
                default="",
                help_text="What gave most of the answers.",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="language",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The language of the instructions.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="total_shown",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="How many tasks in all its annotator was told of on its page.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="assignment",
            name="view",
            field=models.CharField(
                blank=True,
                choices=[("focus", "one question at a time"), ("list", "list of all questions")],
                db_default="",
                default="",
                max_length=5,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="fixed_language",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="The language of the annotators' pages; empty if annotators choose.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="fixed_view",
            field=models.CharField(
                blank=True,
                choices=[("focus", "one question at a time"), ("list", "list of all questions")],
                db_default="",
                default="",
                help_text="How tasks are laid out; empty if annotators choose.",
                max_length=5,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="qualification_paid",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether the time of the qualification is paid, passed or not.",
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="text_language",
            field=models.CharField(
                db_default="en",
                default="en",
                help_text="The language in which introduction, consent and pay were first written.",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="translated_texts",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="Introduction, consent and pay in other languages: judging.campaign_texts.",
            ),
        ),
        migrations.AddField(
            model_name="draft",
            name="answered_at",
            field=models.DateTimeField(
                blank=True, help_text="By the clock of the annotator's device.", null=True
            ),
        ),
        migrations.AddField(
            model_name="draft",
            name="first_shown_at",
            field=models.DateTimeField(
                blank=True, help_text="By the clock of the annotator's device.", null=True
            ),
        ),
        migrations.AddField(
            model_name="draft",
            name="input",
            field=models.CharField(
                blank=True,
                choices=[("touch", "touch"), ("mouse", "mouse"), ("keyboard", "keyboard")],
                db_default="",
                default="",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="judgment",
            name="answered_at",
            field=models.DateTimeField(
                blank=True, help_text="By the clock of the annotator's device.", null=True
            ),
        ),
        migrations.AddField(
            model_name="judgment",
            name="first_shown_at",
            field=models.DateTimeField(
                blank=True, help_text="By the clock of the annotator's device.", null=True
            ),
        ),
    ]
