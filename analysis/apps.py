from django.apps import AppConfig


class Analysis(AppConfig):
    name = "analysis"
    default_auto_field = "django.db.models.BigAutoField"
