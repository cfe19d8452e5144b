"""Datasets of questions made worse on purpose: same seed same texts, nothing silently kept,
everything counted."""

import pytest
from celery import current_app

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis import frames
from analysis.scoring.actions import degradations
from analysis.scoring.actions.degrading import WantedDegradation
from analysis.sections.systems.question_sets import TextStatistics
from judging.datasets.models.dataset import Attribute, Dataset, Question, System, Unit
from judging.formats.records import QuestionRecord, SourceRecord, StudyRecords
from judging.imports.actions import adding, files
from judging.jobs.actions.jobs import JobCancelled
from judging.jobs.models.job import Job
from judging.people.models.event import Event
from judging.people.models.user import User
from tests import factories
from tests.analysis.sections.computing import records
from tests.judging.studies import NOW
from tests.refusing import refused

pytestmark = pytest.mark.django_db

WHOLE = {
    "1": "Who was the builder of the old lock at Orn in Lower Wald?",
    "2": "Which tall gates did Agnes Tolliver of York paint?",
    "3": "is it",
}
ALL = ("function_words", "entities", "content_words", "question_type")


@pytest.fixture
def canals() -> Dataset:
    """Two systems on three sources; the third question is made of function words alone. A reference
    for each."""
    sources = tuple(
        SourceRecord(
            key=key, passage=f"Passage {key}.", answer="Passage", answer_start=0, references=(text,)
        )
        for key, text in WHOLE.items()
    )
    questions = tuple(
        QuestionRecord(
            source_key=key, system=system, position=1, text=text, attributes={"topic": "locks"}
        )
        for key, text in WHOLE.items()
        for system in ("Alba", "Brisa")
    )
    expected = {(key, system): 1 for key in WHOLE for system in ("Alba", "Brisa")}
    study = StudyRecords(sources=sources, questions=questions, expected=expected)
    return stored(study, factories.researcher())


def stored(study: StudyRecords, owner: User) -> Dataset:
    made = files.create_dataset(name="Canals", by=owner, licence="CC0", language="en-GB")
    adding.store_records(records=study, dataset=made, by=owner, now=NOW)
    return made


def degraded(canals: Dataset, **changes) -> Dataset:
    wanted = {"name": "Canals, degraded", "systems": ["Alba"], "noise": ALL} | changes
    return degradations.degrade_dataset(
        dataset=canals, wanted=WantedDegradation(**wanted), by=canals.owner
    )


def texts(made: Dataset, system: str) -> dict[str, str]:
    rows = Question.objects.filter(
        unit__question_set__source__dataset=made, unit__question_set__system__name=system
    )
    return dict(rows.values_list("unit__question_set__source__key", "text"))


def test_function_words_go_and_a_question_of_nothing_else_is_excluded_and_listed(canals):
    made = degraded(canals, noise=["function_words"])

    assert texts(made, "Alba, function words dropped") == {
        "1": "Who builder old lock Orn Lower Wald?",
        "2": "Which tall gates Agnes Tolliver York paint?",
    }
    row = made.quarantine.get()
    assert (row.row, row.column, row.value) == (3, "Alba, function words dropped", "is it")
    assert row.reason == "It has no function word that could go and leave a question."


def test_counts_stand_with_the_dataset(canals):
    how = degraded(canals, seed=9).mapping["degraded"]

    counts = {each["noise"]: (each["degraded"], each["excluded"]) for each in how["systems"]}
    assert counts == dict.fromkeys(ALL, (2, 1))
    assert (how["of"], how["seed"], how["percent"]) == (
        {"dataset": canals.pk, "name": "Canals"},
        9,
        100,
    )


def test_history_says_of_what_a_copy_was_made_and_by_whom(canals):
    made = degraded(canals)
    event = Event.objects.get(act="dataset.degraded")
    assert (event.who, event.about, event.after) == (
        canals.owner_id,
        f"dataset {canals.pk}",
        f"dataset {made.pk}",
    )


def test_the_same_seed_gives_the_same_texts_and_another_seed_others(canals):
    name = "Alba, content words dropped"
    first, again, other = (texts(degraded(canals, seed=seed), name) for seed in (4, 4, 5))

    assert first == again
    assert first != other


def test_a_kind_of_noise_is_not_shifted_by_what_else_is_chosen(canals):
    name = "Alba, entities dropped"

    alone = texts(degraded(canals, noise=["entities"]), name)

    assert alone == texts(degraded(canals, systems=["Brisa", "Alba"], references=True), name)


def test_material_is_copied_with_its_licence_language_and_answers(canals):
    made = degraded(canals)

    assert (made.licence, made.language, made.owner) == ("CC0", "en-GB", canals.owner)
    assert list(made.sources.values_list("key", "answer", "answer_start", "passage__text")) == list(
        canals.sources.values_list("key", "answer", "answer_start", "passage__text")
    )
    assert texts(made, "Brisa") == WHOLE
    assert Dataset.objects.count() == 2


