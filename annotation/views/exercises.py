"""Before the first task: training with feedback, and the qualification."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.actions.next_tasks import enrollment_of
from annotation.views import page
from annotation.views.page import ShownCriterion
from judging.actions import enrollments, participations, qualifications, sheets
from judging.actions.qualifications import NoTryLeft
from judging.guards import campaign_for_annotators
from judging.imports.readers.numbers import whole_number
from judging.models import Campaign, Enrollment, Exercise, ExerciseKey
from judging.protocols import documents
from judging.protocols.rubric_schema import CriterionPoint, RubricCriterion


@dataclass(frozen=True, slots=True)
class Feedback:
    """Whether an answer was right, which values are, and why."""

    name: str
    is_right: bool
    right: tuple[CriterionPoint, ...]
    why: str


@dataclass(frozen=True, slots=True)
class ShownExercise:
    """An item as it is shown, with its controls, and what is said of the answers once they are
    given."""

    number: int
    passage: str
    answer: str
    question: str
    criteria: tuple[ShownCriterion, ...]
    feedback: tuple[Feedback, ...] = ()


@never_cache
@campaign_for_annotators
@require_http_methods(["GET", "POST"])
def training(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show one training item; its answers are told right or wrong at once, and are not kept."""
    enrollment = enrollment_of(request.user, campaign)
    items = qualifications.keys_of(campaign, Exercise.Kind.TRAINING)
    if not items or needs_consent(enrollment):
        return redirect("annotation:work", campaign.uuid)
    place = whole_number(request.GET.get("item", ""), least=0)
    if place is None:
        place = _untried(enrollment, items)
    if not 1 <= place <= len(items):
        raise Http404
    answered = _Answered.of(*items[place - 1], _words(campaign), request.POST)
    is_sent = request.method == "POST"
    is_wrong = is_sent and bool(answered.missing)
    shown = answered.shown(is_sent=is_sent)
    if is_sent and not is_wrong:
        own = answered.exercise
        qualifications.train(enrollment=enrollment, exercise=own, now=timezone.now())
        shown = replace(shown, feedback=answered.feedback())
    context = {
        "title": campaign.title,
        "item": shown,
        "place": place,
        "count": len(items),
        "next_url": f"?item={place + 1}" if place < len(items) else "",
        "work_url": reverse("annotation:work", args=[campaign.uuid]) + "?begin",
        "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
        "is_wrong": is_wrong,
    }
    return render(request, "annotation/training.html", context, status=422 if is_wrong else 200)


def _untried(enrollment: Enrollment, items: Sequence[tuple[Exercise, Any]]) -> int:
    """Return the place of the first item that was not tried yet; the first where all were."""
    tried = set(enrollment.trained.values_list("exercise", flat=True))
    return next(
        (place for place, (each, _keys) in enumerate(items, start=1) if each.pk not in tried), 1
    )


@never_cache
@campaign_for_annotators
@require_http_methods(["GET", "POST"])
def qualification(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the qualification, take a try, and say what came of it."""
    enrollment = enrollment_of(request.user, campaign)
    if (
        not campaign.qualifies
        or needs_consent(enrollment)
        or qualifications.step(enrollment) == "training"
    ):
        return redirect("annotation:work", campaign.uuid)
    words, is_sent = _words(campaign), request.method == "POST"
    answered = [
        _Answered.of(exercise, keys, words, request.POST)
        for exercise, keys in qualifications.keys_of(campaign, Exercise.Kind.QUALIFICATION)
    ]
    is_wrong = is_sent and any(each.missing for each in answered)
    number = request.POST.get("number", "")
    if is_sent and not is_wrong and number.isdecimal() and len(number) < 5:
        return _try(enrollment, int(number), answered)
    standing = qualifications.standing(enrollment)
    if standing.outcome == "failed" and participations.screen_out(
        enrollment=enrollment, now=timezone.now()
    ):
        return redirect("annotation:work", campaign.uuid)  # which gives the platform's code
    last = standing.tries[-1] if standing.tries else None
    off = qualifications.off_criteria(attempt=last, campaign=campaign) if last else []
    context = {
        "title": campaign.title,
        "standing": standing,
        "last": last,
        "off": [words[each.key].name for each in off],
        "items": [each.shown(is_sent=is_sent) for each in answered],
        "pass_mark": campaign.pass_mark,
        "contact": campaign.contact,
        "work_url": reverse("annotation:work", args=[campaign.uuid]) + "?begin",
        "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
        "is_wrong": is_wrong,
    }
    status = 422 if is_wrong else 200
    return render(request, "annotation/qualification.html", context, status=status)


def _try(enrollment: Enrollment, number: int, answered: Iterable["_Answered"]) -> HttpResponse:
    """Take a try; one that is none any more leads to what came of those before."""
    given = {
        (each.exercise.pk, criterion): value
        for each in answered
        for criterion, value in each.given.items()
    }
    with suppress(NoTryLeft):
        qualifications.attempt(
            enrollment=enrollment, number=number, given=given, now=timezone.now()
        )
    return redirect("annotation:qualification", enrollment.campaign.uuid)


def needs_consent(enrollment: Enrollment) -> bool:
    """Say whether an annotator has still to agree to the campaign's text."""
    return not enrollments.has_agreed(enrollment)


def _words(campaign: Campaign) -> dict[str, RubricCriterion]:
    rubric = sheets.known(campaign.rubric).document
    words = documents.localized(rubric, get_language() or rubric.language)
    return {each.key: each for each in words.criteria}


@dataclass(frozen=True, slots=True)
class _Answered:
    """An item with the answers that were sent, those that are values of their scales."""

    exercise: Exercise
    keys: Sequence[ExerciseKey]
    words: Mapping[str, RubricCriterion]
    given: Mapping[int, int]  # by criterion

    @classmethod
    def of(
        cls,
        exercise: Exercise,
        keys: Sequence[ExerciseKey],
        words: Mapping[str, RubricCriterion],
        sent: QueryDict,
    ) -> Self:
        bare, given = cls(exercise, keys, words, {}), {}
        for key in keys:
            values = {str(point.value): point.value for point in words[key.criterion.key].points}
            text = sent.get(bare.name(key), "")
            if text in values:
                given[key.criterion_id] = values[text]
        return replace(bare, given=given)

    def name(self, key: ExerciseKey) -> str:
        return f"i{self.exercise.number}.{key.criterion.key}"

    @property
    def missing(self) -> set[str]:
        return {self.name(key) for key in self.keys if key.criterion_id not in self.given}

    def shown(self, *, is_sent: bool) -> ShownExercise:
        """Return the item with its controls; once sent, those without an answer say so."""
        criteria = []
        for key in self.keys:
            given = self.given.get(key.criterion_id)
            own = page.criterion(self.words[key.criterion.key], given)
            error = _("Still to answer.") if is_sent and given is None else ""
            criteria.append(replace(own, name=self.name(key), error=error))
        of = self.exercise
        return ShownExercise(of.number, of.passage, of.answer, of.question, tuple(criteria))

    def feedback(self) -> tuple[Feedback, ...]:
        """Return of every answer whether it is right, and why."""
        found = []
        for key in self.keys:
            own = self.words[key.criterion.key]
            right = tuple(point for point in own.points if point.value in key.accepted)
            is_right = self.given[key.criterion_id] in key.accepted
            found.append(Feedback(own.name, is_right, right, key.explanation))
        return tuple(found)
