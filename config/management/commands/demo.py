"""`manage.py demo`: run the whole site on this machine with a study to try it on."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from config import serving
from config.demo import logins, study
from config.demo.logins import Login
from config.demo.study import DemoStudy
from config.processes import port_number
from judging.jobs.models.job import Job
from judging.jobs.tasks import announce_job


class Command(BaseCommand):
    """Serve the demo until Ctrl-C, or until its report is written."""

    help = "Start everything with a demo study: one campaign to rate, one judged by simulated annotators."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--port",
            type=port_number,
            default=8000,
            help="the next free one is taken if it is not free",
        )
        parser.add_argument(
            "--exit", action="store_true", help="stop once the report files are written"
        )

    def handle(self, *, port: int, exit: bool, **options: Any) -> None:
        with serving.lock_data_folder() as note:
            serving.prepare_serving(self.say)
            researcher, annotator = logins.ensure_logins()
            made = study.ensure_demo_study(
                researcher=researcher.user, annotator=annotator.user, now=timezone.now()
            )
            report = Report(made)

            def greet(site: str) -> None:
                if made.run.job.state == Job.State.QUEUED:
                    announce_job(made.run.job_id)
                self.say(greeting(site, researcher, annotator, made))

            def enough() -> bool:
                if said := report.write_if_done():
                    self.say(said)
                return exit and report.over

            serving.serve(port=port, note=note, greet=greet, say=self.say, enough=enough)
        if report.failed:
            raise CommandError(report.failed)

    def say(self, text: str) -> None:
        """Print immediately, also into a pipe."""
        self.stdout.write(text)
        self.stdout.flush()


class Report:
    """The files of the judged campaign's report, written once its run is done."""

    def __init__(self, made: DemoStudy) -> None:
        self.run, self.over, self.failed = made.run, False, ""
        self.folder = Path(settings.HOME) / "demo-report"

    def write_if_done(self) -> str:
        """Write the files once the run has ended; return the message about it, only once."""
        self.run.job.refresh_from_db()
        if self.over or self.run.job.state in (Job.State.QUEUED, Job.State.RUNNING):
            return ""
        self.over = True
        if self.run.job.state != Job.State.DONE:
            self.failed = f"The analysis {self.run.job.state}: {self.run.job.error}"
            return self.failed
        from analysis.runs.actions import exports

        self.run.refresh_from_db()  # the hash of its input and the versions are stored by now
        count = len(exports.write_report(self.run, self.folder))
        return f"The report of the judged campaign: {count} files in {self.folder}"


def greeting(site: str, researcher: Login, annotator: Login, made: DemoStudy) -> str:
    """Return the addresses of the demo, with who may open each."""
    report = site + reverse("analysis:report", args=[made.judged.uuid])
    invitation = site + reverse("annotation:join", args=[made.invitation.token])
    return f"""
Quaestor's demo is at {site}

  Researcher      {site}{reverse("login")}   user {researcher}
  Annotator       {site}{reverse("login")}   user {annotator}
  Anybody         {invitation}
  A report        {report}
                  (of ratings drawn by a program: simulated annotators, no human judged)

The passwords are kept in {logins.path()}. Ctrl-C stops everything; the data are kept."""
