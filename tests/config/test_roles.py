"""The role that serves does all that a site does, and cannot change or remove a judgment."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from config.database import roles
from judging.base.actions import bulk
from judging.campaigns.actions import campaigns, dataset_uses
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Task
from judging.campaigns.models.dry_run import DryRun
from judging.enrolments.actions import enrollments
from judging.imports.actions import take_back
from judging.overview.actions import dry_runs, erasures, retention
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality.actions import exclusions
from judging.work.actions import assignments, drafts, judgments, sheets
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.judging.imports.studies import BATCH, MATERIAL, add, assembled, rated

pytestmark = pytest.mark.django_db


@contextmanager
def serving() -> Iterator[None]:
    """Do what follows as the serving role; the role itself goes with the test's transaction."""
    roles.grant()
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {settings.SERVER_ROLE}")
        try:
            yield
        finally:
            cursor.execute("RESET ROLE")


def judged() -> Assignment:
    """Go the way of a study: open, join, save, submit."""
    campaign = studies.opened(annotators_per_task=1)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=5)
    enrollment = enrollments.join_by_link(
        invitation=link, user=None, agreed=True, now=timezone.now()
    ).enrollments.get()
    held = studies.held(enrollment)
    answers = [(asked, 2) for asked in sheets.sheet_of_assignment(held).asked()]
    drafts.save_draft(assignment=held, page=drafts.SentPage(answers, sequence=1))
    judgments.submit_task(assignment=held, token=held.submit_token)
    return held


def refused(statement: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except ProgrammingError as error:
        return "permission denied" in str(error) or "must be owner" in str(error)
    return False


def test_server_goes_the_way_of_a_study_with_its_corrections() -> None:
    with serving():
        own = judged()
        campaign = own.round.campaign
        assert Judgment.objects.standing().filter(assignment=own).count() == 4
        Judgment.objects.filter(assignment=own).update(superseded_at=Now())
        exclusions.exclude_annotator(
            enrollment=own.enrollment, reason="too fast", by=campaign.created_by, now=timezone.now()
        )
        link = campaign.invitations.get()
        newcomer = enrollments.join_by_link(
            invitation=link, user=None, agreed=True, now=timezone.now()
        ).enrollments.get()
        assignments.claim_assignment(enrollment=newcomer, round=studies.main_round(campaign))
        assert (
            erasures.undo_joins(invitation=link, by=campaign.created_by, now=timezone.now()).removed
            == 1
        )
        campaigns.discard_draft(campaign=factories.campaign())
        dataset_uses.delete_dataset(dataset=factories.dataset())


def test_server_forgets_who_annotators_were_and_keeps_what_they_said() -> None:
    with serving():
        own = judged()
        campaign, user = own.round.campaign, own.enrollment.user_id
        closed = timezone.now() - timedelta(days=31)
        Campaign.objects.filter(pk=campaign.pk).update(
            retention_days=30, state="closed", closed_at=closed
        )
        assert retention.forget_due(now=timezone.now()) == 1
    assert not User.objects.filter(pk=user).exists()
    assert Judgment.objects.standing().filter(assignment=own).count() == 4


def test_server_takes_back_a_file_of_ratings() -> None:
    with serving():
        dataset = assembled()
        text = BATCH.replace("question", "question,grammaticality@Ana", 1).replace("?\n", "?,3\n")
        columns = MATERIAL | rated("grammaticality@Ana")
        added = add(dataset, text, protocol=factories.protocol(), columns=columns)
        assert Judgment.objects.filter(added_file=added).count() == 4
        take_back.remove_added_rows(added=added, by=dataset.owner, now=timezone.now())
    assert not Judgment.objects.exists()
    event = Event.objects.get(act="file.taken_back")
    assert (event.who, event.before) == (dataset.owner.pk, "4 judgments")
    assert event.about == f"dataset {dataset.pk}, file {added.number}"


def test_server_removes_a_dry_run_and_the_history_says_how_much_of_it() -> None:
    draft = factories.campaign(annotators_per_task=1)
    with serving():
        run = dry_runs.copy_draft(draft=draft, by=draft.created_by, now=timezone.now(), settings={})
        [came] = dry_runs.admit_simulated(
            run=run, count=1, most=1, answer=lambda *_asked: {}, now=timezone.now()
        )
        dry_runs.fill_copy(
            campaign=run.campaign,
            people=[came.enrollment],
            answer=lambda *_asked: 2,
            seconds=lambda *_asked: 9.0,
        )
        assert Judgment.objects.count() == 8
        dry_runs.delete_copy(campaign=run.campaign, by=draft.created_by)
    assert list(Campaign.objects.all()) == [draft]
    event = Event.objects.get(act="dry_run.removed")
    assert (event.campaign, event.about, event.before) == (draft.uuid, "dry run 1", "8 judgments")


def test_server_makes_no_study_a_simulation_whose_judgments_could_be_removed() -> None:
    with serving():
        own = judged()
        key = own.round.campaign_id
        DryRun.objects.create(campaign_id=key, number=1)
        with pytest.raises(IntegrityError, match="does not change"), transaction.atomic():
            Campaign.objects.filter(pk=key).update(origin="simulated")
        with pytest.raises(IntegrityError, match="only judgments of a dry"), transaction.atomic():
            connection.cursor().execute("SELECT judging_remove_dry_run_judgments(%s, 1)", [key])
    assert Judgment.objects.filter(assignment=own).count() == 4


@pytest.mark.parametrize(
    "statements",
    [
        "DELETE FROM judging_round WHERE id = {copys_round};"
        "UPDATE judging_round SET campaign_id = {copy} WHERE campaign_id = {own}",
        "UPDATE judging_assignment SET round_id = {copys_round} WHERE round_id = {round}",
        "UPDATE judging_campaign SET id = -id WHERE id = {own};"
        "UPDATE judging_campaign SET id = {own} WHERE id = {copy}",
        "UPDATE judging_round SET id = -id WHERE id = {round};"
        "UPDATE judging_round SET id = {round} WHERE id = {copys_round}",
    ],
)
def test_server_puts_no_judgments_of_people_into_a_simulation(statements: str) -> None:
    with serving():
        own = judged()
        copy = factories.campaign(origin="simulated")
        [copys_round] = copy.rounds.all()
        named = {"own": own.round.campaign_id, "round": own.round_id}
        statement = statements.format(**named, copy=copy.pk, copys_round=copys_round.pk)
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER forged AFTER INSERT ON fake FOR EACH ROW EXECUTE FUNCTION judging_event_seal()",
        "CREATE TABLE public.judging_fake (id bigint)",
        "CREATE TEMPORARY TABLE judging_fake (id bigint)",
        "CREATE FUNCTION pg_temp.fake() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    ],
)
def test_server_seals_nothing_that_was_no_event_and_makes_no_table(statement: str) -> None:
    roles.grant()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE fake (LIKE judging_event)")
        cursor.execute(f"ALTER TABLE fake OWNER TO {settings.SERVER_ROLE}")
    with serving():
        assert refused(statement)


