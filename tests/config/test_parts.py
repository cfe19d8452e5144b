"""No page shows somebody who judges the dataset which questions a part of it has, nor which ones
are degraded: every address of the resolver is asked, by a manager of such a study who judges in
another one."""

import itertools
from collections.abc import Container
from typing import Any

import pytest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from analysis.scoring.actions import degradations
from analysis.scoring.actions.degrading import WantedDegradation
from judging.campaigns.actions import rounds
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset, Question, Unit
from judging.people.models.user import User
from judging.quality.actions import check_items, exercises
from judging.quality.models.exercise import Exercise, ExerciseKey
from judging.work.models.assignment import Note
from tests import factories
from tests.annotation import studies
from tests.config.test_sweep import addresses, plain_errors  # noqa: F401
from tests.judging import trials

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_errors")]
# What is taken along on purpose: it stands in the history, and who took it among those who could
# have known the systems.
EXPORTS = {"judging:export", "judging:label_studio"}
ASKS = {
    "judging:gold": ["?source=s1", "?source=s2"],
    "judging:exercises": ["?find=want"],
    "judging:export": ["?trials"],
}
TEXT = "question want to know"


@pytest.fixture
def judged() -> Campaign:
    """Return a running study in which somebody judges who owns its material."""
    campaign = studies.opened("qgbench", sources=4)
    factories.enrollment(campaign, account=campaign.dataset.owner)
    return campaign


def study_of(material: Dataset, judged: Campaign, **columns: Any) -> dict[str, list[Any]]:
    """Return what stands in addresses of a study with all that shows questions: a calibration that
    was judged, with a question reported as broken, a gold question, and exercises."""
    owner = material.owner
    own = factories.campaign(dataset=material, protocol=judged.protocol, manager=owner, **columns)
    people = [factories.enrollment(own) for _ in range(2)]
    trial = trials.begun(own, size=1, apart=False)
    for number, each in enumerate(people):
        trials.judged(each, trial, say=lambda text, key, number=number: 1 + 2 * number)
    rounds.close_round(round=trial, now=timezone.now())
    unit = Unit.objects.filter(
        question__text__contains=TEXT,
        question_set__source__dataset=material,
        question_set__system__name="Alba",
    ).first()
    [first, *_] = own.protocol.criteria.all()
    gold = check_items.add_gold(campaign=own, unit=unit, text="", accepted={first.pk: [1]})
    for kind in Exercise.Kind.values:
        exercises.add_exercise(
            campaign=own,
            exercise=exercises.NewExercise(
                kind=kind,
                question=unit.question.text,
                keys={first.key: exercises.KeyText((1,))},
            ),
            by=owner,
        )
    done = Assignment.objects.filter(round=trial).first()
    Note.objects.create(assignment=done, unit=unit, text="broken", sequence=1)
    keys = ExerciseKey.objects.filter(exercise__campaign=own)
    return {
        "uuid": [own.uuid],
        "pk": [trial.pk, gold.pk, keys.first().pk],
        "dataset": [material.pk],
        "source": [unit.question_set.source_id],
        "kind": Exercise.Kind.values,
        "name": ["levels"],
        "key": ["csv"],
        "number": [1],
    }


def showing(user: User, known: dict[str, list[Any]], among: Container[str] = ()) -> set[str]:
    """Return the names of the addresses, of all or of some, that show questions to somebody."""
    client, found = factories.logged_in(user), set()
    for name, parts in addresses():
        if among and name not in among:
            continue
        if "uuid" not in parts and not name.startswith(("judging:dataset", "analysis:dataset")):
            continue
        meant = known if "uuid" in parts else known | {"pk": known["dataset"]}
        for values in itertools.product(*(meant.get(part, [1]) for part in parts)):
            try:
                path = reverse(name, kwargs=dict(zip(parts, values, strict=True)))
            except NoReverseMatch:
                continue
            for query in ("", *ASKS.get(name, ())):
                answer = client.get(path + query)
                assert answer.status_code < 500, path
                body = b"".join(answer) if answer.streaming else answer.content
                if TEXT in body.decode(errors="replace"):
                    found.add(name)
    return found


