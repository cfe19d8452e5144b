"""Designs follow from their key, and are as balanced as they say."""

import tracemalloc
from collections import Counter
from collections.abc import Iterable
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.campaigns.design import (
    KeyedDraws,
    QueuePlace,
    Seating,
    count_balance,
    cross_table,
    letter,
    order_of_systems,
    panel,
    places,
    shown_order,
)

seeds = st.integers(0, 10**9)


def drawn(number: int) -> KeyedDraws:
    """Return the draws of a key that is only a number."""
    return KeyedDraws(number.to_bytes(8))


def test_places_depth_finishes_a_task_before_the_next() -> None:
    laid = list(places(4, per_task=3, order="depth", draws=drawn(7)))
    by_threes = [{place.task for place in laid[start : start + 3]} for start in range(0, 12, 3)]
    assert [len(tasks) for tasks in by_threes] == [1, 1, 1, 1]
    assert [place.place for place in laid] == [1, 2, 3] * 4


def test_places_breadth_gives_every_task_once_in_each_pass() -> None:
    laid = list(places(50, per_task=2, order="breadth", draws=drawn(7)))
    first, second = laid[:50], laid[50:]
    assert {place.place for place in first} == {1}
    assert {place.task for place in first} == {place.task for place in second} == set(range(50))
    assert [place.task for place in first] != [place.task for place in second]


@given(st.integers(0, 20), st.integers(1, 5), st.sampled_from(["depth", "breadth"]), seeds)
def test_places_hold_each_place_once_in_unbroken_positions(
    tasks: int, per_task: int, order: str, seed: int
) -> None:
    laid = list(places(tasks, per_task=per_task, order=order, draws=drawn(seed)))
    assert Counter((p.task, p.place) for p in laid) == {
        (t, p): 1 for t in range(tasks) for p in range(1, per_task + 1)
    }
    assert [place.position for place in laid] == list(range(1, tasks * per_task + 1))
    assert laid == list(places(tasks, per_task=per_task, order=order, draws=drawn(seed)))


def test_streams_of_a_key_start_where_openssl_says() -> None:
    """The number is that of `printf main/1/depth | openssl dgst -sha256 -mac HMAC -macopt
    hexkey:00..07`."""
    start = 0xA2D5287CEDBF58E9D52894FDF4B0514459EEABEFD1D368C9BBFB6BB79498F4C3
    stream = KeyedDraws(bytes(range(8)), within="main/1").stream("depth")
    assert stream.random() == Random(start).random()


def test_order_of_systems_is_drawn_for_each_source_and_hides_the_alphabet() -> None:
    names = [f"S{number}" for number in range(6)]
    orders = {
        order_of_systems(names, draws=drawn(1), source_key=f"s{number}") for number in range(50)
    }
    assert all(sorted(order) == names for order in orders)
    assert len(orders) > 40
    assert order_of_systems(names, draws=drawn(1), source_key="s") == order_of_systems(
        reversed(names), draws=drawn(1), source_key="s"
    )


def test_shown_order_is_one_permutation_per_annotator_and_task() -> None:
    shown = shown_order(6, draws=drawn(1), enrollment_key="e1", task_key="t1")
    assert sorted(shown) == list(range(6))
    assert shown == shown_order(6, draws=drawn(1), enrollment_key="e1", task_key="t1")
    others = {
        shown_order(6, draws=drawn(1), enrollment_key=f"e{n}", task_key="t1") for n in range(50)
    }
    assert len(others) > 40


def test_shown_order_puts_each_question_everywhere_about_equally_often() -> None:
    orders = [
        shown_order(4, draws=drawn(3), enrollment_key=str(n), task_key="t") for n in range(2000)
    ]
    counts = Counter((question, turn) for order in orders for turn, question in enumerate(order))
    assert min(counts.values()) > 430
    assert max(counts.values()) < 570


@pytest.mark.parametrize(
    ("index", "name"),
    [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA"), (701, "ZZ"), (702, "AAA")],
)
def test_letter(index: int, name: str) -> None:
    assert letter(index) == name


@pytest.mark.parametrize("order", ["depth", "breadth"])
def test_places_are_made_as_they_are_asked_for(order: str) -> None:
    assert next(places(1, per_task=10**6, order=order, draws=drawn(7))) == QueuePlace(0, 1, 1)


@pytest.mark.long
def test_panel_holds_one_block_at_a_time() -> None:
    tracemalloc.start()
    try:
        assert sum(1 for _each in panel(1_000, systems=4, sources=200, draws=drawn(7))) == 200_000
        assert tracemalloc.get_traced_memory()[1] < 3_000_000  # all of them would be 30 MB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("seats", "systems", "sources"), [(4, 4, 8), (8, 4, 12), (6, 3, 9), (12, 6, 6), (2, 2, 4)]
)
def test_panel_is_balanced_in_everything(seats: int, systems: int, sources: int) -> None:
    tables = count_balance(panel(seats, systems=systems, sources=sources, draws=drawn(5)))
    assert {name: table.spread for name, table in tables.items()} == {
        "seat by system": 0,
        "source by system": 0,
        "turn by system": 0,
        "system by the one before": 0,
    }


@given(st.integers(1, 9), st.integers(1, 6), st.integers(0, 20), seeds)
def test_panel_shows_each_seat_each_source_once(
    seats: int, systems: int, sources: int, seed: int
) -> None:
    seatings = list(panel(seats, systems=systems, sources=sources, draws=drawn(seed)))
    assert Counter((s.seat, s.source) for s in seatings) == {
        (a, b): 1 for a in range(seats) for b in range(sources)
    }
    for seat in range(seats):
        assert [s.position for s in seatings if s.seat == seat] == list(range(1, sources + 1))
    assert cross_table((s.seat, s.system) for s in seatings).spread <= 1


def apart(seatings: Iterable[Seating], lag: int) -> list[bool]:
    """Return of all tasks so far apart in one seat's order whether they show one system."""
    own = {(s.seat, s.position): s.system for s in seatings}
    pairs = (((seat, at), (seat, at + lag)) for seat, at in own)
    return [own[first] == own[later] for first, later in pairs if later in own]


@pytest.mark.parametrize("systems", [2, 3, 4, 5, 6])
def test_place_in_a_panel_does_not_tell_which_tasks_show_one_system(systems: int) -> None:
    """The rows of a Williams design repeat after as many blocks as there are rows; so did the
    systems, whatever the key."""
    rows = 2 * systems if systems % 2 else systems
    asked = {"systems": systems, "sources": 60 * systems, "draws": drawn(8)}
    for blocks in range(1, 2 * rows + 1):
        same = apart(panel(systems, **asked), blocks * systems)
        assert abs(fmean(same) - 1 / systems) < 0.16, blocks


@pytest.mark.parametrize(("seats", "systems"), [(3, 3), (9, 3), (5, 5), (4, 4)])
def test_each_system_stands_in_each_turn_as_often_with_an_odd_number_of_seats_too(
    seats: int, systems: int
) -> None:
    laid = panel(seats, systems=systems, sources=7 * systems, draws=drawn(3))
    assert count_balance(laid)["turn by system"].spread == 0


def test_balance_of_a_lopsided_design_shows_it() -> None:
    tables = count_balance(
        [Seating(0, 1, 0, 0), Seating(0, 2, 1, 1), Seating(1, 1, 0, 0), Seating(1, 2, 1, 1)]
    )
    assert tables["seat by system"].spread == 0
    assert tables["source by system"].counts == ((2, 0), (0, 2))
    assert tables["turn by system"].spread == 2
    assert tables["system by the one before"].counts == ((2,),)