def test_server_dates_no_event() -> None:
    before = timezone.now() - timedelta(minutes=1)
    with serving(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO judging_event (at, act, about, before, after) "
            "VALUES ('2020-01-01', 'export', 'x', '', '')"
        )
    assert Event.objects.get(about="x").at > before


def test_granting_closes_again_what_a_restored_database_lets_everybody_call() -> None:
    roles.grant()
    with connection.cursor() as cursor:
        cursor.execute("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC")
        cursor.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
        roles.grant()
        cursor.execute(
            "SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace "
            "AND has_function_privilege('public', oid, 'EXECUTE')"
        )
        assert cursor.fetchall() == []
        cursor.execute("SELECT has_schema_privilege('public', 'public', 'CREATE')")
        assert cursor.fetchone() == (False,)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM judging_judgment",
        "TRUNCATE judging_judgment CASCADE",
        "TRUNCATE judging_judgment, judging_judgmentattribute",
        "UPDATE judging_judgment SET value = 1",
        "UPDATE judging_judgment SET assignment_id = assignment_id",
        "DELETE FROM judging_judgmentattribute",
        "DELETE FROM judging_event",
        "UPDATE judging_event SET who = NULL",
        "TRUNCATE judging_event",
        "DELETE FROM judging_eventseal",
        "INSERT INTO judging_eventseal VALUES (1, 1, '0', '1')",
        "ALTER TABLE judging_event DISABLE TRIGGER ALL",
        "DELETE FROM django_migrations",
        "SET session_replication_role = replica",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('/etc/passwd')",
    ],
)
def test_server_can_neither_change_nor_remove_a_judgment_or_an_event(statement: str) -> None:
    with serving():
        judged()
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('quaestor.erase', 'on', true)")
        assert refused(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER judgment_append_only ON judging_judgment",
        "ALTER TABLE judging_judgment DISABLE TRIGGER ALL",
        "DROP TABLE judging_note",
    ],
)
def test_server_owns_nothing(statement: str) -> None:
    with serving(), pytest.raises(ProgrammingError, match="must be owner"), transaction.atomic():
        connection.cursor().execute(statement)


def test_owner_still_erases_a_person() -> None:
    with serving():
        own = judged()
    erased = erasures.erase_annotator(
        enrollment=own.enrollment, by=own.round.campaign.created_by, now=timezone.now()
    )
    assert erased.counts["judgment"] == 4


@pytest.mark.django_db(transaction=True)
def test_server_has_the_planner_count_anew(recwarn) -> None:
    roles.grant()
    factories.opened()
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {settings.SERVER_ROLE}")
        bulk.let_planner_know(Task)
        cursor.execute("RESET ROLE")
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'judging_task'")
        assert cursor.fetchone() == (2,)
        cursor.execute(f"DROP OWNED BY {settings.SERVER_ROLE}; DROP ROLE {settings.SERVER_ROLE}")


