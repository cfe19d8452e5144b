"""Dry runs: simulated annotators fill a copy of a draft by all its rules, and the report finds what
was planted."""

import csv
import io
from dataclasses import asdict
from uuid import UUID

import pytest
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.db.models import Avg
from django.urls import reverse

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis.planning import simulated
from analysis.planning.actions import dry_runs, recoveries
from analysis.planning.simulated import Assumed
from analysis.runs.actions import runs
from judging.base.percentages import percent
from judging.base.progress import TellProgress, ignore_progress
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.dry_run import DryRun
from judging.campaigns.models.members import Enrollment, Exclusion, Invitation
from judging.datasets.models.dataset import Unit
from judging.enrolments.actions import enrollments
from judging.jobs.actions import jobs
from judging.jobs.models.file import StoredFile
from judging.overview.actions import dry_runs as copies
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality.actions import check_items, exercises
from judging.quality.models.exercise import QualificationTry
from judging.work.models.judgment import Judgment
from tests import factories
from tests.judging.quality.actions import test_qualifications as gate
from tests.judging.trials import NOW
from tests.refusing import refused

pytestmark = pytest.mark.django_db
SYSTEMS = ("Alba", "Brisa", "Corvo")
CLEAR = {"gap": 0.3, "question": 0.05, "severity": 0.1, "noise": 0.1, "careless": 0, "seed": 3}
UNCOUNTED = {
    "judging.RequestCount",
    "judging.Visit",
    "judging.Event",
    "judging.EventSeal",
    "judging.StoredFile",
    "judging.Job",
}


def entered(**shares: object) -> dry_runs.DryRunSettings:
    """Return assumptions as the settings that a manager enters, with shares in per cent."""
    return dry_runs.DryRunSettings(
        **{
            name: round(100 * value) if name in dry_runs.PERCENTAGES else value
            for name, value in shares.items()
        }
    )


def tried(campaign: Campaign, **settings: object) -> Campaign:
    """Try a draft as the worker does, with the copy's report, and return the copy."""
    job = jobs.claim_job(
        job_id=dry_runs.start_dry_run(
            campaign=campaign, by=campaign.created_by, settings=entered(**CLEAR | settings)
        ).pk
    )
    assert job is not None
    work = jobs.Work(job, worker="test")
    result = dry_runs.execute_dry_run(work, dry_runs.copy_for_dry_run(work))
    jobs.finish_job(job=job, result=result)
    return Campaign.objects.get(uuid=result["campaign"])


def filled(
    draft: Campaign, assumed: Assumed | None = None, progress: TellProgress = ignore_progress
) -> DryRun:
    """Try a draft without a report."""
    assumed, by = assumed or Assumed(**CLEAR), draft.created_by
    run = copies.copy_draft(draft=draft, by=by, now=NOW, settings=asdict(assumed))
    dry_runs.simulate_study(made=run, by=by, now=NOW, assumed=assumed, progress=progress)
    copies.show(run=run)
    return run


def rows_by_model() -> dict[str, int]:
    """Count every table, but for the history and what jobs and files are kept of."""
    models = [
        each
        for label in ("judging", "analysis")
        for each in apps.get_app_config(label).get_models()
    ]
    return {
        each._meta.label: each._base_manager.count()
        for each in models
        if each._meta.label not in UNCOUNTED
    }


def marked_everywhere(copy: Campaign) -> None:
    """Everything that leaves the copy says that it is simulated."""
    client = factories.logged_in(copy.created_by)
    for name in (
        "judging:campaign",
        "judging:tasks",
        "judging:annotators",
        "analysis:report",
        "analysis:items",
    ):
        page = client.get(reverse(name, args=[copy.uuid])).text
        assert "no person judged here" in page
    assert (
        "made by simulated annotators"
        in client.get(reverse("analysis:report", args=[copy.uuid])).text
    )
    export = client.get(reverse("judging:export", args=[copy.uuid, "csv"]))
    assert "simulated-canal-towns" in export.headers["Content-Disposition"]
    assert set(csv_column(export.getvalue().decode(), "judgment:origin")) == {"simulated"}
    address = reverse("api:campaign-detail", args=[copy.uuid])
    assert client.get(address).json()["origin"] == "simulated"


