"""The folded parts of a report: coefficients, annotators, pairs of systems, levels, slices,
exclusions."""

import csv
import io
import json
from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis import frames
from analysis.models import Run
from analysis.runs.actions import runs
from analysis.sections.systems.mixed_models import MixedModels
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.datasets.models.dataset import Attribute, Unit
from tests import factories
from tests.analysis import studies
from tests.analysis.sections import stored
from tests.analysis.sections.computing import records

pytestmark = pytest.mark.django_db
VALUE = ("data", "measure", "criterion", "system", "value", "n")
QUICK = {"metrics": [], "mixed_model": "never"}
PARTS = (
    "Gwet&#x27;s AC1",
    "ICC(2,1)",
    "System comparisons",
    "Cliff&#x27;s δ",
    "Mixed model of systems",
    "Correlation with human ratings",
    "pairwise accuracy",
    'class="shares"',
    "not assessed: no question was shown to the same",
    "topic, 2 values",
    "day, 1 value",
)


@pytest.fixture(scope="module")
def small(lasting):
    """Return a run on few sources without anything special, and without the mixed model."""
    return studies.analysed(studies.imported(), mixed_model="never")


@pytest.fixture(scope="module")
def large(lasting):
    """Return a run on enough sources to tell the systems apart, in slices."""
    slices = ["column: topic", "day"]
    return studies.analysed(with_topics(studies.imported(sources=20)), slices=slices)


def report_of(client, run):
    client.force_login(run.campaign.created_by)
    return client.get(reverse("analysis:report", args=[run.campaign.uuid])).content.decode()


def csv_of(client, run, name):
    answer = client.get(reverse("analysis:table", args=[run.campaign.uuid, run.number, name]))
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def found(rows, **where):
    return [row for row in rows if where.items() <= row.items()]


def with_topics(campaign):
    """Give every unit a topic: even or odd source."""
    units = Unit.objects.filter(question_set__source__dataset=campaign.dataset_id)
    rows = units.values_list("pk", "question_set__source__position")
    Attribute.objects.bulk_create(
        Attribute(unit_id=pk, name="topic", value="even" if place % 2 == 0 else "odd")
        for pk, place in rows
    )
    return campaign


def test_report_holds_every_part(client, large):
    page = report_of(client, large)
    for words in PARTS:
        assert words in page, words
    assert 'class="letters"' in page
    names = (
        "scale_use",
        "agreement_without_each",
        "intra_annotator_agreement",
        "system_comparisons",
        "groups",
        "mixed_models",
        "correlations",
        "slices",
    )
    for name in names:
        assert len(csv_of(client, large, name)) == len(dict(runs.StoredTables(large))[name]) > 0, (
            name
        )


def test_letters_tell_apart_what_many_sources_show(large):
    tables = dict(runs.StoredTables(large))
    letters = {
        row["system"]: row["letters"] for row in found(tables["groups"], criterion="correctness")
    }
    assert letters == {"Alba": "a", "Brisa": "b", "Corvo": "c"}
    permutation = found(tables["system_comparisons"], criterion="correctness", test="difference")
    assert all(row["p_holm"] < 0.05 for row in permutation)
    assert all(row["p_bh"] <= row["p_holm"] for row in permutation)


def test_slices_hold_their_own_part_of_the_data_and_count_themselves(large):
    rows = found(dict(runs.StoredTables(large))["slices"], attribute="topic", slices=2)
    even = found(rows, label="even", measure="krippendorff_alpha", criterion="correctness")
    assert [row["n"] for row in even] == [30]
    means = found(rows, measure="mean", criterion="correctness", system="Alba")
    assert {row["label"]: row["n"] for row in means} == {"even": 10, "odd": 10}
    rho = found(rows, measure="spearman", criterion="correctness", metric="meteor")
    # no interval and no test of a slice's questions as independent
    assert all(row["low"] is None for row in rho)
    assert len(rho) == 2


