"""Value counts made by the database are those of the whole table."""

import csv
import io
from itertools import product

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from analysis import frames
from analysis.runs.actions import exports, runs
from analysis.runs.forms.runs import RunForm
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.datasets.models.dataset import Attribute
from judging.datasets.models.score import Metric, Score
from quaestor_stats._inputs import patterns
from tests.analysis import studies
from tests.analysis.sections.computing import picked

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def imported(lasting):
    return studies.imported(sources=8)


@pytest.fixture
def campaign(imported, db):
    return Campaign.objects.get(pk=imported.pk)


def excluded(campaign, label):
    row = Enrollment.objects.get(campaign=campaign, label=label)
    by = campaign.created_by
    return Exclusion.objects.create(
        enrollment=row, reason="slept", excluded_by=by, excluded_at=timezone.now()
    )


def same(counted, ratings, scale):
    found = {
        tuple(row): times
        for row, times in zip(counted.counts.tolist(), counted.times.tolist(), strict=True)
    }
    whole = patterns(ratings.to_numpy(), scale=scale)
    assert found == {
        tuple(row): times
        for row, times in zip(whole.counts.tolist(), whole.times.tolist(), strict=True)
    }
    assert np.array_equal(counted.values, whole.values)


def test_counted_by_the_database_are_the_patterns_of_the_table(campaign):
    read = frames.read_campaign(campaign)
    for key, counted in frames.count_values(campaign).items():
        same(counted, read.ratings(key), (1, 2, 3))


def test_counted_by_source_hold_each_pattern_on_each_source(campaign):
    """A JOIN too many or too few would change the times; a wrong key the sources."""
    read = frames.read_campaign(campaign)
    source = read.slots.set_index("unit")["source"]
    for key, counted in frames.count_values(campaign, by_source=True).items():
        ratings = read.ratings(key)
        same(counted, ratings, (1, 2, 3))
        whole = patterns(
            ratings.to_numpy(), scale=(1, 2, 3), clusters=source[ratings.index].to_numpy()
        )
        kinds = [each.counts.tolist() for each in (counted, whole)]
        assert sorted(kinds[0]) == sorted(kinds[1])
        order = [kinds[0].index(kind) for kind in kinds[1]]
        held = [each.clusters.toarray().tolist() for each in (counted, whole)]
        assert sorted([row[place] for place in order] for row in held[0]) == sorted(held[1])
        assert counted.clusters.shape[0] == 8


def test_counted_by_source_of_a_round_nobody_judged_is_empty(campaign):
    pilot = frames.count_values(campaign, round="pilot", by_source=True)
    assert {(each.n, each.clusters.shape[0]) for each in pilot.values()} == {(0, 0)}


def test_counted_leaves_out_whom_a_manager_excluded(campaign):
    exclusion = excluded(campaign, "A2")
    counted = frames.count_values(campaign)["correctness"]
    same(counted, frames.read_campaign(campaign).ratings("correctness"), (1, 2, 3))
    assert counted.sizes.tolist() == [1.0] * len(counted.counts)
    exclusion.lifted_at = timezone.now()
    exclusion.lifted_by = campaign.created_by
    exclusion.save()
    assert frames.count_values(campaign)["correctness"].sizes.max() == 2


def test_counted_of_a_round_nobody_judged_is_empty(campaign):
    assert {each.n for each in frames.count_values(campaign, round="pilot").values()} == {0}


def test_the_digest_changes_with_a_score_of_a_system_and_not_by_a_column_without_one(campaign):
    def digest():
        return frames.hash_data(frames.read_campaign(campaign))

    system = campaign.dataset.systems.first()
    before = digest()
    metric = Metric.objects.create(
        dataset=campaign.dataset, name="Extrinsic", kind="imported", fingerprint="e" * 64
    )
    assert digest() == before
    score = Score.objects.create(metric=metric, system=system, value=0.5)
    first = digest()
    score.value = 0.6
    score.save()
    assert len({before, first, digest()}) == 3


def with_computed(read, *, apart=0.0, **columns):
    """Return the dataset with a computed column that differs from meteor by `apart`."""
    [imported] = [each for each in read.metrics if each.name == "meteor"]
    made = {"name": "METEOR", "kind": "computed", "fingerprint": "f", **columns}
    computed = Metric.objects.create(dataset=read.campaign.dataset, **made)
    scores = Score.objects.filter(metric=imported)
    unit = 0.01 if columns.get("scale") == "fraction" else 1.0
    Score.objects.bulk_create(
        Score(metric=computed, unit_id=each.unit_id, value=each.value * unit + apart)
        for each in scores
    )
    return frames.read_campaign(read.campaign)


@pytest.mark.parametrize(
    ("apart", "columns", "is_same"),
    [
        (0.0, {}, True),
        (0.0049, {}, True),  # the file has two decimals
        (0.0051, {}, False),
        (0.0, {"direction": "lower"}, False),
    ],
)
def test_imported_column_that_a_computed_one_repeats_is_excluded(campaign, apart, columns, is_same):
    read = with_computed(frames.read_campaign(campaign), apart=apart, **columns)
    kept = frames.without_doubles(read)
    assert [each.name for each in kept.metrics] == (["METEOR"] if is_same else ["meteor", "METEOR"])
    if is_same:
        [twin] = kept.doubled
        assert (twin.imported.name, twin.computed.name, twin.n) == ("meteor", "METEOR", 24)
        assert twin.largest == pytest.approx(apart)
        assert twin.tolerance == 0.005


