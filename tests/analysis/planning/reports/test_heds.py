"""The datasheet: elements of the official form alone, what a campaign knows, and what it leaves."""

import json
from pathlib import Path

import pytest
from django.urls import reverse

from analysis.planning.actions import dry_runs, heds
from analysis.planning.reports.heds import (
    ELEMENTS,
    OPTIONS,
    HedsAnswer,
    count_answers,
    datasheet_json,
    to_markdown,
)
from judging.campaigns.models.campaign import Campaign
from judging.overview.actions import dry_runs as copies
from tests import factories, shared_data
from tests.analysis import studies
from tests.analysis.planning.actions.test_dry_runs import SYSTEMS, filled
from tests.analysis.sections import stored

pytestmark = pytest.mark.django_db
IDS = set(Path(__file__).with_name("heds3_ids.txt").read_text().split())


@pytest.fixture(scope="module")
def campaign(lasting) -> Campaign:
    """Return an imported study with a report."""
    made = studies.imported()
    studies.analysed(made, metrics=[])
    return made


@pytest.fixture
def files(client, campaign) -> tuple[dict, str]:
    client.force_login(campaign.created_by)
    sent, text = (
        client.get(reverse(f"analysis:{name}", args=[campaign.uuid]))
        for name in ("heds", "heds_text")
    )
    assert (sent["Content-Type"], text["Content-Type"]) == (
        "application/json; charset=utf-8", "text/markdown; charset=utf-8",
    )  # fmt: skip
    return json.loads(sent.text), text.text


def test_every_element_is_one_of_the_form_and_each_of_its_62_questions_is_there():
    assert {element for _number, element, *_ in ELEMENTS} <= IDS
    assert len({number for number, *_ in ELEMENTS}) == len(ELEMENTS) == 62


def test_options_are_labelled_as_in_the_form():
    form = {
        each["id"]: each["value"]
        for each in json.loads(shared_data.path("../spec/heds3_fields.json").read_text())
        if "value" in each
    }
    elements = {number: element for number, element, *_ in ELEMENTS}
    for number, labels in OPTIONS.items():
        for option, label in labels.items():
            assert form[f"{elements[number]}-{option}"] == label


def test_languages_of_the_form_have_the_labels_of_their_tags():
    labels = {tag: OPTIONS["2.4"][option] for tag, option in heds.LANGUAGES.items()}
    assert (labels["de"], labels["en"], labels["no"], labels["zh"]) == (
        "55. German",
        "41. English",
        "116. Norwegian",
        "29. Chinese",
    )
    assert set(OPTIONS["2.4"]) == {*heds.LANGUAGES.values(), heds.OTHER_LANGUAGE}


def test_markdown_of_a_campaign_prints_labels_of_options_and_no_codes(files):
    _held, text = files
    assert "- **2.3** task of the systems: 11. Question generation\n" in text
    assert "- **2.4** languages of the input: 41. English\n" in text
    assert "- **4.2.2** absolute or relative: 1. Absolute\n" in text
    assert "option " not in text


@pytest.mark.long
def test_power_analysis_after_a_dry_run_is_the_dry_runs():
    draft = factories.campaign(dataset=factories.dataset(sources=8, systems=SYSTEMS))
    assert heds.sheet(draft)[0]["3.1.3.1"].text == "N/A: no power analysis was made here"
    run = filled(draft)
    copies.conclude_dry_run(run=run, by=draft.created_by)

    study, _criteria = heds.sheet(draft)

    [grammaticality, _] = run.outcome["criteria"]
    assert study["3.1.3.1"].text == (
        "Simulation of 200 repeats of this study with simulated annotators (dry run 1): paired permutation test over "
        "sources, Holm's correction over the pairs of systems of a criterion, 5% level. Assumed, in percent of the "
        "scale's length: difference between neighbouring systems 30; standard deviation of questions 5, of annotators "
        "10, of single ratings 10"
    )
    extremes, neighbours = (
        "{:.0f}%, 95% CI [{:.0f}%, {:.0f}%]".format(
            *(100 * grammaticality[of][name] for name in ("value", "low", "high"))
        )
        for of in ("extremes", "neighbours")
    )
    assert study["3.1.3.2"].text.startswith(
        f"Grammaticality, 8 sources: power {extremes} for the best and the worst system, {neighbours} for all pairs "
        "of neighbouring systems; "
    )
    assert "Correctness, 8 sources: power " in study["3.1.3.2"].text
    assert study["3.1.3.3"].text == "Quaestor, dry run 1 with seed 3"
    # of a dry run that was removed it is known that it was made, and not its power
    dry_runs.remove_dry_run(campaign=run.campaign, by=draft.created_by)
    assert not {"3.1.3.1", "3.1.3.2", "3.1.3.3"} & set(heds.sheet(draft)[0])


