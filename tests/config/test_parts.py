"""No page shows somebody who judges the dataset which questions a part of it has, nor which ones
are degraded: every address of the resolver is asked, by a manager of such a study who judges in
another one."""

import itertools
from collections.abc import Container
from typing import Any

import pytest
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from analysis.actions import degradations
from analysis.actions.degradations import WantedDegradation
from judging.actions import check_items, exercises, rounds
from judging.models import (
    Assignment,
    Campaign,
    Collection,
    Exercise,
    ExerciseKey,
    Note,
    Unit,
    User,
)
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
    factories.enrollment(campaign, account=campaign.collection.owner)
    return campaign


def study_of(material: Collection, judged: Campaign, **columns: Any) -> dict[str, list[Any]]:
    """Return what stands in addresses of a study with all that shows questions: a calibration that
    was judged, with a question reported as broken, a gold question, and exercises."""
    owner = material.owner
    own = factories.campaign(collection=material, rubric=judged.rubric, manager=owner, **columns)
    people = [factories.enrollment(own) for _ in range(2)]
    trial = trials.begun(own, size=1, apart=False)
    for number, each in enumerate(people):
        trials.judged(each, trial, say=lambda text, key, number=number: 1 + 2 * number)
    rounds.close(round=trial, now=timezone.now())
    unit = Unit.objects.filter(
        question__text__contains=TEXT,
        question_set__source__collection=material,
        question_set__system__name="Alba",
    ).first()
    [first, *_] = own.rubric.criteria.all()
    gold = check_items.add_gold(campaign=own, unit=unit, text="", accepted={first.pk: [1]})
    for kind in Exercise.Kind.values:
        exercises.add(
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
        "collection": [material.pk],
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
        if "uuid" not in parts and not name.startswith(("judging:coll", "analysis:coll")):
            continue
        meant = known if "uuid" in parts else known | {"pk": known["collection"]}
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


def degraded_copy(judged: Campaign) -> Collection:
    """Return a degraded copy of the judged dataset, as adding a file leaves it."""
    wanted = WantedDegradation(
        name="Worse", systems=["Alba"], noise=["question_type"], beside="all"
    )
    owner = judged.collection.owner
    copy = degradations.degrade(collection=judged.collection, wanted=wanted, by=owner)
    Collection.objects.filter(pk=copy.pk).update(mapping={"columns": {}})
    copy.refresh_from_db()
    return copy


SHOWN_TO_OTHERS = """
    judging:export analysis:items analysis:item analysis:collection_items analysis:collection_item
    analysis:calibration judging:gold judging:gold_correct judging:exercises judging:exercise_key
    judging:tasks
"""


@pytest.mark.parametrize("what", ["part", pytest.param("copy", marks=pytest.mark.long)])
def test_who_judges_is_shown_no_question_of_a_part_or_of_a_degraded_copy(
    judged: Campaign, what: str
) -> None:
    owner = judged.collection.owner
    if what == "part":
        known = study_of(judged.collection, judged, selection={"systems": ["Alba"]})
    else:
        known = study_of(degraded_copy(judged), judged)
    of_all = {"analysis:collection_item"} if what == "part" else set()
    assert showing(owner, known) - EXPORTS == of_all

    judged.enrollments.filter(user=owner).delete()
    judged.memberships.filter(user=owner, role="annotator").delete()
    shown_to_others = set(SHOWN_TO_OTHERS.split())
    assert showing(owner, known, among=shown_to_others) == shown_to_others
