"""The role that serves: it owns nothing, and of judgments and events it can neither change nor
remove one.

The owner migrates and grants. To erase a person there is one function of the owner's, which takes
nothing but one annotator's judgments; another takes back the imported ones of one file, a third
those of a dry run. Each writes the event of what it removes. Web server and workers run as
`quaestor_server`, so a fault in them, or SQL that somebody smuggles in, meets the database's own
refusal; TRUNCATE would pass a trigger.
"""

from django.db import connection, transaction

SERVER = "quaestor_server"
# What runs as the owner. A restored database comes without its rights, so they are taken away here too.
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
GRANT USAGE ON SCHEMA public TO {SERVER};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {SERVER};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {SERVER};
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {SERVER};
REVOKE UPDATE, DELETE ON judging_judgment, judging_judgmentattribute FROM {SERVER};
GRANT UPDATE (superseded_at) ON judging_judgment TO {SERVER};
REVOKE UPDATE, DELETE ON judging_event FROM {SERVER};
REVOKE INSERT, UPDATE, DELETE ON judging_eventseal FROM {SERVER};
GRANT EXECUTE ON FUNCTION {", ".join(OWNERS)} TO {SERVER};
"""  # noqa: S608


def grant(*, password: str = "") -> None:
    """Make the serving role, or bring its rights up to date; the caller's connection is the
    owner's."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [SERVER])
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [SERVER])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {SERVER} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE")
        if password:
            cursor.execute(f"ALTER ROLE {SERVER} PASSWORD %s", [password])
        cursor.execute(GRANTS)