def test_an_exclusion_shows_the_numbers_with_and_without(client):
    campaign = studies.imported()
    row = Enrollment.objects.get(campaign=campaign, label="A2")
    Exclusion.objects.create(
        enrollment=row, reason="slept", excluded_by=campaign.created_by, excluded_at=timezone.now()
    )
    run = studies.analysed(campaign, **QUICK)
    rows = dict(runs.StoredTables(run))["exclusions"]
    means = {
        row["data"]: row["value"]
        for row in found(rows, measure="mean", criterion="correctness", system="Corvo")
    }
    assert means["after exclusions"] == 1
    assert means["all"] > 1
    alphas = {
        row["data"]: row["value"]
        for row in found(rows, measure="krippendorff_alpha", criterion="correctness")
    }
    assert alphas["after exclusions"] is None
    assert alphas["all"] is not None
    assert "Results with and without excluded annotators" in report_of(client, run)
    counted = dict(runs.StoredTables(studies.analysed(campaign, with_excluded=True, **QUICK)))[
        "exclusions"
    ]
    both = [[tuple(row[name] for name in VALUE) for row in each] for each in (rows, counted)]
    assert both[0] == both[1]
    assert list(dict.fromkeys(row[0] for row in both[0])) == ["all", "after exclusions"]
    means = {row[0]: row[4] for row in both[0] if row[1:4] == ("mean", "grammaticality", "Alba")}
    assert means == {"all": 2.75, "after exclusions": 3.0}  # A1 gives 3; A2 gives 3 and 2 in turn


def test_without_exclusions_there_is_nothing_to_compare(small):
    assert dict(runs.StoredTables(small))["exclusions"] == []


def test_mixed_model_is_fitted_when_asked_for_and_finds_the_differences(large, small):
    rows = dict(runs.StoredTables(large))["mixed_models"]
    [row] = found(rows, criterion="correctness", first="Alba", second="Corvo")
    assert row["low"] < row["value"] < row["high"]
    assert row["p_holm"] < 0.001
    effects = {row["effect"] for row in rows}
    assert {"variance of sources", "variance of questions", "variance of rest"} <= effects
    assert "variance of annotators" not in effects  # fixed, unless the run declares them random
    assert dict(runs.StoredTables(small))["mixed_models"] == []


def test_where_the_mixed_model_is_another_than_declared_its_table_says_so(large):
    """A2 judged nothing of Corvo: what annotators make of a system cannot be fixed."""
    read = frames.read_campaign(large.campaign)
    corvo = read.slots[read.slots["system"] == "Corvo"]["unit"]
    gone = (read.judgments["annotator"] == "A2") & read.judgments["unit"].isin(corvo)
    rows = records(
        MixedModels, replace(read, judgments=read.judgments[~gone]), mixed_model="always"
    )
    other = "not every annotator judged every system: annotator:system is a random effect"
    assert any(other in row["caution"] for row in rows if row["effect"] == "variance of rest")
    told = MixedModels().tables(
        stored.found(criteria=[stored.criterion("correctness")], mixed_models=rows)
    )
    assert any(other in reason for reason in told[0].reasons)


def test_start_takes_slices_and_refuses_others(client):
    campaign = with_topics(studies.imported())
    client.force_login(campaign.created_by)
    form = {"prepare_hypothesis": "raw", "prepare_reference": "raw", "resamples": 100, "seed": 1}
    start = reverse("analysis:start", args=[campaign.uuid])
    assert (
        client.post(
            start, {**form, "slices": ["column: topic"], "mixed_model": "always"}
        ).status_code
        == 302
    )
    parameters = Run.objects.get(campaign=campaign).parameters
    assert (parameters["slices"], parameters["mixed_model"]) == (["column: topic"], "always")
    for wrong in ({"slices": ["column: none"]}, {"mixed_model": "sometimes"}):
        assert client.post(start, form | wrong).status_code == 422
    assert Run.objects.filter(campaign=campaign).count() == 1


@pytest.mark.long
def test_a_campaign_nobody_judged_has_a_report(client):
    run = studies.analysed(factories.opened(), slices=["day", "source", "target_type"])
    tables = dict(runs.StoredTables(run))
    assert "NaN" not in json.dumps(tables)
    assert {row["value"] for row in tables["agreement"]} == {None}
    for key in ("system_comparisons", "annotators", "intra_annotator_agreement"):
        assert tables[key] == []
    page = report_of(client, run)
    assert "System comparisons" not in page
