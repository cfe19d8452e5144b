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
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns, selections
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Question
from judging.quality.actions import exercises, qualifications
from judging.quality.forms.exercises import AnswerKeyForm, ExerciseForm, QualificationRulesForm
from judging.quality.models.exercise import Exercise, ExerciseKey

FOUND = 20  # questions listed at most


@campaign_for_managers
@require_GET
def list_exercises(request: HttpRequest, campaign: Campaign, kind: str) -> HttpResponse:
    """List the items of a kind with their keys, and offer a further one; `?use` names a question of
    the dataset by its place among those found, because its key would distinguish systems."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    use, (_wanted, found) = _key(request.GET.get("use", "")), _found(request, campaign)
    picked = found[use - 1] if 0 < use <= len(found) else None
    return _page(
        request,
        campaign,
        kind,
        ExerciseForm(criteria=exercises.criteria_of_items(campaign), initial=_texts(picked)),
    )


@campaign_for_managers
@require_POST
def add_exercise_view(request: HttpRequest, campaign: Campaign, kind: str) -> HttpResponse:
    """Add an item, or add a repeat of one at the end."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    again = request.POST.get("again", "")
    if again:
        first = get_object_or_404(
            campaign.exercises.filter(kind=kind, repeats=None), pk=_key(again)
        )
        return _done(
            request, campaign, kind, lambda: exercises.repeat(exercise=first, by=request.user)
        )
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
    return _done(
        request,
        campaign,
        item.kind,
        lambda: exercises.remove_exercise(exercise=item, by=request.user),
    )


@campaign_for_managers
@require_POST
def set_qualification_rules(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Set the pass mark and the tries of a draft's qualification."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    form = QualificationRulesForm(request.POST, instance=campaign)
    if not form.is_valid():
        new = ExerciseForm(criteria=exercises.criteria_of_items(campaign))
        return _page(request, campaign, "qualification", new, status=422, rules=form)
    kept = form.cleaned_data
    return _done(
        request,
        campaign,
        "qualification",
        lambda: campaigns.change_plan(campaign=campaign, plan=kept),
        _("Saved."),
    )


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def edit_exercise_key(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Correct the right values of an item; tries are marked again."""
    selections.keep_from_who_judges(request.user, campaign.dataset, campaign=campaign)
    keys = ExerciseKey.objects.filter(exercise__campaign=campaign, exercise__repeats=None)
    own = get_object_or_404(keys.select_related("exercise", "criterion"), pk=pk)
    form = AnswerKeyForm(request.POST if request.method == "POST" else None, key=own)
    if request.method == "POST" and form.is_valid():
        with refusals_shown(form):
            after, before = exercises.correct_key(
                key=own, by=request.user, now=timezone.now(), **form.cleaned_data
            )
            said = _(
                "Corrected. %(after)s tries pass now, %(before)s did before. Annotators who had passed stay qualified."
            )
            messages.success(request, said % {"after": after, "before": before})
            return redirect("judging:exercises", campaign.uuid, own.exercise.kind)
    context = {"campaign": campaign, "tab": own.exercise.kind, "form": form, "key": own}
    return render(
        request, "judging/quality/exercise_key.html", context, status=422 if form.errors else 200
    )


def _known(kind: str) -> str:
    if kind not in Exercise.Kind.values:
        raise Http404
    return kind


def _key(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def _questions(campaign: Campaign) -> Any:
    found = Question.objects.filter(unit__question_set__source__dataset=campaign.dataset_id)
    return found.select_related("unit__question_set__source__passage")


def _found(request: HttpRequest, campaign: Campaign) -> tuple[str, list[Question]]:
    """Return the words searched for in the dataset, and the first questions that contain them."""
    wanted = sent_text(request.GET, "find").strip()
    if not wanted:
        return "", []
    questions = _questions(campaign).filter(text__icontains=wanted)
    return wanted, list(questions.order_by("text", "pk")[:FOUND])


def _texts(picked: Question | None) -> dict[str, str]:
    """Return a question of the dataset as an item's texts, without its system."""
    if picked is None:
        return {}
    source = picked.unit.question_set.source
    passage = source.passage.text if source.passage else source.sentence
    return {"question": picked.text, "passage": passage, "answer": source.answer}


def _done(
    request: HttpRequest, campaign: Campaign, kind: str, act: Any, said: str = ""
) -> HttpResponse:
    with refusals_shown(request):
        act()
        messages.success(request, said or _("Done."))
    return redirect("judging:exercises", campaign.uuid, kind)


def _results(campaign: Campaign) -> list[tuple[Enrollment, qualifications.QualificationStanding]]:
    """Return the annotators who have tried the qualification, and their results."""
    tried = campaign.enrollments.filter(tries__isnull=False).distinct().order_by("label")
    found = []
    for each in tried:
        each.campaign = campaign
        found.append((each, qualifications.qualification_standing(each)))
    return found


def _page(
    request: HttpRequest,
    campaign: Campaign,
    kind: str,
    form: ExerciseForm,
    status: int = 200,
    **forms: Any,
) -> HttpResponse:
    campaign.refresh_from_db(fields=["trains", "qualifies"])
    wanted, found = _found(request, campaign)
    context = {
        "campaign": campaign,
        "tab": _known(kind),
        "kind": kind,
        "items": qualifications.keys_of(campaign, kind),
        "form": form,
        "rules": QualificationRulesForm(instance=campaign),
        "results": _results(campaign) if kind == Exercise.Kind.QUALIFICATION else [],
        "find": wanted,
        "found": found,
    }
    return render(request, "judging/quality/exercises.html", context | forms, status=status)
