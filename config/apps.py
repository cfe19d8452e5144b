from django.apps import AppConfig


class Config(AppConfig):
    """The app that knows the others; none knows it."""

    name = "config"

    def ready(self) -> None:
        """Make the queue known, so that tasks ring on the configured broker."""
        from config import celery  # noqa: F401
