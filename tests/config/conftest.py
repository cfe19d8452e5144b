"""A PostgreSQL server of the system that is older than the programs in the environment."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.postgres import Cluster

SYSTEM_PROGRAMS = Path("/usr/lib/postgresql")  # as Debian and Ubuntu install them


@pytest.fixture(scope="module")
def older_cluster() -> Iterator[Cluster]:
    """Return a running PostgreSQL 15 or 16."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUAESTOR_PG_BIN", str(_older_programs()))
        folder = Path(tempfile.mkdtemp(prefix=f"quaestor-tests-{os.geteuid()}-older-"))
        folder.chmod(0o755)  # the account that runs the server must pass
        cluster = Cluster(folder, durable=False)
        assert cluster.programs == _older_programs()  # looked up once, before the variable goes
    try:
        with cluster.serving():
            yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if cluster.base != folder:
            shutil.rmtree(cluster.base, ignore_errors=True)


def _older_programs() -> Path:
    for version in (15, 16):
        folder = SYSTEM_PROGRAMS / str(version) / "bin"
        if (folder / "initdb").exists():
            return folder
    pytest.skip(
        "no PostgreSQL 15 or 16 of the system found (Debian 12: apt-get install postgresql-15)"
    )
