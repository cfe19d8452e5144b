"""Pages of a dataset's metrics: available and computed ones, estimates of the time, and comparisons
of two columns."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Max, Q
from django.db.models.fields.json import KeyTextTransform
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.http import require_GET, require_POST

from analysis.scoring.actions import (
    column_pairs,
    fitting,
    offers,
    scoring_jobs,
    system_columns,
    tuning,
)
from analysis.scoring.actions.scores import core_metrics
from analysis.scoring.forms.metrics import CompareForm, ScoresForm, SystemScoresForm
from analysis.scoring.reports import scoring as layout
from analysis.scoring.views.job_pages import JobPage
from judging.base.views.refusals import refusals_shown
from judging.campaigns.guards import not_for_who_judges
from judging.datasets.actions import dataset_counts
from judging.datasets.guards import dataset_for_owner, dataset_for_readers
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric
from judging.jobs.guards import jobs_of
from judging.jobs.models.job import Job
from quaestor_metrics._languages import is_spaced

PRESETS = {
    "qgbench": _lazy("QG-Bench's columns (lmqg)"),
    "rouge_score": _lazy("rouge-score"),
    "nltk": _lazy("NLTK, lower-cased"),
}
TOLD = {  # counts from the details of a column's scores
    "uncased": Count("scores", filter=Q(scores__detail__cased=False)),
    "truncated": Count("scores", filter=Q(scores__detail__truncated=True)),
    "unknown": Count("scores", filter=Q(scores__detail__unknown__gt=0)),
    "empty": Count("scores", filter=Q(scores__detail__note="empty hypothesis")),
    "signature": Max(KeyTextTransform("signature", "scores__detail")),
}


@dataset_for_readers
@require_GET
def show_metrics(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Show every metric, whether it can be computed here, and the dataset's scores; `?tuning=`
    fills in the weights of a tuning."""
    tuned = _tuned(request, dataset) if "tuning" in request.GET else None
    initial: dict[str, Any] = {"metrics": core_metrics(dataset)}
    if tuned:
        base = tuned.parameters["metric"]
        initial = {
            "metrics": [base],
            "variants": ["q"],
            **ScoresForm.filled(tuning.tuned_settings(tuned)),
        }
    if preset := offers.PRESETS.get(request.GET.get("recipe", "")):
        initial = {**preset, **ScoresForm.filled(preset["settings"])}
    form = ScoresForm(initial=initial, dataset=dataset)
    return PAGE.page(request, dataset, form, tuned=tuned)


