"""Checks that a closed campaign was drawn from its secret: from its document of draws alone,
without the database.

Anyone can run them (`manage.py check_draws`) or implement them: a random stream is Python's
random.Random, seeded with HMAC-SHA-256(secret, purpose) read as a number, and an order is its
shuffle of 0 to n - 1.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judging.campaigns import design
from judging.campaigns.actions import draws
from judging.campaigns.actions.campaigns import hash_plan
from judging.campaigns.design import KeyedDraws

KIND = "judging.check_draws"  # the kind of job
Document = Mapping[str, Any]
PlaceRow = list[Any]  # position, task, place, seat


def find_draw_problems(document: Document) -> list[str]:
    """Return where the draws deviate from the secret and the protocol; empty if they do not."""
    return list(_problems(document))


def _problems(document: Document) -> Iterator[str]:
    promised = document["plan"]["draws"]["secret_sha256"]
    if draws.hash_secret(document["secret"]) != promised:
        yield "The secret is not the one whose hash was published."
    if hash_plan(document["plan"]) != document["plan_sha256"]:
        yield "The plan is not the one that was locked."
    for each in document["rounds"]:
        drawn = KeyedDraws(bytes.fromhex(document["secret"]), within=each["name"])
        yield from _wrong_orders(each, drawn)
        order = each.get("order", document["order"])  # pilots and calibrations are no panels
        laid = _panel(document, each, drawn) if order == "panel" else _queue(document, each, drawn)
        if sorted(each["places"]) != sorted(laid):
            yield f"{each['name']}: the assignments are not in the order that is drawn."


def _wrong_orders(round: Document, drawn: KeyedDraws) -> Iterator[str]:
    """Yield a problem for each source whose systems are not in the drawn order in the tasks."""
    met: dict[str, dict[str, None]] = {}
    for task in round["tasks"]:
        for source, system, _slot in task["units"]:
            met.setdefault(source, {})[system] = None
    for source, systems in round["sources"]:
        order = design.order_of_systems(systems, draws=drawn, source_key=source)
        stand = list(met.get(source, ()))
        if stand != [system for system in order if system in stand]:
            yield f"{round['name']}: the systems on {source} are not in the order that is drawn."


def _queue(document: Document, round: Document, drawn: KeyedDraws) -> list[PlaceRow]:
    before, numbers = _first(round) - 1, [task["number"] for task in round["tasks"]]
    own = {
        "order": document["order"],
        "annotators_per_task": document["annotators_per_task"],
        **round,
    }
    laid = design.places(
        len(numbers), per_task=own["annotators_per_task"], order=own["order"], draws=drawn
    )
    return [[before + each.position, numbers[each.task], each.place, None] for each in laid]


def _panel(document: Document, round: Document, drawn: KeyedDraws) -> list[PlaceRow]:
    sources, systems = (
        [source for source, _systems in round["sources"]],
        sorted(document["systems"]),
    )
    seats = document["annotators_per_task"] * len(systems)
    laid = design.panel(seats, systems=len(systems), sources=len(sources), draws=drawn)
    tasks: dict[tuple[str, str], list[int]] = {}
    for task in round["tasks"]:
        source, system, _slot = task["units"][0]
        tasks.setdefault((source, system), []).append(task["number"])
    rows: Sequence[tuple[int, int]] = [
        (task, each.seat)
        for each in laid
        for task in tasks.get((sources[each.source], systems[each.system]), ())
    ]
    first = _first(round)
    return [
        [first + n, task, seat // len(systems) + 1, seat + 1] for n, (task, seat) in enumerate(rows)
    ]


def _first(round: Document) -> int:
    return min((place[0] for place in round["places"]), default=1)
