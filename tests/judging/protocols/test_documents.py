"""Protocols in and out, and every way to get one wrong."""

import json
from dataclasses import replace

import pytest
import yaml

from judging.protocols.documents import (
    hash_document,
    localized,
    parse,
    protocol_from_document,
    protocol_to_document,
    protocol_warnings,
    shipped,
    shipped_keys,
    strings,
    to_yaml,
    untranslated,
)
from judging.protocols.guideline import blocks
from judging.protocols.protocol_schema import CriterionPoint, Quota, StandardCriterion
from judging.protocols.protocol_yaml import ProtocolError
from judging.protocols.rules import Fatal, Force, Identical, Lone, Missing, apply_slot_rules

SMALL = """\
key: two-scales
version: 1
title: Two scales
summary: Clear and short.
citation: Nobody, yet.
task: question_set
expected: 2
annotators: 3
estimated_seconds: 30
stages:
  - key: first
    title: Alone
  - key: second
    title: With the passage
    shows: [passage]
criteria:
  - key: clear
    name: Clear
    prompt: Is it clear?
    definition: Whether it is clear.
    level: ordinal
    best: highest
    stage: first
    points:
      - {value: 1, label: no}
      - {value: 2, label: yes}
      - {value: 9, label: cannot say, missing: true}
  - key: short
    name: Short
    prompt: Is it short?
    definition: Whether it is short.
    level: interval
    best: highest
    stage: second
    scale: {from: 0, to: 100, labels: {0: long, 100: short}}
rules:
  - {kind: force, key: unclear, criterion: clear, value: 1, sets: {short: 0}, explanation: Nobody can say.}
  - {kind: missing}
aggregate: {kind: mean}
guideline: Read it twice.
"""


def refused(text: str) -> list[tuple[int | None, str, str]]:
    with pytest.raises(ProtocolError) as error:
        parse(text, "mine.yaml")
    return [(problem.line, problem.key, problem.reason) for problem in error.value.problems]


def line_of(text: str, piece: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), start=1) if piece in line)


def changed(old: str, new: str) -> str:
    assert SMALL.count(old) == 1
    return SMALL.replace(old, new)


def test_parse_reads_words_that_yaml_takes_for_truth() -> None:
    labels = [point.label for point in parse(SMALL, "mine.yaml").criterion("clear").points]
    assert labels == ["no", "yes", "cannot say"]


def test_parse_spells_out_a_scale_given_by_its_ends() -> None:
    points = parse(SMALL, "mine.yaml").criterion("short").points
    assert len(points) == 101
    assert (points[0], points[50], points[100]) == (
        CriterionPoint(0, "long"),
        CriterionPoint(50, ""),
        CriterionPoint(100, "short"),
    )


def test_parse_missing_point_is_no_value_of_the_scale() -> None:
    clear = parse(SMALL, "mine.yaml").criterion("clear")
    assert clear.values() == (1, 2)
    assert clear.worst() == 1


def test_parse_rules_become_dataclasses() -> None:
    rules = parse(SMALL, "mine.yaml").rules
    assert rules == (
        Force("unclear", "clear", 1, {"short": 0}, "Nobody can say."),
        Missing("missing"),
    )


def test_what_a_criterion_is_in_standard_terms_is_read_and_checked() -> None:
    def with_standard(said: str) -> str:
        return changed("    stage: first\n", f"    stage: first\n    standard: {said}\n")

    text = with_standard("{kind: goodness, part: both, frame: own, name: Clarity}")
    clear = parse(text, "mine.yaml").criterion("clear")
    assert clear.standard == StandardCriterion("goodness", "both", "own", "Clarity")
    assert clear.standard.in_words == "Clarity, goodness of form and content in its own right"
    assert parse(SMALL, "mine.yaml").criterion("clear").standard is None
    wrong = refused(with_standard("{kind: good, part: form, nam: Clarity}"))
    assert sorted((key, reason.partition(";")[0]) for _line, key, reason in wrong) == [
        ("criteria[0].standard.frame", "is missing"),
        (
            "criteria[0].standard.kind",
            "must be one of correctness, goodness, feature",
        ),
        ("criteria[0].standard.nam", "unknown key"),
    ]


@pytest.mark.parametrize("key", shipped_keys())
def test_round_trip_of_shipped_protocols(key: str) -> None:
    protocol = shipped(key)
    assert all(each.standard for each in protocol.criteria)
    assert (
        protocol_from_document(json.loads(json.dumps(protocol_to_document(protocol)))) == protocol
    )
    assert parse(to_yaml(protocol), "again.yaml") == protocol


