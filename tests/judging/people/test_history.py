"""The history: what is written, in which transaction, and that every change to it is detected."""

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, IntegrityError, connection, connections, transaction
from django.test import Client
from django.utils import timezone

from judging.campaigns.actions import campaigns, dataset_uses, draws
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Exclusion, Invitation, Membership
from judging.datasets.actions import datasets
from judging.datasets.models.dataset import DatasetShare
from judging.datasets.models.score import Metric
from judging.enrolments.actions import enrollments
from judging.jobs import storage
from judging.llm_judges.actions import llm_judges
from judging.overview.actions import erasures
from judging.people.actions import accounts, history, tokens
from judging.people.models.event import Event, EventSeal
from judging.people.models.user import User
from judging.quality.actions import exclusions
from judging.work.actions import drafts, judgments, sheets
from tests import factories
from tests.annotation import studies
from tests.judging.imports.studies import BATCH, MATERIAL, add, assembled, rated

pytestmark = pytest.mark.django_db
Act = Event.Act


def seal() -> None:
    """Have the database do what it does at a commit; a test's own transaction never ends."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def acts() -> list[str]:
    return list(Event.objects.order_by("pk").values_list("act", flat=True))


def test_every_act_of_a_study_names_who_did_it() -> None:
    campaign = factories.campaign()
    manager, analyst = campaign.created_by, factories.user()
    client, where = factories.logged_in(manager), f"/campaigns/{campaign.uuid}/"
    client.post(f"{where}lock/")
    client.post(f"{where}open/")
    client.post(f"{where}members/", {"username": analyst.username, "role": "analyst"})
    client.post(f"{where}members/{campaign.memberships.get(user=analyst).pk}/remove/")
    client.post(f"{where}invitations/", {"places": 3, "expires_at": "2030-01-01T12:00"})
    link = campaign.invitations.get()
    client.post(f"{where}invitations/{link.pk}/revoke/")
    client.post(f"{where}amend/", {"what": "lease_minutes", "value": "90", "reason": "slow"})
    own = factories.enrollment(campaign, label="A07")
    client.post(
        f"{where}exclude/", {"enrollment": own.pk, "reason": "It is Anna Muster", "act": "exclude"}
    )
    client.post(f"{where}exclude/", {"enrollment": own.pk, "act": "readmit"})
    client.get(f"{where}export/csv/")
    client.post(f"{where}pause/")
    client.post(f"{where}close/")
    client.post(f"{where}draws/reveal/")
    client.post(f"{where}archive/")
    campaign.refresh_from_db()
    told = (
        Event.objects.filter(campaign=campaign.uuid)
        .order_by("pk")
        .values_list("act", "about", "before", "after")
    )
    assert list(told) == [
        ("campaign.locked", "", "draft", f"locked, plan {campaign.locked_digest}"),
        ("campaign.open", "", "locked", "open"),
        ("role.given", f"account {analyst.pk}", "", "analyst"),
        ("role.taken", f"account {analyst.pk}", "analyst", ""),
        ("link.made", f"link {link.pk}", "", "for 3, until 2030-01-01 12:00 UTC"),
        ("link.revoked", f"link {link.pk}", "", ""),
        ("campaign.deviation", "lease_minutes", "120", "90"),
        ("annotator.excluded", "A07", "", ""),
        ("annotator.readmitted", "A07", "", ""),
        ("export", "canal-towns-judgments.csv", "", ""),
        ("campaign.paused", "", "open", "paused"),
        ("campaign.closed", "", "paused", "closed"),
        ("campaign.draws", "", "", ""),
        ("campaign.archived", "", "closed", "archived"),
    ]
    assert set(Event.objects.filter(campaign=campaign.uuid).values_list("who", flat=True)) == {
        manager.pk
    }


def test_every_act_on_material_and_llm_judges_names_who_did_it() -> None:
    dataset, protocol = assembled(), factories.protocol()
    owner = dataset.owner
    columns = MATERIAL | rated("grammaticality@Ana")
    text = BATCH.replace("question", "question,grammaticality@Ana", 1).replace("?\n", "?,3\n")
    added = add(dataset, text, protocol=protocol, columns=columns)
    campaign = dataset.campaigns.get()
    table = f"item,correctness\n{llm_judges.questions_with_tokens(campaign)[0].token},2\n".encode()
    about = {"name": "Small", "model": "m"}
    judge, _found = llm_judges.add_llm_judge(
        campaign=campaign, by=owner, file=storage.store_bytes(table), file_name="j.csv", about=about
    )
    client = factories.logged_in(owner)
    client.post(f"/campaigns/{campaign.uuid}/judges/{judge.pk}/remove/")
    computed = Metric.objects.create(
        dataset=dataset, name="BLEU-4", kind="computed", fingerprint="f"
    )
    where = f"/datasets/{dataset.pk}"
    client.post(f"{where}/scores/{computed.pk}/remove/")
    client.post(f"{where}/files/{added.number}/ids.csv")
    client.post(f"{where}/files/{added.number}/take-back/")
    told = Event.objects.exclude(act__startswith="campaign.").order_by("pk")
    file = f"dataset {dataset.pk}, file"
    assert list(told.values_list("act", "campaign", "about", "before")) == [
        ("file.added", None, f"{file} 1", ""),
        ("file.added", campaign.uuid, f"{file} 2", ""),
        ("llm_judge.added", campaign.uuid, "LLM judge Small", ""),
        ("llm_judge.removed", campaign.uuid, "LLM judge Small", ""),
        ("dataset.scores", None, f"dataset {dataset.pk}", "BLEU-4"),
        ("file.ids", campaign.uuid, f"{file} 2", ""),
        ("file.taken_back", campaign.uuid, f"{file} 2", "4 judgments"),
    ]
    assert set(told.values_list("who", flat=True)) == {owner.pk}


def test_what_changes_nothing_is_no_event() -> None:
    campaign = factories.opened()
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    campaigns.revoke_invitation(invitation=link, now=timezone.now())
    before = Event.objects.count()
    campaigns.revoke_invitation(invitation=link, now=timezone.now())
    campaigns.add_member(campaign=campaign, user=campaign.created_by, role="manager")
    exclusions.readmit(
        enrollment=factories.enrollment(campaign), by=campaign.created_by, now=timezone.now()
    )
    accounts.set_rights(user=factories.user(is_superuser=True))
    assert Event.objects.count() == before


def test_log_ins_failures_links_rights_and_keys_are_written_without_names() -> None:
    administrator, user = factories.user(is_superuser=True), factories.user()
    client, admin = Client(), factories.logged_in(administrator)
    client.post("/login/", {"username": user.username, "password": "wrong"})
    client.post("/login/", {"username": "my secret phrase", "password": "wrong"})
    client.post("/login/", {"username": user.username, "password": factories.PASSWORD})
    client.post("/tokens/", {"name": "Maria's script", "scope": "read", "days": 7})
    token = user.api_tokens.get()
    client.post(f"/tokens/{token.pk}/revoke/")
    client.post("/sessions/end/")
    admin.post(f"/accounts/{user.pk}/", {"is_active": "on", "may_create_campaigns": "on"})
    admin.post(f"/accounts/{user.pk}/password-link/")
    them = f"account {user.pk}"
    assert list(
        Event.objects.order_by("pk").values_list("act", "who", "about", "before", "after")
    ) == [
        ("log_in.failed", None, them, "", ""),
        ("log_in.failed", None, "unknown name", "", ""),
        ("log_in", user.pk, "", "", ""),
        ("key.made", user.pk, f"token {token.pk} of {them}", "", "read, for 7 days"),
        ("key.revoked", user.pk, f"token {token.pk} of {them}", "", ""),
        ("log_out.everywhere", user.pk, "", "", ""),
        ("account.rights", administrator.pk, them, "may log in", "researcher, may log in"),
        ("password.link", administrator.pk, them, "", ""),
    ]


def test_judging_writes_no_history() -> None:
    campaign = studies.opened(annotators_per_task=1)
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    before = Event.objects.count()
    own = enrollments.join_by_link(
        invitation=link, user=None, agreed=True, now=timezone.now()
    ).enrollments.get()
    held = studies.held(own)
    drafts.save_draft(
        assignment=held,
        page=drafts.SentPage(
            [(asked, 2) for asked in sheets.sheet_of_assignment(held).asked()], sequence=1
        ),
    )
    judgments.submit_task(assignment=held, token=held.submit_token)
    assert Event.objects.count() == before


def test_erasing_a_person_leaves_the_chain_whole_and_no_name_in_it() -> None:
    campaign = studies.opened()
    _client, own = studies.annotator(campaign)
    name, by = own.user.username, campaign.created_by
    exclusions.exclude_annotator(
        enrollment=own, reason=f"{name} said so", by=by, now=timezone.now()
    )
    erasures.erase_annotator(enrollment=own, by=by, now=timezone.now())
    seal()
    assert history.verify_history().problems == ()
    assert acts()[-2:] == ["annotator.excluded", "annotator.erased"]
    everything = " ".join(map(str, Event.objects.values_list("about", "before", "after")))
    assert name not in everything


@contextmanager
def nothing_may_be_noted() -> Iterator[None]:
    """Have the database refuse every event, so that an act that is not undone with it shows."""
    with connection.cursor() as cursor:
        seal()
        cursor.execute("ALTER TABLE judging_event ADD CONSTRAINT refused CHECK (false) NOT VALID")
        yield


def _acts() -> Iterator[tuple[str, Callable[[], object], Callable[[], object]]]:
    """Yield an act that manages, what does it, and what shows whether it is done."""
    campaign, now = factories.opened(), timezone.now()
    by, other, own = campaign.created_by, factories.user(), factories.enrollment(campaign)
    link = Invitation.objects.create(campaign=campaign, created_by=by, digest="d")
    draft, shared = factories.campaign(), factories.dataset()
    closed = factories.opened()
    campaigns.close_campaign(campaign=closed, now=now)
    excluded = factories.enrollment(campaign)
    exclusions.exclude_annotator(enrollment=excluded, reason="slow", by=by, now=now)

    def state(of: Campaign) -> Callable[[], object]:
        return lambda: (
            Campaign.objects.filter(pk=of.pk).values_list("state", "lease_minutes").first()
        )

    yield "lock", lambda: campaigns.lock_plan(campaign=draft, now=now), state(draft)
    yield "discard", lambda: campaigns.discard_draft(campaign=draft), state(draft)
    yield (
        "pause",
        lambda: campaigns.move_campaign(campaign=campaign, to="paused", now=now),
        state(campaign),
    )
    yield "close", lambda: campaigns.close_campaign(campaign=campaign, now=now), state(campaign)
    change = {"what": "lease_minutes", "value": 5, "reason": "x", "by": by, "now": now}
    yield "amend", lambda: campaigns.amend_field(campaign=campaign, **change), state(campaign)
    yield (
        "invite",
        lambda: campaigns.create_invitation(campaign=campaign, by=by, places=7),
        Invitation.objects.count,
    )
    revoked = Invitation.objects.filter(revoked_at__isnull=False).count
    yield "revoke", lambda: campaigns.revoke_invitation(invitation=link, now=now), revoked
    yield "undo", lambda: erasures.undo_joins(invitation=link, by=by, now=now), revoked
    yield (
        "add",
        lambda: campaigns.add_member(campaign=campaign, user=other, role="analyst"),
        Membership.objects.count,
    )
    annotator = {"campaign": campaign, "user": own.user, "role": "annotator"}
    yield "remove", lambda: campaigns.remove_member(**annotator), Membership.objects.count
    yield (
        "exclude",
        lambda: exclusions.exclude_annotator(enrollment=own, reason="x", by=by, now=now),
        Exclusion.objects.count,
    )
    standing = Exclusion.objects.standing().count
    yield "readmit", lambda: exclusions.readmit(enrollment=excluded, by=by, now=now), standing
    yield (
        "erase",
        lambda: erasures.erase_annotator(enrollment=own, by=by, now=now),
        campaign.enrollments.count,
    )
    yield (
        "reveal",
        lambda: draws.reveal_secret(campaign=closed, now=now),
        lambda: bool(Campaign.objects.get(pk=closed.pk).secret_revealed_at),
    )
    yield (
        "share",
        lambda: datasets.share_dataset(dataset=shared, user=other),
        DatasetShare.objects.count,
    )
    yield "delete", lambda: dataset_uses.delete_dataset(dataset=shared), shared.sources.count
    yield (
        "key",
        lambda: tokens.make_token(user=by, now=now),
        lambda: by.api_tokens.count(),
    )
    demoted = User.objects.get(pk=by.pk)
    demoted.may_create_campaigns = False
    factories.user(is_superuser=True)
    yield (
        "rights",
        lambda: accounts.set_rights(user=demoted),
        lambda: User.objects.get(pk=by.pk).may_create_campaigns,
    )


def test_act_and_event_are_one_transaction() -> None:
    tried = list(_acts())
    with nothing_may_be_noted():
        for name, act, witness in tried:
            before = witness()
            with pytest.raises(IntegrityError, match="refused"):
                act()
            assert witness() == before, name


ODD = [
    "",
    'a "quoted" \\ one',
    "two\nlines\r\tand\x0b\x01\x1f\x7f",
    "ß € 漢字 🙂 \u2028",
    "</script>/",
    "'='",
    "null",
]


def test_hash_is_the_same_by_the_database_and_by_python() -> None:
    campaign = factories.campaign()
    for text in ODD:
        history.record_event(
            Act.EXPORTED,
            by=campaign.created_by,
            campaign=campaign,
            about=text,
            before=text,
            after=text,
        )
        history.record_event(Act.LOG_IN_FAILED, about=text)
    seal()
    chain = history.verify_history()
    assert (chain.length, chain.problems) == (Event.objects.count(), ())
    assert chain.last == history.last_hash() == EventSeal.objects.get(position=chain.length).digest


def test_hash_of_the_first_event_is_sha256_of_what_it_says() -> None:
    history.record_event(Act.LOG_IN_FAILED, about="unknown name")
    seal()
    event = Event.objects.get()
    at = event.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    said = (
        f'["{"0" * 64}", {event.pk}, "{at}", null, "log_in.failed", null, "unknown name", "", ""]'
    )
    assert event.seal.digest == hashlib.sha256(said.encode()).hexdigest()


def as_owner(statement: str) -> None:
    """Do what only the owner of the database can: change the history past its triggers."""
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(statement)
        cursor.execute("SET session_replication_role = origin")


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE judging_event SET who = 99 WHERE about = 'b'",
            "position 2",
        ),
        (
            "UPDATE judging_event SET at = at + interval '1 day' WHERE about = 'b'",
            "position 2",
        ),
        ("DELETE FROM judging_event WHERE about = 'b'", "position 2"),
        (
            "DELETE FROM judging_eventseal WHERE position = 2; DELETE FROM judging_event WHERE about = 'b'",
            "position 3",
        ),
        (
            "INSERT INTO judging_event (act, about, before, after) VALUES ('export', 'x', '', '')",
            "chain",
        ),
        (
            "DELETE FROM judging_eventseal WHERE position > 1; DELETE FROM judging_event WHERE about IN ('b', 'c')",
            "removed",
        ),
    ],
)
def test_change_behind_its_back_is_found(statement: str, said: str) -> None:
    for about in "abc":
        history.record_event(Act.EXPORTED, about=about)
    seal()
    noted = history.last_hash()
    call_command("check_history", noted=noted)
    as_owner(statement)
    with pytest.raises(CommandError, match=re.escape(said)):
        call_command("check_history", noted=noted)


def test_a_site_without_events_is_not_told_to_be_as_it_was_written() -> None:
    out = StringIO()
    call_command("check_history", stdout=out)
    assert out.getvalue() == "This site has no events, so there is nothing to check.\n"


@pytest.mark.parametrize("table", ["judging_event", "judging_eventseal"])
@pytest.mark.parametrize("change", ["DELETE FROM {}", "UPDATE {} SET {}"])
def test_even_the_owner_is_refused_by_a_trigger(table: str, change: str) -> None:
    history.record_event(Act.EXPORTED)
    seal()
    column = "who = 1" if table == "judging_event" else "position = 9"
    with pytest.raises(DatabaseError, match="the history is only added to"), transaction.atomic():
        connection.cursor().execute(change.format(table, column))


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_writer_in_a_long_transaction_keeps_nobody_waiting() -> None:
    def somebody_else() -> None:
        history.record_event(Act.LOG_IN_FAILED, about="second")
        connections.close_all()

    with transaction.atomic():
        history.record_event(Act.CAMPAIGN_OPENED, about="first, but commits last")
        other = threading.Thread(target=somebody_else)
        other.start()
        other.join(60)
        assert not other.is_alive()
        assert Event.objects.filter(about="second").exists()
    assert list(Event.objects.sealed().values_list("about", flat=True)) == [
        "second",
        "first, but commits last",
    ]
    assert history.verify_history().problems == ()


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_writers_at_once_make_one_chain() -> None:
    start = threading.Barrier(6)

    def write(name: int) -> None:
        start.wait()
        for number in range(10):
            history.record_event(Act.EXPORTED, about=f"{name}/{number}")
        connections.close_all()

    writers = [threading.Thread(target=write, args=[name]) for name in range(6)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    chain = history.verify_history()
    assert (chain.length, chain.problems) == (60, ())


def test_page_of_a_campaign_shows_its_own_events_to_managers_and_analysts() -> None:
    mine, other = factories.opened(), factories.opened()
    analyst = factories.user("wei")
    campaigns.add_member(campaign=mine, user=analyst, role="analyst", by=mine.created_by)
    campaigns.create_invitation(campaign=other, by=other.created_by)
    page = factories.logged_in(analyst).get(f"/campaigns/{mine.uuid}/history/").text
    assert "plan locked" in page
    assert re.search(r"role given</th>\s*<td dir=\"auto\">wei</td>", page)
    assert f"<td>{mine.created_by.username}</td>" in page
    assert "link made" not in page.partition("<tbody>")[2]


def test_filter_finds_by_act_person_and_day_and_says_what_is_wrong() -> None:
    campaign, other = factories.opened(), factories.researcher("kim")
    campaigns.add_member(campaign=campaign, user=other, role="manager", by=campaign.created_by)
    campaigns.create_invitation(campaign=campaign, by=other)
    client, where = factories.logged_in(other), f"/campaigns/{campaign.uuid}/history/"

    def count(**asked: str) -> int:
        return client.get(where, asked).text.count("<time")

    today, tomorrow = timezone.now().date(), timezone.now().date() + timedelta(days=1)
    assert count() == 4
    assert count(act="link.made") == 1
    assert count(who="kim") == 1
    assert count(who="kim", act="role.given") == 0
    assert (count(since=f"{today}"), count(since=f"{tomorrow}")) == (4, 0)
    assert (count(until=f"{today}"), count(until=f"{today - timedelta(days=1)}")) == (4, 0)
    for wrong in ({"who": "nobody at all"}, {"act": "dance"}, {"since": "yesterday"}):
        assert client.get(where, wrong).status_code == 422
    assert client.get(where, {"page": "x"}).status_code == 200


def test_administrator_sees_who_did_what_and_no_content_of_studies_of_others() -> None:
    campaign = factories.opened()
    campaigns.amend_field(
        campaign=campaign,
        what="contact",
        value="prof@example.org",
        reason="x",
        by=campaign.created_by,
        now=timezone.now(),
    )
    client = factories.logged_in(factories.user(is_superuser=True))
    for path in ("/history/", "/history/history.csv"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert b"prof@example.org" not in answer.getvalue()
    page = client.get("/history/").text
    assert "changed after the lock" in page and campaign.created_by.username in page


def test_table_holds_the_chain_and_no_formula_and_is_itself_written_down() -> None:
    campaign = factories.opened()
    change = {
        "what": "introduction",
        "value": "=1+1",
        "reason": "x",
        "by": campaign.created_by,
        "now": timezone.now(),
    }
    campaigns.amend_field(campaign=campaign, **change)
    seal()
    client = factories.logged_in(campaign.created_by)
    answer = client.get(f"/campaigns/{campaign.uuid}/history.csv")
    assert answer.streaming, "there may be millions of events"
    text = answer.getvalue().decode("utf-8-sig")
    assert ",'=1+1," in text
    rows = text.splitlines()
    assert rows[0] == "position,at,who,act,campaign,about,before,after,previous,digest"
    assert [row.rpartition(",")[2] for row in rows[1:]] == list(
        EventSeal.objects.filter(event__campaign=campaign.uuid)
        .order_by("position")
        .values_list("digest", flat=True)
    )
    assert acts()[-1] == "export"
