"""Training with feedback, and the qualification, which come before the first task."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.actions.next_tasks import enrollment_of
from annotation.views.exercise_pages import (
    Feedback,
    ShownExercise,
    judging_page,
    qualification_dock,
    training_dock,
)
from annotation.views.page import ExerciseDock, ShownCriterion, criterion
from judging.base.texts import whole_number
from judging.campaigns.guards import campaign_for_annotators
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.crowd.actions import participations
from judging.enrolments.actions import enrollments
from judging.protocols import documents
from judging.protocols.protocol_schema import ProtocolCriterion
from judging.quality.actions import qualifications
from judging.quality.actions.qualifications import NoTryLeft, QualificationStanding
from judging.quality.models.exercise import Exercise, ExerciseKey
from judging.work.actions import sheets


@never_cache
@campaign_for_annotators
@require_http_methods(["GET", "POST"])
def training(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show one training item; its answers are marked right or wrong at once, and are not stored."""
    enrollment = enrollment_of(request.user, campaign)
    items = qualifications.keys_of(campaign, Exercise.Kind.TRAINING)
    if not items or needs_consent(enrollment):
        return redirect("annotation:work", campaign.uuid)
    place = whole_number(request.GET.get("item", ""), least=0)
    if place is None:
        place = _untried(enrollment, items)
    if not 1 <= place <= len(items):
        raise Http404
    action = request.POST.get("action", "")
    if action == "again":
        return redirect(f"{request.path}?item={place}")
    if action == "next":
        return redirect(_after_training_item(campaign, place, len(items)))
    answered = AnsweredItem.of(*items[place - 1], criteria_in_language(campaign), request.POST)
    is_sent = request.method == "POST"
    is_wrong = is_sent and bool(answered.missing)
    is_answered = is_sent and not is_wrong
    if is_answered:
        exercise = answered.exercise
        qualifications.train(enrollment=enrollment, exercise=exercise, now=timezone.now())
    item = _training_item(answered, place, len(items), is_sent=is_sent, is_answered=is_answered)
    page = judging_page(enrollment, item, submit_url=f"{request.path}?item={place}")
    return render(request, "annotation/judge.html", {"page": page}, status=422 if is_wrong else 200)


def _training_item(
    answered: "AnsweredItem", place: int, count: int, *, is_sent: bool, is_answered: bool
) -> ShownExercise:
    """Return a training item as the page shows it, with what is right once it is answered."""
    introduction = ""
    if place == 1 and not is_answered:
        introduction = _(
            "Answer, and see at once what is right and why. You may try as often as you like; "
            "nothing of it counts or is kept."
        )
    return answered.shown(
        _("Training, %(place)s of %(count)s") % {"place": place, "count": count},
        place=place,
        count=count,
        is_sent=is_sent,
        dock=training_dock(is_answered=is_answered, is_last=place == count),
        introduction=introduction,
        feedback=answered.feedback() if is_answered else (),
    )


def _after_training_item(campaign: Campaign, place: int, count: int) -> str:
    if place < count:
        return reverse("annotation:training", args=[campaign.uuid]) + f"?item={place + 1}"
    return reverse("annotation:work", args=[campaign.uuid]) + "?begin"


def _untried(enrollment: Enrollment, items: Sequence[tuple[Exercise, Any]]) -> int:
    """Return the place of the first item not tried yet; the first item if all were tried."""
    tried = set(enrollment.trained.values_list("exercise", flat=True))
    return next(
        (place for place, (each, _keys) in enumerate(items, start=1) if each.pk not in tried), 1
    )