def csv_column(text: str, name: str) -> list[str]:
    return [row[name] for row in csv.DictReader(io.StringIO(text)) if row["value"]]


def with_checks(uuid: UUID) -> Campaign:
    """Return a draft with all kinds of checks; of its UUID a dry run draws whether one comes."""
    made = factories.campaign(
        dataset=factories.dataset(sources=8, systems=SYSTEMS),
        annotators_per_task=2,
        uuid=uuid,
    )
    campaigns.change_plan(
        campaign=made, plan={"quality": {"gold": 20, "degraded": 20, "repeats": 20, "gap": 1}}
    )
    made.refresh_from_db()
    units = Unit.objects.filter(question_set__source__dataset=made.dataset, position=1).order_by(
        "pk"
    )
    [correctness] = made.protocol.criteria.filter(key="correctness").values_list("pk", flat=True)
    check_items.add_gold(
        campaign=made, unit=units[0], text="Who built it?", accepted={correctness: [3]}
    )
    check_items.add_degraded(campaign=made, unit=units[1], text="Who who?", method="noise")
    return made


@pytest.fixture(scope="module")
def untried(lasting) -> Campaign:
    return with_checks(UUID(int=1))


@pytest.fixture
def draft(untried, db) -> Campaign:
    return Campaign.objects.get(pk=untried.pk)


@pytest.fixture(scope="module")
def tried_twice(lasting) -> Campaign:
    """Return a draft with two dry runs without a report."""
    made = with_checks(UUID(int=2))
    for _ in range(2):
        filled(made)
    return made


@pytest.fixture
def two(tried_twice, db) -> list[DryRun]:
    """Return the dry runs of the draft that has two."""
    return list(DryRun.objects.filter(draft=tried_twice).order_by("number"))


@pytest.mark.long
def test_report_of_the_copy_recovers_what_was_planted_and_the_copy_is_removed_whole(draft) -> None:
    before, people, files = rows_by_model(), User.objects.count(), StoredFile.objects.count()
    judged = Judgment.objects.count()
    copy = tried(draft)

    run = copy.dry_run
    assert run.draft == draft
    assert (copy.origin, copy.state, copy.title) == (
        "simulated",
        "closed",
        "SIMULATED: Canal towns",
    )
    found = recoveries.recovery(run, run.outcome["order"])
    assert [(each.criterion, each.is_planted, each.reversed) for each in found] == [
        ("grammaticality", True, 0),
        ("correctness", True, 0),
    ]
    assert (
        run.outcome["order"] == found[0].order == simulated.planted_order(SYSTEMS, Assumed(**CLEAR))
    )
    assert found[0].order != sorted(SYSTEMS)
    assert run.outcome["filled"]["filled"] == run.outcome["filled"]["places"] == 16
    assert run.outcome["filled"]["checks"] > 0
    assert all(row["order"]["value"] > 0.9 for row in run.outcome["criteria"])
    marked_everywhere(copy)

    assert User.objects.count() == people
    assert draft.enrollments.count() == 0
    assert Judgment.objects.exclude(assignment__enrollment__campaign=copy).count() == judged
    with refused("cannot_dry_run"):
        dry_runs.start_dry_run(campaign=copy, by=copy.created_by, settings=entered(**CLEAR))
    with refused("campaign_state"):
        campaigns.open_campaign(campaign=copy, now=NOW)

    dry_runs.remove_dry_run(campaign=copy, by=copy.created_by)
    assert rows_by_model() == before
    assert StoredFile.objects.count() >= files
    acts = Event.objects.filter(campaign=draft.uuid, act__startswith="dry_run").order_by("pk")
    assert list(acts.values_list("act", flat=True)) == ["dry_run.made", "dry_run.removed"]


