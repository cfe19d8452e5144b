"""Trees of protocols in the making: rows come, go and move, and what names them follows."""

import pytest

from judging.protocols import documents, protocol_edits
from judging.protocols.protocol_edits import NoSuchPlace
from judging.protocols.protocol_yaml import ProtocolError


def task_b() -> protocol_edits.Tree:
    return protocol_edits.tree(documents.to_yaml(documents.shipped("qgstec2010-b")))


def read(plain: protocol_edits.Tree) -> documents.ProtocolDocument:
    return documents.parse(documents.write_yaml(plain), "x")


@pytest.mark.parametrize(
    "text", ["", "- a", "word", "a: *b", "a: [", "\t- x", "a: !!python/object:os.system {}"]
)
def test_text_that_is_no_mapping_is_refused(text):
    with pytest.raises(ProtocolError):
        protocol_edits.tree(text)


def test_blank_protocol_lacks_words_only():
    problems, _ = documents.check(documents.write_yaml(protocol_edits.blank_protocol()), "x")

    assert {problem.reason for problem in problems} == {"is missing"}


def test_renamed_criterion_is_followed_by_rules_aggregate_and_translations():
    plain = task_b()
    for row in plain["criteria"]:
        if row["key"] == "relevance":
            row["key"] = "aboutness"
    protocol_edits.rename(plain, criteria={"relevance": "aboutness"}, stages={})

    protocol = read(plain)

    assert protocol.worst()["aboutness"] == 4
    assert "aboutness" in next(rule.when for rule in protocol.rules if hasattr(rule, "when"))
    assert documents.untranslated(protocol, "de") == ()


def test_two_criteria_may_swap_their_keys():
    plain = {
        "aggregate": {"criteria": ["a", "b"], "weights": {"a": 3}},
        "rules": [{"sets": {"a": 1, "b": 2}}],
    }

    protocol_edits.rename(plain, criteria={"a": "b", "b": "a"}, stages={})

    assert plain == {
        "aggregate": {"criteria": ["b", "a"], "weights": {"b": 3}},
        "rules": [{"sets": {"b": 1, "a": 2}}],
    }


def test_weight_of_a_criterion_that_is_gone_is_dropped():
    plain = {"aggregate": {"criteria": ["a", "b"], "weights": {"a": 3, "b": 2}}}

    protocol_edits.forget_criterion(plain, "a")

    assert plain == {"aggregate": {"criteria": ["b"], "weights": {"b": 2}}}


def test_renamed_stage_is_followed_by_its_criteria():
    plain = protocol_edits.tree(documents.to_yaml(documents.shipped("qgbench-staged")))
    plain["stages"][0]["key"] = "alone"
    protocol_edits.rename(plain, criteria={}, stages={"question": "alone"})

    assert read(plain).criterion("grammaticality").stage == "alone"


def test_removed_criterion_is_forgotten_by_rules_and_its_translations_can_be_pruned():
    plain = task_b()
    protocol_edits.remove_tree_row(plain, "criteria[4]")
    for rule in plain["rules"]:
        if rule["kind"] in ("identical", "lone"):
            rule["sets"] = {"ambiguity": 3}
    protocol_edits.prune(plain)

    protocol = read(plain)

    assert "variety" not in protocol.worst()
    assert documents.untranslated(protocol, "de") == ()


def test_rows_are_added_where_they_belong():
    plain = protocol_edits.blank_protocol()

    assert protocol_edits.add_tree_row(plain, "criteria") == "criteria[1]"
    assert protocol_edits.add_tree_row(plain, "criteria[1].points") == "criteria[1].points[3]"
    assert protocol_edits.add_tree_row(plain, "rules", "lone") == "rules[0]"
    assert plain["criteria"][1]["stage"] == "judge"
    assert plain["criteria"][1]["points"][3] == {"value": 4}
    assert plain["rules"] == [{"kind": "lone"}]


def test_rows_move_and_stay_at_the_ends():
    plain = {"stages": [{"key": "a"}, {"key": "b"}]}

    assert protocol_edits.move_tree_row(plain, "stages[1]", -1) == "stages[0]"
    assert protocol_edits.move_tree_row(plain, "stages[0]", -1) == "stages[0]"
    assert [row["key"] for row in plain["stages"]] == ["b", "a"]


@pytest.mark.parametrize(
    "place",
    ["", "key", "criteria[9]", "criteria[0].points[9]", "translations", "criteria[0].points.x"],
)
def test_nothing_is_added_removed_or_moved_where_there_is_nothing(place):
    plain = protocol_edits.blank_protocol() | {"criteria": []}
    for change in (
        lambda: protocol_edits.remove_tree_row(plain, place),
        lambda: protocol_edits.move_tree_row(plain, place, 1),
    ):
        with pytest.raises(NoSuchPlace):
            change()
    if place != "translations":
        with pytest.raises(NoSuchPlace):
            protocol_edits.add_tree_row(plain, place)


@pytest.mark.parametrize(
    "plain", [{"criteria": "text"}, {"criteria": ["text"]}, {"criteria": [{"points": "text"}]}]
)
def test_shapes_that_are_wrong_are_no_place(plain):
    for place in ("criteria[0].points[0]", "criteria[0].points[1]"):
        with pytest.raises(NoSuchPlace):
            protocol_edits.remove_tree_row(plain, place)


def test_sketch_shows_what_can_be_read_of_an_incomplete_protocol():
    text = "criteria: [{name: A, points: [{value: 1}, {label: b}]}, {name: B}]\nrules: [{kind: x}]"

    protocol = protocol_edits.sketch(text)

    assert protocol is not None
    assert [(row.name, len(row.points)) for row in protocol.criteria] == [("A", 2), ("B", 0)]
    assert protocol.criteria[0].prompt == "…"
    assert protocol.rules == ()
    assert protocol_edits.sketch("title: T") is None


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Asks for it?", "asks-for-it"),
        ("Größe", "grosse"),
        ("7 up", "c-7-up"),
        ("明瞭さ", "c"),
        ("", "c"),
    ],
)
def test_keys_are_made_of_names(name, key):
    assert protocol_edits.key_from_name(name, set()) == key
    assert protocol_edits.key_from_name(name, {key}) == f"{key}-2"


def test_translations_of_changed_texts_are_named_until_they_change_too():
    before = documents.to_yaml(documents.shipped("qgbench"))
    after = before.replace("Is the question grammatical?", "Is its grammar right?")
    german = documents.shipped("qgbench").translations["de"]["criteria.grammaticality.prompt"]

    assert protocol_edits.stale(before, after) == ("criteria.grammaticality.prompt (de)",)
    assert protocol_edits.stale(before, after.replace(german, "Stimmt die Grammatik?")) == ()
    assert protocol_edits.stale(before, before) == ()
    assert protocol_edits.stale("key: [", after) == protocol_edits.stale(before, "key: [") == ()