def test_file_holds_what_the_campaign_knows_under_ids_of_the_form(files, campaign):
    held, _text = files
    assert set(held) <= IDS
    assert all(set(each) <= {"data", "control", "text"} for each in held.values())
    assert held["heds-criteria-criterion"]["control"] == {
        "Grammaticality": True,
        "Correctness": False,
    }
    assert held["heds-system-tasks-11"]["data"] == {"": True}
    assert held["heds-system-input_languages-42"]["data"] == {"": True}
    prefix = "heds-criteria-criterion-response_elicitation"
    assert held[f"{prefix}-verbatim_question"]["data"] == {
        "Grammaticality": "Is it grammatical?", "Correctness": "Does it ask for the answer?",
    }  # fmt: skip
    assert held[f"{prefix}-list_or_range"]["data"]["Correctness"] == "1: no; 2: maybe; 3: yes"
    assert held[f"{prefix}-inter_annotator-agreement"]["data"]["Correctness"].startswith(
        "Krippendorff"
    )
    assert held["heds-sample_evaluators_design-evaluators-number_of_evaluators"]["data"][""] == "2"


def test_names_from_files_act_on_nobody_who_reads_the_text():
    hostile = "t<b>*x*\n# \\input{x}"
    text = to_markdown(hostile, {"1.1": HedsAnswer(hostile)}, {hostile: {}})
    assert "t\\<b\\>\\*x\\* \\# \\\\input{x}" in text
    assert "<b>" not in text
    assert "\n# \\" not in text


def test_annotators_who_could_have_known_the_systems_are_counted(client, campaign):
    first = campaign.enrollments.order_by("label")[0]
    campaign.enrollments.filter(pk=first.pk).update(user=campaign.dataset.owner)
    client.force_login(campaign.created_by)

    text = client.get(reverse("analysis:heds_text", args=[campaign.uuid])).text

    assert "1 who could have known which system made which question judged in it" in text


def test_what_only_people_know_is_left_for_the_form_to_ask_and_marked(files):
    held, text = files
    for left in (
        "heds-ethics-review_body",
        "heds-sample_evaluators_design-evaluators-evaluators-known_to_authors-1",
    ):
        assert left not in held
    assert "- **5.4** impact assessment: **TO FILL IN**" in text
    assert "- **4.3.7** question asked: Is it grammatical?" in text
    assert text.count("## 4. ") == 2


def test_answers_of_one_option_text_and_criterion_by_hand():
    study = {
        "2.3": HedsAnswer(options=(11,)),
        "3.1.2": HedsAnswer("All.", (6,)),
        "5.1": HedsAnswer("EC 7"),
    }
    held = json.loads(datasheet_json(study, {"Fluency": {"4.3.7": HedsAnswer("Is it fluent?")}}))
    assert held == {
        "heds-system-tasks-11": {"data": {"": True}, "control": {}, "text": {}},
        "heds-sample_evaluators_design-sample-system_output_selection-6": {
            "data": {"": True}, "control": {}, "text": {},
        },
        "heds-sample_evaluators_design-sample-system_output_selection-other_text": {
            "data": {"": "All."}, "control": {},
        },
        "heds-ethics-review_body": {"data": {"": "EC 7"}, "control": {}},
        "heds-criteria-criterion": {"data": {}, "control": {"Fluency": True}, "text": {}},
        "heds-criteria-criterion-response_elicitation-verbatim_question": {
            "data": {"Fluency": "Is it fluent?"}, "control": {},
        },
    }  # fmt: skip
    assert count_answers(study, {"Fluency": {"4.3.7": HedsAnswer("Is it fluent?")}}) == (4, 62)
    assert "4 of 62 answers" in to_markdown(
        "Canals", study, {"Fluency": {"4.3.7": HedsAnswer("x")}}
    )


def test_kind_part_frame_and_standard_name_of_a_criterion_are_filled_from_its_protocol():
    made = factories.campaign(
        dataset=factories.dataset(sources=2), protocol=factories.protocol("qgbench")
    )
    _study, criteria = heds.sheet(made)
    told = {
        name: [answers[number].options for number in ("4.1.1", "4.1.2", "4.1.3")]
        for name, answers in criteria.items()
    }
    assert told == {
        "Grammaticality": [(1,), (1,), (1,)],
        "Understandability": [(2,), (3,), (1,)],
        "Correctness": [(1,), (2,), (2,)],
    }
    assert criteria["Grammaticality"]["4.3.1.2"].text == "Grammaticality"
    assert "4.3.1.2" not in criteria["Correctness"]


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (
            "contrast",
            "Contrasts within sources, adjusted for annotators, Holm over pairs; Cliff's delta",
        ),
        ("permutation", "Paired permutation over sources, Holm over pairs; Cliff's delta"),
    ],
)
def test_method_of_a_criterion_is_the_test_that_compares_the_systems(test, words):
    document = factories.small()
    content = document.criteria[1]
    pair = {"criterion": content.key, "test": "difference", "p_from": test, "p_holm": 0.04}
    found = stored.found(system_comparisons=[pair])
    answers = dict(heds._criterion(content, document, found))
    assert answers["4.3.10"].text == words