@pytest.mark.long
def test_report_shows_a_metric_once_with_the_check(campaign, client):
    with_computed(frames.read_campaign(campaign), apart=0.004)
    run = studies.analysed(campaign, metrics=[])
    tables = dict(runs.StoredTables(run))
    assert {row["metric"] for row in tables["correlations"]} == {"METEOR"}
    [twin] = [row for row in tables["metric_definitions"] if row["same_as"]]
    assert (twin["name"], twin["same_as"], twin["n"], twin["tolerance"]) == (
        "meteor",
        "METEOR",
        24,
        0.005,
    )
    assert twin["largest_difference"] == pytest.approx(0.004)
    client.force_login(campaign.created_by)
    page = client.get(reverse("analysis:run", args=[campaign.uuid, run.number])).text
    told = "the imported column meteor is the same: 24 scores, largest difference 0.004, within the 0.005"
    assert told in page


def of_passages(passages: int, *, topics: str = "") -> Campaign:
    """Return a judged study of 24 sources in so many passages, with a topic for each source."""
    header = [*studies.HEADER, "topic", *studies.RATINGS]
    rows = [",".join(header)]
    for source, (system, quality) in product(range(24), studies.SYSTEMS.items()):
        passage = f"Lock {source % passages} was built by  Ada Lind" + "." * (source % 2)
        question = f"Who built it ({source} {system})?"
        other = min(3, max(1, quality + (source + quality) % 2))
        topic = topics or f"river {source % 11}"
        cells = [source, passage, "Ada Lind", system, question, "Who?", source / 100, topic]
        rows.append(",".join(map(str, [*cells, 3 - source % 3 % 2, quality, 3, other])))
    return studies.campaign_of("\n".join(rows).encode())


def test_clusters_by_default_are_sources_with_the_same_normalised_passage(db):
    read = frames.read_campaign(of_passages(12))
    by_source = dict(zip(read.slots["source"], read.clusters, strict=True))
    assert by_source["0"] == by_source["12"] == "0"
    assert by_source["13"] == "1"
    assert read.cluster_unit.counted(12) == "12 passages"
    assert read.cluster_unit.sources == 24


def test_clusters_without_a_shared_passage_are_the_sources(campaign):
    read = frames.read_campaign(campaign)
    assert read.clusters.tolist() == read.slots["source"].tolist()
    assert read.cluster_unit.is_source


def test_clusters_declared_by_a_column_win_over_passages(db):
    read = frames.with_declared_clusters(frames.read_campaign(of_passages(12)), "topic")
    assert read.clusters.nunique() == 11
    assert read.cluster_unit.counted(11) == "11 clusters (topic)"


def test_clusters_change_the_digest_only_where_sources_share_them(campaign, db):
    shared = frames.read_campaign(of_passages(12))
    declared = frames.with_declared_clusters(shared, "topic")
    assert frames.hash_data(shared) != frames.hash_data(declared)


def test_counted_by_source_keep_sources_with_the_same_passage_together(db):
    made = of_passages(12)
    counts = frames.count_values(made, by_source=True)["correctness"]
    assert counts.clusters.shape[0] == 12
    assert frames.clusters_of_passages(made).unit == frames.read_campaign(made).cluster_unit


@pytest.mark.parametrize("column", ["", "topic"])
def test_shared_clusters_are_those_of_the_material(db, column):
    made = of_passages(12)
    read = frames.read_campaign(made)
    read = frames.with_declared_clusters(read, column) if column else read
    expected = dict(zip(read.slots["source"], read.clusters, strict=True))
    assert frames.shared_clusters(made, column) == expected


def test_shared_clusters_each_source_alone_are_none(campaign):
    assert frames.shared_clusters(campaign, "") == {}


def test_bundle_sources_with_a_shared_passage_names_their_clusters(db):
    made = of_passages(12)
    run = studies.analysed(made, metrics=[], mixed_model="never")
    text = dict(exports.files(run))["data/items.csv"]
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    assert {row["source_id"]: row["cluster"] for row in rows} == frames.shared_clusters(made, "")


def test_run_form_refuses_a_column_with_several_values_on_a_source(db):
    made = of_passages(12)
    unit = frames.read_campaign(made).questions["unit"].iloc[0]
    form = RunForm(campaign=made)
    assert [key for key, _ in form.fields["clusters"].choices] == ["", "topic"]
    given = {"resamples": 100, "seed": 1, "clusters": "topic"}
    given |= {
        name: form.fields[name].initial for name in ("prepare_hypothesis", "prepare_reference")
    }
    assert RunForm(given, campaign=made).is_valid()
    Attribute.objects.filter(unit=unit, name="topic").update(value="elsewhere")
    refused = RunForm(given, campaign=made)
    assert refused.errors["clusters"] == ["Column topic has several values on source 0."]


@pytest.mark.long
def test_report_says_what_was_resampled_and_why_there_is_no_interval(db):
    many, few = (studies.analysed(of_passages(passages)) for passages in (12, 8))
    told = {
        run: " ".join(part["text"] for part in dict(runs.StoredTables(run))["sentences"])
        for run in (many, few)
    }
    assert "24 sources in 12 passages" in told[many]
    assert "The 24 sources share 8 passages; an interval needs at least 10." in told[few]
    for run, has_intervals in ((many, True), (few, False)):
        tables = dict(runs.StoredTables(run))
        wanted = {
            "coefficient": "krippendorff_alpha",
            "level": "ordinal",
            "criterion": "correctness",
        }
        [alpha] = picked(tables["agreement"], **wanted)
        assert (alpha["low"] is not None) == has_intervals
        assert alpha["clusters"] == (12 if has_intervals else 8)
        permuted = picked(tables["system_comparisons"], test="difference")
        assert all(row["p"] is not None for row in permuted)
        assert all((row["low"] is not None) <= has_intervals for row in permuted)
