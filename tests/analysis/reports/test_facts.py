"""The facts of question sets as the report's page shows them."""

from analysis.reports import facts
from tests.analysis.reports.results import tables


def row(system, **changes):
    return {
        "system": system, "kind": "model", "sets": 2, "largest": 6, "returned": 8, "type_share": 0.5,
        "type_balance": None, "with_references": 2, "cardinality_difference": -1.5, "cardinality_error": 1.5,
        "exact_duplicates": 0, "near_duplicates": 1200, "type_who": 2, "type_what": 6, "type_when": 0,
    } | changes  # fmt: skip


RULES = [
    {"fact": "quota", "kind": "quota", "criterion": "clarity", "system": "Alba", "sets": 2, "n": 2, "value": 1.25,
     "rated": 2.0, "method": "Our reading."},
    {"fact": "even", "kind": "type_diversity", "criterion": "charm", "system": "Alba", "sets": 2, "n": 2, "value": 0.5,
     "rated": None, "method": "Half."},
]  # fmt: skip


def cells(table):
    return [[(cell.text, cell.under) for cell in line.cells] for line in table.rows]


def test_types_stand_by_how_often_they_are_asked_with_their_shares():
    found = facts.section(tables(set_facts=[row("Alba")]), {})

    assert found.types.columns == ["what", "who"]
    assert cells(found.types) == [[("6", "75 %"), ("2", "25 %")]]


def test_sets_show_what_there_is_to_show():
    several = facts.section(tables(set_facts=[row("Alba")]), {}).sets
    single = facts.section(tables(set_facts=[row("Alba", largest=1)]), {}).sets

    assert [cell for cell, _ in cells(several)[0]] == ["0.50", "–", "−1.50", "1.50", "0", "1,200"]
    assert single.columns == ["References − questions", "The same, absolute"]
    assert facts.section(tables(set_facts=[row("Alba", largest=1, with_references=0)]), {}).sets is None


def test_computed_facts_stand_beside_their_ratings():
    found = facts.section(tables(set_facts=[row("Alba")], set_rules=RULES), {"clarity": "Clarity", "charm": "Charm"})

    assert found.computed.columns == ["Clarity: quota composite", "Charm: sets that reach it", "Charm"]
    assert cells(found.computed) == [[("1.25", ""), ("50 %", "of 2"), ("–", "mean rating")]]
    assert found.explanations == ["Our reading.", "Half."]


def test_a_run_without_facts_has_no_section():
    assert facts.section(tables(), {}) is None
    assert facts.degradations(tables()) == []


def test_deliberate_degradations_are_named():
    worse = row("Alba, entities dropped", kind="degradation")

    assert facts.degradations(tables(set_facts=[row("Alba"), worse])) == ["Alba, entities dropped"]