def fewer(judged: Campaign) -> Dataset:
    """Return a dataset that holds one of the files of the judged one, those of a system."""
    Dataset.objects.filter(pk=judged.dataset_id).update(file_sha256="a" * 64)
    own = factories.dataset(
        sources=4, systems=["Alba"], owner=judged.dataset.owner, file_sha256="a" * 64
    )
    for question in Question.objects.filter(unit__question_set__source__dataset=own):
        question.text = f"What does the {question.pk}th {TEXT}?"
        question.save()
    return own


@pytest.mark.parametrize(
    "what",
    [
        "part",
        pytest.param("copy", marks=pytest.mark.long),
        pytest.param("what the copy is of", marks=pytest.mark.long),
        pytest.param("fewer systems", marks=pytest.mark.long),
    ],
)
def test_who_judges_is_shown_no_question_of_a_part_or_of_a_degraded_copy(judged, what) -> None:
    owner, material, judges_in = judged.dataset.owner, judged.dataset, judged
    columns = {"selection": {"systems": ["Alba"]}} if what == "part" else {}
    if what == "fewer systems":
        material = fewer(judged)
    elif what != "part":
        wanted = WantedDegradation(
            name="Worse", systems=["Alba"], noise=["question_type"], beside="all"
        )
        copy = degradations.degrade_dataset(dataset=material, wanted=wanted, by=owner)
        # as adding a file leaves it
        Dataset.objects.filter(pk=copy.pk).update(mapping={"columns": {}})
        copy.refresh_from_db()
        if what == "copy":
            material = copy
        else:
            factories.enrollment(judged).campaign.enrollments.filter(user=owner).delete()
            judged.memberships.filter(user=owner, role="annotator").delete()
            judges_in = factories.campaign(dataset=copy, manager=owner)
            factories.enrollment(judges_in, account=owner)
    known = study_of(material, judged, **columns)
    of_all = {"analysis:dataset_item"} if what == "part" else set()
    assert showing(owner, known) - EXPORTS == of_all
    if what not in ("part", "copy"):
        return  # that the same pages do show them is seen with these two

    judges_in.enrollments.filter(user=owner).delete()
    judges_in.memberships.filter(user=owner, role="annotator").delete()
    shown_to_others = {
        "judging:export",
        "analysis:items",
        "analysis:item",
        "analysis:dataset_items",
        "analysis:dataset_item",
        "analysis:calibration",
        "judging:gold",
        "judging:gold_correct",
        "judging:exercises",
        "judging:exercise_key",
        "judging:tasks",
    }
    assert showing(owner, known, among=shown_to_others) == shown_to_others


def test_who_judges_elsewhere_makes_no_part_and_clears_none(judged) -> None:
    """Degraded copies that were made for a part stay when it is made the whole again."""
    owner, material = judged.dataset.owner, judged.dataset
    part = factories.campaign(dataset=material, manager=owner, selection={"systems": ["Alba"]})
    unit = Unit.objects.filter(
        question__isnull=False, question_set__source__dataset=material
    ).first()
    check_items.add_degraded(campaign=part, unit=unit, text=f"Who {TEXT}", method="noise")
    client, choice = factories.logged_in(owner), reverse("judging:selection", args=[part.uuid])
    assert client.post(choice, {"ids": ""}).status_code == 403
    Campaign.objects.filter(pk=part.pk).update(selection={})
    gold = reverse("judging:gold", args=[part.uuid])
    assert f"Who {TEXT}" not in client.get(gold).text
    judged.enrollments.filter(user=owner).delete()
    judged.memberships.filter(user=owner, role="annotator").delete()
    assert f"Who {TEXT}" in client.get(gold).text
    assert client.post(choice, {"ids": ""}).status_code == 302
