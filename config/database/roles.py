"""The database role of the server: it owns nothing, and can neither change nor delete judgments and
events.

The owner migrates and grants. To erase a person there is one function of the owner's, which deletes
only one annotator's judgments; another takes back the imported ones of one file, a third those of a
dry run. Each writes the event of what it deletes. Web server and workers run as the role that
`QUAESTOR_SERVER_ROLE` names, so that the database itself stops a fault in them, or injected SQL;
TRUNCATE would bypass a trigger. Roles belong to the whole server, not to one database: each site on
a server needs a role of its own.
"""

from django.conf import settings
from django.core.management import CommandError
from django.db import ProgrammingError, connection, transaction
from psycopg2.errors import InsufficientPrivilege

# Functions that run as the owner. A restored database has no rights set, so they are revoked here
# too.
OWNERS = (
    "judging_erase_judgments(bigint, bigint)",
    "judging_take_back_judgments(bigint, bigint)",
    "judging_remove_dry_run_judgments(bigint, bigint)",
    "judging_analyze(regclass[])",
)
GRANTS = f"""
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
DO $$ BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
REVOKE ALL ON FUNCTION judging_event_seal(), {", ".join(OWNERS)} FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO {{role}};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {{role}};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {{role}};
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {{role}};
REVOKE UPDATE, DELETE ON judging_judgment, judging_judgmentattribute FROM {{role}};
GRANT UPDATE (superseded_at) ON judging_judgment TO {{role}};
REVOKE UPDATE, DELETE ON judging_event FROM {{role}};
REVOKE INSERT, UPDATE, DELETE ON judging_eventseal FROM {{role}};
GRANT EXECUTE ON FUNCTION {", ".join(OWNERS)} TO {{role}};
"""  # noqa: S608
CREATE = "CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE"
PASSWORD_UNSAID = "PASSWORD '<QUAESTOR_SERVER_PASSWORD>'"  # noqa: S105  # in a message, for the password itself


class CannotGrant(CommandError):
    """The owner of the database lacks a right on the server; the message names the SQL to run."""


def grant(*, password: str = "", set_password: bool = False) -> bool:
    """Create the server's role, or bring its rights up to date.

    The caller's connection is the owner's. Return whether the role was there already; its password
    then changes only with `set_password`.

    Raises
    ------
    CannotGrant
        If the owner may not create the role or change its password.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [settings.SERVER_ROLE])
        cursor.execute(
            "SELECT quote_ident(%s), current_user, EXISTS (SELECT FROM pg_roles WHERE rolname = %s)",
            [settings.SERVER_ROLE, settings.SERVER_ROLE],
        )
        role, owner, exists = cursor.fetchone()
        if not exists:
            create = CREATE.format(role=role)
            _run_with_password(
                create if not password else f"{create} PASSWORD %s",
                password,
                f"The database has no role {role} and {owner} may not create it: ask a database "
                f"administrator to run {create} {PASSWORD_UNSAID}; and then run grant_server again.",
            )
        elif set_password:
            change = f"ALTER ROLE {role}"
            _run_with_password(
                f"{change} PASSWORD %s",
                password,
                f"{owner} may not change the password of {role}: ask a database administrator to "
                f"run {change} {PASSWORD_UNSAID}; and then run grant_server without --set-password.",
            )
        cursor.execute(GRANTS.format(role=role))
    return bool(exists)


def _run_with_password(statement: str, password: str, refusal: str) -> None:
    """Run a statement about a role; raise CannotGrant with the refusal if the right is missing."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement, [password] if password else None)
    except ProgrammingError as error:
        if isinstance(error.__cause__, InsufficientPrivilege):
            raise CannotGrant(refusal) from None
        raise
