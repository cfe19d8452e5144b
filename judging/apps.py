from django.apps import AppConfig


class Judging(AppConfig):
    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load the modules that register themselves with a subject below them."""
