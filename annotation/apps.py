from django.apps import AppConfig


class Annotation(AppConfig):
    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"