def test_round_trip_keeps_a_long_scale_short() -> None:
    protocol = parse(SMALL, "mine.yaml")
    document = protocol_to_document(protocol)
    assert document["criteria"][1]["scale"] == {
        "from": 0,
        "to": 100,
        "labels": {"0": "long", "100": "short"},
    }
    assert "points" not in document["criteria"][1]
    assert protocol_from_document(document) == protocol


def test_digest_is_the_same_however_it_is_written() -> None:
    protocol = parse(SMALL, "mine.yaml")
    reordered = yaml.safe_dump(protocol_to_document(protocol), sort_keys=True)
    assert hash_document(parse(reordered, "other.yaml")) == hash_document(protocol)
    assert hash_document(replace(protocol, guideline="Read it thrice.")) != hash_document(protocol)
    assert len(hash_document(protocol)) == 64


def test_digest_of_what_stands_at_its_default_is_the_same_as_unwritten() -> None:
    assert hash_document(
        parse(SMALL + "page_size: 1\nlanguage: en\n", "mine.yaml")
    ) == hash_document(parse(SMALL, "mine.yaml"))


def test_refused_key_written_twice() -> None:
    assert refused(SMALL + "title: Again\n") == [
        (len(SMALL.splitlines()) + 1, "title", "written twice")
    ]


def test_refused_unknown_key_names_the_nearest() -> None:
    [problem, _missing] = refused(changed("    prompt: Is it clear?", "    promt: Is it clear?"))[
        ::-1
    ]
    assert problem[1:] == ("criteria[0].promt", "unknown key; did you mean prompt?")


def test_refused_cycle_of_forcing_rules() -> None:
    back = "  - {kind: force, key: back, criterion: short, value: 0, sets: {clear: 1}, explanation: Round.}\n"
    text = changed("    stage: first", "    stage: second").replace("  - {kind: missing}\n", back)
    text = text.replace("  - key: first\n    title: Alone\n", "")
    [(line, key, reason)] = refused(text)
    assert (line, key) == (line_of(text, "kind: force"), "rules[0]")
    assert reason.startswith("forcing rules run in a circle: ")


OTHER_RULE = (
    "{kind: force, key: other, criterion: clear, value: 1, sets: {short: 5}, explanation: No.}"
)


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("    prompt: Is it clear?", "    promt: Is it clear?", "criteria[0].promt"),
        ("    name: Short\n", "", "criteria[1].name"),
        ("    definition: Whether it is short.\n", "", "criteria[1].definition"),
        ("title: Two scales\n", "", "title"),
        ("      - {value: 2, label: yes}\n", "", "criteria[0].points"),
        ("value: 2, label: yes", "value: 1, label: yes", "criteria[0].points[1].value"),
        ("value: 2, label: yes", "value: 2, label: ''", "criteria[0].points[1].label"),
        ("sets: {short: 0}", "sets: {shrt: 0}", "rules[0].sets.shrt"),
        ("sets: {short: 0}", "sets: {short: 101}", "rules[0].sets.short"),
        ("clear, value: 1, sets: {short: 0}", "short, value: 0, sets: {clear: 1}", "rules[0]"),
        ("{kind: missing}", OTHER_RULE, "rules[1].sets.short"),
        ("value: 2, label: yes", "value: two, label: yes", "criteria[0].points[1].value"),
        ("value: 2, label: yes", "value: 2.5, label: yes", "criteria[0].points[1].value"),
        ("value: 2, label: yes", "value: 99999, label: yes", "criteria[0].points[1].value"),
        ("missing: true", "missing: perhaps", "criteria[0].points[2].missing"),
        ("expected: 2", "expected: 0", "expected"),
        ("annotators: 3", "annotators: [3]", "annotators"),
        ("task: question_set", "task: paragraph", "task"),
        ("shows: [passage]", "shows: [system]", "stages[1].shows[0]"),
        ("shows: [passage]", "shows: passage", "stages[1].shows"),
        ("key: two-scales", "key: two scales", "key"),
        ("stage: second", "stage: third", "criteria[1].stage"),
        ("to: 100, labels", "to: 0, labels", "criteria[1].scale.to"),
        ("to: 100, labels", "to: 99999, labels", "criteria[1].scale.to"),
        ("{0: long, 100: short}", "{0: long}", "criteria[1].scale.labels"),
        (
            "{0: long, 100: short}",
            "{0: long, 100: short, 101: over}",
            "criteria[1].scale.labels.101",
        ),
        ("aggregate: {kind: mean}", "aggregate: mean", "aggregate"),
        ("kind: missing", "kind: vanished", "rules[1].kind"),
        ("guideline: Read it twice.", "guideline:", "guideline"),
        ("kind: missing", "kind: lone, sets: {}", "rules[1].sets"),
        (
            "rules:",
            "translations: {xx: {title: Titel, titel: Titel}}\nrules:",
            "translations.xx.titel",
        ),
        ("rules:", "translations: {english: {title: Titel}}\nrules:", "translations.english"),
        ("rules:", "page_size: 4\nrules:", "page_size"),
    ],
)
def test_refused_names_the_key(old: str, new: str, key: str) -> None:
    assert any(place.startswith(key) for _line, place, _reason in refused(changed(old, new)))


