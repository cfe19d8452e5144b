"""Systems renamed, merged and marked, and each of it undone."""

import pytest
from django.urls import reverse

from analysis import frames
from judging.campaigns.actions import campaigns
from judging.datasets.models.dataset import Attribute, Dataset, Question, QuestionSet, System
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


def change(dataset: Dataset, **names: str) -> list[system_names.SystemChange]:
    keys = {each.name: each.pk for each in dataset.systems.all()}
    wanted = {keys[old]: new for old, new in names.items()}
    return system_names.rename_systems(
        dataset=dataset, names=wanted, kinds={}, by=dataset.owner, now=NOW
    )


def named(dataset: Dataset) -> set[str]:
    return set(dataset.systems.values_list("name", flat=True))


def test_change_renames_and_undo_restores_the_digest():
    columns = {**MATERIAL, **rated("grammaticality@Ana")}
    dataset = assembled(RATED, protocol=factories.protocol(), columns=columns)
    digest = frames.hash_data(frames.read_campaign(dataset.campaigns.get()))

    [made] = change(dataset, Alba="T5 Large")

    assert named(dataset) == {"T5 Large", "Brisa"}
    assert frames.hash_data(frames.read_campaign(dataset.campaigns.get())) != digest
    system_names.undo(change=made, by=dataset.owner, now=NOW)
    assert frames.hash_data(frames.read_campaign(dataset.campaigns.get())) == digest


def test_change_swaps_names():
    dataset = assembled()
    alba = dataset.systems.get(name="Alba").pk

    change(dataset, Alba="Brisa", Brisa="Alba")

    assert System.objects.get(pk=alba).name == "Brisa"


def test_change_merges_spellings_and_undo_parts_them_again():
    dataset = assembled(SPELLED)
    texts = Question.objects.values_list("pk", "unit__question_set__system__name", "text")
    before = set(texts.all())
    sets = QuestionSet.objects.values_list("source__key", "system__name", "expected")
    before_sets = set(sets.all())
    assert dataset.systems.count() == 3
    assert system_names.find_similar_names(sorted(named(dataset))) == [["GPT-4", "gpt-4"]]

    [made] = change(dataset, **{"GPT-4": "gpt-4"})

    assert named(dataset) == {"gpt-4", "Brisa"}
    assert set(sets.all()) == {
        ("1", "gpt-4", 1),
        ("2", "gpt-4", 1),
        ("1", "Brisa", 1),
        ("2", "Brisa", 1),
    }
    system_names.undo(change=made, by=dataset.owner, now=NOW)
    assert set(sets.all()) == before_sets
    assert set(texts.all()) == before


def test_change_refuses_to_merge_systems_that_both_answered_a_source():
    dataset = assembled()

    with pytest.raises(
        system_names.CannotChange, match="both have questions for 2 of the same sources"
    ):
        change(dataset, Alba="Brisa")

    assert named(dataset) == {"Alba", "Brisa"}


def test_change_of_a_name_under_a_locked_protocol_is_a_deviation():
    dataset = assembled()
    campaign = factories.campaign(dataset=dataset, manager=dataset.owner)
    campaigns.lock_plan(campaign=campaign, now=NOW)

    [made] = change(dataset, Alba="T5")
    system_names.undo(change=made, by=dataset.owner, now=NOW)

    listed = [(each.what, each.before, each.after) for each in campaign.deviations.all()]
    assert listed == [("name of a system", "Alba", "T5"), ("name of a system", "T5", "Alba")]


def test_change_refuses_to_merge_under_a_locked_protocol():
    dataset = assembled(SPELLED)
    campaigns.lock_plan(
        campaign=factories.campaign(dataset=dataset, manager=dataset.owner), now=NOW
    )

    with pytest.raises(
        system_names.CannotChange, match=r"“Canal towns” \(locked\) expects questions of both"
    ):
        change(dataset, **{"GPT-4": "gpt-4"})


def test_change_marks_human_questions_and_undo_takes_it_back():
    dataset = assembled()
    alba = dataset.systems.get(name="Alba")

    [made] = system_names.rename_systems(
        dataset=dataset, names={}, kinds={alba.pk: "human"}, by=dataset.owner, now=NOW
    )

    alba.refresh_from_db()
    assert alba.kind == "human"
    system_names.undo(change=made, by=dataset.owner, now=NOW)
    alba.refresh_from_db()
    assert alba.kind == "model"


def test_undo_goes_from_the_latest_backwards():
    dataset = assembled()
    [first] = change(dataset, Alba="One")
    [second] = change(dataset, Brisa="Two")

    with pytest.raises(system_names.CannotUndo, match="Undo the later changes first"):
        system_names.undo(change=first, by=dataset.owner, now=NOW)
    for each in (second, first):
        system_names.undo(change=each, by=dataset.owner, now=NOW)

    assert named(dataset) == {"Alba", "Brisa"}


@pytest.mark.parametrize("name", ["", "   ", "x" * 201])
def test_change_refuses_names_that_cannot_be_kept(name):
    dataset = assembled()

    with pytest.raises(system_names.CannotChange):
        change(dataset, Alba=name)

    assert named(dataset) == {"Alba", "Brisa"}


def test_read_table_takes_commas_tabs_and_names_the_line_that_is_wrong():
    assert system_names.parse_renames("a, T5 Large\nb\tLSTM\n\nc = BART") == {
        "a": "T5 Large",
        "b": "LSTM",
        "c": "BART",
    }
    with pytest.raises(system_names.CannotChange, match="Line 2"):
        system_names.parse_renames("a,b\nnothing")