@dataset_for_owner
@require_POST
def add_systems(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Keep scores of systems from a file."""
    form = SystemScoresForm(request.POST, request.FILES, dataset=dataset)
    if form.is_valid():
        declared = {name: form.cleaned_data[name] for name in ("direction", "scale")}
        with refusals_shown(form):
            made = system_columns.store_system_columns(
                dataset=dataset, **form.cleaned_data["file"], **declared
            )
            messages.success(
                request, _("Columns of scores of systems added: %(n)s.") % {"n": len(made)}
            )
            return redirect("analysis:metrics", dataset.pk)
    chosen = ScoresForm(initial={"metrics": core_metrics(dataset)}, dataset=dataset)
    return PAGE.page(request, dataset, chosen, status=422, systems_form=form)


@dataset_for_readers
@not_for_who_judges
@require_GET
def compare_columns_view(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    """Put two columns of scores beside each other."""
    form = CompareForm(request.GET, dataset=dataset)
    if not form.is_valid():
        return render(
            request,
            "analysis/scoring/compare.html",
            {"dataset": dataset, "form": form},
            status=422,
        )
    first, second = form.cleaned_data["first"], form.cleaned_data["second"]
    recipes = request.GET.get("recipes", "")  # "quick" or "all"
    context = {
        "dataset": dataset,
        "form": form,
        "first": layout.describe_column(first),
        "second": layout.describe_column(second),
        "found": layout.describe_comparison(column_pairs.compare_columns(first, second)),
        "has_recipes": Metric.Kind.IMPORTED in (first.kind, second.kind),
        "recipes": recipes,
        "fits": _fits(dataset, first, second, slow=recipes == "all") if recipes else [],
    }
    return render(request, "analysis/scoring/compare.html", context)


def _fits(dataset: Dataset, first: Metric, second: Metric, *, slow: bool) -> list[dict[str, Any]]:
    """Return the recipes nearest to each imported column, for the page."""
    imported = [
        column for column in dict.fromkeys((first, second)) if column.kind == Metric.Kind.IMPORTED
    ]
    found = [(column, fitting.nearest_recipes(dataset, column, slow=slow)) for column in imported]
    return [
        {"column": column, "fits": [layout.fit(fit) for fit in fits.best], "found": fits}
        for column, fits in found
        if fits
    ]


def _tuned(request: HttpRequest, dataset: Dataset) -> Job:
    """Return the requested finished tuning if it is on judgments of this dataset; any other is a
    404."""
    try:
        asked = UUID(request.GET["tuning"])
    except ValueError:
        raise Http404 from None
    done = jobs_of(request.user).filter(campaign__dataset=dataset).done(tuning.KIND)
    return get_object_or_404(done.select_related("campaign"), pk=asked)


def _columns(dataset: Dataset) -> list[Metric]:
    """Return a dataset's metrics with counts from the details of their scores; only computed scores
    have details."""
    computed = dataset.metrics.filter(kind=Metric.Kind.COMPUTED).order_by()
    details = {each.pop("pk"): each for each in computed.annotate(**TOLD).values("pk", *TOLD)}
    found = dataset_counts.count_metrics(dataset)
    for each in found:
        vars(each).update(details.get(each.pk, dict.fromkeys(TOLD)))
    return sorted(found, key=lambda each: (each.kind, each.name, each.pk))


def _content(request: HttpRequest, dataset: Dataset, form: ScoresForm) -> dict[str, Any]:
    estimated, scored = (
        scoring_jobs.newest_scoring_job(dataset, kind)
        for kind in (scoring_jobs.ESTIMATE, scoring_jobs.KIND)
    )
    has_estimate = estimated and estimated.state == Job.State.DONE
    return {
        **_choices(dataset, form),
        "columns": [layout.describe_column(row) for row in _columns(dataset)],
        "compare": CompareForm(dataset=dataset),
        "systems_form": SystemScoresForm(dataset=dataset),
        "is_owner": dataset.owner_id == request.user.pk,
        "estimate": layout.describe_estimate(estimated.result) if has_estimate else None,
        "jobs": scoring_jobs.unfinished_scoring_jobs(dataset),
        "failures": layout.failures(scored.result.get("failures", {})) if scored else (),
    }


def _choices(dataset: Dataset, form: ScoresForm) -> dict[str, Any]:
    """Return the metrics that can be chosen, those that cannot, and the settings of variants."""
    chosen = {str(id) for id in form["metrics"].value() or ()}
    offered = [_offered(offer, form, chosen) for offer in offers.list_metric_offers(dataset)]
    has_presets = is_spaced(dataset.language)
    return {
        "offers": [each for each in offered if not each["offer"].reason],
        "lacking": [each for each in offered if each["offer"].reason],
        "presets": [(key, PRESETS[key]) for key in offers.PRESETS] if has_presets else [],
        "made": [form[f"-{parameter.name}"] for parameter in form.settings[""]],
    }


def _offered(offer: offers.MetricOffer, form: ScoresForm, chosen: set[str]) -> dict[str, Any]:
    """Return a metric with its box and settings."""
    settings = [f"{offer.id}-{each.name}" for each in form.settings.get(offer.id, ())]
    return {
        "offer": offer,
        "about": layout.describe_metric(offer.id, offer.origin),
        "is_chosen": offer.id in chosen,
        "settings": [form[name] for name in settings],
        "open": any(form[name].errors or name in form.initial for name in settings),
    }


PAGE = JobPage(
    kind=scoring_jobs.KIND,
    template="analysis/scoring/metrics.html",
    form=ScoresForm,
    start=scoring_jobs.start_scoring,
    settings=lambda form: {
        "kind": scoring_jobs.ESTIMATE if "estimate" in form.data else scoring_jobs.KIND,
        "parameters": form.parameters(),
    },
    content=_content,
)
start = dataset_for_readers(require_POST(PAGE.ask))
