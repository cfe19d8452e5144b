"""What tests share: a PostgreSQL cluster of their own, one browser, one worker, and the time of
each kind of test.

The environment is set before Django reads it, so no test touches the data folder. The cluster
starts with the first test that wants a database, and does not wait for the disk.
"""

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import hypothesis
import pytest
import pytest_django

from config.postgres import Cluster
from run import CHROMIUM_NAMES

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = f"quaestor-tests-{os.geteuid()}-"
HOME = Path(tempfile.mkdtemp(prefix=FOLDERS))
HOME.chmod(0o755)  # root hands the server to an account that must pass
LIVING = (HOME / "living.lock").open("w")
fcntl.flock(LIVING, fcntl.LOCK_EX)
CLUSTER = Cluster(HOME, durable=False)
ANSWERING: set[int] = set()  # threads of the live server that are at a request
KINDS = ("browser", "jobs", "threads")
PATIENCE = 60_000  # milliseconds until what a page should show is given up, on a busy machine
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Each table counts from a million of its own, so that no key equals another table's, or any other number on a page.
SPREAD_KEYS = """
SELECT setval(oid::regclass, 1000000 * row_number() OVER (ORDER BY relname))
FROM pg_class WHERE relkind = 'S' AND relname ~ '^(judging|annotation|analysis)_.*_id_seq$'
"""
# Rows go without the triggers that refuse it. A truncation makes new files and takes longer than a
# few rows.
EMPTY_TABLES = """
SET session_replication_role = replica;
DO $$
DECLARE
    filled text;
BEGIN
    FOR filled IN
        SELECT oid::regclass::text FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
          AND relname NOT IN ('django_migrations', 'django_content_type', 'auth_permission')
    LOOP
        IF pg_relation_size(filled::regclass) > 500000 THEN
            EXECUTE 'TRUNCATE ' || filled || ' CASCADE';
        ELSE
            EXECUTE 'DELETE FROM ' || filled;
        END IF;
    END LOOP;
END $$;
SET session_replication_role = DEFAULT;
"""

# A slow moment is no failure, and the short form draws the same examples each time, and fewer: whether
# a change lands may not depend on what another part's test happens to draw. The long form draws new ones.
LONG = "QUAESTOR_LONG" in os.environ
hypothesis.settings.register_profile(
    "busy machine", deadline=None, derandomize=not LONG, max_examples=100 if LONG else 40
)
hypothesis.settings.load_profile("busy machine")

if "DJANGO_SETTINGS_MODULE" in os.environ:
    raise pytest.UsageError(
        "unset DJANGO_SETTINGS_MODULE: the tests make their own settings and touch no data"
    )
os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # its own pool takes a gigabyte of addresses
os.environ.update(
    DATABASE_URL=CLUSTER.url(),
    DJANGO_SETTINGS_MODULE="config.settings",
    QUAESTOR_HOME=str(HOME),
    OMP_NUM_THREADS="1",  # two lanes share the cores; a library's own threads would only wait for each other
    OPENBLAS_NUM_THREADS="1",
)
os.environ.pop("CELERY_BROKER_URL", None)


