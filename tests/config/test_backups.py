"""`backup` and `restore`: what comes back is what was saved, to the last row, and a bad file
changes nothing."""

import re
import shutil
import stat
import tempfile
from pathlib import Path

import psycopg2
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.database import first_tables, roles
from judging.actions import drafts, history, judgments, sheets
from judging.models import Event, Judgment, StoredFile, User
from judging.storage import keep
from tests import factories
from tests.annotation import studies

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def site() -> None:
    """Have a site with a study that is judged, and a stored file."""
    campaign = studies.opened(annotators_per_task=1)
    held = studies.held(factories.enrollment(campaign))
    drafts.save(
        assignment=held,
        page=drafts.SentPage([(asked, 2) for asked in sheets.of(held).asked()], sequence=1),
    )
    judgments.submit(assignment=held, token=held.submit_token)
    keep("ß and 漢字\n".encode())


def rows() -> dict[str, tuple[int, str]]:
    """Return of every table how many rows it has, and a hash of all they say; but for the events of
    the copying."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            only = {
                "judging_event": "WHERE act NOT LIKE 'site.%'",
                "judging_eventseal": "WHERE event_id IN (SELECT id FROM judging_event WHERE act NOT LIKE 'site.%')",
            }.get(table, "")
            cursor.execute(
                f"SELECT count(*), coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM {table} t {only}"
            )
            found[table] = cursor.fetchone()
    return found


def test_restored_site_is_the_one_that_was_saved(tmp_path: Path, capsys) -> None:
    saved, path = rows(), tmp_path / "quaestor.dump"
    assert (Judgment.objects.count(), StoredFile.objects.count()) == (4, 1)
    call_command("backup", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    noted = history.last_hash()
    factories.opened()
    User.objects.filter(is_superuser=False).update(first_name="Changed")
    StoredFile.objects.all().delete()
    assert rows() != saved

    call_command("restore", path, replace=True)

    assert rows() == saved
    assert history.check(noted=noted).problems == ()
    assert (
        Event.objects.filter(act__startswith="site.")
        .values_list("act", flat=True)
        .order_by("pk")[1]
        == "site.restored"
    )
    factories.opened()  # and it works: numbers go on, triggers are there
    with pytest.raises(Exception, match="judgments are never deleted"):
        connection.cursor().execute("DELETE FROM judging_judgment")


def test_restore_into_a_new_database_makes_the_same_site(tmp_path: Path, cluster) -> None:
    saved, path, here = rows(), tmp_path / "quaestor.dump", connection.settings_dict["NAME"]
    call_command("backup", path)
    connection.close()
    server = psycopg2.connect(cluster.url("postgres"))
    server.autocommit = True
    server.cursor().execute("CREATE DATABASE restored_here")
    connection.settings_dict["NAME"] = "restored_here"
    try:
        call_command("restore", path)
        assert rows() == saved
    finally:
        connection.close()
        connection.settings_dict["NAME"] = here
        server.cursor().execute("DROP DATABASE restored_here")
        server.close()


def test_tables_indexes_and_triggers_are_the_same_after_a_restore(tmp_path: Path, cluster) -> None:
    def tables() -> list[str]:
        held = first_tables.dumped(cluster.url(str(connection.settings_dict["NAME"])))
        return [line for line in held.splitlines() if "USAGE ON SCHEMA public" not in line]

    roles.grant()
    before, path = tables(), tmp_path / "quaestor.dump"
    numbers = (
        "SELECT sequencename, last_value FROM pg_sequences "
        "WHERE sequencename <> 'judging_event_id_seq' ORDER BY 1"
    )
    reached = ask(numbers)
    call_command("backup", path)
    call_command("restore", path, replace=True)
    connection.close()
    assert tables() == before
    assert ask(numbers) == reached


def ask(query: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall() if cursor.description else []


PLANTED = """
CREATE TABLE ran (what text);
CREATE FUNCTION note(what text) RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO public.ran VALUES (what); RETURN 1; END $$;
CREATE MATERIALIZED VIEW seen AS SELECT public.note('view');
CREATE SCHEMA evil;
CREATE FUNCTION evil.fire() RETURNS event_trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'fired'; END $$;
"""
FIRES = "CREATE EVENT TRIGGER evil ON ddl_command_start EXECUTE FUNCTION evil.fire()"


def test_nothing_that_a_backup_from_somebody_else_holds_besides_rows_comes_back(
    tmp_path: Path, capsys
) -> None:
    saved, path = rows(), tmp_path / "foreign.dump"
    ask(PLANTED)
    ask(FIRES)
    try:
        call_command("backup", path)
    finally:
        ask("DROP EVENT TRIGGER evil")
    ask("DROP SCHEMA evil CASCADE; DROP MATERIALIZED VIEW seen; DROP FUNCTION note; DROP TABLE ran")

    call_command("restore", path, replace=True)

    assert rows() == saved
    assert "Left out: the table ran" in capsys.readouterr().out
    assert ask("SELECT FROM pg_proc WHERE proname IN ('note', 'fire')") == []
    assert ask("SELECT FROM pg_namespace WHERE nspname = 'evil'") == []
    assert ask("SELECT FROM pg_event_trigger") == []


def test_what_an_earlier_restore_planted_goes_before_anything_else_is_done(
    tmp_path: Path, capsys
) -> None:
    saved, path = rows(), tmp_path / "good.dump"
    call_command("backup", path)
    ask(PLANTED)
    ask(FIRES)
    with pytest.raises(
        CommandError, match="removes what is not ours, too: EVENT TRIGGER evil, SCH"
    ):
        call_command("restore", path)
    call_command("restore", path, replace=True)
    assert rows() == saved
    said = capsys.readouterr().out
    assert "Removed: EVENT TRIGGER evil" in said
    assert "Removed: SCHEMA evil" in said
    assert ask("SELECT FROM pg_event_trigger") == []


def test_statements_in_a_backup_run_no_program(tmp_path: Path) -> None:
    path = tmp_path / "quaestor.dump"
    call_command("backup", path)
    ran = Path(tempfile.mkdtemp())
    ran.chmod(0o777)  # the server may be another account's
    held = path.read_bytes()
    ours = re.search(rb"COPY public\.judging_user \([^)]*\) FROM stdin;\n", held)
    theirs = f"COPY (SELECT 1) TO PROGRAM 'touch {ran}/it'; COPY public.judging_user FROM stdin;\n"
    path.write_bytes(held.replace(ours[0], theirs.encode().rjust(len(ours[0]))))
    before = rows()

    with pytest.raises(CommandError, match="nothing was changed"):
        call_command("restore", path, replace=True)

    assert rows() == before
    assert list(ran.iterdir()) == []
    shutil.rmtree(ran)


def test_backup_of_a_newer_version_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "newer.dump"
    of_tomorrow = "judging", "9000_of_tomorrow"
    recorder = MigrationRecorder(connection)
    recorder.record_applied(*of_tomorrow)
    call_command("backup", path)
    recorder.record_unapplied(*of_tomorrow)
    before = rows()
    with pytest.raises(CommandError, match=r"judging\.9000_of_tomorrow is not known here"):
        call_command("restore", path, replace=True)
    assert rows() == before


def test_backup_that_says_its_version_a_second_time_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "forged.dump"
    ask("CREATE TABLE second_migrations AS SELECT 999999::bigint AS id, 'judging'::text AS app, "
        "'9000_of_tomorrow'::text AS name, now() AS applied")  # fmt: skip
    call_command("backup", path)
    ask("DROP TABLE second_migrations")
    held = path.read_bytes()
    assert b"COPY public.second_migrations (" in held
    path.write_bytes(
        held.replace(b"COPY public.second_migrations (", b"COPY public.django_migrations (")
    )
    before = rows()
    with pytest.raises(CommandError, match="says two things of its version"):
        call_command("restore", path, replace=True)
    assert rows() == before


def test_nothing_is_changed_where_a_restore_is_refused(tmp_path: Path) -> None:
    path, bad, half = tmp_path / "quaestor.dump", tmp_path / "bad.dump", tmp_path / "half.dump"
    call_command("backup", path)
    bad.write_text("no backup")
    half.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    before = rows()
    with pytest.raises(CommandError, match="holds accounts already"):
        call_command("restore", path)
    with pytest.raises(CommandError, match="There is no file"):
        call_command("restore", tmp_path / "none")
    for wrong in (bad, half):
        with pytest.raises(CommandError, match="pg_restore failed"):
            call_command("restore", wrong, replace=True)
    with pytest.raises(CommandError, match="never written over another file"):
        call_command("backup", path)
    assert rows() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "bad.dump",
        "half.dump",
        "quaestor.dump",
    ]
