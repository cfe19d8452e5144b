"""Writing a protocol: nothing is lost between form and YAML, problems are shown at their fields, and
no other user sees it."""

import pytest
from django.urls import reverse

from judging.protocols import documents, protocol_edits
from judging.protocols.models.protocol import ProtocolDraft
from tests import factories
from tests.judging.drafting import document, draft, send, shown
from tests.judging.forms_of import fields

pytestmark = pytest.mark.django_db
PAGES = [
    "judging:protocol_draft",
    "judging:protocol_draft_yaml",
    "judging:protocol_draft_file",
    "annotation:protocol_preview",
]


@pytest.mark.parametrize(
    "key",
    [
        key if key in ("nema-khapra", "qgbench") else pytest.param(key, marks=pytest.mark.long)
        for key in documents.shipped_keys()
    ],
)
def test_shipped_protocol_comes_through_the_form_unchanged(page, owner, key):
    made = draft(owner, documents.to_yaml(documents.shipped(key)))

    answer = send(page, made)

    assert answer.status_code == 302
    assert documents.hash_document(document(made)) == documents.hash_document(
        documents.shipped(key)
    )


def test_scales_examples_with_breaks_quotas_and_marks_come_through_the_form(page, owner):
    text = """
key: odd
version: "2.0-beta"
title: "Quotes: \\"yes\\" & <b>"
summary: "no"
citation: "2024"
language: de
task: question_set
expected: 3
annotators: 1
estimated_seconds: 5
stages: [{key: a, title: A}, {key: b, title: B, shows: [siblings, passage]}]
criteria:
  - {key: long, name: L, prompt: p, definition: d, level: interval, best: lowest, stage: b, optional: true,
     scale: {from: 0, to: 100, labels: {0: "bad: very", 50: so so, 100: good}},
     points: [{value: -1, label: cannot say, missing: true, examples: ["one\\ntwo", "yes"]}]}
  - {key: set_level, name: S, prompt: p, definition: d, level: nominal, best: none, stage: b, unit: set,
     points: [{value: 0, label: "off"}, {value: 1, label: "on"}]}
  - {key: n, name: N, prompt: p, definition: d, level: ordinal, best: lowest, stage: a, cannot_judge: true,
     points: [{value: 0, label: a}, {value: 1, label: b}]}
span_mark: {key: span, prompt: Mark it., stage: b, optional: true}
rules:
  - {kind: missing, sets: {long: 100, n: 0}, explanation: so}
facts: [{kind: quota, criterion: n, quota: {0: 1, 1: 2}, kept: 0, surplus: 1, explanation: e},
        {kind: type_diversity, beside: n, share: 0.5, balance: 0.9, explanation: e}]
aggregate: {kind: mean, combined: sum, criteria: [n, long], weights: {long: 2}, note: n}
agreement: [{statistic: pearson, level: interval, note: x}]
quality_control: [One., Two.]
guideline: |
  A.

  - b
translations: {en: {title: T, criteria.n.points.0.label: zero}}
"""
    made = draft(owner, text)
    before = documents.parse(text, "x")

    assert send(page, made).status_code == 302

    after = document(made)
    # the order of the criteria, which says nothing
    assert after.aggregate.criteria == (
        "long",
        "n",
    )
    assert (after.aggregate.combined, after.aggregate.weights) == ("sum", {"long": 2})
    assert documents.protocol_to_document(after) | {
        "aggregate": 0
    } == documents.protocol_to_document(before) | {"aggregate": 0}