def test_degradations_are_systems_of_that_kind_with_their_origin_on_every_unit(canals):
    made = degraded(canals, noise=["entities"])

    kinds = dict(made.systems.values_list("name", "kind"))
    assert kinds == {"Alba": "model", "Brisa": "model", "Alba, entities dropped": "degradation"}
    units = Unit.objects.filter(question_set__system__kind=System.Kind.DEGRADATION, position=1)
    assert units.count() == 2
    for unit in units:
        about = dict(Attribute.objects.filter(unit=unit).values_list("name", "value"))
        assert about == {"noise_type": "entities", "degraded_from": "Alba", "topic": "locks"}


@pytest.mark.parametrize(
    ("beside", "systems"),
    [("all", {"Alba", "Brisa", "References"}), ("chosen", {"Alba", "References"}), ("none", set())],
)
def test_what_stands_beside_is_what_was_chosen(canals, beside, systems):
    made = degraded(canals, noise=["entities"], references=True, beside=beside)

    worse = {"Alba, entities dropped", "References, entities dropped"}
    assert set(made.systems.values_list("name", flat=True)) == systems | worse
    assert made.sources.count() == (2 if beside == "none" else 3)
    assert not made.systems.filter(name="References").exclude(kind=System.Kind.HUMAN).exists()


def test_references_are_degraded_as_a_system_of_their_own(canals):
    System.objects.filter(name="Brisa").update(name="References")

    made = degraded(canals, systems=[], references=True, noise=["function_words"], beside="chosen")

    assert dict(made.systems.values_list("name", "kind")) == {
        "References (2)": "human",
        "References (2), function words dropped": "degradation",
    }


def test_a_share_degrades_the_same_sources_of_every_system(canals):
    made = degraded(canals, systems=["Alba", "Brisa"], noise=["question_type"], percent=34, seed=2)

    alba, brisa = (texts(made, f"{name}, question word changed") for name in ("Alba", "Brisa"))
    excluded = {row.row for row in made.quarantine.all()}
    assert len(alba) + made.quarantine.count() // 2 == 2
    assert alba.keys() == brisa.keys()
    assert excluded <= {3}
    assert texts(made, "Alba") == WHOLE


def test_sets_close_their_gaps_and_say_where_a_question_stood():
    text = {1: "Who came", 2: "Who was the builder", 3: "Where is the lock"}
    study = StudyRecords(
        sources=(SourceRecord(key="1", passage="P."),),
        questions=tuple(
            QuestionRecord(source_key="1", system="Alba", position=n, text=t)
            for n, t in text.items()
        ),
        expected={("1", "Alba"): 6},
    )
    owner = factories.researcher()
    canals = stored(study, owner)

    made = degraded(canals, noise=["function_words"])

    rows = Question.objects.filter(unit__question_set__system__kind="degradation").order_by(
        "unit__position"
    )
    assert list(rows.values_list("unit__position", "text")) == [
        (1, "Who builder"),
        (2, "Where lock"),
    ]
    stood = Attribute.objects.filter(name="degraded_position").order_by("unit__position")
    assert list(stood.values_list("value", flat=True)) == ["2", "3"]
    expected = made.systems.values_list("name", "question_sets__expected").order_by("name")
    assert list(expected) == [("Alba", 6), ("Alba, function words dropped", 2)]


def test_nothing_to_degrade_is_said_and_nothing_stored(canals):
    Question.objects.update(text="is it")

    with refused("cannot_degrade"):
        degraded(canals)

    assert Dataset.objects.count() == 1


def test_degrading_can_be_stopped_at_each_question_set(canals):
    told: list[str] = []

    def cancelled(done: int, total: int, says: str) -> None:
        told.append(says)
        if len(told) == 3:
            raise JobCancelled

    wanted = WantedDegradation(name="Canals, degraded", systems=["Alba"], noise=ALL)
    with pytest.raises(JobCancelled):
        degradations.degrade_dataset(
            dataset=canals, wanted=wanted, by=canals.owner, progress=cancelled
        )
    assert told == ["Reading the dataset", *["Degrading the questions"] * 2]
    assert Dataset.objects.get() == canals


def test_size_counts_what_is_copied_and_what_is_degraded(canals):
    def size(**changes):
        wanted = {"name": "x", "systems": ["Alba"], "noise": ALL} | changes
        return degradations.size(dataset=canals, wanted=WantedDegradation(**wanted))

    assert (size(), size(beside="chosen"), size(beside="none")) == (6 + 12, 3 + 12, 12)
    assert (size(references=True, beside="none"), size(percent=50, beside="none")) == (24, 6)


def test_reports_know_degradations(canals):
    made = degraded(canals, noise=["entities"])
    read = frames.read_campaign(factories.opened(dataset=made))

    kinds = {row["system"]: row["kind"] for row in records(TextStatistics, read)}

    assert kinds == {"Alba": "model", "Brisa": "model", "Alba, entities dropped": "degradation"}


def by_job(canals: Dataset) -> Job:
    """Have a worker degrade entities, in this process."""
    wanted = WantedDegradation(name="Worse", systems=["Alba"], noise=["entities"])
    job = degradations.start_degradation(dataset=canals, wanted=wanted, by=canals.owner)
    current_app.tasks[degradations.KIND].run(str(job.pk))
    job.refresh_from_db()
    return job


@pytest.mark.django_db(transaction=True)
def test_a_job_makes_the_dataset(canals):
    job = by_job(canals)

    assert (job.state, job.result) == (
        "done",
        {"dataset": Dataset.objects.get(name="Worse").pk},
    )
