"""The common part of `up` and `demo`: preparing the site, admitting a first administrator, and
serving until Ctrl-C."""

import fcntl
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import CommandError, call_command
from django.urls import reverse

from config import postgres, running_site, upgrading
from config.data_folder import RESOURCES, ROOT
from config.postgres_programs import SHARED, PostgresProblem
from config.processes import NoPort, Program, Say, free_port, run_together, wait_for_port
from judging.people.actions import accounts
from judging.people.models.user import User

PATIENCE = 60.0
GUNICORN = RESOURCES / "deploy" / "gunicorn.conf.py"
WEB, WORKER = "quaestor web", "quaestor worker"  # as pg_stat_activity names their connections


@contextmanager
def lock_data_folder() -> Iterator[Path]:
    """Lock the data folder for one server, and return the file that holds its address."""
    path = running_site.lock_file(settings.HOME)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            told = f"These data are served already: {path.read_text().strip()}"
            raise CommandError(f"{told} (stop that first, by Ctrl-C where it runs)") from None
        process = running_site.process_file(settings.HOME)
        process.write_text(str(os.getpid()))
        try:
            yield path
        finally:
            process.unlink(missing_ok=True)


def prepare_serving(say: Say) -> None:
    """Prepare the site for this version, and warn if its server's account is shared."""
    say("Getting ready ...")
    if postgres.is_shared():
        say(SHARED)
    upgrading.prepare_site()


def first_administrator(say: Say) -> User | None:
    """Make sure that there is an administrator; return the one who has no password yet, if no
    administrator has one.

    At a terminal the name and password are asked for; elsewhere they come from
    DJANGO_SUPERUSER_USERNAME, _EMAIL and _PASSWORD, or the administrator chooses the password by a
    one-time link.
    """
    administrators = User.objects.filter(is_superuser=True, is_active=True)
    if not administrators.exists():
        if sys.stdin.isatty():
            say("There is no administrator yet. Choose a name and a password.")
            call_command("createsuperuser")
        elif os.environ.get("DJANGO_SUPERUSER_PASSWORD"):
            call_command("createsuperuser", interactive=False, verbosity=0)
        else:
            accounts.register_administrator(user=User.objects.create_superuser("admin"))
    if any(user.has_usable_password() for user in administrators):
        return None
    return administrators.first()


def password_link(user: User, site: str) -> str:
    """Return the one-time link by which a user chooses a password."""
    return site + reverse("password_reset_confirm", kwargs=accounts.password_link_parts(user=user))


def never_stop() -> bool:
    """Return False: serve until a stop signal."""
    return False


def serve(
    *,
    port: int,
    note: Path,
    greet: Callable[[str], None],
    say: Say,
    enough: Callable[[], bool] = never_stop,
) -> None:
    """Run the web server, the workers and beat until Ctrl-C, a stop signal or `enough`, and keep the
    database available.

    `greet` is called with the site's address once it answers; `note` is the file in which others
    look the address up.
    """
    try:
        found = free_port(port)
    except NoPort as refused:
        raise CommandError(str(refused)) from None
    if found != port:
        say(f"Port {port} is taken; using {found}.")
    site = f"http://127.0.0.1:{found}"
    note.write_text(site)
    parts = programs(found)

    def ready() -> None:
        if wait_for_port(found, seconds=PATIENCE):
            greet(site)
        else:
            say(f"The web server does not answer yet. Its log: {parts[0].log}")

    def watch() -> bool:
        _revive_database(say)
        return enough()

    run_together(parts, watch=watch, ready=ready, say=say)


def programs(port: int) -> list[Program]:
    """Return the web server, the worker of jobs, that of sweeps, and beat."""
    logs = settings.HOME / "logs"
    logs.mkdir(exist_ok=True)
    database = os.environ.get("DATABASE_URL") or postgres.Cluster(settings.HOME).url(
        role=settings.SERVER_ROLE
    )
    # the three processes of the worker share the processor cores
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    web = {"PGAPPNAME": WEB, "QUAESTOR_BIND": f"127.0.0.1:{port}"}
    worker = {"PGAPPNAME": WORKER, **one_thread}

    def program(name: str, log: str, command: str, variables: Mapping[str, str]) -> Program:
        words = [sys.executable, "-m", *shlex.split(command)]
        own = {"DATABASE_URL": database, **variables}
        return Program(name, words, logs / log, ROOT, own)

    quiet = "-l WARNING --without-gossip --without-mingle"
    jobs = f"celery -A config worker -Q celery,gpu -c 3 {quiet}"
    sweeps = f"celery -A config worker -Q sweeps -P threads -c 8 -n sweeps@%h {quiet}"
    return [
        program("web server", "web.log", f"gunicorn -c {shlex.quote(str(GUNICORN))}", web),
        program("worker", "worker.log", jobs, worker),
        program("worker of sweeps", "sweeps.log", sweeps, worker),
        program("beat", "beat.log", "celery -A config beat -l WARNING", worker),
    ]


def _revive_database(say: Say) -> None:
    """Start the embedded server again if it has been killed."""
    if postgres.listens():
        return
    try:
        postgres.ensure_running()
    except PostgresProblem as problem:
        say(str(problem))