def test_grants_are_brought_up_to_date_again(capsys) -> None:
    for _ in range(2):
        call_command("grant_server")
    assert capsys.readouterr().out == f"{settings.SERVER_ROLE} may serve.\n" * 2


PLAIN = "quaestor_plain_owner"
# Make a role without rights on the server own the database and all that is in it.
GIVE_AWAY = f"""
CREATE ROLE {PLAIN} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
DO $$
DECLARE
    each text;
BEGIN
    EXECUTE format('ALTER DATABASE %I OWNER TO {PLAIN}', current_database());
    ALTER SCHEMA public OWNER TO {PLAIN};
    FOR each IN SELECT oid::regclass FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    LOOP
        EXECUTE 'ALTER TABLE ' || each || ' OWNER TO {PLAIN}';
    END LOOP;
    FOR each IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    LOOP
        EXECUTE 'ALTER FUNCTION ' || each || ' OWNER TO {PLAIN}';
    END LOOP;
END $$;
"""


def run_sql(statement: str, parameters: list[str] | None = None) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []


def password_of(role: str) -> object:
    [(password,)] = run_sql("SELECT rolpassword FROM pg_authid WHERE rolname = %s", [role])
    return password


@pytest.fixture
def role(settings, monkeypatch) -> str:
    """Name a serving role that no other test makes, and its password."""
    settings.SERVER_ROLE = "quaestor_second-site"
    monkeypatch.setenv("QUAESTOR_SERVER_PASSWORD", "first word")
    return settings.SERVER_ROLE


@pytest.fixture
def plain_owner() -> Iterator[None]:
    """Do what follows as an owner of the database who may not make roles."""
    run_sql(GIVE_AWAY)
    run_sql(f"SET ROLE {PLAIN}")
    yield
    run_sql("RESET ROLE")


def test_grant_server_role_of_a_second_site_leaves_the_first_as_it_is(
    monkeypatch, settings, role
) -> None:
    call_command("grant_server")
    first = password_of(role)
    settings.SERVER_ROLE = "quaestor_third"
    monkeypatch.setenv("QUAESTOR_SERVER_PASSWORD", "another word")
    call_command("grant_server")
    assert password_of(role) == first is not None
    assert password_of("quaestor_third") not in (first, None)
    inserts = "SELECT has_table_privilege(%s, 'judging_judgment', %s)"
    for name in (role, "quaestor_third"):
        assert run_sql(inserts, [name, "INSERT"]) == [(True,)]
        assert run_sql(inserts, [name, "DELETE"]) == [(False,)]


def test_grant_server_existing_role_keeps_its_password_unless_asked(
    monkeypatch, capsys, role
) -> None:
    call_command("grant_server")
    first = password_of(role)
    assert capsys.readouterr().out == f"{role} may serve.\n"
    monkeypatch.setenv("QUAESTOR_SERVER_PASSWORD", "second word")
    call_command("grant_server")
    assert password_of(role) == first
    assert capsys.readouterr().out == (
        f"{role} may serve.\n"
        "Its password is unchanged. To set it to QUAESTOR_SERVER_PASSWORD, add --set-password.\n"
    )
    call_command("grant_server", set_password=True)
    assert password_of(role) not in (first, None)
    monkeypatch.delenv("QUAESTOR_SERVER_PASSWORD")
    with pytest.raises(CommandError, match="QUAESTOR_SERVER_PASSWORD is not set"):
        call_command("grant_server", set_password=True)


def test_grant_server_without_createrole_names_the_sql_for_an_administrator(
    role, plain_owner
) -> None:
    statement = (
        f'CREATE ROLE "{role}" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE '
        "PASSWORD '<QUAESTOR_SERVER_PASSWORD>';"
    )
    with pytest.raises(CommandError) as refused:
        call_command("grant_server")
    assert str(refused.value) == (
        f'The database has no role "{role}" and {PLAIN} may not create it: ask a database administrator to run '
        f"{statement} and then run grant_server again."
    )
    run_sql("RESET ROLE")
    run_sql(statement)
    run_sql(f"SET ROLE {PLAIN}")
    call_command("grant_server")  # what is left needs no right on the server
    assert run_sql("SELECT has_table_privilege(%s, 'judging_task', 'INSERT')", [role]) == [(True,)]


def test_grant_server_set_password_without_the_right_names_the_sql(role, plain_owner) -> None:
    run_sql("RESET ROLE")
    run_sql(f'CREATE ROLE "{role}" LOGIN')
    run_sql(f"SET ROLE {PLAIN}")
    with pytest.raises(CommandError) as refused:
        call_command("grant_server", set_password=True)
    assert str(refused.value) == (
        f'{PLAIN} may not change the password of "{role}": ask a database administrator to run '
        f"ALTER ROLE \"{role}\" PASSWORD '<QUAESTOR_SERVER_PASSWORD>'; and then run grant_server without "
        "--set-password."
    )
