"""Campaigns: planning, locking, opening and closing them, and their changes, draws and history."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args
from uuid import UUID

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.text import slugify
from django_filters import rest_framework as filters
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, permissions, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base import transactions
from judging.base.api.downloads import FileRenderer, download_response, file_response
from judging.base.api.problems import Conflict
from judging.base.models.conditions import PageView
from judging.campaigns import hypotheses
from judging.campaigns.actions import (
    campaigns,
    clones,
    draw_checks,
    draws,
    plans,
    rounds,
    selections,
)
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import MANAGERS, STAFF, campaign_for_user, judges_now
from judging.campaigns.hypotheses import DIRECTIONS, HOLM, IN_ORDER, LEVEL, METRIC_LEVELS, TWO_SIDED
from judging.campaigns.models.campaign import Campaign, Deviation, Round
from judging.campaigns.selection import (
    Over,
    Selection,
    selection_from_document,
    selection_to_document,
)
from judging.crowd.actions import crowd_platforms
from judging.datasets.guards import datasets_to_plan_with
from judging.jobs import tasks
from judging.jobs.api.entity_tags import IF_MATCH
from judging.jobs.api.resources import (
    Create,
    JobSerializer,
    Resource,
    accepted_response,
    check_confirmed,
    check_if_match,
    entity_tag,
)
from judging.jobs.models.job import Job
from judging.people.actions import history
from judging.people.guards import check_creator
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol

DESIGN = plans.PLAIN_FIELDS
LONG = ("introduction", "consent", "analysis_plan", "sample_reason")


class CampaignSerializer(serializers.ModelSerializer):
    """A campaign, with how many assignments of its main round there are."""

    dataset = serializers.IntegerField(source="dataset_id", read_only=True)
    dataset_name = serializers.CharField(source="dataset.name", read_only=True)
    fixed_view = serializers.ChoiceField(
        ["", *PageView],
        read_only=True,
        help_text="How tasks are laid out; blank: annotators choose.",
    )
    protocol = serializers.IntegerField(source="protocol_id", read_only=True)
    protocol_key = serializers.CharField(source="protocol.key", read_only=True)
    protocol_version = serializers.CharField(source="protocol.version", read_only=True)
    created_by = serializers.CharField(source="created_by.username", read_only=True)
    reproduces = serializers.UUIDField(
        source="reproduces.uuid", default=None, allow_null=True, read_only=True
    )
    assignments = serializers.IntegerField(source="places", read_only=True)
    submitted = serializers.IntegerField(source="filled", read_only=True)
    held = serializers.IntegerField(read_only=True)

    class Meta:
        model = Campaign
        fields: tuple[str, ...] = (
            "uuid",
            "title",
            "state",
            "origin",
            "dataset",
            "dataset_name",
            "protocol",
            "protocol_key",
            "protocol_version",
            *(name for name in DESIGN if name not in (*LONG, "title")),
            "reproduces",
            "locked_digest",
            "created_by",
            "created_at",
            "locked_at",
            "closed_at",
            "assignments",
            "submitted",
            "held",
        )
        read_only_fields = fields

    locked_digest = serializers.CharField(
        read_only=True, help_text="The SHA-256 digest of what was locked; blank in a draft."
    )


class WholeCampaignSerializer(CampaignSerializer):
    """A campaign with its texts and the other parts of its plan."""

    class Meta(CampaignSerializer.Meta):
        fields = (
            *CampaignSerializer.Meta.fields,
            *LONG,
            "translated_texts",
            "hypotheses",
            "selection",
            "quality",
            "rate",
            "locked",
        )
        read_only_fields = fields

    locked = serializers.DictField(
        source="locked_plan",
        allow_null=True,
        read_only=True,
        help_text="The locked plan; null in a draft.",
    )


class PrimaryHypothesisSerializer(serializers.Serializer):
    """A hypothesis about two systems; or, if `metric_level` names a level, about Spearman's
    correlation of one metric or of two with the human ratings."""

    criterion = serializers.CharField()
    first = serializers.CharField(help_text="A system or a metric.")
    second = serializers.CharField(
        default="", allow_blank=True, help_text="The other system or metric; blank for one metric."
    )
    direction = serializers.ChoiceField(
        choices=DIRECTIONS,
        default=TWO_SIDED,
        help_text="`non_inferior`: the first system is not worse by the criterion's margin or more.",
    )
    metric_level = serializers.ChoiceField(
        choices=list(METRIC_LEVELS), default="", allow_blank=True
    )


class MarginSerializer(serializers.Serializer):
    """The largest difference of two means without practical meaning."""

    points = serializers.FloatField(help_text="In points of the criterion's scale.")
    reason = serializers.CharField()


class HypothesesSerializer(serializers.Serializer):
    """A plan's declarations about tests."""

    primary = PrimaryHypothesisSerializer(many=True, required=False)
    level = serializers.FloatField(default=LEVEL)
    multiplicity = serializers.ChoiceField(
        choices=[HOLM, IN_ORDER],
        default=HOLM,
        help_text="Over several primary hypotheses: Holm's correction, or each only if all before it are supported.",
    )
    margins = serializers.DictField(
        child=MarginSerializer(), required=False, help_text="The margins by criterion."
    )
    corrected_together = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Criteria over whose pairs of systems Holm's correction extends.",
    )


