"""Addresses of the REST API, its schema and its documentation page."""

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.urls import path, reverse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter

from analysis.evidence.api.items import KeptExamples, RatedItems
from analysis.planning.api.documents import Documents
from analysis.planning.api.planning import DryRuns, PowerAnalyses
from analysis.published.api.published import PublishedStudies, Reproduced
from analysis.published.api.repeatability import ReproductionComparisons
from analysis.runs.api.runs import Runs
from analysis.scoring.api.degraded_checks import DegradedChecks
from analysis.scoring.api.degraded_copies import DegradedCopies
from analysis.scoring.api.scoring import Scoring
from analysis.scoring.api.tuning import Tunings
from annotation.api.preview import Previews
from annotation.api.tasks import AnnotatorCampaigns, AnnotatorTasks
from judging.base.api.contract import PlainView
from judging.campaigns.api.discussions import Decisions, RoundNotes
from judging.campaigns.api.webhooks import WebhookDeliveries, Webhooks
from judging.crowd.api.crowd_platforms import CrowdPlatforms
from judging.enrolments.api.exit_forms import ExitQuestions
from judging.imports.api.files import Files
from judging.imports.api.systems import SystemChanges
from judging.jobs.api.jobs import Jobs
from judging.llm_judges.api.llm_judges import LlmJudges
from judging.overview.api.accounts import Accounts, SiteHistory
from judging.overview.api.campaigns import Campaigns, Deviations, DrawChecks, History, Rounds
from judging.overview.api.datasets import (
    Datasets,
    Items,
    Metrics,
    Quarantined,
    References,
    Scores,
    Shares,
)
from judging.overview.api.overview import Overviews
from judging.overview.api.people import Enrolments, Invitations, Join, Members
from judging.overview.api.tokens import ApiTokens
from judging.people.api.me import Me
from judging.protocols.api.protocols import Protocols
from judging.quality.api.adjudication import Adjudications, RatingsToAdjudicate
from judging.quality.api.check_items import CheckItems
from judging.quality.api.exercises import Exercises, QualificationRules
from judging.quality.api.pay import Pay
from judging.quality.api.quality import ExclusionRules, QualityPlans
from judging.work.api.judgments import Judgments, Tasks

app_name = "api"
router = DefaultRouter(use_regex_path=False)
router.include_root_view = router.include_format_suffixes = False
router.register("jobs", Jobs, "job")
router.register("me/tokens", ApiTokens, "token")
router.register("protocols", Protocols, "protocol")
router.register("campaigns", Campaigns, "campaign")
in_campaign = "campaigns/<uuid:campaign>"
router.register(f"{in_campaign}/rounds", Rounds, "round")
router.register(f"{in_campaign}/deviations", Deviations, "deviation")
router.register(f"{in_campaign}/history", History, "event")
router.register(f"{in_campaign}/draws/check", DrawChecks, "draw-check")
router.register(f"{in_campaign}/invitations", Invitations, "invitation")
router.register(f"{in_campaign}/enrolments", Enrolments, "enrolment")
router.register(f"{in_campaign}/members", Members, "member")
router.register(f"{in_campaign}/tasks", Tasks, "task")
router.register(f"{in_campaign}/judgments", Judgments, "judgment")
router.register(f"{in_campaign}/llm-judges", LlmJudges, "llm-judge")
router.register(f"{in_campaign}/exit-questions", ExitQuestions, "exit-question")
router.register(f"{in_campaign}/exclusion-rules", ExclusionRules, "exclusion-rules")
router.register(f"{in_campaign}/adjudication/differences", RatingsToAdjudicate, "difference")
router.register(f"{in_campaign}/exercises", Exercises, "exercise")
router.register(f"{in_campaign}/check-items", CheckItems, "check-item")
router.register(f"{in_campaign}/documents", Documents, "document")
router.register(f"{in_campaign}/examples", KeptExamples, "example")
router.register(f"{in_campaign}/webhooks", Webhooks, "webhook")
router.register(
    f"{in_campaign}/webhooks/<int:webhook>/deliveries", WebhookDeliveries, "webhook-delivery"
)
router.register(f"{in_campaign}/runs", Runs, "run")
router.register(f"{in_campaign}/power-analyses", PowerAnalyses, "power-analysis")
router.register(f"{in_campaign}/dry-runs", DryRuns, "dry-run")
router.register(f"{in_campaign}/tunings", Tunings, "tuning")
router.register(f"{in_campaign}/reproduction", ReproductionComparisons, "reproduction")
router.register(f"{in_campaign}/published", Reproduced, "reproduced")
router.register("published-studies", PublishedStudies, "published-study")
router.register("datasets", Datasets, "dataset")
in_dataset = "datasets/<int:dataset>"
router.register(f"{in_dataset}/files", Files, "file")
router.register(f"{in_dataset}/items", Items, "item")
router.register(f"{in_dataset}/references", References, "reference")
router.register(f"{in_dataset}/metrics", Metrics, "metric")
router.register(f"{in_dataset}/metrics/<int:metric>/scores", Scores, "score")
router.register(f"{in_dataset}/quarantine", Quarantined, "quarantine")
router.register(f"{in_dataset}/system-changes", SystemChanges, "system-change")
router.register(f"{in_dataset}/shares", Shares, "share")
router.register(f"{in_dataset}/degraded-copies", DegradedCopies, "degraded-copy")
router.register(f"{in_dataset}/scoring", Scoring, "scoring")
router.register("accounts", Accounts, "account")
router.register("history", SiteHistory, "site-event")
router.register("annotate/campaigns", AnnotatorCampaigns, "annotator-campaign")
router.register("annotate/tasks", AnnotatorTasks, "annotator-task")