def whole_study() -> Campaign:
    """Return a draft with training, a qualification that asks one question again, checks, rules of
    exclusion and a rate of pay."""
    made = factories.campaign(
        dataset=factories.dataset(sources=16, systems=SYSTEMS),
        annotators_per_task=5,
        pass_mark=75,
        rate={"amount": "0.50", "currency": "EUR", "minutes": "2", "floor": "40"},
    )
    rules = {"least_values": 12, "exclude_speed": True, "exclude_gold": 1, "exclude_gold_of": 2}
    plan = {"quality": {"gold": 30, "repeats": 10, "gap": 1} | rules}
    campaigns.change_plan(campaign=made, plan=plan)
    made.refresh_from_db()
    first = gate.item(made)
    gate.item(made, again=first)
    gate.item(made, "training")
    units = Unit.objects.filter(question_set__source__dataset=made.dataset, position=1).order_by(
        "pk"
    )
    [correctness] = made.protocol.criteria.filter(key="correctness").values_list("pk", flat=True)
    for unit in units[:6]:
        check_items.add_gold(campaign=made, unit=unit, text="", accepted={correctness: [3]})
    return made


@pytest.mark.long
def test_simulated_people_qualify_hurry_and_are_left_out_by_the_rules() -> None:
    draft = whole_study()
    before = rows_by_model()
    copy = tried(draft, careless=2, hurry=0.1, knows=0.55, wary=1.0, annotators=5)
    outcome = copy.dry_run.outcome

    came, out = outcome["came"], outcome["excluded"]
    assert [each["label"] for each in came if each["in"]] == list(
        copy.enrollments.filter(qualified_at__isnull=False)
        .order_by("label")
        .values_list("label", flat=True)
    )
    assert sum(each["in"] for each in came) == outcome["wanted"] == 5 < len(came)
    tries = QualificationTry.objects.filter(enrollment__campaign=copy)
    assert sum(each["tries"] for each in came) == tries.count() > len(came)
    unqualified = copy.enrollments.filter(qualified_at=None)
    assert not Judgment.objects.filter(assignment__enrollment__in=unqualified).exists()
    assert 0 < outcome["gate"]["again"]["low"] < outcome["gate"]["all"]["value"] < 1

    careless = {each["label"] for each in outcome["people"] if each["careless"]}
    assert careless
    assert set(out) == careless == set(excluded(copy))
    assert all("flagged as too fast" in " ".join(rules) for rules in out.values())
    assert outcome["lacking"] == 16 * len(careless)
    shown = recoveries.recovery(copy.dry_run, copy.dry_run.outcome["order"])
    assert [row.order for row in shown] == [outcome["order"]] * 2
    assert all(sorted(row.with_all) == sorted(SYSTEMS) for row in shown)
    powers = zip(outcome["criteria"], outcome["with_all"], strict=True)
    assert all(one["neighbours"]["value"] >= every["neighbours"]["value"] for one, every in powers)

    time = outcome["time"]
    assert time["hours"]["low"] < time["hours"]["value"] < time["hours"]["high"]
    assert time["paid"] == 0.5 * sum(each["tasks"] for each in outcome["spent"].values())
    assert 0 < time["top_up"]["value"] < time["paid"]
    assert 0 < outcome["gate_hours"] < time["hours"]["value"]
    client = factories.logged_in(copy.created_by)
    page = client.get(reverse("analysis:dry_run", args=[copy.uuid])).text
    assert f"{len(came)} came, 5 were admitted" in page
    assert f"{len(out)} of {len(careless)} careless annotators were excluded" in page
    assert "with all annotators" in page
    assert f"{time['paid']:,.2f} EUR" in page
    report = client.get(reverse("analysis:report", args=[copy.uuid])).text
    assert "Without excluded annotators" in report
    dry_runs.remove_dry_run(campaign=copy, by=copy.created_by)
    assert rows_by_model() == before