def test_page_points_at_spellings_and_merges_them(client):
    dataset = assembled(SPELLED)
    client.force_login(dataset.owner)
    assert "GPT-4, gpt-4" in client.get(reverse("judging:dataset", args=[dataset.pk])).text

    url = reverse("judging:systems", args=[dataset.pk])
    form = client.get(url).context["form"]
    said = {field.html_name: field.value() for field in form} | {
        "table": "GPT-4, gpt-4",
        "reason": "",
    }
    answer = client.post(url, said, follow=True)

    assert "merged: GPT-4 → gpt-4" in answer.text
    assert named(dataset) == {"gpt-4", "Brisa"}
    change = dataset.system_changes.get()
    client.post(reverse("judging:systems_undo", args=[dataset.pk, change.pk]))
    assert named(dataset) == {"gpt-4", "GPT-4", "Brisa"}


def test_page_says_why_systems_cannot_become_one(client):
    dataset = assembled()
    client.force_login(dataset.owner)
    url = reverse("judging:systems", args=[dataset.pk])
    said = {field.html_name: field.value() or "" for field in client.get(url).context["form"]}

    answer = client.post(url, said | {"table": "Alba, Brisa"})

    assert answer.status_code == 422
    assert "both have questions for 2 of the same sources" in answer.text
    assert client.post(url, said | {"table": "Zeta, Brisa"}).status_code == 422


def test_page_of_systems_is_for_the_owner(client):
    dataset = assembled()
    client.force_login(factories.researcher())

    assert client.get(reverse("judging:systems", args=[dataset.pk])).status_code == 404
    assert client.post(reverse("judging:systems_undo", args=[dataset.pk, 1])).status_code == 404


def test_computed_scores_are_removed_and_imported_ones_stay(client):
    dataset = assembled()
    client.force_login(dataset.owner)
    computed = Metric.objects.create(
        dataset=dataset, name="BLEU-4", kind="computed", fingerprint="f"
    )
    imported = Metric.objects.create(
        dataset=dataset, name="Bleu_4", kind="imported", fingerprint="g"
    )

    for metric in (computed, imported):
        client.post(reverse("judging:scores_remove", args=[dataset.pk, metric.pk]))

    assert list(dataset.metrics.all()) == [imported]


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


def proposed(client, dataset: Dataset, **asked: str):
    return client.get(reverse("judging:systems", args=[dataset.pk]), asked)


def sent_back(page) -> dict[str, str]:
    """Return what a browser sends when the proposal is accepted unchanged."""
    form = page.context["form"]
    return {name: form[name].value() or "" for name in form.fields}


def test_split_names_become_systems_with_subsets_and_can_be_undone():
    dataset = assembled(QGEVAL_LIKE)
    client = factories.logged_in(dataset.owner)
    address = reverse("judging:systems", args=[dataset.pk])

    page = proposed(client, dataset, tool="split", find="_")
    assert "4 new names are proposed below" in page.text
    assert named(dataset) == {"SQuAD_T5", "SQuAD_GPT-4", "HotpotQA_T5", "HotpotQA_GPT-4"}
    assert client.post(address, sent_back(page)).status_code == 302

    assert named(dataset) == {"T5", "GPT-4"}
    subsets = Attribute.objects.filter(name="subset").values_list(
        "unit__question_set__system__name", "unit__question__text", "value"
    )
    assert set(subsets) == {
        ("T5", "When do herons wade?", "SQuAD"),
        ("GPT-4", "When do the herons wade?", "SQuAD"),
        ("T5", "When was the mill sold?", "HotpotQA"),
        ("GPT-4", "What year was the mill sold?", "HotpotQA"),
    }
    for made in dataset.system_changes.order_by("-pk"):
        system_names.undo(change=made, by=dataset.owner, now=NOW)
    assert named(dataset) == {"SQuAD_T5", "SQuAD_GPT-4", "HotpotQA_T5", "HotpotQA_GPT-4"}
    assert not Attribute.objects.filter(name="subset").exists()


def test_split_of_names_whose_questions_have_a_subset_is_refused():
    dataset = assembled(QGEVAL_LIKE)
    client = factories.logged_in(dataset.owner)
    address = reverse("judging:systems", args=[dataset.pk])
    client.post(address, sent_back(proposed(client, dataset, tool="split", find="_")))
    again = sent_back(proposed(client, dataset, tool="split", find="-"))

    refused = client.post(address, again)

    assert refused.status_code == 422
    assert "already have the metadata “subset”" in refused.text
    assert named(dataset) == {"T5", "GPT-4"}


def test_prefix_and_spellings_are_proposed_for_all_names_at_once():
    dataset = assembled(SPELLED.replace("gpt-4", "run_gpt-4").replace("GPT-4", "run_GPT-4"))
    client = factories.logged_in(dataset.owner)
    page = proposed(client, dataset, tool="prefix", find="run_")
    assert set(sent_back(page).values()) >= {"gpt-4", "GPT-4", "Brisa"}
    page = proposed(client, dataset, tool="spellings")
    assert "1 new name is proposed below" in page.text


def test_bulk_change_without_a_text_says_what_is_missing():
    dataset = assembled(SPELLED)
    page = proposed(factories.logged_in(dataset.owner), dataset, tool="replace")
    assert page.status_code == 422
    assert "Enter the text that the names contain." in page.text
    page = proposed(factories.logged_in(dataset.owner), dataset, tool="replace", find="xyz")
    assert "No name contains this text." in page.text