docs = csp_update(
    {"script-src": [SELF], "style-src": [SELF, UNSAFE_INLINE], "img-src": [SELF, "data:"]}
)(SpectacularSwaggerSplitView.as_view(url_name="api:schema"))

READ_AND_REPLACE = {"get": "retrieve", "put": "update"}
adjudication = Adjudications.as_view(READ_AND_REPLACE)
crowd_platform = CrowdPlatforms.as_view(
    {"get": "retrieve", "post": "create", "patch": "partial_update"}
)
qualification_rules = QualificationRules.as_view(READ_AND_REPLACE)
overview = Overviews.as_view({"get": "retrieve"})
of_round = f"{in_campaign}/rounds/<int:round>"
round_notes = RoundNotes.as_view(READ_AND_REPLACE)
decisions = Decisions.as_view(READ_AND_REPLACE)
pay = Pay.as_view(READ_AND_REPLACE)
degraded_checks = DegradedChecks.as_view({"post": "create"})
rated_items = RatedItems.as_view({"get": "retrieve"})
preview = Previews.as_view({"get": "retrieve"})
quality_plan = QualityPlans.as_view(READ_AND_REPLACE)


class Resources(PlainView):
    """The resources at the top of the API."""

    is_for_everybody = True

    @extend_schema(
        operation_id="resources_retrieve",
        responses={200: {"type": "object", "additionalProperties": {"type": "string"}}},
    )
    def get(self, request: Request) -> Response:
        """List the addresses of the resources."""
        names = {
            prefix: f"{name}-list"
            for prefix, view, name in router.registry
            if "<" not in prefix and hasattr(view, "list")
        }
        names |= {name: name for name in ("me", "join", "schema", "docs")}
        addresses = {label: reverse(f"api:{name}") for label, name in names.items()}
        return Response(
            {label: request.build_absolute_uri(address) for label, address in addresses.items()}
        )


urlpatterns = [
    path(f"{in_campaign}/adjudication/", adjudication, name="adjudication"),
    path(f"{in_campaign}/crowd-platform/", crowd_platform, name="crowd-platform"),
    path(f"{in_campaign}/exercises/rules/", qualification_rules, name="qualification-rules"),
    path(f"{in_campaign}/overview/", overview, name="overview"),
    path(f"{in_campaign}/degraded-checks/", degraded_checks, name="degraded-checks"),
    path(f"{in_campaign}/items/", rated_items, name="rated-items"),
    path(f"{in_campaign}/pay/", pay, name="pay"),
    path(f"{in_campaign}/preview/", preview, name="preview"),
    path(f"{of_round}/notes/", round_notes, name="round-notes"),
    path(f"{of_round}/decisions/", decisions, name="decisions"),
    path(f"{in_campaign}/quality/", quality_plan, name="quality"),
    path("", Resources.as_view(), name="resources"),
    path("me/", Me.as_view(), name="me"),
    path("join/", Join.as_view(), name="join"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", docs, name="docs"),
    *router.urls,
]