@never_cache
@campaign_for_annotators
@require_http_methods(["GET", "POST"])
def qualification(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the results of the qualification so far and, once begun, one item after the other. The
    page carries the answers to the others until the last is sent, which completes a try."""
    enrollment = enrollment_of(request.user, campaign)
    if (
        not campaign.qualifies
        or needs_consent(enrollment)
        or qualifications.qualification_step(enrollment) == "training"
    ):
        return redirect("annotation:work", campaign.uuid)
    standing = qualifications.qualification_standing(enrollment)
    if standing.outcome == "failed" and participations.screen_out(
        enrollment=enrollment, now=timezone.now()
    ):
        return redirect("annotation:work", campaign.uuid)  # that page shows the platform's code
    is_open = standing.outcome not in ("passed", "failed")
    if is_open and (request.method == "POST" or "item" in request.GET):
        return _qualification_item(request, enrollment, standing)
    return _qualification_outcome(request, enrollment, standing)


def _qualification_item(
    request: HttpRequest, enrollment: Enrollment, standing: QualificationStanding
) -> HttpResponse:
    """Show the first item, the previous one, or the next without an answer; if none is left, mark
    the try."""
    campaign, words = enrollment.campaign, criteria_in_language(enrollment.campaign)
    items = [
        AnsweredItem.of(exercise, keys, words, request.POST)
        for exercise, keys in qualifications.keys_of(campaign, Exercise.Kind.QUALIFICATION)
    ]
    number = whole_number(request.POST.get("number", ""), least=1) or standing.next
    place, is_wrong = _place_to_show(request, items)
    if place is None:
        return _try(enrollment, number, items)
    unanswered = {place for place, item in enumerate(items, start=1) if item.missing}
    carried = [("number", str(number)), ("item", str(place))]
    for other, answered in enumerate(items, start=1):
        carried += answered.as_sent() if other != place else []
    item = items[place - 1].shown(
        _("Qualification, %(place)s of %(count)s") % {"place": place, "count": len(items)},
        place=place,
        count=len(items),
        is_sent=is_wrong,
        dock=qualification_dock(is_first=place == 1, is_last=unanswered <= {place}),
        carried=carried,
    )
    page = judging_page(enrollment, item, submit_url=request.path)
    return render(request, "annotation/judge.html", {"page": page}, status=422 if is_wrong else 200)


def _place_to_show(
    request: HttpRequest, items: Sequence["AnsweredItem"]
) -> tuple[int | None, bool]:
    """Return the place of the item to show, None if all are answered, and whether it was sent
    without an answer."""
    sent_place = whole_number(request.POST.get("item", ""), least=1) or len(items)
    sent_place = min(sent_place, len(items))
    if request.POST.get("action") == "back":
        return max(1, sent_place - 1), False
    if request.method == "POST" and items[sent_place - 1].missing:
        return sent_place, True
    return next((place for place, item in enumerate(items, start=1) if item.missing), None), False


def _qualification_outcome(
    request: HttpRequest, enrollment: Enrollment, standing: QualificationStanding
) -> HttpResponse:
    """Show the results of the tries so far, and how to begin the next."""
    campaign, words = enrollment.campaign, criteria_in_language(enrollment.campaign)
    last = standing.tries[-1] if standing.tries else None
    off = qualifications.failed_criteria(attempt=last, campaign=campaign) if last else []
    context = {
        "title": campaign.title,
        "standing": standing,
        "last": last,
        "off": [words[each.key].name for each in off],
        "items": campaign.exercises.filter(kind=Exercise.Kind.QUALIFICATION).count(),
        "pass_mark": campaign.pass_mark,
        "contact": campaign.contact,
        "work_url": reverse("annotation:work", args=[campaign.uuid]) + "?begin",
        "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
    }
    return render(request, "annotation/qualification.html", context)


def _try(enrollment: Enrollment, number: int, answered: Iterable["AnsweredItem"]) -> HttpResponse:
    """Store a try; if no try is left, lead to the results of the earlier ones."""
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
    """Return whether an annotator still has to agree to the campaign's text."""
    return not enrollments.has_agreed(enrollment)


def criteria_in_language(campaign: Campaign) -> dict[str, ProtocolCriterion]:
    """Return the criteria of a campaign by key, in the language of the page."""
    protocol = sheets.cached_protocol(campaign.protocol).document
    words = documents.localized(protocol, get_language() or protocol.language)
    return {each.key: each for each in words.criteria}


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """An item with the sent answers that are values of their scales."""

    exercise: Exercise
    keys: Sequence[ExerciseKey]
    words: Mapping[str, ProtocolCriterion]
    given: Mapping[int, int]  # by criterion

    @classmethod
    def of(
        cls,
        exercise: Exercise,
        keys: Sequence[ExerciseKey],
        words: Mapping[str, ProtocolCriterion],
        sent: Mapping[str, Any],
    ) -> Self:
        bare, given = cls(exercise, keys, words, {}), {}
        for key in keys:
            values = {str(point.value): point.value for point in words[key.criterion.key].points}
            text = str(sent.get(bare.name(key), ""))
            if text in values:
                given[key.criterion_id] = values[text]
        return replace(bare, given=given)

    def name(self, key: ExerciseKey) -> str:
        return f"i{self.exercise.number}.{key.criterion.key}"

    @property
    def missing(self) -> set[str]:
        return {self.name(key) for key in self.keys if key.criterion_id not in self.given}

    def criteria(self, *, is_sent: bool) -> tuple[ShownCriterion, ...]:
        """Return the item's controls; once sent, those without an answer show an error."""
        criteria = []
        for key in self.keys:
            given = self.given.get(key.criterion_id)
            own = criterion(self.words[key.criterion.key], given)
            error = _("Still to answer.") if is_sent and given is None else ""
            criteria.append(replace(own, name=self.name(key), error=error))
        return tuple(criteria)

    def shown(
        self,
        title: str,
        *,
        place: int,
        count: int,
        is_sent: bool,
        dock: ExerciseDock,
        introduction: str = "",
        feedback: tuple[Feedback, ...] = (),
        carried: Sequence[tuple[str, str]] = (),
    ) -> ShownExercise:
        """Return the item as the page shows it, with the texts and buttons around it."""
        return ShownExercise(
            title=title,
            place=place,
            count=count,
            passage=self.exercise.passage,
            answer=self.exercise.answer,
            question=self.exercise.question,
            criteria=self.criteria(is_sent=is_sent),
            dock=dock,
            introduction=introduction,
            feedback=feedback,
            carried=carried,
        )

    def as_sent(self) -> list[tuple[str, str]]:
        """Return the answers as the names and values of fields."""
        return [
            (self.name(key), str(self.given[key.criterion_id]))
            for key in self.keys
            if key.criterion_id in self.given
        ]

    def feedback(self) -> tuple[Feedback, ...]:
        """Return for every answer whether it is right, and why."""
        found = []
        for key in self.keys:
            own = self.words[key.criterion.key]
            right = tuple(point for point in own.points if point.value in key.accepted)
            is_right = self.given[key.criterion_id] in key.accepted
            found.append(Feedback(own.key, own.name, is_right, right, key.explanation))
        return tuple(found)
