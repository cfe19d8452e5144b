"""`quaestor report FILE`: the report on a file of ratings, in a database that lasts as long as the
command."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from analysis.models import Run
from config import celery
from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset
from judging.formats.mapping import Column
from judging.imports.actions import files, fit, preview
from judging.imports.forms.mapping import describe_file_column
from judging.jobs import storage, tasks
from judging.jobs.models.job import Job
from judging.people.models.user import User
from judging.protocols.actions import protocols
from judging.protocols.guards import protocols_of
from judging.protocols.models.protocol import Protocol

SHOWN_PROBLEMS = 10
SHOWN_VALUES = 8
DIRECTIONS = ("higher", "lower")
YES_NEEDED = "If this is right, say --accept-surprises; else correct the file, or say more (--protocol, --metric)."
CHANGE_FILE = (
    "The command takes no answer to this; change the file. Call columns passage, system, question and "
    "annotator, delete or rename a column that holds something else, and leave a cell without a rating blank."
)


class Command(BaseCommand):
    """Import a file as the pages do when all that they propose is accepted, and analyse it."""

    help = "Make the report on a file of ratings, as HTML and PDF with all tables and figures."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a table of ratings")
        parser.add_argument(
            "--to", type=Path, default=Path("report"), help="a new folder; default %(default)s"
        )
        parser.add_argument(
            "--protocol",
            metavar="KEY",
            help="of the ratings; by default that of a bundle, else the only one that fits exactly, "
            "else one made from the ratings' own scales",
        )
        parser.add_argument(
            "--metric",
            action="append",
            default=[],
            metavar="COLUMN=higher|lower",
            help="a column of scores, and which scores are better",
        )
        parser.add_argument(
            "--accept-surprises", action="store_true", help="go on where the check asks for a yes"
        )

    def handle(self, *, file: Path, to: Path, accept_surprises: bool, **options: Any) -> None:
        if to.exists() and (not to.is_dir() or any(to.iterdir())):
            raise CommandError(f"{to} is there already. Name a new folder with --to.")
        try:
            content = file.read_bytes()
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        self.say("Getting ready ...")
        call_command("migrate", verbosity=0)
        protocols.install_shipped()
        celery.load_tasks()
        by = User.objects.create_user("report", may_create_campaigns=True)
        dataset = files.create_dataset(name=file.stem, by=by)
        stored = storage.store_bytes(content)
        added = files.upload_file(dataset=dataset, name=file.name, file=stored, by=by)
        scales = _decide(added, by, protocol=options["protocol"], metrics=options["metric"])
        self.tell(added)
        self.add(added, by, _about_scales(scales), accept_surprises)
        self.write(_analyse(dataset, by), to)

    def tell(self, added: AddedFile) -> None:
        """Print how the file was opened and shaped, what each column became, what the file holds,
        and the first rows and values that were refused."""
        look = added.examined[preview.LOOK]
        for _step, sentence in look.get("sentences", ()):
            self.say(sentence)
        for name, column in preview.mapping_of(added).columns.items():
            self.say(f"  {name}: {describe_file_column(column)}")
        if study := look.get("study"):
            self.say(f"{study['sentence']}.")
            if judges := study["llm_judges"]:
                self.say(f"LLM judges: {', '.join(judges)}.")
            refused = [each for each in study["problems"] if each["kind"] in ("row", "value")]
            for problem in refused[:SHOWN_PROBLEMS]:
                self.say(f"Row {problem['row']:,}: {problem['reason']}")
        if added.protocol:
            self.say(f"Protocol: {added.protocol.title} ({added.protocol.key}).")

    def add(
        self, added: AddedFile, by: User, about_scales: list[str], accept_surprises: bool
    ) -> None:
        """Add the file to its dataset, and print how much went to quarantine."""
        from judging.imports.actions import adding  # loads pandas

        if not added.protocol and (scaleless := fit.without_own_scale(preview.rated_in(added))):
            raise CommandError("\n".join(_about_scaleless(scaleless)))
        surprises = [*about_scales, *files.surprises(added)]
        if accept_surprises:
            for surprise in surprises:
                self.say(f"Accepted: {surprise}")
        elif about_scales and not preview.obstacles_of(added):
            raise CommandError("\n".join([*surprises, YES_NEEDED]))
        try:
            done = adding.add_file(
                added=added, by=by, now=timezone.now(), accept_surprises=accept_surprises
            )
        except files.Surprising as refused:
            raise CommandError("\n".join([*refused.surprises, YES_NEEDED])) from None
        except files.CannotImport as refused:
            is_read = "unreadable" not in added.examined[preview.LOOK]
            remedies = [CHANGE_FILE] if is_read else []
            raise CommandError("\n".join([*refused.reasons, *remedies])) from None
        if count := done.brought["quarantined"]:
            self.say(f"{count:,} rows or values are in quarantine; no analysis uses them.")

    def write(self, run: Run, folder: Path) -> None:
        """Write the report, and print where it is."""
        from analysis.runs.actions import exports, report_documents

        written = exports.write_report(run, folder)
        (folder / "report.html").write_text(report_documents.report_html(run), encoding="utf-8")
        self.say(
            f"{folder / 'report.html'} and {len(written)} other files, which the README lists."
        )

    def say(self, text: str) -> None:
        """Print immediately, also into a pipe."""
        self.stdout.write(text)
        self.stdout.flush()


def _decide(
    added: AddedFile, by: User, *, protocol: str | None, metrics: list[str]
) -> list[fit.OwnScale]:
    """Decide how a waiting file is read, and by which protocol its ratings were given; return the
    scales from which a protocol was made, if it was."""
    mapping = preview.mapping_of(added)
    files.read_file(added=added, mapping=mapping, protocols=protocols_of(by))
    mapping = preview.mapping_of(added)
    columns = {**mapping.columns, **_metric_columns(mapping.columns, metrics)}
    mapping = mapping.model_copy(update={"columns": columns, "points": {}})
    rated = preview.rated_in(added)
    bundled = preview.bundle_protocol(added, added.examined[preview.LOOK].get("protocol", ""))
    chosen = named_protocol(protocol, by) if protocol else bundled or _only_fitting(rated)
    files.read_file(added=added, mapping=mapping, protocol=chosen, protocols=protocols_of(by))
    rated = preview.rated_in(added)
    scales = [] if chosen else fit.own_scales(rated)
    if scales:
        own = fit.create_protocol(scales=scales, by=by)
        mapping = mapping.model_copy(update={"points": fit.own_points(scales, rated)})
        files.read_file(added=added, mapping=mapping, protocol=own, protocols=protocols_of(by))
    return scales


def _about_scales(scales: list[fit.OwnScale]) -> list[str]:
    """Return a sentence for each scale made from the ratings: nothing shows which end is best."""
    return [f"{scale}: no protocol says so, but {scale.best} is taken as best." for scale in scales]


def _about_scaleless(scaleless: Mapping[str, list[str]]) -> list[str]:
    """Return why no protocol can be made from the ratings on these criteria, and the remedy."""
    reasons = [
        f"{criterion}: no protocol fits, and its values are no scale of several whole numbers or known words: "
        f"{', '.join(values[:SHOWN_VALUES])}{' …' if len(values) > SHOWN_VALUES else ''}."
        for criterion, values in scaleless.items()
    ]
    remedy = (
        "Name a protocol that has these criteria and values with --protocol, or change the file."
    )
    return [*reasons, remedy]


def named_protocol(key: str, by: User) -> Protocol:
    """Return the newest protocol of a key that the user may use."""
    usable = protocols_of(by)
    protocol = usable.filter(key=key).order_by("-id").first()
    if protocol is None:
        known = ", ".join(sorted(set(usable.values_list("key", flat=True))))
        raise CommandError(f"There is no protocol {key}. There are {known}.")
    return protocol


def _metric_columns(columns: Mapping[str, Column], metrics: list[str]) -> dict[str, Column]:
    """Return the columns that are named as metrics."""
    named = {}
    for text in metrics:
        name, _, direction = text.rpartition("=")
        if name not in columns or direction not in DIRECTIONS:
            raise CommandError(
                f"--metric {text}: write it as COLUMN=higher or COLUMN=lower. "
                f"The columns are {', '.join(columns)}."
            )
        decided = {"role": "metric", "name": name, "direction": direction}
        named[name] = columns[name].model_copy(
            update={**decided, "is_direction_guessed": False, "why": ""}
        )
    return named


def _only_fitting(rated: fit.Rated) -> Protocol | None:
    """Return the protocol that fits the ratings exactly, None if none does; refuse to choose among
    several."""
    shipped = Protocol.objects.filter(owner=None).order_by("key", "-id")
    fitting = [protocol for protocol in shipped if rated and fit.fits_exactly(protocol, rated)]
    if len(keys := sorted({protocol.key for protocol in fitting})) > 1:
        raise CommandError(
            f"The ratings fit several protocols: {', '.join(keys)}. Name theirs with --protocol."
        )
    return fitting[0] if fitting else None


def _analyse(dataset: Dataset, by: User) -> Run:
    """Analyse a dataset as its page does, in this process."""
    from analysis.runs.actions import dataset_reports

    try:
        run = dataset_reports.start_dataset_report(
            dataset=dataset, protocols=protocols_of(by), by=by, now=timezone.now()
        )
    except dataset_reports.NothingToAnalyse as refused:
        raise CommandError(str(refused)) from None
    tasks.execute_due_jobs()
    run.refresh_from_db()
    if run.job.state != Job.State.DONE:
        raise CommandError(f"The analysis {run.job.state}: {run.job.error}")
    return run
