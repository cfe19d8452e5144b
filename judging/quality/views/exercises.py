"""Training and qualification of a campaign: its items, the rules for passing, and annotators'
results."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.forms.plain_text import sent_text
from judging.base.texts import whole_number
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns, selections
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Question
from judging.quality.actions import exercises, qualifications
from judging.quality.forms.exercises import AnswerKeyForm, ExerciseForm, QualificationRulesForm
from judging.quality.models.exercise import Exercise, ExerciseKey

MAX_QUESTIONS = 20  # listed at most


@campaign_for_managers
@require_GET
def list_exercises(request: HttpRequest, campaign: Campaign, kind: str) -> HttpResponse:
    """List the items of a kind with their keys, and offer a further one; `?use` names a question of
    the dataset by its place among those found, because its key would distinguish systems."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    questions = _search(request, campaign)
    place = whole_number(request.GET.get("use", ""), least=1) or 0
    question = questions[place - 1] if 0 < place <= len(questions) else None
    criteria = exercises.criteria_of_items(campaign)
    return _page(request, campaign, kind, ExerciseForm(criteria=criteria, initial=_texts(question)))


@campaign_for_managers
@require_POST
def add_exercise_view(request: HttpRequest, campaign: Campaign, kind: str) -> HttpResponse:
    """Add an item, or add a repeat of one at the end."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    if again := request.POST.get("again", ""):
        repeated = get_object_or_404(
            campaign.exercises.filter(kind=kind, repeats=None), pk=whole_number(again, least=1)
        )
        with refusals_shown(request):
            exercises.repeat(exercise=repeated, by=request.user)
            messages.success(request, _("Done."))
        return redirect("judging:exercises", campaign.uuid, kind)
    form = ExerciseForm(request.POST, criteria=exercises.criteria_of_items(campaign))
    if not form.is_valid():
        return _page(request, campaign, kind, form, status=422)
    with refusals_shown(form):
        exercise = form.exercise(_known(kind))
        exercises.add_exercise(campaign=campaign, exercise=exercise, by=request.user)
        messages.success(request, _("Added."))
        return redirect("judging:exercises", campaign.uuid, kind)
    return _page(request, campaign, kind, form, status=422)


@campaign_for_managers
@require_POST
def remove_exercise_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Remove an item of a draft."""
    item = get_object_or_404(campaign.exercises, pk=pk)
    with refusals_shown(request):
        exercises.remove_exercise(exercise=item, by=request.user)
        messages.success(request, _("Done."))
    return redirect("judging:exercises", campaign.uuid, item.kind)


@campaign_for_managers
@require_POST
def set_qualification_rules(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Set the pass mark and the tries of a draft's qualification."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    form = QualificationRulesForm(request.POST, instance=campaign)
    if not form.is_valid():
        new = ExerciseForm(criteria=exercises.criteria_of_items(campaign))
        return _page(request, campaign, "qualification", new, status=422, rules=form)
    with refusals_shown(request):
        campaigns.change_plan(campaign=campaign, plan=form.cleaned_data)
        messages.success(request, _("Saved."))
    return redirect("judging:exercises", campaign.uuid, "qualification")


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def edit_exercise_key(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Correct the right values of an item; tries are marked again."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    keys = ExerciseKey.objects.filter(exercise__campaign=campaign, exercise__repeats=None)
    key = get_object_or_404(keys.select_related("exercise", "criterion"), pk=pk)
    form = AnswerKeyForm(request.POST if request.method == "POST" else None, key=key)
    if request.method == "POST" and form.is_valid():
        with refusals_shown(form):
            after, before = exercises.correct_key(
                key=key, by=request.user, now=timezone.now(), **form.cleaned_data
            )
            sentence = _(
                "Corrected. %(after)s tries pass now, %(before)s did before. Annotators who had passed stay qualified."
            )
            messages.success(request, sentence % {"after": after, "before": before})
            return redirect("judging:exercises", campaign.uuid, key.exercise.kind)
    context = {"campaign": campaign, "tab": key.exercise.kind, "form": form, "key": key}
    return render(
        request, "judging/quality/exercise_key.html", context, status=422 if form.errors else 200
    )


def _known(kind: str) -> str:
    if kind not in Exercise.Kind.values:
        raise Http404
    return kind


def _search(request: HttpRequest, campaign: Campaign) -> list[Question]:
    """Return the first questions of the dataset that contain the words searched for."""
    words = sent_text(request.GET, "find").strip()
    if not words:
        return []
    questions = Question.objects.filter(
        unit__question_set__source__dataset=campaign.dataset_id, text__icontains=words
    ).select_related("unit__question_set__source__passage")
    return list(questions.order_by("text", "pk")[:MAX_QUESTIONS])


def _texts(question: Question | None) -> dict[str, str]:
    """Return a question of the dataset as an item's texts, without its system."""
    if question is None:
        return {}
    source = question.unit.question_set.source
    passage = source.passage.text if source.passage else source.sentence
    return {"question": question.text, "passage": passage, "answer": source.answer}


def _results(campaign: Campaign) -> list[tuple[Enrollment, qualifications.QualificationStanding]]:
    """Return the annotators who have tried the qualification, and their results."""
    enrollments = campaign.enrollments.filter(tries__isnull=False).distinct().order_by("label")
    return [
        (enrollment, qualifications.qualification_standing(enrollment))
        for enrollment in enrollments.select_related("campaign")
    ]


def _page(
    request: HttpRequest,
    campaign: Campaign,
    kind: str,
    form: ExerciseForm,
    status: int = 200,
    **forms: Any,
) -> HttpResponse:
    campaign.refresh_from_db(fields=["trains", "qualifies"])
    context = {
        "campaign": campaign,
        "tab": _known(kind),
        "kind": kind,
        "items": qualifications.keys_of(campaign, kind),
        "form": form,
        "rules": QualificationRulesForm(instance=campaign),
        "results": _results(campaign) if kind == Exercise.Kind.QUALIFICATION else [],
        "find": sent_text(request.GET, "find").strip(),
        "found": _search(request, campaign),
    }
    return render(request, "judging/quality/exercises.html", context | forms, status=status)