class TextsSerializer(serializers.Serializer):
    """Texts that annotators read, in another language than the campaign's."""

    introduction = serializers.CharField(required=False, allow_blank=True)
    pay = serializers.CharField(required=False, allow_blank=True)
    consent = serializers.CharField(required=False, allow_blank=True)


class DesignSerializer(serializers.ModelSerializer):
    """The design of a draft: protocol, annotators, order, lease, the texts annotators read, and its
    declared hypotheses. `hypotheses` and `translated_texts` replace the earlier ones."""

    protocol = serializers.IntegerField(required=False)
    time_zone = serializers.CharField(required=False, max_length=60)
    hypotheses = HypothesesSerializer(required=False)
    translated_texts = serializers.DictField(child=TextsSerializer(), required=False)

    class Meta:
        model = Campaign
        fields: tuple[str, ...] = ("protocol", *DESIGN, "hypotheses", "translated_texts")
        extra_kwargs = {"title": {"required": False}}


class NewCampaignSerializer(DesignSerializer):
    """A new draft: dataset, protocol and design. Without `annotators_per_task` there are as many as
    the protocol says."""

    dataset = serializers.IntegerField()
    protocol = serializers.IntegerField()

    class Meta(DesignSerializer.Meta):
        fields = ("dataset", *DesignSerializer.Meta.fields)
        extra_kwargs = {"title": {"required": True}}


class SampleSerializer(serializers.Serializer):
    """How many sources are drawn: in all, from each value of a column, or for each system."""

    size = serializers.IntegerField(min_value=1)
    seed = serializers.IntegerField(min_value=0)
    over = serializers.ChoiceField(get_args(Over), default="sources")
    column = serializers.CharField(default="", allow_blank=True)
    each = serializers.BooleanField(default=False)

    def validate(self, said: dict[str, Any]) -> dict[str, Any]:
        if (said["over"] == "column") != bool(said["column"]):
            raise ValidationError({"column": ["Name a column if the sample is drawn over one."]})
        return said


class SelectionSerializer(serializers.Serializer):
    """The part of the dataset that is judged; without a choice, all of it."""

    systems = serializers.ListField(child=serializers.CharField(), required=False)
    columns = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="The wanted values of columns of metadata.",
    )
    list = serializers.ListField(
        child=serializers.ListField(
            child=serializers.CharField(allow_blank=True), min_length=2, max_length=2
        ),
        required=False,
        help_text="Pairs of a source's key and a system; a blank system means all of them.",
    )
    sample = SampleSerializer(required=False)


