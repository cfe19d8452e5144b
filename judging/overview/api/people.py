"""The people of a campaign: invitations, enrolments, roles; and joining by an invitation."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, permissions, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.addresses import study_visitor
from judging.base.api.contract import PlainView
from judging.base.api.problems import Conflict
from judging.campaigns.actions import authorships, campaigns
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.campaign_texts import TRANSLATED, text_in
from judging.campaigns.forms.campaigns import FIRST_LIFE, ExclusionForm
from judging.campaigns.guards import MANAGERS, hidden_enrollments, use_fixed_language
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment, Exclusion, Invitation, Membership
from judging.enrolments.actions import enrollments
from judging.jobs.api.resources import Create, Destroy, SecretsShownOnce, check_confirmed
from judging.overview.actions import erasures
from judging.overview.api.datasets import UsernameSerializer
from judging.people.actions import tokens
from judging.people.actions.accounts import find_account
from judging.people.models.user import ApiToken, token_digest
from judging.quality.actions import exclusions
from judging.work.actions import own_systems as author_actions


class InvitationSerializer(serializers.ModelSerializer):
    """A link by which annotators join. Managers of the campaign see the link itself."""

    joined = serializers.IntegerField(read_only=True)
    link = serializers.SerializerMethodField()
    token = serializers.SerializerMethodField()

    class Meta:
        model = Invitation
        fields = (
            "id",
            "label",
            "places",
            "joined",
            "link",
            "token",
            "expires_at",
            "revoked_at",
            "created_at",
        )

    def get_token(self, invitation: Invitation) -> str | None:
        is_shown = self.context["is_manager"] and invitation.revoked_at is None
        return (invitation.token or None) if is_shown else None

    def get_link(self, invitation: Invitation) -> str | None:
        token = self.get_token(invitation)
        path = token and reverse("annotation:join", args=[token])
        return path and self.context["request"].build_absolute_uri(path)


class MadeInvitationSerializer(SecretsShownOnce, InvitationSerializer):
    """A new link by which annotators join."""

    link = serializers.CharField(required=False)
    token = serializers.CharField(required=False)

    class Meta(InvitationSerializer.Meta):
        fields = (*InvitationSerializer.Meta.fields, "code")


class NewInvitationSerializer(serializers.ModelSerializer):
    """A new link; without `expires_at` it is valid for two weeks."""

    places = serializers.IntegerField(min_value=1, max_value=10_000, default=1)
    expires_at = serializers.DateTimeField(required=False)

    class Meta:
        model = Invitation
        fields = ("label", "places", "expires_at")


class UndoneSerializer(serializers.Serializer):
    """How many annotators were removed, and how many were excluded because they had submitted."""

    removed = serializers.IntegerField()
    excluded = serializers.IntegerField()


@extend_schema_view(
    list=extend_schema(summary="List the invitations of a campaign"),
    retrieve=extend_schema(summary="Return an invitation"),
)
class Invitations(mixins.ListModelMixin, mixins.RetrieveModelMixin, InCampaign):
    """Links by which annotators join a campaign."""

    queryset = Invitation.objects.all()
    serializer_class = InvitationSerializer
    filter_backends = ()
    lookup_value_converter = "int"
    secret_fields = ("link", "token")

    def rows(self) -> QuerySet[Invitation]:
        return self.campaign.invitations.annotate(joined=Count("enrollments"))

    def get_serializer_context(self) -> dict[str, Any]:
        return {
            **super().get_serializer_context(),
            "is_manager": SimpleLazyObject(lambda: _manages(self)),
        }

    @extend_schema(request=NewInvitationSerializer, responses={201: MadeInvitationSerializer})
    def create(self, request: Request, campaign: UUID) -> Response:
        """Create an invitation link."""
        defaults = {"label": "", "expires_at": timezone.now() + FIRST_LIFE}
        invitation = defaults | self.content(NewInvitationSerializer)
        made = campaigns.create_invitation(campaign=self.campaign, by=request.user, **invitation)
        return Response(self._shown(made), status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses=InvitationSerializer)
    @action(detail=True, methods=["post"])
    def revoke(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Revoke an invitation; annotators who joined by it stay."""
        invitation = self.get_object()
        campaigns.revoke_invitation(invitation=invitation, now=timezone.now(), by=request.user)
        return Response(self._shown(invitation))

    @extend_schema(request=None, responses=UndoneSerializer)
    @action(detail=True, methods=["post"], url_path="undo-joins")
    def undo_joins(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Revoke an invitation that unwanted people found, and undo the joins by it."""
        invitation = self.get_object()
        check_confirmed(request)
        undone = erasures.undo_joins(invitation=invitation, by=request.user, now=timezone.now())
        return Response(UndoneSerializer(undone).data)

    def _shown(self, invitation: Invitation) -> Any:
        found = self.rows().get(pk=invitation.pk)
        return InvitationSerializer(found, context=self.get_serializer_context()).data


def _manages(view: InCampaign) -> bool:
    held = view.campaign.memberships.filter(user=view.request.user, role__in=MANAGERS)
    return held.exists()


class ExclusionSerializer(serializers.ModelSerializer):
    """An exclusion of an annotator from the analysis, lifted or not."""

    excluded_by = serializers.CharField(source="excluded_by.username")

    class Meta:
        model = Exclusion
        fields = ("reason", "excluded_by", "excluded_at", "lifted_at")


class EnrolmentSerializer(serializers.ModelSerializer):
    """An annotator of a campaign by their label, with their progress in the main round. Managers who
    judge in a campaign with checks do not see their own progress."""

    is_excluded = serializers.BooleanField()
    exclusions = ExclusionSerializer(many=True)
    submitted = serializers.SerializerMethodField()
    held = serializers.SerializerMethodField()
    active_seconds = serializers.SerializerMethodField()
    invitation = serializers.IntegerField(source="invitation_id", allow_null=True)

    class Meta:
        model = Enrollment
        fields = (
            "id",
            "label",
            "invitation",
            "seat",
            "is_excluded",
            "exclusions",
            "submitted",
            "held",
            "active_seconds",
            "consented_at",
            "trained_at",
            "qualified_at",
            "stopped_at",
            "created_at",
        )

    def get_submitted(self, enrollment: Enrollment) -> int | None:
        return self._unless_hidden(enrollment, enrollment.submitted_count)

    def get_held(self, enrollment: Enrollment) -> int | None:
        return self._unless_hidden(enrollment, enrollment.held_count)

    def get_active_seconds(self, enrollment: Enrollment) -> float | None:
        return self._unless_hidden(enrollment, enrollment.seconds)

    def _unless_hidden(self, enrollment: Enrollment, value: Any) -> Any:
        return None if enrollment.pk in self.context["hidden"] else value


class ReasonSerializer(serializers.Serializer):
    """The reason for excluding an annotator; the report prints it."""

    reason = serializers.CharField(max_length=ExclusionForm.base_fields["reason"].max_length)


class EnrolmentFilter(filters.FilterSet):
    """By label, invitation, and whether the annotator is excluded."""

    excluded = filters.BooleanFilter(field_name="is_excluded")
    invitation = filters.NumberFilter(field_name="invitation_id")

    class Meta:
        model = Enrollment
        fields = ("label",)


class OwnSystemsSerializer(serializers.Serializer):
    """The names of the systems that an annotator made."""

    systems = serializers.ListField(child=serializers.CharField())


@extend_schema_view(
    list=extend_schema(summary="List the annotators of a campaign with their progress"),
    retrieve=extend_schema(summary="Return an annotator with their progress"),
)
class Enrolments(mixins.ListModelMixin, mixins.RetrieveModelMixin, InCampaign):
    """Annotators of a campaign."""

    queryset = Enrollment.objects.all()
    serializer_class = EnrolmentSerializer
    filterset_class = EnrolmentFilter
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Enrollment]:
        in_main = Q(assignments__round__kind=Round.Kind.MAIN)
        standing = Exclusion.objects.standing().filter(enrollment=OuterRef("pk"))
        states = Assignment.State
        exclusions = Exclusion.objects.select_related("excluded_by").order_by("pk")
        return self.campaign.enrollments.annotate(
            is_excluded=Exists(standing),
            submitted_count=Count(
                "assignments", filter=in_main & Q(assignments__state=states.SUBMITTED)
            ),
            held_count=Count("assignments", filter=in_main & Q(assignments__state=states.HELD)),
            seconds=Coalesce(Sum("assignments__active_seconds", filter=in_main), 0.0),
        ).prefetch_related(Prefetch("exclusions", exclusions))

    def get_serializer_context(self) -> dict[str, Any]:
        hidden = SimpleLazyObject(lambda: hidden_enrollments(self.request.user, self.campaign))
        return {**super().get_serializer_context(), "hidden": hidden}

    @extend_schema(responses=OwnSystemsSerializer)
    @action(detail=True, url_path="own-systems")
    def own_systems(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Return the systems that an annotator made, whose outputs they do not judge."""
        return Response({"systems": authorships.own_names(self.get_object())})

    @extend_schema(request=OwnSystemsSerializer, responses=OwnSystemsSerializer)
    @own_systems.mapping.put
    def set_own_systems(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Name the systems that an annotator made; tasks with them go to others."""
        names = self.content(OwnSystemsSerializer)["systems"]
        systems = list(self.campaign.dataset.systems.filter(name__in=names))
        if unknown := sorted(set(names) - {system.name for system in systems}):
            raise ValidationError({"systems": [f"The dataset has no system {unknown[0]}."]})
        author_actions.set_systems(enrollment=self.get_object(), systems=systems, by=request.user)
        return self.own_systems(request, campaign, pk)

    @extend_schema(request=ReasonSerializer, responses=EnrolmentSerializer)
    @action(detail=True, methods=["post"])
    def exclude(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Exclude an annotator from the analysis, with the reason; nothing is deleted."""
        enrollment = self.get_object()
        reason = self.content(ReasonSerializer)["reason"]
        now = timezone.now()
        exclusions.exclude_annotator(enrollment=enrollment, by=request.user, now=now, reason=reason)
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(request=None, responses=EnrolmentSerializer)
    @action(detail=True, methods=["post"])
    def reinclude(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Re-include an annotator who was excluded; the exclusion stays on record."""
        enrollment = self.get_object()
        if not enrollment.is_excluded:
            raise Conflict(f"{enrollment.label} is not excluded.")
        exclusions.readmit(enrollment=enrollment, by=request.user, now=timezone.now())
        return Response(self.get_serializer(self.get_object()).data)


class MemberSerializer(serializers.ModelSerializer):
    """A role of a user in a campaign."""

    user = serializers.IntegerField(source="user_id", read_only=True)
    username = serializers.CharField(source="user.username", read_only=True)

    class Meta:
        model = Membership
        fields = ("id", "user", "username", "role", "created_at")


class NewMemberSerializer(UsernameSerializer):
    """A role for a user."""

    role = serializers.ChoiceField(Membership.Role.choices)


@extend_schema_view(list=extend_schema(summary="List the managers and analysts of a campaign"))
class Members(Create, Destroy, mixins.ListModelMixin, InCampaign):
    """Managers and analysts of a campaign."""

    queryset = Membership.objects.all()
    input = NewMemberSerializer
    serializer_class = output = MemberSerializer
    filterset_fields = ("role",)
    confirmed_actions = ("create", "destroy")
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Membership]:
        return self.campaign.memberships.staff().select_related("user")

    def add(self, content: dict[str, Any]) -> Membership:
        """Give a user a role in a campaign."""
        return campaigns.add_member(
            campaign=self.campaign,
            user=find_account(content["username"]),
            role=content["role"],
            by=self.request.user,
        )

    def remove(self, instance: Membership) -> None:
        """Take a role away from a user; a campaign keeps at least one manager."""
        campaigns.remove_member(
            campaign=self.campaign, user=instance.user, role=instance.role, by=self.request.user
        )


class StudySerializer(serializers.ModelSerializer):
    """The texts that annotators read before they join."""

    class Meta:
        model = Campaign
        fields = ("title", "introduction", "pay", "consent", "contact", "ethics", "withdrawal")


class JoiningSerializer(serializers.Serializer):
    """An invitation, and that the annotator agrees to the consent text of the campaign."""

    invitation = serializers.CharField(max_length=100)
    consent = serializers.BooleanField(default=False)


class JoinedSerializer(serializers.Serializer):
    """The label of the annotator who joined, and their token for the API. It is shown once."""

    campaign = serializers.UUIDField()
    label = serializers.CharField()
    token = serializers.CharField()
    personal_link = serializers.URLField(help_text="The annotator's address for using a browser.")


class Join(PlainView):
    """Joining a campaign by an invitation. Each request that succeeds is a new annotator."""

    authentication_classes = ()
    permission_classes = (permissions.AllowAny,)

    @extend_schema(
        operation_id="join_retrieve",
        parameters=[OpenApiParameter("invitation", str, required=True)],
        responses=StudySerializer,
    )
    def get(self, request: Request) -> Response:
        """Return the texts that annotators read before they join, in the campaign's fixed language,
        if any."""
        campaign = _invitation(request.query_params.get("invitation", "")).campaign
        use_fixed_language(request, campaign)
        language = get_language() or campaign.text_language
        texts = {name: text_in(campaign, name, language).text for name in TRANSLATED}
        return Response(StudySerializer(campaign).data | texts)

    @extend_schema(request=JoiningSerializer, responses={201: JoinedSerializer})
    def post(self, request: Request) -> Response:
        """Join a campaign as a new annotator, and get a token for annotating."""
        sent = JoiningSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        invitation, now = _invitation(sent.validated_data["invitation"]), timezone.now()
        study = invitation.campaign
        with transaction.atomic():
            user = enrollments.join_by_link(
                invitation=invitation,
                user=None,
                agreed=sent.validated_data["consent"],
                now=now,
                visitor=study_visitor(request, study=study.uuid, now=now),
            )
            token = tokens.make_token(user=user, now=now, scope=ApiToken.Scope.ANNOTATE, by=user)
        link = reverse("annotation:go", args=[enrollments.personal_link(user)])
        found = {
            "campaign": study.uuid,
            "label": user.enrollments.get(campaign=study).label,
            "token": token,
            "personal_link": request.build_absolute_uri(link),
        }
        return Response(JoinedSerializer(found).data, status=status.HTTP_201_CREATED)


def _invitation(token: str) -> Invitation:
    known = Invitation.objects.select_related("campaign__protocol")
    found = known.filter(digest=token_digest(token), role=Membership.Role.ANNOTATOR).first()
    if found is None:
        raise NotFound("There is no such invitation.")
    enrollments.check_invitation(invitation=found, now=timezone.now())
    return found
