"""What is decided after a round: notes on differences, and the decisions that annotators read."""

from functools import cached_property
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.limits import MAX_DOCUMENT_CHARACTERS, MAX_NOTE_CHARACTERS
from judging.campaigns.actions import discussions
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.models.campaign import Campaign, Round, TaskUnit


class RoundNoteSerializer(serializers.Serializer):
    """A note on a criterion, or on how annotators differ on one item."""

    criterion = serializers.CharField(source="criterion.key")
    item = serializers.IntegerField(source="unit_id", allow_null=True, default=None)
    text = serializers.CharField(max_length=MAX_NOTE_CHARACTERS, allow_blank=True)


class RoundNotesSerializer(serializers.Serializer):
    """Notes; a blank text deletes one."""

    notes = RoundNoteSerializer(many=True)


class DecisionsSerializer(serializers.Serializer):
    """The decisions that annotators read beside the guideline."""

    text = serializers.CharField(max_length=MAX_DOCUMENT_CHARACTERS, allow_blank=True)
    version = serializers.IntegerField(read_only=True)
    proposed = serializers.CharField(
        read_only=True, help_text="The decisions with the round's notes as further items."
    )


class OfRound(InCampaign):
    """A part of a pilot or calibration round."""

    queryset = Campaign.objects.all()

    @cached_property
    def round(self) -> Round:
        """The round of the address."""
        return get_object_or_404(self.campaign.rounds.trials(), pk=self.kwargs["round"])


class RoundNotes(OfRound):
    """The notes on differences in a closed round."""

    serializer_class = RoundNotesSerializer

    @extend_schema(responses=RoundNotesSerializer)
    def retrieve(self, request: Request, campaign: UUID, round: int) -> Response:
        """Return the notes on a round."""
        notes = self.round.notes.select_related("criterion").order_by("pk")
        return Response(RoundNotesSerializer({"notes": notes}).data)

    @extend_schema(request=RoundNotesSerializer, responses=RoundNotesSerializer)
    def update(self, request: Request, campaign: UUID, round: int) -> Response:
        """Store notes on a round; notes that are not sent stay."""
        criteria = dict(self.campaign.protocol.criteria.values_list("key", "pk"))
        units = set(TaskUnit.objects.filter(task__round=self.round).values_list("unit", flat=True))
        notes = {}
        for place, note in enumerate(self.content(RoundNotesSerializer)["notes"]):
            key, unit = note["criterion"]["key"], note["unit_id"]
            if key not in criteria:
                raise ValidationError(
                    {f"notes[{place}].criterion": ["There is no such criterion."]}
                )
            if unit is not None and unit not in units:
                raise ValidationError({f"notes[{place}].item": ["The round has no such item."]})
            notes[criteria[key], unit] = note["text"]
        discussions.write_notes(round=self.round, notes=notes, by=request.user, now=timezone.now())
        return self.retrieve(request, campaign, round)


class Decisions(OfRound):
    """The decisions after a round: a version of the guideline."""

    serializer_class = DecisionsSerializer

    @extend_schema(responses=DecisionsSerializer)
    def retrieve(self, request: Request, campaign: UUID, round: int) -> Response:
        """Return the decisions in effect, and those that a round's notes propose."""
        decided = discussions.current_decisions(self.campaign)
        shown = {
            "text": decided.text if decided else "",
            "version": decided.number if decided else 0,
            "proposed": discussions.proposed_decisions(self.round),
        }
        return Response(DecisionsSerializer(shown).data)

    @extend_schema(request=DecisionsSerializer, responses=DecisionsSerializer)
    def update(self, request: Request, campaign: UUID, round: int) -> Response:
        """Make a text the next version of the decisions; annotators read it from now on."""
        discussions.store_decisions(
            campaign=self.campaign,
            text=self.content(DecisionsSerializer)["text"],
            round=self.round,
            by=request.user,
            now=timezone.now(),
        )
        return self.retrieve(request, campaign, round)
