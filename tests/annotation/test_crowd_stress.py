"""Many people of a platform at one moment: nobody over a cap, one right code for each, and no id
anywhere."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.members import Enrollment
from judging.crowd.actions import participations
from judging.crowd.models.crowd import Participation
from judging.people.models.event import Event
from tests import factories
from tests.annotation.crowds import CODES, Person, fake, study, told
from tests.annotation.fakecrowd import SECRET
from tests.conftest import LONG

MANY = 3 if LONG else 1

pytestmark = [pytest.mark.threads, pytest.mark.django_db(transaction=True)]


def all_at_once(work: Callable[[Any], object], things: Sequence[Any]) -> list[Any]:
    """Do something with each thing in a thread of its own, all beginning together; return what each
    brought."""
    results: list[Any] = [None] * len(things)
    barrier = threading.Barrier(len(things))

    def run(index: int) -> None:
        try:
            barrier.wait()
            results[index] = work(things[index])
        except BaseException as error:
            results[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(things))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result for result in results if isinstance(result, BaseException)] == []
    return results


def cells(table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT coalesce(string_agg(row::text, chr(10)), '') FROM \"{table}\" row")
        return str(cursor.fetchone()[0])


def everything_stored() -> str:
    """Return all that stands in any table."""
    names = [model._meta.db_table for model in apps.get_models(include_auto_created=True)]
    return "\n".join(cells(name) for name in names)


def test_those_who_join_at_once_get_the_places_there_are_and_not_one_more() -> None:
    places_there = 4 * MANY
    platform = study(tasks=places_there, places=1, each=1)
    crowd = fake(platform)
    people = [Person(crowd).opens() for _ in range(3 * places_there)]
    all_at_once(lambda person: person.agrees(), people)
    admitted = [person for person in people if not person.own().end]
    assert len(admitted) == Enrollment.objects.count() == places_there
    assert {person.code() for person in people if person not in admitted} == {CODES["quota_full"]}
    places = Assignment.objects.filter(round__campaign=platform.campaign)
    assert places.filter(state="open", seat__isnull=False).count() == places_there
    all_at_once(lambda person: person.looks().finishes(), admitted)
    assert {person.code() for person in admitted} == {CODES["completed"]}
    assert places.filter(state="submitted").count() == places_there


def test_one_person_who_opens_the_study_many_times_at_once_is_one() -> None:
    platform = study(tasks=6, each=2)
    crowd = fake(platform)
    person = Person(crowd).opens()
    windows = [Person(crowd, person.pid).opens() for _ in range(8 * MANY)]
    all_at_once(lambda window: window.agrees(), windows)
    assert (Participation.objects.count(), Enrollment.objects.count()) == (1, 1)
    assert Assignment.objects.filter(seat__isnull=False).count() == 2


def test_returning_while_the_last_answer_is_handed_in_loses_neither() -> None:
    platform = study(tasks=4, each=1)
    crowd = fake(platform)
    people = [Person(crowd).joins() for _ in range(4)]
    returned = {person.pid: crowd.message(person.pid, "RETURNED") for person in people}

    def either(act: tuple[str, Person]) -> object:
        kind, person = act
        return person.hands_in() if kind == "submits" else told(platform, returned[person.pid])

    all_at_once(either, [(kind, person) for person in people for kind in ("submits", "returns")])
    for person in people:
        assert person.looks().code() == CODES["completed"]
    assert not Assignment.objects.filter(state__in=["held", "released"]).exists()


def test_invariants_hold_while_everything_happens_at_once(caplog) -> None:
    """Join, work, reload, return, time out, come back, decline, forge: then look at every row,
    page, file and log."""
    caplog.set_level("DEBUG")
    platform = study(tasks=6 * MANY, places=2, each=3)
    crowd = fake(platform)
    people = [Person(crowd) for _ in range(12 * MANY)]
    left = Person(crowd).joins()  # whoever joins in the crowd may find every place taken
    crowd.gives_back(left.pid)

    def live(person: Person) -> None:
        chance = random.Random(person.pid)
        fate = people.index(person) % 6
        person.opens()
        if fate == 0:
            person.declines()
            return
        person.agrees()
        if person.own().end:
            return
        person.looks()
        while (task := person.task()) is not None:
            if fate == 1 and chance.random() < 0.5:
                crowd.gives_back(person.pid)
                person.hands_in()  # a late answer
                return
            if fate == 2 and chance.random() < 0.4:
                Participation.objects.filter(pk=person.own().pk, end="", left="").update(
                    reserved_until=timezone.now() if person.own().reserved_until else None
                )
                participations.free_due_shares(now=timezone.now())
            if fate == 3:
                told(platform, crowd.message(person.pid, "RETURNED", secret="forged"))
                person.opens().looks()
            if fate == 4 and chance.random() < 0.3:
                person.opens(again=True).looks()
            person.hands_in()
            assert person.task() != task
        if person.code():
            person.goes_back()

    all_at_once(live, people)
    people.append(left)
    for person in people:
        assert person.opens().code() == person.opens().code()
    check_places(platform)
    check_codes(people)
    check_ids(platform, people, caplog.text)


def check_places(platform) -> None:
    """No item above its cap, nothing kept for anybody who has left, and no task twice for one
    person."""
    rows = Assignment.objects.filter(round__campaign=platform.campaign)
    taken = rows.filter(state__in=["open", "held", "submitted"]).values_list("task", flat=True)
    assert set(Counter(taken).values()) == {2}
    pairs = rows.filter(enrollment__isnull=False).values_list("task", "enrollment")
    assert set(Counter(pairs).values()) <= {1}
    under_way = Participation.objects.under_way().values("enrollment__seat")
    assert not rows.filter(state="open", seat__isnull=False).exclude(seat__in=under_way).exists()


def check_codes(people: list[Person]) -> None:
    """Every finisher got exactly one code, the right one."""
    for person in people:
        own = person.own()
        brought = set(person.crowd.codes[person.pid])
        assert len(brought) <= 1
        assert brought <= {CODES.get(own.end)}
        assert person.code() == (CODES[own.end] if own.end else "")
        if own.end == "completed":
            assert Assignment.objects.done_by(own.enrollment).count() >= own.share > 0
        if own.end in ("no_consent", "quota_full"):
            assert own.enrollment is None or own.share >= 0


def check_ids(platform, people: list[Person], log: str) -> None:
    """No id of the platform is in a table, a session, an export, a page for managers or a log; no
    secret in these."""
    manager = factories.logged_in(platform.campaign.created_by)
    base = f"/campaigns/{platform.campaign.uuid}"
    pages = {
        path: whole(manager, base + path)
        for path in ("/", "/annotators/", "/crowd/", "/tasks/", "/history/")
    }
    files = {
        path: whole(manager, base + path)
        for path in ("/history.csv", "/export/csv/", "/export/codebook.csv")
    }
    sessions = str([each.get_decoded() for each in Session.objects.all()])
    seen = "\n".join([everything_stored(), sessions, log, *pages.values(), *files.values()])
    external = (
        {person.pid for person in people} | set(people[0].crowd.states) | {people[0].crowd.study}
    )
    assert not [each for each in external if each in seen]
    protocol = str(platform.campaign.locked_plan)
    secrets = (SECRET, *CODES.values())
    assert not [
        each for each in secrets for text in (*files.values(), log, protocol) if each in text
    ]
    assert SECRET not in seen
    assert Event.objects.filter(act="crowd.left").exists()


def whole(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode(
        "utf-8", "replace"
    )
