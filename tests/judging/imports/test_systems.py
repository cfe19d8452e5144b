"""Systems renamed, merged and marked, and each of it undone."""

import pytest
from django.urls import reverse

from analysis import frames
from judging.campaigns.actions import campaigns
from judging.datasets.models.dataset import Attribute, Collection, Question, QuestionSet, System
from judging.datasets.models.score import Metric
from judging.imports.actions import names as system_names
from tests import factories
from tests.judging.imports.studies import MATERIAL, assembled, rated
from tests.judging.studies import NOW

pytestmark = pytest.mark.django_db

SPELLED = """\
passage,answer,system,question
Herons wade at dawn.,at dawn,gpt-4,When do herons wade?
The mill was sold in 1850.,1850,GPT-4,When was the mill sold?
The mill was sold in 1850.,1850,Brisa,What was sold?
"""
RATED = """\
passage,answer,system,question,grammaticality@Ana
Herons wade at dawn.,at dawn,Alba,When do herons wade?,1
Herons wade at dawn.,at dawn,Brisa,What wades at dawn?,3
"""


def change(collection: Collection, **names: str) -> list[system_names.SystemChange]:
    keys = {each.name: each.pk for each in collection.systems.all()}
    wanted = {keys[old]: new for old, new in names.items()}
    return system_names.rename_systems(
        collection=collection, names=wanted, kinds={}, by=collection.owner, now=NOW
    )


def named(collection: Collection) -> set[str]:
    return set(collection.systems.values_list("name", flat=True))


def test_change_renames_and_undo_restores_the_digest():
    columns = {**MATERIAL, **rated("grammaticality@Ana")}
    collection = assembled(RATED, rubric=factories.rubric(), columns=columns)
    digest = frames.hash_data(frames.read_campaign(collection.campaigns.get()))

    [made] = change(collection, Alba="T5 Large")

    assert named(collection) == {"T5 Large", "Brisa"}
    assert frames.hash_data(frames.read_campaign(collection.campaigns.get())) != digest
    system_names.undo(change=made, by=collection.owner, now=NOW)
    assert frames.hash_data(frames.read_campaign(collection.campaigns.get())) == digest


def test_change_swaps_names():
    collection = assembled()
    alba = collection.systems.get(name="Alba").pk

    change(collection, Alba="Brisa", Brisa="Alba")

    assert System.objects.get(pk=alba).name == "Brisa"


def test_change_merges_spellings_and_undo_parts_them_again():
    collection = assembled(SPELLED)
    texts = Question.objects.values_list("pk", "unit__question_set__system__name", "text")
    before = set(texts.all())
    sets = QuestionSet.objects.values_list("source__key", "system__name", "expected")
    before_sets = set(sets.all())
    assert collection.systems.count() == 3
    assert system_names.find_similar_names(sorted(named(collection))) == [["GPT-4", "gpt-4"]]

    [made] = change(collection, **{"GPT-4": "gpt-4"})

    assert named(collection) == {"gpt-4", "Brisa"}
    assert set(sets.all()) == {
        ("1", "gpt-4", 1),
        ("2", "gpt-4", 1),
        ("1", "Brisa", 1),
        ("2", "Brisa", 1),
    }
    system_names.undo(change=made, by=collection.owner, now=NOW)
    assert set(sets.all()) == before_sets
    assert set(texts.all()) == before


def test_change_refuses_to_merge_systems_that_both_answered_a_source():
    collection = assembled()

    with pytest.raises(
        system_names.CannotChange, match="both have questions for 2 of the same sources"
    ):
        change(collection, Alba="Brisa")

    assert named(collection) == {"Alba", "Brisa"}


def test_change_of_a_name_under_a_locked_protocol_is_a_deviation():
    collection = assembled()
    campaign = factories.campaign(collection=collection, manager=collection.owner)
    campaigns.lock_protocol(campaign=campaign, now=NOW)

    [made] = change(collection, Alba="T5")
    system_names.undo(change=made, by=collection.owner, now=NOW)

    listed = [(each.what, each.before, each.after) for each in campaign.deviations.all()]
    assert listed == [("name of a system", "Alba", "T5"), ("name of a system", "T5", "Alba")]


