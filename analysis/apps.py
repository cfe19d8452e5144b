from django.apps import AppConfig


class Analysis(AppConfig):
    name = "analysis"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Report the end of analyses to webhooks."""
        from analysis.runs.actions import run_events
        from judging.jobs.actions.jobs import job_ended

        job_ended.connect(run_events.note_end, dispatch_uid="analysis.run_events")