def test_refused_lists_everything_at_once_in_the_order_of_the_file() -> None:
    text = changed("annotators: 3", "annotators: many").replace(
        "best: highest\n    stage: first", "stage: first"
    )
    assert [key for _, key, _ in refused(text + "colour: blue\n")] == [
        "annotators",
        "criteria[0].best",
        "colour",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must be a mapping of keys to values"),
        ("- a\n- b\n", "must be a mapping of keys to values"),
        ("key: [unclosed", "not valid YAML"),
        ("a: &x [1]\nb: *x\n", "aliases are not allowed"),
        ("a: !!python/object/apply:os.system [ls]\n", "type tags are not allowed"),
        ("[" * 5000, "nested more than 50 deep"),
        ("key: a\x00b\n", "not valid YAML"),
        ("a: 1\n---\nb: 2\n", "not valid YAML"),
        ("x" * 1_000_001, "longer than 1,000,000 characters"),
    ],
    ids=["empty", "list", "broken", "alias", "tag", "deep", "nul", "two documents", "long"],
)
def test_refused_hostile_files_end_in_a_sentence(text: str, reason: str) -> None:
    assert reason in refused(text)[0][2]


def test_error_prints_file_line_key_and_reason() -> None:
    with pytest.raises(ProtocolError) as error:
        parse(changed("annotators: 3", "annotators: 0"), "mine.yaml")
    assert (
        str(error.value) == "mine.yaml, line 8: annotators: must be a whole number from 1 to 1000"
    )


def test_from_document_checks_as_parse_does() -> None:
    document = protocol_to_document(parse(SMALL, "mine.yaml"))
    del document["criteria"][0]["definition"]
    with pytest.raises(ProtocolError) as error:
        protocol_from_document(document)
    assert str(error.value) == "document: criteria[0].definition: is missing"


def test_only_what_questions_get_is_combined() -> None:
    of_sets = SMALL.replace("  - {kind: force, key: unclear", "  # {kind: force, key: unclear")
    of_sets = of_sets.replace(
        "definition: Whether it is short.", "definition: Whether it is short.\n    unit: set"
    )
    named = of_sets.replace("kind: mean}", "kind: mean, combined: mean, criteria: [clear, short]}")
    reason = "short is judged of whole sets; only what questions get is combined"
    assert refused(named) == [(line_of(named, "kind: mean"), "aggregate.criteria[1]", reason)]
    unnamed = of_sets.replace("kind: mean}", "kind: mean, combined: mean}")
    assert parse(unnamed, "mine.yaml").aggregated() == ("clear", "short")


def weighted(weights: str, combined: str = "sum") -> str:
    clear_only = "{kind: mean, combined: %s, criteria: [clear], weights: %s}"
    text = SMALL.replace("{kind: mean}", clear_only % (combined, weights))
    assert text != SMALL
    return text


def test_weights_of_criteria_are_read_and_1_by_default() -> None:
    protocol = parse(weighted("{clear: 3}"), "mine.yaml")
    assert protocol.combined_weights() == {"clear": 3}
    assert protocol_to_document(protocol)["aggregate"]["weights"] == {"clear": 3}
    assert protocol_from_document(protocol_to_document(protocol)) == protocol
    assert set(shipped("qgstec2010-b").combined_weights().values()) == {1}
    assert "weights" not in protocol_to_document(shipped("qgstec2010-b"))["aggregate"]


