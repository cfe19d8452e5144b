"""Choosing units by filters and seeded samples: every expected set and share is computed by
hand."""

import random

import pytest

from judging.campaigns.selection import (
    Sampling,
    Selectable,
    Selection,
    describe_selection,
    read_list,
    select_units,
    selection_from_document,
    selection_to_document,
    shares,
    values_of,
)
from tests.refusing import refused

TOPICS = {"s1": "x", "s2": "x", "s3": "x", "s4": "y", "s5": "y"}


def rows(
    topics: dict[str, str] = TOPICS, systems: tuple[str, ...] = ("A", "B")
) -> list[Selectable]:
    """Return one question a source and system: units 11, 12 on s1, 21, 22 on s2 and so on; sets are
    110, 120, ..."""
    found = []
    for number, (source, topic) in enumerate(topics.items(), start=1):
        for place, system in enumerate(systems, start=1):
            unit = number * 10 + place
            found += [
                Selectable(unit * 10, source, system, {}, whole=True, asked=False),
                Selectable(unit, source, system, {"topic": topic} if topic else {}),
            ]
    return found


def slots(units: frozenset[int]) -> list[int]:
    return sorted(unit for unit in units if unit < 100)


def sources(units: frozenset[int]) -> list[int]:
    return sorted({unit // 10 for unit in slots(units)})


def test_empty_selection_chooses_everything():
    assert select_units(rows(), Selection()) == {row.unit for row in rows()}


def test_systems_choose_their_slots_and_sets():
    chosen = select_units(rows({"s1": "x", "s2": "y"}), Selection(systems=("B",)))
    assert chosen == {12, 120, 22, 220}


def test_columns_narrow_each_other():
    units = [
        Selectable(1, "s1", "A", {"topic": "x", "length": "long"}),
        Selectable(2, "s2", "A", {"topic": "x", "length": "short"}),
        Selectable(3, "s3", "A", {"topic": "y", "length": "long"}),
        Selectable(4, "s4", "A", {"topic": "z", "length": "long"}),
    ]
    assert select_units(units, Selection(columns={"topic": ("x", "y"), "length": ("long",)})) == {
        1,
        3,
    }


def test_column_chooses_questions_within_a_set():
    units = [
        Selectable(1, "s1", "A", {"type": "who"}),
        Selectable(2, "s1", "A", {"type": "when"}),
        Selectable(3, "s1", "A", {}, whole=True, asked=False),
        Selectable(4, "s2", "A", {"type": "when"}),
        Selectable(5, "s2", "A", {}, whole=True, asked=False),
    ]
    assert select_units(units, Selection(columns={"type": ("who",)})) == {1, 3}


def test_empty_slot_has_the_values_of_its_set_or_else_of_its_source():
    units = [
        Selectable(1, "s1", "A", {"topic": "x"}),
        Selectable(2, "s1", "A", {}, asked=False),
        Selectable(3, "s1", "B", {}, asked=False),
        Selectable(4, "s2", "A", {}),
        Selectable(5, "s3", "A", {}, asked=False),
    ]
    values = {unit: set(found) for unit, found in values_of(units, "topic").items()}
    assert values == {1: {"x"}, 2: {"x"}, 3: {"x"}, 4: set(), 5: set()}
    assert select_units(units, Selection(columns={"topic": ("x",)})) == {1, 2, 3}


def test_list_names_sources_and_sources_with_a_system():
    assert slots(select_units(rows(), Selection(pairs=(("s2", ""), ("s4", "B"))))) == [21, 22, 42]


def test_sample_is_of_whole_sources_and_the_same_again_whatever_the_order():
    selection = Selection(sampling=Sampling(2, seed=7))
    chosen = select_units(rows(), selection)
    assert len(sources(chosen)) == 2
    assert slots(chosen) == [
        unit for source in sources(chosen) for unit in (source * 10 + 1, source * 10 + 2)
    ]
    expected = random.Random("7/selection/sources//").sample(
        [(f"s{n}", "") for n in range(1, 6)], 2
    )
    assert {f"s{source}" for source in sources(chosen)} == {source for source, _ in expected}
    assert select_units(rows()[::-1], selection) == chosen


def test_seeds_draw_different_samples_and_every_source_can_be_drawn():
    drawn = [
        sources(select_units(rows(), Selection(sampling=Sampling(1, seed=seed))))
        for seed in range(40)
    ]
    assert {source for one in drawn for source in one} == {1, 2, 3, 4, 5}


def test_sample_in_proportion_takes_largest_remainders():
    """Of 3 x and 2 y, four are 2.4 and 1.6: floors 2 and 1, and the one left goes to y."""
    chosen = select_units(
        rows(), Selection(sampling=Sampling(4, seed=1, over="column", column="topic"))
    )
    of_x = [source for source in sources(chosen) if source <= 3]
    assert (len(of_x), sources(chosen)[2:]) == (2, [4, 5])


def test_sample_from_each_value():
    chosen = select_units(rows(), Selection(sampling=Sampling(2, 1, "column", "topic", each=True)))
    assert (len([s for s in sources(chosen) if s <= 3]), [s for s in sources(chosen) if s > 3]) == (
        2,
        [4, 5],
    )


def test_another_stratum_leaves_a_stratum_as_it_was():
    sampling = Sampling(2, 3, "column", "topic", each=True)
    few = select_units(rows(), Selection(sampling=sampling))
    more = select_units(rows(TOPICS | {"s6": "z", "s7": "z"}), Selection(sampling=sampling))
    assert slots(more)[:8] == slots(few)


def test_sources_without_a_value_are_a_stratum_of_their_own():
    chosen = select_units(
        rows(TOPICS | {"s6": ""}), Selection(sampling=Sampling(1, 1, "column", "topic", each=True))
    )
    assert len(sources(chosen)) == 3
    assert 6 in sources(chosen)


def test_sample_in_equal_shares_for_systems_with_unequal_sources():
    """A has five sources, B two: four are two each; five are three of A, the first by name, and two
    of B."""
    units = [row for row in rows() if row.system == "A" or row.source in ("s1", "s2")]
    for size, of_a in ((4, 2), (5, 3)):
        chosen = select_units(units, Selection(sampling=Sampling(size, 1, "systems")))
        assert len([unit for unit in slots(chosen) if unit % 10 == 1]) == of_a
        assert len([unit for unit in slots(chosen) if unit % 10 == 2]) == 2


def test_sample_for_each_system_draws_their_sources_apart():
    chosen = [
        select_units(rows(), Selection(sampling=Sampling(2, seed, "systems", each=True)))
        for seed in range(10)
    ]
    of = [
        [{unit // 10 for unit in slots(one) if unit % 10 == system} for system in (1, 2)]
        for one in chosen
    ]
    assert {len(found) for pair in of for found in pair} == {2}
    assert any(a != b for a, b in of)


def test_sample_is_drawn_from_what_filters_leave():
    selection = Selection(systems=("A",), columns={"topic": ("y",)}, sampling=Sampling(2, seed=1))
    assert slots(select_units(rows(), selection)) == [41, 51]


@pytest.mark.parametrize(
    ("selection", "field"),
    [
        (Selection(systems=("C",)), "systems"),
        (Selection(pairs=(("s9", ""),)), "ids"),
        (Selection(systems=("A",), pairs=(("s1", "B"),)), "ids"),
        (Selection(columns={"topic": ("z",)}), "columns"),
        (Selection(sampling=Sampling(6, 1)), "size"),
        (Selection(sampling=Sampling(11, 1, "systems")), "size"),
        (Selection(sampling=Sampling(3, 1, "column", "topic", each=True)), "size"),
        (Selection(sampling=Sampling(1, 1, "column", "mood")), "column"),
    ],
)
def test_choose_selection_that_does_not_fit_is_refused_at_its_field(selection, field):
    with refused("selection_misfit", field):
        select_units(rows(), selection)


def test_choose_more_sources_than_a_system_has_is_refused():
    units = [row for row in rows() if row.system == "A" or row.source == "s1"]
    with refused("selection_misfit", "size"):
        select_units(units, Selection(sampling=Sampling(4, 1, "systems")))


def test_choose_by_a_column_with_several_values_for_a_source_is_refused():
    units = [Selectable(1, "s1", "A", {"type": "who"}), Selectable(2, "s1", "B", {"type": "when"})]
    with refused("selection_misfit", "column"):
        select_units(units, Selection(sampling=Sampling(1, 1, "column", "type")))


def test_choose_nothing_is_refused():
    units = [Selectable(1, "s1", "A", {}, asked=False), Selectable(2, "s1", "B", {})]
    with refused("selection_misfit"):
        select_units(units, Selection(systems=("A",)))


@pytest.mark.parametrize(
    ("weights", "size", "expected"),
    [
        ({"a": 1, "b": 1, "c": 1}, 2, {"a": 1, "b": 1, "c": 0}),
        ({"a": 7, "b": 2, "c": 1}, 5, {"a": 4, "b": 1, "c": 0}),  # 3.5, 1.0, 0.5: the tie goes to a
        ({"a": 10, "b": 6, "c": 4}, 7, {"a": 4, "b": 2, "c": 1}),  # 3.5, 2.1, 1.4
        ({"a": 3, "b": 2}, 5, {"a": 3, "b": 2}),
        ({"a": 3}, 0, {"a": 0}),
    ],
)
def test_shares_by_largest_remainder(weights, size, expected):
    assert shares(weights, size) == expected


def test_list_is_read_with_header_commas_tabs_and_repeats():
    text = "\ufeffsource_id,system\r\ns1\n\ns2\tA\ns2, A\na,b\na,b,GPT, large\n"
    found = read_list(text, sources={"s1", "s2", "a,b"}, systems={"A", "GPT, large"})
    assert found == (("s1", ""), ("s2", "A"), ("a,b", ""), ("a,b", "GPT, large"))


@pytest.mark.parametrize("text", ["s1\ns7", "s1\n\ns1,Q", "zz,A", "," * 1_000_000])
def test_read_list_with_an_unknown_id_is_refused(text):
    with refused("selection_misfit", "ids"):
        read_list(text, sources={"s1"}, systems={"A"})


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        (Selection(), "everything"),
        (Selection(systems=("A",)), "system A"),
        (
            Selection(systems=("A", "B"), sampling=Sampling(20, 7, "column", "topic", each=True)),
            "systems A and B; 20 sources from each topic, seed 7",
        ),
        (
            Selection(columns={"topic": ("x", "y", "z")}, pairs=(("s1", ""), ("s2", "A"))),
            "a list of 2 entries; topic: x, y or z",
        ),
        (Selection(sampling=Sampling(1, 2)), "1 source at random, seed 2"),
        (
            Selection(sampling=Sampling(1200, 2, "column", "topic")),
            "1,200 sources in proportion to topic, seed 2",
        ),
        (
            Selection(sampling=Sampling(4, 2, "systems")),
            "4 sources in equal shares for the systems, seed 2",
        ),
        (
            Selection(sampling=Sampling(4, 2, "systems", each=True)),
            "4 sources for each system, seed 2",
        ),
    ],
)
def test_selection_in_words(selection, words):
    assert describe_selection(selection) == words


def test_document_holds_a_selection_and_only_its_parts():
    full = Selection(
        ("A",),
        {"topic": ("x",)},
        (("s1", ""), ("s2", "A")),
        Sampling(3, 7, "column", "topic", each=True),
    )
    assert selection_from_document(selection_to_document(full)) == full
    assert selection_to_document(Selection()) == {}
    assert selection_to_document(Selection(systems=("A",))) == {"systems": ["A"]}
