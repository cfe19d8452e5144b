"""The embedded server, with real servers in folders of their own."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from config import postgres
from config.data_folder import ROOT
from config.postgres import Cluster


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="quaestor-"))
    # pytest's own folders are closed to the account that root hands the server to
    path.chmod(0o755)
    yield path
    Cluster(path).stop()
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def once() -> Iterator[Path]:
    """Return a folder with a cluster, made once and stopped."""
    path = Path(tempfile.mkdtemp(prefix="quaestor-"))
    path.chmod(0o755)
    Cluster(path).ensure_running()
    Cluster(path).stop()
    yield path
    shutil.rmtree(path)


@pytest.fixture
def made(once: Path) -> Iterator[Path]:
    """Return a folder with a stopped cluster; the test leaves it as it was, but for the running."""
    yield once
    Cluster(once).stop()


def call_in_processes(folder: Path, code: str, times: int) -> list[str]:
    """Run the code in several processes at once, with ``cluster`` at hand, and return what they
    print."""
    setup = f"from pathlib import Path; from config.postgres import Cluster; cluster = Cluster(Path({str(folder)!r}))\n"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", setup + code],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(times)
    ]
    return [process.communicate(timeout=60)[0].strip() for process in running]


def starts(cluster: Cluster) -> int:
    return cluster.log.read_text().count("starting PostgreSQL")


def server_pid(cluster: Cluster) -> int:
    return int((cluster.data / "postmaster.pid").read_text().split()[0])


def test_url_of_a_folder_writes_nothing(folder):
    address = Cluster(folder / "new").url()

    where = str(folder / "new" / "socket").replace("/", "%2F")
    who = pwd.getpwuid(Cluster(folder).owner).pw_name
    assert address == (f"postgresql://quaestor@/quaestor?host={where}&port=5432&requirepeer={who}")
    assert list(folder.iterdir()) == []


def test_server_is_started_once_found_again_and_stopped(made):
    cluster = Cluster(made)
    before = starts(cluster)
    cluster.ensure_running()
    cluster.ensure_running()
    with psycopg2.connect(cluster.url()) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('fsync'), current_setting('max_connections'), lower('É')"
        )
        assert cursor.fetchone() == ("on", "200", "é")
    connection.close()
    assert starts(cluster) == before + 1

    cluster.stop()
    cluster.stop()
    with pytest.raises(psycopg2.OperationalError):
        psycopg2.connect(cluster.url())


@pytest.mark.threads
def test_eight_processes_that_race_start_one_server(folder):
    said = call_in_processes(folder, "cluster.ensure_running(); print('running')", times=8)

    assert said == ["running"] * 8
    assert starts(Cluster(folder)) == 1


@pytest.mark.threads
def test_last_user_of_four_stops_the_server(made):
    code = "import time\nwith cluster.serving(): time.sleep(0.5); print(cluster._answers())"

    assert call_in_processes(made, code, times=4) == ["True"] * 4
    assert not (Cluster(made).data / "postmaster.pid").exists()


def write_until_it_breaks(address: str, acknowledged: list[int], start: int) -> None:
    connection = psycopg2.connect(address)
    for number in range(start, start + 1_000_000):
        try:
            with connection, connection.cursor() as cursor:
                cursor.execute("INSERT INTO kept VALUES (%s)", [number])
        except (psycopg2.OperationalError, psycopg2.InterfaceError):
            return
        acknowledged.append(number)


@pytest.mark.threads
def test_kill_9_in_the_middle_of_writes_loses_nothing_acknowledged(made):
    cluster = Cluster(made)
    cluster.ensure_running()
    with psycopg2.connect(cluster.url()) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE kept (number integer PRIMARY KEY)")
    connection.close()
    acknowledged: list[int] = []
    writers = [
        threading.Thread(
            target=write_until_it_breaks, args=(cluster.url(), acknowledged, 10_000_000 * n)
        )
        for n in range(4)
    ]
    for writer in writers:
        writer.start()
    while len(acknowledged) < 200:
        time.sleep(0.01)
    os.kill(server_pid(cluster), signal.SIGKILL)
    for writer in writers:
        writer.join(timeout=60)

    cluster.ensure_running()

    connection = psycopg2.connect(cluster.url())
    with connection.cursor() as cursor:
        cursor.execute("SELECT number FROM kept")
        kept = {row[0] for row in cursor.fetchall()}
    connection.close()
    assert set(acknowledged) - kept == set()
    # at most the writes in flight may be there as well
    assert len(kept) <= len(acknowledged) + len(writers)


def test_half_made_cluster_is_made_anew(folder):
    cluster = Cluster(folder)
    (folder / "postgres" / "new").mkdir(parents=True)
    (folder / "postgres" / "new" / "PG_VERSION").write_text("18")

    cluster.ensure_running()

    psycopg2.connect(cluster.url()).close()


def test_data_of_another_version_are_refused_with_the_way_out(made):
    version = Cluster(made).data / "PG_VERSION"
    ours = version.read_text()
    version.write_text("11\n")

    with pytest.raises(
        postgres.OtherVersion, match=r"(?s)by PostgreSQL 11, .*pg_dump -h .*-Fc -f quaestor.dump"
    ):
        Cluster(made).ensure_running()

    version.write_text(ours)


def test_marks_that_name_a_process_of_somebody_else_stop_no_start(made):
    cluster = Cluster(made)
    cluster.ensure_running()
    written = (cluster.data / "postmaster.pid").read_text().split("\n")
    cluster.stop()
    with subprocess.Popen(["sleep", "600"], user=(cluster.data).stat().st_uid) as other:
        (cluster.data / "postmaster.pid").write_text("\n".join([str(other.pid), *written[1:]]))
        shutil.chown(cluster.data / "postmaster.pid", cluster.data.stat().st_uid)
        began = time.monotonic()
        cluster.ensure_running()

        assert time.monotonic() - began < postgres.PATIENCE / 2
        assert server_pid(cluster) != other.pid
        other.terminate()


def test_database_url_leaves_the_embedded_server_alone(folder, monkeypatch):
    monkeypatch.setenv("QUAESTOR_HOME", str(folder))
    monkeypatch.setenv("DATABASE_URL", "postgresql://somewhere/else")

    with postgres.serving():
        postgres.ensure_running()

    assert list(folder.iterdir()) == []
