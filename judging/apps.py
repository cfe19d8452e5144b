from django.apps import AppConfig


class Judging(AppConfig):
    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"