class ChosenSerializer(SelectionSerializer):
    """A selection, and how many questions and sources it contains."""

    questions = serializers.IntegerField()
    out_of = serializers.IntegerField()
    sources = serializers.IntegerField()


class OpeningSerializer(serializers.Serializer):
    """Whether a campaign is opened although it breaks rules of its crowd platform."""

    anyway = serializers.BooleanField(default=False)


class CampaignFilter(filters.FilterSet):
    """By state, origin, dataset, protocol and title."""

    title = filters.CharFilter(lookup_expr="icontains")
    dataset = filters.NumberFilter(field_name="dataset_id")
    protocol = filters.CharFilter(field_name="protocol__key")

    class Meta:
        model = Campaign
        fields = ("state", "origin")


@extend_schema_view(
    list=extend_schema(summary="List the campaigns that you manage or analyse"),
)
class Campaigns(mixins.ListModelMixin, Resource):
    """Campaigns that the user manages or analyses."""

    queryset = Campaign.objects.all()
    serializer_class = CampaignSerializer
    filterset_class = CampaignFilter
    lookup_field = "uuid"
    lookup_value_converter = "uuid"

    def rows(self) -> QuerySet[Campaign]:
        seen = Campaign.objects.visible_to(self.request.user).with_places()
        related = seen.select_related("dataset", "protocol", "created_by", "reproduces")
        return related.defer("protocol__document", "dataset__mapping", *_long_columns())

    def check_access(self) -> None:
        if "uuid" in self.kwargs and self.action:
            is_reading = self.request.method in permissions.SAFE_METHODS
            roles = STAFF if is_reading and self.action != "selection" else MANAGERS
            self.campaign = campaign_for_user(self.request.user, self.kwargs["uuid"], roles)

    def shown(self, campaign: Campaign, code: int = status.HTTP_200_OK) -> Response:
        """Return a campaign with its entity tag."""
        found = self.rows().defer(None).get(pk=campaign.pk)
        data = WholeCampaignSerializer(found).data
        return Response(data, status=code, headers={"ETag": _tag(found)})

    @extend_schema(responses=WholeCampaignSerializer)
    def retrieve(self, request: Request, uuid: UUID) -> Response:
        """Return a campaign. Its ETag is the state of its plan."""
        return self.shown(self.campaign)

    @extend_schema(request=NewCampaignSerializer, responses={201: WholeCampaignSerializer})
    def create(self, request: Request) -> Response:
        """Create a draft from a dataset, a protocol and a design."""
        check_creator(request.user)
        content = self.content(NewCampaignSerializer)
        usable = datasets_to_plan_with(request.user)
        dataset = usable.filter(pk=content.pop("dataset")).first()
        if dataset is None:
            raise ValidationError({"dataset": ["You have no dataset of this id."]})
        plan = plans.CampaignPlan(**_as_input(content, request.user))
        made = plans.create_draft(by=request.user, dataset=dataset, plan=plan)
        return self.shown(made, status.HTTP_201_CREATED)

    @extend_schema(
        request=DesignSerializer, responses=WholeCampaignSerializer, parameters=[IF_MATCH]
    )
    def partial_update(self, request: Request, uuid: UUID) -> Response:
        """Change the plan of a draft."""
        with transaction.atomic():
            held = Campaign.objects.select_for_update().get(pk=self.campaign.pk)
            check_if_match(request, _tag(held))
            content = self.content(DesignSerializer, partial=True)
            plan = replace(plans.plan_of(held), **_as_input(content, request.user))
            plans.replace_plan(campaign=held, plan=plan)
            held.refresh_from_db()
        return self.shown(held)

    @extend_schema(responses={204: None, 202: JobSerializer})
    def destroy(self, request: Request, uuid: UUID) -> Response:
        """Delete a draft that no annotator joined; a job deletes a large one."""
        check_confirmed(request)
        campaign = self.campaign
        is_draft = campaign.state == Campaign.State.DRAFT
        if is_draft and campaigns.is_slow_to_remove(campaign):
            job = tasks.begin_once(kind=campaigns.DISCARD, by=request.user, campaign=campaign)
            return accepted_response(job)
        campaigns.discard_draft(campaign=campaign, by=request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(responses=ChosenSerializer)
    @action(detail=True)
    def selection(self, request: Request, uuid: UUID) -> Response:
        """Return the selected part of the dataset."""
        return self._chosen(selection_from_document(self.campaign.selection))

    @extend_schema(request=SelectionSerializer, responses=ChosenSerializer)
    @selection.mapping.put
    def set_selection(self, request: Request, uuid: UUID) -> Response:
        """Select the part of the dataset that a draft judges."""
        campaign = self.campaign
        if judges_now(request.user, campaign.dataset, but_in=campaign):
            raise PermissionDenied(
                "You judge this dataset in another campaign that has not ended. Until it is closed you do not choose "
                "what is judged here, because the choice of a system would show its questions."
            )
        wanted = selection_from_document(self.content(SelectionSerializer))
        before = selection_from_document(campaign.selection)
        chosen = replace(wanted, without=before.without)
        answer = self._chosen(chosen)
        campaigns.change_plan(campaign=campaign, plan={"selection": selection_to_document(chosen)})
        return answer

    def _chosen(self, selection: Selection) -> Response:
        part = selections.preview_selection(dataset=self.campaign.dataset, selection=selection)
        found = selection_to_document(selection) | {
            "questions": part.questions,
            "out_of": part.out_of,
            "sources": part.sources,
        }
        return Response(ChosenSerializer(found).data)

    @extend_schema(request=None, responses={201: WholeCampaignSerializer})
    @action(detail=True, methods=["post"])
    def clone(self, request: Request, uuid: UUID) -> Response:
        """Create a draft with the plan of a campaign."""
        return self._planned_from(campaigns.duplicate_campaign)

    @extend_schema(request=None, responses={201: WholeCampaignSerializer})
    @action(detail=True, methods=["post"])
    def reproduce(self, request: Request, uuid: UUID) -> Response:
        """Create a draft that repeats a closed campaign with new annotators."""
        return self._planned_from(clones.clone_study)

    def _planned_from(self, plan: Any) -> Response:
        check_creator(self.request.user)
        usable = datasets_to_plan_with(self.request.user)
        get_object_or_404(usable, pk=self.campaign.dataset_id)
        made = plan(campaign=self.campaign, by=self.request.user)
        return self.shown(made, status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=WholeCampaignSerializer)
    @action(detail=True, methods=["post"])
    def lock(self, request: Request, uuid: UUID) -> Response:
        """Lock the plan and the design of a draft."""
        campaigns.lock_plan(campaign=self.campaign, now=timezone.now(), by=request.user)
        return self.shown(self.campaign)

    @extend_schema(
        request=OpeningSerializer, responses={200: WholeCampaignSerializer, 202: JobSerializer}
    )
    @action(detail=True, methods=["post"])
    def open(self, request: Request, uuid: UUID) -> Response:
        """Open a locked or paused campaign to its annotators; a job lays out a large one."""
        campaign = self.campaign
        self._check_state_is_not(Campaign.State.CLOSED, "Reopen it")
        anyway = self.content(OpeningSerializer)["anyway"]
        if campaign.state == Campaign.State.LOCKED and (broken := crowd_platforms.unmet(campaign)):
            if not anyway:
                sentences = " ".join(str(check.sentence) for check in broken)
                raise Conflict(f"Rules of the crowd platform are not met. {sentences}")
            crowd_platforms.note_unmet(campaign=campaign, rules=broken, by=request.user)
        if campaigns.is_slow_to_open(campaign):
            job = tasks.begin_once(kind=campaigns.LAUNCH, by=request.user, campaign=campaign)
            return accepted_response(job)
        campaigns.open_campaign(campaign=campaign, now=timezone.now(), by=request.user)
        return self.shown(campaign)

    @extend_schema(request=None, responses=WholeCampaignSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, uuid: UUID) -> Response:
        """Pause an open campaign."""
        return self._moved(Campaign.State.PAUSED)

    @extend_schema(request=None, responses=WholeCampaignSerializer)
    @action(detail=True, methods=["post"])
    def close(self, request: Request, uuid: UUID) -> Response:
        """Close a campaign and its rounds."""
        self._check_state_is_not(Campaign.State.ARCHIVED, "Unarchive it")
        campaigns.close_campaign(campaign=self.campaign, now=timezone.now(), by=request.user)
        return self.shown(self.campaign)

    @extend_schema(request=None, responses=WholeCampaignSerializer)
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, uuid: UUID) -> Response:
        """Open a closed campaign again."""
        if self.campaign.state != Campaign.State.CLOSED:
            raise Conflict("Only a closed campaign is reopened.", "campaign_state")
        campaigns.open_campaign(campaign=self.campaign, now=timezone.now(), by=request.user)
        return self.shown(self.campaign)

    @extend_schema(request=None, responses=WholeCampaignSerializer)
    @action(detail=True, methods=["post"])
    def unarchive(self, request: Request, uuid: UUID) -> Response:
        """Take a campaign out of the archive; it is closed then."""
        if self.campaign.state != Campaign.State.ARCHIVED:
            raise Conflict("The campaign is not archived.", "campaign_state")
        return self._moved(Campaign.State.CLOSED)

    @extend_schema(request=None, responses=WholeCampaignSerializer)
    @action(detail=True, methods=["post"])
    def archive(self, request: Request, uuid: UUID) -> Response:
        """Archive a locked or closed campaign."""
        return self._moved(Campaign.State.ARCHIVED)

    def _check_state_is_not(self, state: Campaign.State, remedy: str) -> None:
        if self.campaign.state == state:
            raise Conflict(f"The campaign is {state.label}. {remedy} instead.", "campaign_state")

    def _moved(self, to: str) -> Response:
        campaigns.move_campaign(
            campaign=self.campaign, to=to, now=timezone.now(), by=self.request.user
        )
        return self.shown(self.campaign)

    @extend_schema(responses=file_response("application/json"))
    @action(detail=True, renderer_classes=[FileRenderer], filterset_class=None)
    def draws(self, request: Request, uuid: UUID) -> Any:
        """Stream the draws of a closed campaign, with the secret they were made from."""
        found = draws.draws_document(self.campaign)
        name = f"{slugify(self.campaign.title)}-draws.json"
        about = name[-(Event._meta.get_field("about").max_length or 0) :]
        history.record_event(
            Event.Act.EXPORTED, by=request.user, campaign=self.campaign, about=about
        )
        return download_response(_at_one_moment(found), "application/json", name)

    @extend_schema(request=None, responses=WholeCampaignSerializer)
    @action(detail=True, methods=["post"], url_path="draws/reveal")
    def reveal_draws(self, request: Request, uuid: UUID) -> Response:
        """Reveal the secret of a closed campaign's draws; it can never open again."""
        check_confirmed(request)
        draws.reveal_secret(campaign=self.campaign, now=timezone.now(), by=request.user)
        return self.shown(self.campaign)


