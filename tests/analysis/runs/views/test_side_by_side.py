"""Runs that leave parts of a study out, and runs side by side."""

import pytest
from django.urls import reverse

from analysis.models import Run
from analysis.runs.actions import runs
from judging.campaigns.models.members import Enrollment
from tests import factories
from tests.analysis import studies
from tests.analysis.sections.computing import picked

pytestmark = pytest.mark.django_db
START = {"prepare_hypothesis": "raw", "prepare_reference": "raw", "resamples": 100, "seed": 1}


@pytest.fixture(scope="module")
def campaign(lasting):
    """Return a study with two runs: of everything, and without a system, a criterion, a metric and
    an annotator."""
    made = studies.imported()
    studies.analysed(made, metrics=[])
    meteor = made.dataset.metrics.get(name="meteor").fingerprint
    studies.analysed(
        made,
        name="narrow",
        metrics=[],
        without_systems=["Corvo"],
        without_criteria=["grammaticality"],
        without_metrics=[meteor],
        without_annotators=["A2"],
    )
    return made


@pytest.fixture
def manager(client, campaign):
    client.force_login(campaign.created_by)
    return client


def tables(campaign, number):
    return dict(runs.StoredTables(Run.objects.get(campaign=campaign, number=number)))


@pytest.mark.long
def test_a_run_without_parts_has_none_of_them(campaign):
    narrow = tables(campaign, 2)
    assert {row["system"] for row in narrow["systems"]} == {"Alba", "Brisa"}
    assert [row["criterion"] for row in narrow["criteria"]] == ["correctness"]
    assert {row["annotator"] for row in narrow["annotators"]} == {"A1"}
    assert narrow["correlations"] == []
    [about] = narrow["about"]
    assert about["excluded_by_run"] == [
        "system Corvo",
        "criterion Grammaticality",
        "metric meteor",
        "annotator A2",
    ]


def test_what_stays_is_computed_from_what_stays_alone(campaign):
    # annotator A1 gives Alba 3 on correctness on each of the six sources
    [alba] = picked(tables(campaign, 2)["systems"], system="Alba", criterion="correctness")
    assert (alba["value"], alba["n"]) == (3, 6)
    [both] = picked(tables(campaign, 1)["systems"], system="Alba", criterion="correctness")
    assert both["value"] == 3
    [brisa] = picked(tables(campaign, 2)["systems"], system="Brisa", criterion="correctness")
    [with_a2] = picked(tables(campaign, 1)["systems"], system="Brisa", criterion="correctness")
    # A2 gives 2 + (source + 1) % 2: 3, 2, 3, 2, 3, 2; the mean with A1's 2 is 2.25
    assert (brisa["value"], with_a2["value"]) == (2, 2.25)


def test_report_says_what_a_run_leaves_out(manager, campaign):
    page = manager.get(reverse("analysis:run", args=[campaign.uuid, 2])).content.decode()
    assert "Excluded from this run: system Corvo" in page
    assert "run 2" in page
    assert "(narrow)" in page


def test_runs_stand_side_by_side_with_dashes_where_one_has_no_such_number(manager, campaign):
    page = manager.get(
        reverse("analysis:side_by_side", args=[campaign.uuid]) + "?run=1&run=2"
    ).content.decode()
    assert "run 2, narrow" in page
    line = page.partition("Correctness, Brisa")[2].partition("</tr>")[0]
    assert line.index("2.25") < line.index("2.00")
    gone = page.partition("Correctness, Corvo")[2].partition("</tr>")[0]
    assert "–" in gone


HUGE = pytest.param(f"?run={'9' * 5_000}", id="more digits than Python reads as a number")


@pytest.mark.long
@pytest.mark.parametrize("query", ["", "?run=9", "?run=x&run=-1", "?run=²", HUGE])
def test_any_address_has_a_page(manager, campaign, query):
    assert (
        manager.get(reverse("analysis:side_by_side", args=[campaign.uuid]) + query).status_code
        == 200
    )


def test_strangers_find_nothing_and_other_verbs_are_refused(client, campaign):
    address = reverse("analysis:side_by_side", args=[campaign.uuid])
    client.force_login(factories.researcher())
    assert client.get(address).status_code == 404
    client.force_login(campaign.created_by)
    assert client.post(address).status_code == 405


@pytest.mark.long
def test_form_asks_for_a_narrower_run_and_refuses_what_is_not_there(manager, campaign):
    start = reverse("analysis:start", args=[campaign.uuid])
    wanted = {**START, "name": "no Alba", "design": "sources+systems", "without_systems": ["Alba"]}
    assert manager.post(start, wanted).status_code == 302
    made = Run.objects.order_by("-number").first()
    assert (made.name, made.parameters["without_systems"], made.parameters["design"]) == (
        "no Alba",
        ["Alba"],
        "sources+systems",
    )
    assert manager.post(start, {**START, "without_systems": ["Nobody"]}).status_code == 422
    assert manager.post(start, {**START, "design": "everything"}).status_code == 422


def test_report_says_when_judgments_or_exclusions_have_changed_since(manager, campaign):
    address = reverse("analysis:report", args=[campaign.uuid])
    assert "This report is out of date" not in manager.get(address).content.decode()
    label = Enrollment.objects.filter(campaign=campaign).order_by("label").first()
    studies.exclude(label, by=campaign.created_by)
    page = manager.get(address).content.decode()
    assert "Changed since it was made: exclusions." in page
