from importlib import import_module

from django.apps import AppConfig

REGISTER_THEMSELVES = (  # with subjects below them
    "judging.campaigns.guards",  # who sees jobs, protocols and datasets
    "judging.enrolments.actions.exit_forms",  # parts of a plan
    "judging.quality.actions.checks",
    "judging.quality.actions.exercises",
)


class Judging(AppConfig):
    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Load the modules that register themselves."""
        for module in REGISTER_THEMSELVES:
            import_module(module)