def _long_columns() -> tuple[str, ...]:
    return (*LONG, "selection", "quality", "locked_plan")


def _tag(campaign: Campaign) -> str:
    """Return the entity tag of a campaign's plan and state."""
    names = (*campaigns.PLANNED, "dataset_id", "protocol_id", "state", "selection")
    return entity_tag(campaign.uuid, *(getattr(campaign, name) for name in names))


def _as_input(content: dict[str, Any], user: User) -> dict[str, Any]:
    """Return the sent fields of a plan as the action takes them."""
    if "protocol" in content:
        known = Protocol.objects.filter(Q(owner=None) | Q(owner=user))
        content["protocol"] = known.filter(pk=content["protocol"]).first()
        if content["protocol"] is None:
            raise ValidationError({"protocol": ["You have no protocol of this id."]})
    if "hypotheses" in content:
        content["hypotheses"] = hypotheses.hypotheses_from_document(content["hypotheses"])
    return content


def _at_one_moment(found: Mapping[str, Any]) -> Any:
    with transactions.one_moment():
        yield from draws.json_document_pieces(found)


class RoundSerializer(serializers.ModelSerializer):
    """A round of a campaign, with how many of its assignments were submitted."""

    annotators = serializers.IntegerField(source="per_task")
    assignments = serializers.IntegerField(source="places")
    submitted = serializers.IntegerField(source="filled")

    class Meta:
        model = Round
        fields = (
            "id",
            "kind",
            "number",
            "annotators",
            "apart",
            "opened_at",
            "closed_at",
            "assignments",
            "submitted",
        )