@pytest.mark.long
def test_a_panel_gives_the_seats_of_those_screened_out_to_the_next_and_an_impossible_mark_is_told() -> (
    None
):
    panel = factories.campaign(
        dataset=factories.dataset(sources=4, systems=("Alba", "Brisa"), expected=2),
        protocol=factories.protocol("qgstec2010-b"),
        annotators_per_task=2,
        order="panel",
        tries=1,
    )
    keys = {"relevance": exercises.KeyText((1,)), "ambiguity": exercises.KeyText((1,))}
    exercises.add_exercise(
        campaign=panel,
        exercise=exercises.NewExercise(kind="qualification", question="Who built it?", keys=keys),
        by=panel.created_by,
    )
    assumed = Assumed(**CLEAR | {"knows": 0.7, "knows_spread": 0.0})
    run = filled(panel, assumed)
    came, people = run.outcome["came"], run.campaign.enrollments.filter(seat__isnull=False)
    assert len(came) > 4
    assert sorted(people.values_list("seat", flat=True)) == [1, 2, 3, 4]
    assert run.outcome["filled"]["filled"] == run.outcome["filled"]["places"] == 16
    nobody = Assumed(**CLEAR | {"knows": 0.0})
    panel.exercises.get().keys.filter(criterion__key="relevance").update(accepted=[])
    with refused("cannot_dry_run"), transaction.atomic():
        filled(panel, nobody)
    said: list[str] = []

    def cancelled(done: int, total: int, says: str) -> None:
        said.append(says)
        if len(said) == 2:
            raise jobs.JobCancelled

    with pytest.raises(jobs.JobCancelled), transaction.atomic():
        filled(panel, nobody, progress=cancelled)
    assert said == [f"Newcomer {place} tries the qualification" for place in (1, 2)]


def test_what_a_worker_that_died_left_goes_with_the_next_dry_run(draft) -> None:
    left = copies.copy_draft(draft=draft, by=draft.created_by, now=NOW, settings={})
    assert list(DryRun.objects.unfilled()) == [left]
    again = filled(draft)
    assert again.number == 1
    assert list(DryRun.objects.filter(draft=draft)) == [again]
    assert not DryRun.objects.unfilled().exists()
    page = factories.logged_in(draft.created_by).get(reverse("analysis:dry_run", args=[draft.uuid]))
    assert page.status_code == 200


def excluded(copy: Campaign) -> list[str]:
    standing = Exclusion.objects.standing().filter(enrollment__campaign=copy)
    return list(standing.values_list("enrollment__label", flat=True))


def test_no_account_can_be_in_a_dry_run_and_its_judgments_alone_are_removed(two) -> None:
    draft, copy = two[0].draft, two[0].campaign
    with pytest.raises(DatabaseError, match="no person judges in a dry run"), transaction.atomic():
        Enrollment.objects.create(campaign=copy, user=factories.user(), label="A01")
    with pytest.raises(DatabaseError, match="only judgments of a dry run"), transaction.atomic():
        connection.cursor().execute("SELECT judging_remove_dry_run_judgments(%s, 1)", [draft.pk])
    link = Invitation.objects.create(campaign=copy, created_by=copy.created_by, digest="a" * 64)
    with pytest.raises(enrollments.InvitationOver):
        enrollments.check_invitation(invitation=link, now=NOW)


@pytest.mark.parametrize(
    "key",
    [
        "qgbench-staged",
        "qgstec2010-a",
        pytest.param("qgstec2010-b", marks=pytest.mark.long),
        pytest.param("schlichtkrull-cheng", marks=pytest.mark.long),
        pytest.param("nema-khapra", marks=pytest.mark.long),
    ],
)
def test_every_kind_of_protocol_is_filled_to_its_last_place(key) -> None:
    made = factories.dataset(sources=3, systems=SYSTEMS, expected=2)
    campaign = factories.campaign(
        dataset=made, protocol=factories.protocol(key), annotators_per_task=2
    )
    run = filled(campaign)
    assert run.outcome["filled"]["filled"] == run.outcome["filled"]["places"] > 0
    assert {each["repeats"] for each in run.outcome["criteria"]} == {simulated.REPEATS}