@pytest.mark.long
def test_rows_are_added_moved_and_removed_by_plain_buttons(page, owner):
    made = draft(owner)

    answer = send(page, made, "add criteria")
    assert answer.url.endswith("#at-criteria[2]")
    send(page, made, "add criteria[2].points", **{"criteria[2].name": "Use of words"})
    send(page, made, "up criteria[2]")
    made.refresh_from_db()
    rows = protocol_edits.tree(made.text)["criteria"]
    assert [row.get("key") for row in rows] == ["grammaticality", "use-of-words", "correctness"]
    assert [point["value"] for point in rows[1]["points"]] == ["1", "2", "3", "4"]
    send(page, made, "remove criteria[1].points[3]")
    send(page, made, "remove criteria[1]")
    assert document(made) == documents.parse(factories.SMALL, "x")


def test_htmx_gets_the_form_alone_with_the_place_to_go_to(page, owner):
    answer = send(page, draft(owner), "add rules", htmx=True, new_rules="force")

    assert "<html" not in answer.text
    assert 'data-focus="rules[0]"' in answer.text
    assert 'name="rules[0].sets.correctness"' in answer.text


def test_rule_is_made_from_nothing(page, owner):
    made = draft(owner)
    send(page, made, "add rules", new_rules="force")
    rule = {
        "criterion": "grammaticality",
        "value": "1",
        "sets.correctness": "1",
        "explanation": "It must be so.",
    }
    send(page, made, **{f"rules[0].{name}": value for name, value in rule.items()})

    assert documents.protocol_to_document(document(made))["rules"] == [
        {
            "kind": "force",
            "key": "force",
            "criterion": "grammaticality",
            "value": 1,
            "sets": {"correctness": 1},
            "explanation": "It must be so.",
        }
    ]


def test_long_scale_filled_in_replaces_blank_points(page, owner):
    made = draft(owner, documents.write_yaml(protocol_edits.blank_protocol()))
    scale = {"from": "0", "to": "100", "labels": "0: useless\n100: perfect"}
    send(page, made, **{f"criteria[0].scale.{name}": value for name, value in scale.items()})

    made.refresh_from_db()
    [criterion] = protocol_edits.tree(made.text)["criteria"]
    assert criterion["scale"]["to"] == "100"
    assert "points" not in criterion


def test_refused_version_is_explained_in_the_words_of_the_form(page, owner):
    made = draft(owner, documents.write_yaml(protocol_edits.blank_protocol()))
    answer = send(page, made, "finish", title="Ours", summary="S", citation="C")

    assert "Not finished yet. Guideline: is missing" in answer.text
    assert "Key</a>: is missing" not in answer.text
    assert "Criterion 1: Name</a>: is missing" in answer.text


def test_renamed_key_is_followed_by_what_names_it(page, owner):
    made = draft(owner, documents.to_yaml(documents.shipped("qgbench")))

    send(page, made, **{"criteria[1].key": "clarity"})

    protocol = document(made)
    assert protocol.rules[0].criterion == "clarity"
    assert documents.untranslated(protocol, "de") == ()


def test_standard_terms_are_changed_and_taken_away_in_the_form(page, owner):
    made = draft(owner, documents.to_yaml(documents.shipped("qgbench")))

    gone = {f"criteria[1].standard.{name}": "" for name in ("kind", "part", "frame", "name")}
    send(page, made, **{"criteria[0].standard.frame": "external"}, **gone)

    first, second, _third = document(made).criteria
    assert first.standard.in_words.endswith("relative to something outside of the system")
    assert second.standard is None


def test_every_problem_stands_at_its_field(page, owner):
    made = draft(owner)
    changes = {
        "title": "",
        "annotators": "many",
        "criteria[0].definition": "",
        "criteria[1].points[1].value": "1",
        "criteria[1].points[2].label": "",
        "aggregate.combined": "",
    }
    answer = send(page, made, **changes)

    text = page.get(answer.url).text
    editor = page.get(answer.url).context["editor"]
    told = [anchor for anchor, _called, _reason in editor.told]
    assert told == [
        "id_title",
        "id_annotators",
        "id_criteria[0].definition",
        "id_criteria[1].points[2].label",
    ]
    for anchor in told:
        assert f'id="{anchor}"' in text
    assert 'value="many"' in text
    assert text.count('aria-invalid="true"') == 4