@pytest.mark.parametrize(
    ("weights", "combined", "place"),
    [
        ("{clear: 0}", "sum", ".clear"),
        ("{clear: heavy}", "sum", ".clear"),
        ("{short: 2}", "sum", ".short"),
        ("{clear: 2}", "none", ""),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weights: str, combined: str, place: str) -> None:
    [(_line, key, _reason)] = refused(weighted(weights, combined))
    assert key == f"aggregate.weights{place}"


def test_warning_about_overall_quality_and_what_is_not_said_in_standard_terms() -> None:
    protocol = parse(changed("name: Clear", "name: Overall quality"), "mine.yaml")
    unsaid = ["criteria[0].standard", "criteria[1].standard"]
    assert [key for key, _ in protocol_warnings(protocol)] == ["criteria[0].name", *unsaid]
    assert [key for key, _ in protocol_warnings(parse(SMALL, "mine.yaml"))] == unsaid


def test_localized_replaces_what_is_translated_and_keeps_the_rest() -> None:
    text = (
        SMALL
        + "translations:\n  nl:\n    title: Twee schalen\n    criteria.clear.points.2.label: ja\n"
    )
    protocol = parse(text, "mine.yaml")
    dutch = localized(protocol, "nl-BE")
    assert protocol.languages() == ("en", "nl")
    assert (dutch.title, dutch.summary) == ("Twee schalen", "Clear and short.")
    assert [point.label for point in dutch.criterion("clear").points] == ["no", "ja", "cannot say"]
    assert "criteria.clear.points.1.label" in untranslated(protocol, "nl")
    assert localized(protocol, "fr") == protocol


def test_strings_are_what_annotators_read() -> None:
    found = strings(parse(SMALL, "mine.yaml"))
    assert found["rules.unclear.explanation"] == "Nobody can say."
    assert found["stages.second.title"] == "With the passage"
    assert "citation" not in found
    assert "criteria.short.points.50.label" not in found


def test_shipped_unknown_key_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        shipped("../secrets")


def test_shipped_staged_qgbench_differs_from_the_published_only_in_what_is_shown_when() -> None:
    published, staged = shipped("qgbench"), shipped("qgbench-staged")
    assert [stage.shows for stage in published.stages] == [("passage", "answer", "sentence")]
    assert [stage.shows for stage in staged.stages] == [(), ("passage", "answer", "sentence")]
    assert [criterion.stage for criterion in staged.criteria] == ["question", "passage", "passage"]
    assert (
        tuple(replace(criterion, stage="judge") for criterion in staged.criteria)
        == published.criteria
    )
    assert staged.rules == published.rules


def test_shipped_task_b_has_its_four_rules_and_worst_scores_of_sixteen() -> None:
    task_b = shipped("qgstec2010-b")
    assert [type(rule) for rule in task_b.rules] == [Missing, Identical, Lone, Fatal]
    assert task_b.worst() == {
        "relevance": 4,
        "questionType": 2,
        "correctness": 4,
        "ambiguity": 3,
        "variety": 3,
    }
    assert task_b.criterion("variety").asked == "once_per_set"


def test_shipped_nema_khapra_hides_the_source_and_tells_its_kind() -> None:
    protocol = shipped("nema-khapra")
    assert [stage.shows for stage in protocol.stages] == [("modality",)]
    assert (protocol.task, protocol.page_size) == ("unit", 10)


@pytest.mark.parametrize("key", shipped_keys())
def test_shipped_protocols_are_complete_in_two_languages(key: str) -> None:
    protocol = shipped(key)
    assert protocol.key == key
    assert protocol.languages() == ("en", "de")
    assert untranslated(protocol, "de") == ()
    assert protocol_warnings(protocol) == ()
    assert len(blocks(protocol.guideline)) == len(blocks(localized(protocol, "de").guideline)) >= 5


def test_shipped_protocols_are_those_of_the_field() -> None:
    assert shipped_keys() == (
        "nema-khapra",
        "qgbench",
        "qgbench-staged",
        "qgeval",
        "qgstec-plus",
        "qgstec2010-a",
        "qgstec2010-b",
        "schlichtkrull-cheng",
    )


def test_shipped_task_a_never_averages_specificity() -> None:
    task_a = shipped("qgstec2010-a")
    quota, spread = task_a.facts
    assert task_a.criterion("specificity").worst() is None
    assert task_a.aggregated() == ("syntax", "semantics", "qtype_correct", "diversity")
    assert quota == Quota(
        "specificity-quota", "specificity", {1: 1, 2: 2, 3: 3}, 1, 4, quota.explanation
    )
    assert (spread.beside, spread.share, spread.balance) == ("diversity", 0.5, 0.9)
    assert task_a.span_mark is not None
    assert task_a.expected == 6


def test_shipped_task_a_missing_question_gets_what_is_told() -> None:
    [rule] = shipped("qgstec2010-a").rules
    [mark] = apply_slot_rules([None], [rule], {})
    assert mark.values == {
        "specificity": 4,
        "syntax": 4,
        "semantics": 4,
        "qtype_correct": 1,
        "diversity": 4,
        "composite": 4,
    }


def test_shipped_plus_has_the_scales_and_rules_of_task_b() -> None:
    plus, task_b = shipped("qgstec-plus"), shipped("qgstec2010-b")
    assert plus.rules == task_b.rules
    assert plus.aggregate == task_b.aggregate
    assert [(c.key, c.values(), c.best) for c in plus.criteria] == [
        (c.key, c.values(), c.best) for c in task_b.criteria
    ]


def test_shipped_sets_are_judged_as_sets() -> None:
    assert {criterion.unit for criterion in shipped("schlichtkrull-cheng").criteria} == {"set"}


def test_shipped_qgeval_has_seven_dimensions_from_one_to_three() -> None:
    qgeval = shipped("qgeval")
    assert [criterion.values() for criterion in qgeval.criteria] == [(1, 2, 3)] * 7


WORKED = """\
worked_item:
  shows: {passage: The weir is old.}
  question: How old is the weir?
  values: {clear: 2, short: 40}
  why: {clear: One knows what is asked., short: It could hardly be shorter.}
"""


@pytest.mark.parametrize("key", shipped_keys())
def test_shipped_protocols_have_a_worked_item_that_rates_every_criterion_asked_for(
    key: str,
) -> None:
    protocol = shipped(key)
    rated = [(criterion.key, point.value) for criterion, point, _why in protocol.rated_example()]
    item = protocol.worked_item
    assert item
    assert dict(rated) == item.values
    assert {each.key for each in protocol.criteria if not each.optional} <= item.values.keys()
    german = localized(protocol, "de").worked_item
    assert german
    assert all(german.why[criterion] != why for criterion, why in item.why.items())


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        ("clear: 2, ", "", "worked_item.values"),
        ("clear: 2, short", "clear: 7, short", "worked_item.values.clear"),
        ("{clear: 2, ", "{clear: 2, depth: 1, ", "worked_item.values.depth"),
        ("{clear: One knows what is asked., ", "{", "worked_item.why.clear"),
        ("{clear: 2, short: 40}", "{clear: 1, short: 40}", "worked_item.values.short"),
        ("{passage:", "{answer:", "worked_item.shows.answer"),
        ("  question: How old is the weir?\n", "", "worked_item.question"),
        ("  values:", "  siblings: [Is it?]\n  values:", "worked_item.siblings"),
        ("  values:", "  moral: none\n  values:", "worked_item.moral"),
    ],
)
def test_worked_item_that_would_teach_something_wrong_is_refused(
    before: str, after: str, key: str
) -> None:
    assert before in WORKED
    wrong = refused(SMALL + WORKED.replace(before, after))
    assert key in [place for _line, place, _reason in wrong]