@pytest.mark.long
def test_a_rotated_panel_is_filled_by_its_seats_and_shares_by_as_many_as_they_take() -> None:
    protocol = factories.protocol("qgstec2010-b")
    made = factories.dataset(sources=6, systems=SYSTEMS, expected=2)
    panel = factories.campaign(
        dataset=made, protocol=protocol, annotators_per_task=2, order="panel"
    )
    run = filled(panel)
    people = run.campaign.enrollments.all()
    assert sorted(people.values_list("seat", flat=True)) == [1, 2, 3, 4, 5, 6]
    assert all(each.assignments.filter(state="submitted").count() == 6 for each in people)

    shares = factories.campaign(
        dataset=made,
        protocol=protocol,
        annotators_per_task=2,
        tasks_per_annotator=7,
        manager=panel.created_by,
    )
    run = filled(shares)
    assert run.campaign.enrollments.count() == 6
    assert run.outcome["filled"]["filled"] == 36
    again = filled(shares)
    assert again.number == 2
    assert said_in(again.campaign) == said_in(run.campaign)


def said_in(campaign: Campaign) -> dict[tuple[str, str], float]:
    """Return the mean of each system on each criterion."""
    rows = Judgment.objects.filter(assignment__enrollment__campaign=campaign)
    columns = ("unit__question_set__system__name", "criterion__key")
    return {row[:2]: row[2] for row in rows.values_list(*columns).annotate(mean=Avg("value"))}


@pytest.mark.long
def test_dry_run_annotators_random_shows_the_power_of_the_contrast(monkeypatch) -> None:
    """The page names the test, why it is made, and how often; the copy's report makes it too."""
    monkeypatch.setattr(simulated, "CONTRAST_REPEATS", 5)
    made = factories.campaign(
        dataset=factories.dataset(sources=12, systems=SYSTEMS), annotators_per_task=3
    )
    client = factories.logged_in(made.created_by)
    address = reverse("analysis:dry_run", args=[made.uuid])

    fixed = tried(made).dry_run.outcome["criteria"]
    page = client.get(address).text
    assert {row["test"] for row in fixed} == {"permutation"}
    assert "the paired permutation test over sources gives a p below 5%" in page
    assert "the contrast within sources" not in page

    copy = tried(made, design="sources+annotators", gap=0.15)
    rows = copy.dry_run.outcome["criteria"]
    page = client.get(address).text
    assert {(row["test"], row["repeats"]) for row in rows} == {("contrast", 5)}
    assert "5 repeats with this layout on 12 sources" in page
    assert "the contrast within sources, adjusted for annotators, gives a p below 5%" in page
    assert "Reason for this test: annotators are declared random." in page
    assert "Each repeat draws other annotators." in page
    share = rows[0]["extremes"]
    assert f"[{percent(share['low'])}, {percent(share['high'])}]" in page
    table = client.get(reverse("analysis:dry_run_table", args=[copy.uuid])).getvalue().decode()
    assert {row["test"] for row in csv.DictReader(io.StringIO(table))} == {"contrast"}
    report = runs.latest_run(copy)
    assert report.parameters["design"] == "sources+annotators"


def test_only_a_study_before_its_opening_is_tried_and_once_at_a_time(draft) -> None:
    first = dry_runs.start_dry_run(campaign=draft, by=draft.created_by, settings=entered(**CLEAR))
    assert (
        dry_runs.start_dry_run(campaign=draft, by=draft.created_by, settings=entered(**CLEAR))
        == first
    )
    with refused("cannot_dry_run"):
        dry_runs.start_dry_run(
            campaign=factories.opened(), by=draft.created_by, settings=entered(**CLEAR)
        )