def test_change_refuses_to_merge_under_a_locked_protocol():
    collection = assembled(SPELLED)
    campaigns.lock_protocol(
        campaign=factories.campaign(collection=collection, manager=collection.owner), now=NOW
    )

    with pytest.raises(
        system_names.CannotChange, match=r"“Canal towns” \(locked\) expects questions of both"
    ):
        change(collection, **{"GPT-4": "gpt-4"})


def test_change_marks_human_questions_and_undo_takes_it_back():
    collection = assembled()
    alba = collection.systems.get(name="Alba")

    [made] = system_names.rename_systems(
        collection=collection, names={}, kinds={alba.pk: "human"}, by=collection.owner, now=NOW
    )

    alba.refresh_from_db()
    assert alba.kind == "human"
    system_names.undo(change=made, by=collection.owner, now=NOW)
    alba.refresh_from_db()
    assert alba.kind == "model"


def test_undo_goes_from_the_latest_backwards():
    collection = assembled()
    [first] = change(collection, Alba="One")
    [second] = change(collection, Brisa="Two")

    with pytest.raises(system_names.CannotUndo, match="Undo the later changes first"):
        system_names.undo(change=first, by=collection.owner, now=NOW)
    for each in (second, first):
        system_names.undo(change=each, by=collection.owner, now=NOW)

    assert named(collection) == {"Alba", "Brisa"}


@pytest.mark.parametrize("name", ["", "   ", "x" * 201])
def test_change_refuses_names_that_cannot_be_kept(name):
    collection = assembled()

    with pytest.raises(system_names.CannotChange):
        change(collection, Alba=name)

    assert named(collection) == {"Alba", "Brisa"}


def test_read_table_takes_commas_tabs_and_names_the_line_that_is_wrong():
    assert system_names.parse_renames("a, T5 Large\nb\tLSTM\n\nc = BART") == {
        "a": "T5 Large",
        "b": "LSTM",
        "c": "BART",
    }
    with pytest.raises(system_names.CannotChange, match="Line 2"):
        system_names.parse_renames("a,b\nnothing")


def test_page_points_at_spellings_and_merges_them(client):
    collection = assembled(SPELLED)
    client.force_login(collection.owner)
    assert "GPT-4, gpt-4" in client.get(reverse("judging:collection", args=[collection.pk])).text

    url = reverse("judging:systems", args=[collection.pk])
    form = client.get(url).context["form"]
    said = {field.html_name: field.value() for field in form} | {
        "table": "GPT-4, gpt-4",
        "reason": "",
    }
    answer = client.post(url, said, follow=True)

    assert "merged: GPT-4 → gpt-4" in answer.text
    assert named(collection) == {"gpt-4", "Brisa"}
    change = collection.system_changes.get()
    client.post(reverse("judging:systems_undo", args=[collection.pk, change.pk]))
    assert named(collection) == {"gpt-4", "GPT-4", "Brisa"}


def test_page_says_why_systems_cannot_become_one(client):
    collection = assembled()
    client.force_login(collection.owner)
    url = reverse("judging:systems", args=[collection.pk])
    said = {field.html_name: field.value() or "" for field in client.get(url).context["form"]}

    answer = client.post(url, said | {"table": "Alba, Brisa"})

    assert answer.status_code == 422
    assert "both have questions for 2 of the same sources" in answer.text
    assert client.post(url, said | {"table": "Zeta, Brisa"}).status_code == 422


def test_page_of_systems_is_for_the_owner(client):
    collection = assembled()
    client.force_login(factories.researcher())

    assert client.get(reverse("judging:systems", args=[collection.pk])).status_code == 404
    assert client.post(reverse("judging:systems_undo", args=[collection.pk, 1])).status_code == 404


def test_computed_scores_are_removed_and_imported_ones_stay(client):
    collection = assembled()
    client.force_login(collection.owner)
    computed = Metric.objects.create(
        collection=collection, name="BLEU-4", kind="computed", fingerprint="f"
    )
    imported = Metric.objects.create(
        collection=collection, name="Bleu_4", kind="imported", fingerprint="g"
    )

    for metric in (computed, imported):
        client.post(reverse("judging:scores_remove", args=[collection.pk, metric.pk]))

    assert list(collection.metrics.all()) == [imported]