def test_worked_item_is_kept_as_it_was_written() -> None:
    protocol = parse(SMALL + WORKED, "mine.yaml")
    assert (
        protocol_from_document(protocol_to_document(protocol))
        == protocol
        == parse(to_yaml(protocol), "again.yaml")
    )
    assert [point.value for _criterion, point, _why in protocol.rated_example()] == [2, 40]


def test_cannot_judge_is_a_missing_point_written_as_a_flag() -> None:
    text = changed(
        "    stage: second\n    scale", "    stage: second\n    cannot_judge: true\n    scale"
    )
    protocol = parse(text, "mine.yaml")
    short = protocol.criterion("short")
    assert short.points[-1] == CriterionPoint(-99, "Cannot judge", missing=True)
    assert -99 not in short.values()
    assert protocol_to_document(protocol)["criteria"][1]["cannot_judge"] is True
    assert "points" not in protocol_to_document(protocol)["criteria"][1]
    assert parse(to_yaml(protocol), "mine.yaml") == protocol
    assert "criteria.short.points.-99.label" not in strings(protocol)
    assert "cannot_judge" not in protocol_to_document(parse(SMALL, "mine.yaml"))["criteria"][1]


def test_cannot_judge_speaks_the_language_of_a_translated_protocol() -> None:
    text = changed(
        "    stage: second\n    scale", "    stage: second\n    cannot_judge: true\n    scale"
    )
    german = text + "translations: {de: {title: Klein}}\n"
    labels = [
        localized(parse(each, "mine.yaml"), "de").criterion("short").points[-1].label
        for each in (text, german)
    ]
    assert labels == ["Cannot judge", "Kann ich nicht beurteilen"]