def pytest_configure() -> None:
    """Read the settings now, and change what only costs time in tests."""
    from django.conf import settings
    from django.core.signals import request_finished, request_started
    from django.test import TransactionTestCase

    from judging.formats import child
    from tests.reading import PreparedReader

    _remove_abandoned()
    # by the clock; a page of a test must not lead to a job because the machine is busy
    child._start = PreparedReader
    settings.STATIC_ROOT.mkdir()
    settings.STORAGES["staticfiles"]["BACKEND"] = (
        "django.contrib.staticfiles.storage.StaticFilesStorage"
    )
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    TransactionTestCase._fixture_teardown = _empty_tables
    request_started.connect(_begins)
    request_finished.connect(_ends)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Let each process of tests make its own settings: pytest-django would read them before this
    file is."""
    del os.environ["DJANGO_SETTINGS_MODULE"]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import a share of the tests first in each process of several.

    All of them collect the same files in the same order; in a new clone each would compile every
    file at the moment the others do. What cannot be imported is told when it is collected. Until
    then all that is made stays, so Python's collector would look through it for nothing, for nearly
    half of the time.
    """
    process = getattr(session.config, "workerinput", None)
    if process is None:
        return
    gc.disable()
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    for file in files[int(process["workerid"].removeprefix("gw")) :: process["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Have Python's collector look less often through the thousands of tests and modules that stay
    to the end."""
    gc.enable()
    gc.set_threshold(100_000, 20, 100)


@pytest.hookimpl(trylast=True)  # after pytest-django has put them in its order
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the files that take long begin first, so that none is left to run alone at the end."""
    slow = {item.path for item in items if any(map(item.get_closest_marker, KINDS))}
    items.sort(
        key=lambda item: item.path not in slow and not item.nodeid.startswith("tests/config/")
    )


def _begins(**_signal: object) -> None:
    ANSWERING.add(threading.get_ident())


def _ends(**_signal: object) -> None:
    ANSWERING.discard(threading.get_ident())


def _empty_tables(case: object) -> None:
    """Empty what a test has written to, after a test that commits; Django's way empties every table
    there is.

    A page may have asked for something just before it was closed. Its request would write into
    emptied tables or wait for this for ever, so it is waited for.
    """
    from django.db import OperationalError, connection

    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and any(
        thread.ident in ANSWERING and thread is not threading.current_thread()
        for thread in threading.enumerate()
    ):
        time.sleep(0.01)
    with connection.cursor() as cursor:
        try:
            cursor.execute(EMPTY_TABLES)
        except OperationalError:  # a deadlock: the other one goes on and ends
            cursor.execute(EMPTY_TABLES)


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    shutil.rmtree(HOME, ignore_errors=True)
    if CLUSTER.base != HOME:
        shutil.rmtree(CLUSTER.base, ignore_errors=True)


def _remove_abandoned() -> None:
    """Stop and remove what killed test runs left behind: nobody holds their lock any more."""
    for folder in HOME.parent.glob(f"{FOLDERS}*"):
        with suppress(OSError), (folder / "living.lock").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            Cluster(folder).stop()
            shutil.rmtree(folder)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Return the tests' own PostgreSQL, running."""
    with CLUSTER.serving() as running:
        yield running


@pytest.fixture(scope="session")
def django_db_modify_db_settings(cluster: Cluster) -> None:
    """Have the server running before Django makes the test database."""


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> None:
    """Make the test database as Django does, and let no test depend on which ones ran before it."""
    from django.db import connection

    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(SPREAD_KEYS)


@pytest.fixture(scope="module")
def lasting(
    django_db_setup: None, django_db_blocker: pytest_django.DjangoDbBlocker
) -> Iterator[None]:
    """Let a module's fixtures store for all its tests: in a transaction around theirs, rolled back
    after the last."""
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def started_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have files read by a Python that is started for each, as in the product; see
    `tests.reading`."""
    from judging.formats import child
    from tests.reading import STARTED

    monkeypatch.setattr(child, "_start", STARTED)


def _chromium() -> str:
    found = os.environ.get("QUAESTOR_CHROMIUM") or next(
        filter(None, map(shutil.which, CHROMIUM_NAMES)), None
    )
    if found is None:
        pytest.skip(
            "no Chromium found: install one (Debian: apt-get install chromium-headless-shell) "
            "or set QUAESTOR_CHROMIUM"
        )
    return found


@pytest.fixture(scope="session")
def browser(django_db_setup: None) -> Iterator[object]:
    """Return one real Chromium for all tests."""
    executable = _chromium()
    from django.db import connections
    from playwright.sync_api import Locator, expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    click = Locator.click

    def click_and_arrive(self: Locator, **options: object) -> None:
        """Click, and wait for the whole page that it leads to: Playwright goes on with the first
        bytes of it."""
        click(self, **options)
        self.page.wait_for_load_state()

    Locator.click = click_and_arrive
    # Playwright keeps an event loop in the thread of the tests
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    # With an event loop in its thread Django takes another connection and forgets the one before,
    # which would stay open.
    connections.close_all()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_FLAGS))
        yield launched
        launched.close()
        connections.close_all()


@pytest.fixture
def new_page(browser, live_server) -> Iterator[Callable[..., object]]:
    """Return a maker of pages in contexts of their own; a script error or a blocked script fails
    the test."""
    contexts, errors = [], []

    def make(width: int = 1440, height: int = 900, **options: object) -> object:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            base_url=live_server.url,
            **({"service_workers": "block"} | options),
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda said: (
                errors.append(said.text) if "Content Security Policy" in said.text else None
            ),
        )
        return page

    yield make
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def page(new_page: Callable[..., object]) -> object:
    """Return one page of a desktop's size."""
    return new_page()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Show what stood on the pages of a test that failed in the browser, and what the worker said
    and does."""
    report = yield
    # other tests have a client by that name
    context = getattr(getattr(item, "funcargs", {}).get("page"), "context", None)
    if context and report.when == "call" and report.failed:
        for each in context.pages:
            report.sections.append((f"page at {each.url}", each.inner_text("body", timeout=5000)))
    kept = getattr(item, "funcargs", {}).get("worker")
    if isinstance(kept, KeptWorker) and report.when == "call" and report.failed:
        report.sections.append(("the worker's log", kept.says()))
    return report


class KeptWorker:
    """A real Celery worker, started again when it ends, as `up` and whatever keeps workers do; and one
    for sweeps, with beat."""

    LOG = HOME / "worker.log"

    def __init__(self, database: str, **environment: str) -> None:
        self.ended = 0  # how often by itself
        self._environment = {**os.environ, "DATABASE_URL": CLUSTER.url(database), **environment}
        self._over = threading.Event()
        self.LOG.write_text("")
        self._sweeps = self._started("-Q", "sweeps", "-P", "threads", "-n", "sweeps@%h", "-B")
        self._start()
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    def _start(self) -> None:
        self._process = self._started("-Q", "celery,gpu", "-c", "1")

    def _started(self, *options: str) -> subprocess.Popen[bytes]:
        worker = [sys.executable, "-m", "celery", "-A", "config", "worker", "-l", "INFO"]
        with self.LOG.open("a") as log:
            return subprocess.Popen(
                [*worker, *options],
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait_until_ready(self, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while self.LOG.read_text().count(" ready.") < 2:
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._process.kill()
                pytest.fail(f"the worker did not start:\n{self.LOG.read_text()[-3000:]}")
            time.sleep(0.1)
        self._keeper.start()

    def _keep(self) -> None:
        while not self._over.wait(0.2):
            if self._process.poll() is not None:
                self.ended += 1
                self._start()

    def stop(self) -> None:
        self._over.set()
        self._keeper.join()
        for process in (self._process, self._sweeps):
            process.terminate()
        for process in (self._process, self._sweeps):
            process.wait(timeout=120)

    def says(self) -> str:
        """Return the end of its log, with where its threads are now: Celery writes that on a
        signal."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGUSR1)
            time.sleep(2)
        return self.LOG.read_text()[-8000:]


@pytest.fixture(scope="module")
def worker_environment() -> dict[str, str]:
    """Return what a module's worker finds in its environment."""
    return {}


@pytest.fixture(scope="module")
def worker(
    worker_environment: dict[str, str],
    django_db_setup: None,
    django_db_blocker: pytest_django.DjangoDbBlocker,
) -> Iterator[KeptWorker]:
    """Run a real Celery worker on the test database; its tests need
    ``django_db(transaction=True)``. It says that it lives until it ends, after the tables were
    emptied for the last time, so they are emptied once more."""
    from django.db import connection

    kept = KeptWorker(str(connection.settings_dict["NAME"]), **worker_environment)
    kept.wait_until_ready()
    yield kept
    kept.stop()
    if kept.ended:  # Celery's own hang: a test that waits for its job has met it, and passed
        warnings.warn(f"The worker ended by itself:\n{kept.LOG.read_text()[-8000:]}", stacklevel=1)
    with django_db_blocker.unblock():
        _empty_tables(None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the time of each kind of test."""
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                kind = next((name for name in KINDS if name in report.keywords), "plain")
                seconds[kind] += report.duration
                tests[kind].add(report.nodeid)
    terminalreporter.section("time by kind of test")
    for kind in ("plain", *reversed(KINDS)):
        terminalreporter.write_line(f"{kind:8} {len(tests[kind]):5} tests {seconds[kind]:8.1f} s")
