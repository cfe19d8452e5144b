"""Bringing a site to this version of the program: its database is checked and backed up first; a
failure message gives the way back."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from config import backups
from config.database import roles, versions
from judging.people.actions import history
from judging.people.models.event import Event
from judging.protocols.actions import protocols


class CannotUpgrade(Exception):
    """The upgrade failed; the message gives the reason and the state of the database."""


@dataclass(frozen=True)
class UpgradeStep:
    """The difference between a database and this version."""

    missing: tuple[str, ...]  # migrations that the database has not yet
    new: bool  # the database has no migrations yet


def prepare_site() -> None:
    """Migrate the database, install the shipped protocols, grant the server's rights, and collect
    the static files."""
    call_command("migrate", verbosity=0, interactive=False)
    protocols.install_shipped()
    roles.grant()
    call_command("collectstatic", verbosity=0, interactive=False)


def upgrade_step() -> UpgradeStep:
    """Compare the database with this version."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return UpgradeStep(
        missing=tuple(f"{migration.app_label}.{migration.name}" for migration, _backwards in plan),
        new=not executor.loader.applied_migrations,
    )


def upgrade(*, backup: Path | None, now: datetime) -> tuple[UpgradeStep, Path | None]:
    """Save the database and prepare the site for this version; return the step, and the path of
    the backup."""
    try:
        versions.refuse_other_versions(versions.applied_here())
    except versions.UnknownVersion as refused:
        raise CannotUpgrade(str(refused)) from None
    found = upgrade_step()
    saved = None
    if found.missing and not found.new:
        saved = backup or settings.HOME / "backups" / f"before-upgrade-{now:%Y%m%d-%H%M%S}.dump"
        saved.parent.mkdir(parents=True, exist_ok=True)
        try:
            digest = backups.dump(saved)  # no event yet: its table may be that of the older version
        except FileExistsError:
            raise CannotUpgrade(
                f"{saved} is there already. Nothing was changed. Name another file."
            ) from None
        except (OSError, backups.CannotRestore) as problem:
            raise CannotUpgrade(f"The backup failed, so nothing was changed: {problem}") from None
    try:
        prepare_site()
    except DatabaseError as problem:
        raise CannotUpgrade(
            f"The upgrade stopped: {problem}The database is as the last whole step left it. To go back, start the "
            f"version you had and call: python3 run.py manage restore {saved} --replace"
        ) from problem
    if saved:
        with transaction.atomic():
            history.record_event(
                Event.Act.BACKED_UP, about=saved.name[:100], after=f"SHA-256 {digest}"
            )
    if problems := history.verify_history().problems:
        raise CannotUpgrade("It is upgraded, but its history was changed:\n" + "\n".join(problems))
    return found, saved
