"""The versions of the program that a database was made by, as its applied migrations show."""

from django.db import connection
from django.db.migrations.loader import MigrationLoader

Migration = tuple[str, str]  # app and name

# applied in every database from before 29 November 2026, when the migrations began again at 0001
BEFORE_FIRST_TABLES = ("judging", "0002_triggers")
TOO_OLD = (
    "This database was made by a version from before 29 November 2026, whose tables cannot be "
    "migrated. Nothing was changed. To go on with it, check out the version that made it; otherwise "
    "name a new database or data folder."
)
NEWER = (
    "This database was made by a newer version: {migration} is not known here. Nothing was changed. "
    "Get that version of the program, or a newer one."
)


class UnknownVersion(Exception):
    """This version cannot migrate the database; the message says why and what to do."""


def refuse_other_versions(applied: set[Migration]) -> None:
    """Raise UnknownVersion if migrations were applied that this version does not have."""
    known = set(MigrationLoader(None).disk_migrations)
    our_apps = {app for app, _name in known}
    unknown = sorted(migration for migration in applied - known if migration[0] in our_apps)
    if BEFORE_FIRST_TABLES in unknown:
        raise UnknownVersion(TOO_OLD)
    if unknown:
        raise UnknownVersion(NEWER.format(migration=".".join(unknown[-1])))


def applied_here() -> set[Migration]:
    """Return the migrations that were applied to the site's database."""
    return set(MigrationLoader(connection).applied_migrations)