QGEVAL_LIKE = """\
passage,answer,system,question
Herons wade at dawn.,at dawn,SQuAD_T5,When do herons wade?
Herons wade at dawn.,at dawn,SQuAD_GPT-4,When do the herons wade?
The mill was sold in 1850.,1850,HotpotQA_T5,When was the mill sold?
The mill was sold in 1850.,1850,HotpotQA_GPT-4,What year was the mill sold?
"""


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["model_a", "model_b"], "model_"),
        (["exp/t5-small", "exp/t5-large"], "exp/t5-"),
        (["model_", "model_b"], ""),
        (["Alba", "Brisa"], ""),
        (["Alba 1"], ""),
    ],
)
def test_shared_prefix_ends_at_a_separator(names, prefix):
    assert system_names.shared_prefix(names) == prefix


def test_replaced_leaves_names_that_would_become_blank():
    found = system_names.replace_in_names(["t5 (ours)", "(ours)", "bart"], "(ours)", "")
    assert found.names == {"t5 (ours)": "t5"}


def proposed(client, collection: Collection, **asked: str):
    return client.get(reverse("judging:systems", args=[collection.pk]), asked)


def sent_back(page) -> dict[str, str]:
    """Return what a browser sends when the proposal is accepted unchanged."""
    form = page.context["form"]
    return {name: form[name].value() or "" for name in form.fields}


def test_split_names_become_systems_with_subsets_and_can_be_undone():
    collection = assembled(QGEVAL_LIKE)
    client = factories.logged_in(collection.owner)
    address = reverse("judging:systems", args=[collection.pk])

    page = proposed(client, collection, tool="split", find="_")
    assert "4 new names are proposed below" in page.text
    assert named(collection) == {"SQuAD_T5", "SQuAD_GPT-4", "HotpotQA_T5", "HotpotQA_GPT-4"}
    assert client.post(address, sent_back(page)).status_code == 302

    assert named(collection) == {"T5", "GPT-4"}
    subsets = Attribute.objects.filter(name="subset").values_list(
        "unit__question_set__system__name", "unit__question__text", "value"
    )
    assert set(subsets) == {
        ("T5", "When do herons wade?", "SQuAD"),
        ("GPT-4", "When do the herons wade?", "SQuAD"),
        ("T5", "When was the mill sold?", "HotpotQA"),
        ("GPT-4", "What year was the mill sold?", "HotpotQA"),
    }
    for made in collection.system_changes.order_by("-pk"):
        system_names.undo(change=made, by=collection.owner, now=NOW)
    assert named(collection) == {"SQuAD_T5", "SQuAD_GPT-4", "HotpotQA_T5", "HotpotQA_GPT-4"}
    assert not Attribute.objects.filter(name="subset").exists()


def test_split_of_names_whose_questions_have_a_subset_is_refused():
    collection = assembled(QGEVAL_LIKE)
    client = factories.logged_in(collection.owner)
    address = reverse("judging:systems", args=[collection.pk])
    client.post(address, sent_back(proposed(client, collection, tool="split", find="_")))
    again = sent_back(proposed(client, collection, tool="split", find="-"))

    refused = client.post(address, again)

    assert refused.status_code == 422
    assert "already have the metadata “subset”" in refused.text
    assert named(collection) == {"T5", "GPT-4"}


def test_prefix_and_spellings_are_proposed_for_all_names_at_once():
    collection = assembled(SPELLED.replace("gpt-4", "run_gpt-4").replace("GPT-4", "run_GPT-4"))
    client = factories.logged_in(collection.owner)
    page = proposed(client, collection, tool="prefix", find="run_")
    assert set(sent_back(page).values()) >= {"gpt-4", "GPT-4", "Brisa"}
    page = proposed(client, collection, tool="spellings")
    assert "1 new name is proposed below" in page.text


def test_bulk_change_without_a_text_says_what_is_missing():
    collection = assembled(SPELLED)
    page = proposed(factories.logged_in(collection.owner), collection, tool="replace")
    assert page.status_code == 422
    assert "Enter the text that the names contain." in page.text
    page = proposed(factories.logged_in(collection.owner), collection, tool="replace", find="xyz")
    assert "No name contains this text." in page.text
