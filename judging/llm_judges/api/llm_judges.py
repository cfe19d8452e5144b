"""LLM judges of a campaign: their verdicts are imported from a table, or asked for at an address."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Count, QuerySet
from django.utils.functional import SimpleLazyObject
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.downloads import FileRenderer, download_response, file_response
from judging.base.limits import MAX_TABLE_ROWS
from judging.base.refusals import Refused
from judging.campaigns.actions import selections
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import with_how_to_decline
from judging.jobs import storage, tasks
from judging.jobs.api.resources import Destroy, JobSerializer, accepted_response
from judging.llm_judges.actions import asking, judge_jobs, llm_judges
from judging.llm_judges.actions.judge_jobs import WantedJudge
from judging.llm_judges.models.llm_judge import LLMJudge
from judging.people.actions import history
from judging.people.models.event import Event

VERDICTS_FILE = "verdicts.jsonl"
ITEMS_FILE = "items-for-a-judge.jsonl"
BLIND = (
    "You judge this dataset in a campaign that has not ended. Until it is closed you see neither "
    "the items nor the verdicts of a plan that judges part of it: they would show which system "
    "made a question."
)


class LlmJudgeSerializer(serializers.ModelSerializer):
    """An LLM judge, with how many verdicts it gave. Users who judge the dataset see no problems."""

    verdicts = serializers.IntegerField(source="verdict_count")
    refused = serializers.SerializerMethodField(
        help_text=f"The number of refused verdicts; more than {llm_judges.PROBLEMS_KEPT:,} are not counted."
    )
    problems = serializers.SerializerMethodField()

    class Meta:
        model = LLMJudge
        fields = (
            "id",
            "name",
            "model",
            "version",
            "temperature",
            "judged_on",
            "cost",
            "currency",
            "prompt",
            "prompt_sha256",
            "own_systems",
            "file_name",
            "verdicts",
            "refused",
            "problems",
            "created_at",
        )

    def get_refused(self, judge: LLMJudge) -> int:
        return len(judge.problems)

    def get_problems(self, judge: LLMJudge) -> list[str]:
        return [] if self.context["is_blind"] else list(llm_judges.problem_lines(judge))


class NewLlmJudgeSerializer(serializers.ModelSerializer):
    """A new LLM judge with its verdicts: a `file` in any format that the page takes, or `verdicts`,
    one object for each question with its `item` and a value for each criterion."""

    file = serializers.FileField(required=False)
    verdicts = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        allow_empty=False,
        max_length=MAX_TABLE_ROWS,
    )
    own_systems = serializers.ListField(child=serializers.CharField(), required=False)

    class Meta:
        model = LLMJudge
        fields = (
            "name",
            "model",
            "version",
            "temperature",
            "judged_on",
            "cost",
            "currency",
            "prompt",
            "own_systems",
            "file",
            "verdicts",
        )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("file" in attrs) == ("verdicts" in attrs):
            raise ValidationError({"file": ["Send either a file or verdicts."]})
        return attrs


class AskSerializer(serializers.Serializer):
    """The model to ask, its address, the questions and the budget. Fields that are not sent have
    the values that the page offers."""

    address = serializers.CharField()
    model = serializers.CharField(max_length=200)
    name = serializers.CharField(max_length=100, required=False)
    key = serializers.CharField(
        max_length=1000,
        required=False,
        help_text="The key of the address, stored encrypted until the job ends.",
    )
    temperature = serializers.FloatField(required=False)
    repeats = serializers.IntegerField(required=False)
    first = serializers.IntegerField(required=False)
    at_once = serializers.IntegerField(required=False)
    criteria = serializers.ListField(child=serializers.CharField(), required=False)
    price_in = serializers.DecimalField(max_digits=12, decimal_places=4, required=False)
    price_out = serializers.DecimalField(max_digits=12, decimal_places=4, required=False)
    currency = serializers.CharField(max_length=3, required=False)
    budget = serializers.DecimalField(max_digits=12, decimal_places=4, required=False)
    own_systems = serializers.ListField(child=serializers.CharField(), required=False)


class EstimateSerializer(serializers.Serializer):
    """The calls, tokens and cost of asking a judge, estimated from the lengths of texts; and the
    prompt."""

    prompt = serializers.SerializerMethodField()
    calls = serializers.IntegerField(source="questions")
    tokens_in = serializers.IntegerField()
    tokens_out = serializers.IntegerField()
    cost = serializers.DecimalField(max_digits=None, decimal_places=None)
    example = serializers.SerializerMethodField(
        help_text="The first question as the judge sees it; blank for users who judge the dataset."
    )

    def get_prompt(self, estimated: Any) -> str:
        return str(self.context["prompt"])

    def get_example(self, estimated: Any) -> str:
        return "" if self.context["is_blind"] else estimated.example


@extend_schema_view(
    list=extend_schema(summary="List the LLM judges of a campaign"),
    retrieve=extend_schema(summary="Return an LLM judge"),
)
class LlmJudges(Destroy, mixins.ListModelMixin, mixins.RetrieveModelMixin, InCampaign):
    """LLM judges of a campaign. They are never counted among the annotators."""

    queryset = LLMJudge.objects.all()
    serializer_class = LlmJudgeSerializer
    filterset_fields = ("name", "model")
    lookup_value_converter = "int"
    hidden_from_analysts = ("items",)

    def rows(self) -> QuerySet[LLMJudge]:
        return self.campaign.llm_judges.annotate(verdict_count=Count("judgments"))

    def get_serializer_context(self) -> dict[str, Any]:
        return {
            **super().get_serializer_context(),
            "is_blind": SimpleLazyObject(self._is_blind),
        }

    def get_parsers(self) -> list[Any]:
        method = self.request.method.lower() if self.request else ""
        is_upload = self.action_map.get(method) == "create"
        return [*super().get_parsers(), *([MultiPartParser()] if is_upload else [])]

    @extend_schema(
        request={
            "application/json": NewLlmJudgeSerializer,
            "multipart/form-data": NewLlmJudgeSerializer,
        },
        responses={202: JobSerializer},
    )
    def create(self, request: Request, campaign: UUID) -> Response:
        """Register an LLM judge and import its verdicts by a job."""
        self._check_blind()
        about = self.content(NewLlmJudgeSerializer)
        verdicts, file = about.pop("verdicts", None), about.pop("file", None)
        if verdicts is not None:
            file = SimpleUploadedFile(VERDICTS_FILE, _json_lines(verdicts))
        kept = storage.keep_pieces(file.chunks())
        try:
            job = tasks.start_job(
                judge_jobs.start_adding,
                campaign=self.campaign,
                by=request.user,
                file=kept,
                file_name=file.name,
                about=about,
            )
        except Refused:
            storage.release_file(kept)
            raise
        return accepted_response(job)

    def remove(self, instance: LLMJudge) -> None:
        """Remove an LLM judge with its verdicts; earlier reports do not change."""
        llm_judges.remove_llm_judge(judge=instance, by=self.request.user)

    @extend_schema(request=AskSerializer, responses=EstimateSerializer)
    @action(detail=False, methods=["post"])
    def estimate(self, request: Request, campaign: UUID) -> Response:
        """Return the estimate for asking a judge, and the prompt; nothing is asked."""
        wanted, _key = self._wanted(request)
        estimated = judge_jobs.estimate_judge_job(self.campaign, wanted)
        prompt = asking.prompt_of(self.campaign, wanted.criteria)
        context = self.get_serializer_context() | {"prompt": prompt}
        return Response(EstimateSerializer(estimated, context=context).data)

    @extend_schema(request=AskSerializer, responses={202: JobSerializer})
    @action(detail=False, methods=["post"])
    def ask(self, request: Request, campaign: UUID) -> Response:
        """Ask a model at an address by a job; a judge of the same name continues where it ended."""
        wanted, key = self._wanted(request)
        job = tasks.start_job(
            judge_jobs.start_judge_job,
            campaign=self.campaign,
            by=request.user,
            wanted=wanted,
            key=key,
        )
        return accepted_response(job)

    @extend_schema(responses=file_response("application/jsonl"))
    @action(
        detail=False,
        renderer_classes=[FileRenderer],
        pagination_class=None,
        filterset_fields=None,
    )
    def items(self, request: Request, campaign: UUID) -> Any:
        """Stream the questions for a judge as JSON Lines, each with the `item` that names it."""
        self._check_blind()
        by = {"by": request.user, "campaign": self.campaign}
        history.record_event(Event.Act.EXPORTED, **by, about=ITEMS_FILE)
        return download_response(_items(self.campaign), "application/jsonl", ITEMS_FILE)

    def _wanted(self, request: Request) -> tuple[WantedJudge, str]:
        """Return the judge to be asked, and the key of its address."""
        content = self.content(AskSerializer)
        key = content.pop("key", "")
        content.setdefault("name", content["model"][:100])
        for name in ("price_in", "price_out", "budget"):  # jobs store no decimals
            if name in content:
                content[name] = str(content[name])
        for name in ("criteria", "own_systems"):
            content[name] = tuple(content.get(name, ()))
        return WantedJudge(**content), key

    def _is_blind(self) -> bool:
        return selections.names_systems(self.campaign, self.request.user)

    def _check_blind(self) -> None:
        if self._is_blind():
            user = self.request.user
            raise PermissionDenied(with_how_to_decline(BLIND, user, self.campaign.dataset))


def _json_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _items(campaign: Any) -> Iterator[str]:
    columns = llm_judges.ITEM_COLUMNS
    for row in llm_judges.item_rows(campaign):
        named = dict(zip(columns, row, strict=False))  # after them: a blank cell for each criterion
        yield f"{json.dumps(named, ensure_ascii=False)}\n"