class NewRoundSerializer(serializers.Serializer):
    """A pilot or calibration round on sources drawn for it."""

    kind = serializers.ChoiceField([Round.Kind.CALIBRATION, Round.Kind.PILOT])
    size = serializers.IntegerField(min_value=1, help_text="The number of sources.")
    annotators = serializers.IntegerField(min_value=1, max_value=100)
    apart = serializers.BooleanField(
        default=True, help_text="Exclude these sources from the main round."
    )


@extend_schema_view(
    list=extend_schema(summary="List the rounds of a campaign"),
    retrieve=extend_schema(summary="Return a round of a campaign"),
)
class Rounds(Create, mixins.ListModelMixin, mixins.RetrieveModelMixin, InCampaign):
    """The main round of a campaign, and its pilot and calibration rounds."""

    queryset = Round.objects.all()
    input = NewRoundSerializer
    serializer_class = output = RoundSerializer
    filterset_fields = ("kind",)
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Round]:
        of_places = Q(assignments__state__in=["open", "held", "submitted"])
        submitted = Q(assignments__state="submitted")
        own = self.campaign.rounds.exclude(kind=Round.Kind.CHECKS).select_related("campaign")
        return own.annotate(
            places=Count("assignments", filter=of_places),
            filled=Count("assignments", filter=submitted),
        )

    def add(self, content: dict[str, Any]) -> Round:
        """Open a pilot or calibration round of a draft."""
        now = timezone.now()
        made = rounds.start_round(campaign=self.campaign, by=self.request.user, now=now, **content)
        return self.rows().get(pk=made.pk)

    @extend_schema(request=None, responses=RoundSerializer)
    @action(detail=True, methods=["post"])
    def end(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Close a pilot or calibration round."""
        round = get_object_or_404(self.campaign.rounds.trials(), pk=pk)
        if round.opened_at is None or round.closed_at is not None:
            raise Conflict("The round is closed already.")
        rounds.end_round(round=round, by=request.user, now=timezone.now())
        return Response(RoundSerializer(self.rows().get(pk=pk)).data)


class DeviationSerializer(serializers.ModelSerializer):
    """A change after the plan was locked."""

    made_by = serializers.CharField(source="made_by.username")

    class Meta:
        model = Deviation
        fields = ("id", "what", "before", "after", "reason", "made_by", "made_at")


class AmendmentSerializer(serializers.Serializer):
    """A change after the lock, with its reason, which the report lists."""

    what = serializers.ChoiceField(campaigns.AMENDABLE)
    value = serializers.CharField()
    reason = serializers.CharField(max_length=500)


@extend_schema_view(list=extend_schema(summary="List the changes after the lock"))
class Deviations(Create, mixins.ListModelMixin, InCampaign):
    """Changes after the plan of a campaign was locked."""

    queryset = Deviation.objects.all()
    input = AmendmentSerializer
    serializer_class = output = DeviationSerializer
    filterset_fields = ("what",)
    hidden_from_analysts = ("list",)

    def rows(self) -> QuerySet[Deviation]:
        return self.campaign.deviations.select_related("made_by")

    def add(self, content: dict[str, Any]) -> Deviation:
        """Change an amendable part after the lock, with the reason."""
        now = timezone.now()
        return campaigns.amend_field(
            campaign=self.campaign, by=self.request.user, now=now, **content
        )


class EventSerializer(serializers.ModelSerializer):
    """An act of a user who manages; `about`, `before` and `after` name accounts by number."""

    account = serializers.IntegerField(source="who", allow_null=True)
    who = serializers.CharField(source="username", allow_null=True)

    class Meta:
        model = Event
        fields = ("id", "at", "account", "who", "act", "about", "before", "after")


class MomentFilter(filters.IsoDateTimeFilter):
    """A moment in UTC; the database accepts no offset of 16 hours or more."""

    def filter(self, qs: QuerySet[Any], value: datetime | None) -> QuerySet[Any]:
        try:
            return super().filter(qs, value and value.astimezone(UTC))
        except OverflowError:
            raise ValidationError({self.field_name: ["There is no such moment."]}) from None


class EventFilter(filters.FilterSet):
    """By act, user name and time."""

    act = filters.ChoiceFilter(choices=Event.Act.choices)
    who = filters.CharFilter(field_name="username")
    since = MomentFilter(field_name="at", lookup_expr="gte")
    until = MomentFilter(field_name="at", lookup_expr="lt")

    class Meta:
        model = Event
        fields = ("act",)


@extend_schema_view(list=extend_schema(summary="List what was done in a campaign"))
class History(mixins.ListModelMixin, InCampaign):
    """The events of a campaign, in the order of time."""

    queryset = Event.objects.all()
    serializer_class = EventSerializer
    filterset_class = EventFilter

    def rows(self) -> QuerySet[Event]:
        return with_usernames(Event.objects.of_campaign(self.campaign.uuid))


def with_usernames(events: QuerySet[Event]) -> QuerySet[Event]:
    """Return events with the names of their users, while their accounts exist."""
    names = User.objects.filter(pk=OuterRef("who")).values("username")
    return events.annotate(username=Subquery(names))


class DrawCheckSerializer(JobSerializer):
    """A check of the draws: its job, and all differences from the secret and the plan."""

    problems = serializers.SerializerMethodField()

    class Meta(JobSerializer.Meta):
        fields = (*JobSerializer.Meta.fields, "problems")

    def get_problems(self, job: Job) -> list[str] | None:
        return job.result.get("problems")


class DrawChecks(Create, InCampaign):
    """Checks of a closed campaign's draws against its secret."""

    output = JobSerializer
    queryset = Job.objects.all()
    serializer_class = DrawCheckSerializer
    pagination_class = None
    filter_backends = ()

    @extend_schema(
        responses=forced_singular_serializer(DrawCheckSerializer),
        operation_id="campaigns_draws_check_retrieve",
    )
    def list(self, request: Request, campaign: UUID) -> Response:
        """Return the last check of a campaign's draws."""
        checks = self.campaign.jobs.filter(kind=draw_checks.KIND).order_by("-created_at")
        last = checks.first()
        if last is None:
            raise NotFound("The draws were not checked yet.")
        return Response(DrawCheckSerializer(last).data)

    def add(self, content: dict[str, Any]) -> Job:
        """Have a job check the draws of a campaign whose secret is revealed."""
        if self.campaign.secret_revealed_at is None:
            raise Conflict("The secret of the draws is not revealed.")
        by = self.request.user
        return tasks.begin_once(kind=draw_checks.KIND, by=by, campaign=self.campaign)