def test_save_from_another_tab_is_not_overwritten_and_nothing_entered_is_lost(page, owner):
    made = draft(owner)
    older = shown(page, made)
    send(page, made, title="From one tab")

    answer = page.post(
        reverse("judging:protocol_draft", args=[made.pk]), older | {"title": ["From the other"]}
    )

    assert answer.status_code == 409
    assert 'value="From the other"' in answer.text
    assert document(made).title == "From one tab"
    again = fields(answer.text, "editor-form")
    assert page.post(reverse("judging:protocol_draft", args=[made.pk]), again).status_code == 302
    assert document(made).title == "From the other"


def test_empty_and_strange_forms_end_in_a_page(page, owner):
    made = draft(owner)
    url = reverse("judging:protocol_draft", args=[made.pk])

    assert page.post(url, {}).status_code == 409
    strange = {
        "revision": "1",
        "criteria[999999].name": "x",
        "criteria[1].points[].value": "y",
        "rules[0].kind": "?",
    }
    assert page.post(url, strange).status_code == 302
    assert page.get(url + "?check").status_code == 200
    assert page.post(url, {"revision": "2", "title": "a\x00b"}).status_code == 302
    made.refresh_from_db()
    assert made.title == "ab"


def test_html_in_a_draft_renders_as_text(page, owner):
    made = draft(
        owner, factories.SMALL.replace("name: Correctness", "name: '<script>alert(1)</script>'")
    )

    for name in PAGES[:2]:
        assert "<script>alert" not in page.get(reverse(name, args=[made.pk])).text


def test_what_the_form_cannot_show_is_named_and_kept(page, owner):
    made = draft(owner, factories.SMALL + "colour: red\n")

    text = page.get(reverse("judging:protocol_draft", args=[made.pk])).text

    assert "<code>colour</code>" in text
    assert "editor-form" not in text


@pytest.mark.parametrize(
    "name",
    [
        "judging:protocol_draft",
        "judging:protocol_draft_yaml",
        "judging:protocol_draft_discard",
        "annotation:protocol_pane",
    ],
)
def test_draft_of_somebody_else_is_not_changed(name, owner):
    made = draft(owner)
    other = factories.logged_in(factories.researcher())

    assert other.post(reverse(name, args=[made.pk]), {"revision": "1"}).status_code == 404
    assert document(made).title == "Small"


def test_draft_is_discarded(page, owner):
    answer = page.post(reverse("judging:protocol_draft_discard", args=[draft(owner).pk]))

    assert answer.url == reverse("judging:protocols")
    assert not ProtocolDraft.objects.exists()


@pytest.mark.long
def test_worked_item_is_written_in_the_form_and_its_problems_stand_there(page, owner):
    made = draft(owner, documents.to_yaml(documents.shipped("qgbench")))

    said = {
        "worked_item.values.correctness": "1",
        "worked_item.why.correctness": "It asks for a place.",
    }
    send(page, made, **said)
    item = document(made).worked_item
    assert (item.values["correctness"], item.why["correctness"]) == (1, "It asks for a place.")

    send(
        page,
        made,
        **{"worked_item.values.understandability": "1", "worked_item.values.correctness": "3"},
    )
    text = page.get(reverse("judging:protocol_draft", args=[made.pk]) + "?check").text
    assert "errorlist" in text[text.index('id="at-worked_item"') : text.index("at-aggregate")]


def test_protocol_page_shows_the_worked_item_in_both_languages(page):
    protocol = factories.protocol("nema-khapra")

    html = page.get(reverse("judging:protocol", args=[protocol.pk]) + "?beside=de").text

    assert html.count("(QCET, HEDS): goodness of content in its own right.") == 1
    assert '<q translate="no">Who first keeper bridge at Holm?</q>' in html
    assert '<q translate="no">Wer erster Wärter Brücke in Holm?</q>' in html
