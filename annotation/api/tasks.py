"""The REST API of annotators: claim a task, read it as the judging page shows it, save and submit.

Nothing here names a system, a unit or a question by its key. Controls have the names of the page, which
reveal only the shown order.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions import next_tasks
from annotation.api.controls import ControlSerializer
from annotation.api.exercises import BeforeAndAfterTasks
from annotation.views import shown_tasks
from annotation.views.page import ShownMark
from annotation.views.shown_tasks import ShownTask
from annotation.views.source_texts import SourceTexts
from judging.base.api.contract import UNKNOWN_FIELD, no_such
from judging.base.api.pages import Pages
from judging.base.api.problems import Conflict
from judging.base.limits import MAX_NOTE_CHARACTERS
from judging.campaigns.actions import discussions
from judging.campaigns.campaign_texts import TRANSLATED, text_in, whole_consent
from judging.campaigns.guards import use_fixed_language
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Membership
from judging.crowd.actions import participations
from judging.enrolments.actions import enrollments
from judging.jobs.api.resources import Resource
from judging.people.api.scopes import ANNOTATE
from judging.protocols import documents
from judging.protocols.spans import Marked, join_ranges
from judging.quality.actions import checks
from judging.work.actions import drafts, judgments, sheets
from judging.work.actions.assignments import Here, NoneNow
from judging.work.actions.drafts import LAST_SEQUENCE, Entry, MissingAnswers, SentPage
from judging.work.actions.sheets import Sheet
from judging.work.models.at_work import assignment_at_work

OUTCOMES = ("task", "none_now", "finished", "closed", "training", "qualification")


class RangeSerializer(serializers.Serializer):
    """A range of a passage, in code points; `end` is behind the last one."""

    start = serializers.IntegerField(min_value=0, max_value=999_999_999)
    end = serializers.IntegerField(min_value=1, max_value=999_999_999)

    def validate(self, attrs: dict[str, int]) -> dict[str, int]:
        if attrs["start"] >= attrs["end"]:
            raise ValidationError("The range must end behind its start.")
        return attrs


class MarkedSerializer(serializers.Serializer):
    """The ranges that are marked, or that nothing in the passage answers the question."""

    ranges = RangeSerializer(many=True, required=False)
    nothing = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> Marked:
        if attrs["nothing"]:
            return Marked(nothing=True)
        return Marked(join_ranges((each["start"], each["end"]) for each in attrs.get("ranges", [])))


class ShownRangeSerializer(serializers.Serializer):
    """A range of a passage, in code points."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()


class MarkControlSerializer(serializers.Serializer):
    """The spans to be marked in the passage for one question."""

    name = serializers.CharField(help_text="The key of the marks in a draft or a submission.")
    prompt = serializers.CharField()
    required = serializers.BooleanField()
    open = serializers.SerializerMethodField()
    nothing = serializers.BooleanField()
    ranges = serializers.SerializerMethodField()

    def get_open(self, mark: ShownMark) -> bool:
        return not mark.disabled

    @extend_schema_field(ShownRangeSerializer(many=True))
    def get_ranges(self, mark: ShownMark) -> list[dict[str, int]]:
        places = [place.split("-") for place, _text in mark.pieces]
        return [{"start": int(start), "end": int(end)} for start, end in places]


class ReportSerializer(serializers.Serializer):
    """A problem that the annotator reports with a question."""

    name = serializers.CharField(help_text="The key of the report in a draft or a submission.")
    text = serializers.CharField()


class FactSerializer(serializers.Serializer):
    """A piece of information about a question that the annotator sees."""

    name = serializers.CharField()
    text = serializers.CharField()


class ShownQuestionSerializer(serializers.Serializer):
    """A question in the place where it is shown; `text` is null if the system returned none."""

    letter = serializers.CharField()
    text = serializers.CharField(allow_null=True)
    about = serializers.SerializerMethodField()
    controls = ControlSerializer(many=True, source="criteria")
    mark = MarkControlSerializer(allow_null=True)
    report = serializers.SerializerMethodField()

    @extend_schema_field(FactSerializer(many=True))
    def get_about(self, question: Any) -> list[dict[str, str]]:
        return [{"name": str(name), "text": text} for name, text in question.about]

    @extend_schema_field(ReportSerializer(allow_null=True))
    def get_report(self, question: Any) -> dict[str, str] | None:
        if question.report is None:
            return None
        name, text = question.report
        return {"name": name, "text": text}


class GroupSerializer(serializers.Serializer):
    """Questions that are shown together, with what is asked about them as a set."""

    title = serializers.CharField()
    questions = ShownQuestionSerializer(many=True)
    controls = ControlSerializer(many=True, source="set_criteria")


class HighlightSerializer(serializers.Serializer):
    """A range of the passage that the page highlights."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()
    kind = serializers.ChoiceField(["sentence", "mark", "sentence_mark"])


class ShownSourceSerializer(serializers.Serializer):
    """The source of the questions, as far as the open stage shows it."""

    passage = serializers.SerializerMethodField()
    highlights = serializers.SerializerMethodField()
    sentence = serializers.CharField()
    answer = serializers.CharField()
    target_type = serializers.CharField()
    modality = serializers.CharField()
    language = serializers.CharField()

    def get_passage(self, shown: SourceTexts) -> str:
        return "".join(text for text, _kind in shown.passage)

    @extend_schema_field(HighlightSerializer(many=True))
    def get_highlights(self, shown: SourceTexts) -> list[dict[str, Any]]:
        found, start = [], 0
        for text, kind in shown.passage:
            if kind != "plain":
                found.append({"start": start, "end": start + len(text), "kind": kind})
            start += len(text)
        return found


class StageSerializer(serializers.Serializer):
    """The open stage of the task."""

    key = serializers.CharField()
    title = serializers.CharField()
    number = serializers.IntegerField(source="index")
    of = serializers.IntegerField(source="count")


class ProgressSerializer(serializers.Serializer):
    """How many tasks the annotator has submitted, and how many there are; null if too many to
    count."""

    done = serializers.IntegerField()
    total = serializers.IntegerField(allow_null=True)
    current = serializers.IntegerField(allow_null=True)


class TaskSerializer(serializers.Serializer):
    """A task as the judging page shows it, with the draft so far."""

    id = serializers.UUIDField(source="assignment.pk")
    url = serializers.SerializerMethodField()
    campaign = serializers.UUIDField(source="assignment.round.campaign.uuid")
    state = serializers.ChoiceField(Assignment.State.choices, source="assignment.state")
    leased_until = serializers.DateTimeField(
        source="assignment.lease_expires_at", allow_null=True, default=None
    )
    submitted_at = serializers.DateTimeField(source="assignment.submitted_at", allow_null=True)
    token = serializers.UUIDField(
        source="assignment.submit_token",
        help_text="Send it back with the submission; each submission changes it.",
    )
    sequence = serializers.IntegerField(
        source="shown.sequence", help_text="The next draft needs a higher number."
    )
    note = serializers.CharField(source="shown.draft.note")
    stage = StageSerializer(source="shown.protocol.stage", allow_null=True)
    progress = ProgressSerializer()
    source = ShownSourceSerializer(source="shown.protocol.source", allow_null=True)
    groups = GroupSerializer(many=True, source="shown.protocol.groups")

    def get_url(self, task: Mapping[str, Any]) -> str:
        return reverse("api:annotator-task-detail", args=[task["assignment"].pk])


class ClaimSerializer(serializers.Serializer):
    """The outcome of a claim: a task; none now, because other annotators hold the last ones; or
    nothing more to do. Training and qualification are done on the page at `url`."""

    outcome = serializers.ChoiceField(OUTCOMES)
    task = TaskSerializer(allow_null=True)
    held_by_others = serializers.IntegerField(allow_null=True)
    url = serializers.CharField(allow_null=True)


class DraftSerializer(serializers.Serializer):
    """Answers by the names of their controls; null takes an answer back."""

    sequence = serializers.IntegerField(
        min_value=0,
        max_value=LAST_SEQUENCE,
        help_text="A draft with a lower number never replaces a later one.",
    )
    answers = serializers.DictField(child=serializers.IntegerField(allow_null=True), required=False)
    marks = serializers.DictField(child=MarkedSerializer(), required=False)
    reports = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=MAX_NOTE_CHARACTERS),
        required=False,
    )
    note = serializers.CharField(
        required=False, allow_blank=True, allow_null=True, max_length=MAX_NOTE_CHARACTERS
    )

    def page(self, sheet: Sheet) -> SentPage:
        """Return the sent answers by the controls of the page."""
        said = self.validated_data
        problems: dict[str, dict[str, list[ErrorDetail]]] = {}

        def found(kind: str, parts: Iterable[Any]) -> list[tuple[Any, Any]]:
            known, pairs = {part.name: part for part in parts}, []
            for name, value in said.get(kind, {}).items():
                if name in known:
                    pairs.append((known[name], value))
                else:
                    error = no_such("field", UNKNOWN_FIELD, name, known)
                    problems.setdefault(kind, {})[name] = [error]
            return pairs

        answers = found("answers", sheet.asked())
        marks = dict(found("marks", sheet.marks()))
        reports = dict(found("reports", sheet.reports()))
        if problems:
            raise ValidationError(problems)
        return SentPage(answers, said["sequence"], said.get("note"), marks, reports)


class SubmissionSerializer(DraftSerializer):
    """The token of the task, and the answers that were not saved before."""

    token = serializers.UUIDField()


class SavedSerializer(serializers.Serializer):
    """The sequence number under which the draft was saved."""

    sequence = serializers.IntegerField()


class SubmittedSerializer(serializers.Serializer):
    """The state of the task, and the next one, which the annotator holds now."""

    state = serializers.ChoiceField(Assignment.State.choices)
    next = serializers.UUIDField(allow_null=True)


class StageNumberSerializer(serializers.Serializer):
    """The number of the stage to leave."""

    number = serializers.IntegerField(min_value=1, max_value=100)


class CampaignToJudgeSerializer(serializers.ModelSerializer):
    """A campaign as its annotators see it."""

    class Meta:
        model = Campaign
        fields = ("uuid", "title", "state")


class CampaignTextsSerializer(CampaignToJudgeSerializer):
    """A campaign with the texts that its annotators read before they begin."""

    label = serializers.CharField()
    introduction = serializers.CharField()
    consent = serializers.CharField()
    consent_digest = serializers.CharField(
        help_text="The digest of the consent text; send it back to agree to this text."
    )
    agreed = serializers.BooleanField()
    guideline = serializers.CharField(help_text="The guideline in Markdown.")
    decisions = serializers.CharField(help_text="The campaign's decisions beyond the guideline.")

    class Meta(CampaignToJudgeSerializer.Meta):
        fields = (
            *CampaignToJudgeSerializer.Meta.fields,
            "label",
            "contact",
            "introduction",
            "consent",
            "consent_digest",
            "agreed",
            "guideline",
            "decisions",
        )


class ConsentSerializer(serializers.Serializer):
    """The digest of the text that was read."""

    consent_digest = serializers.CharField(max_length=64)


class DoneTaskSerializer(serializers.ModelSerializer):
    """A task that the annotator submitted."""

    class Meta:
        model = Assignment
        fields = ("id", "state", "submitted_at")


class DoneTaskPages(Pages):
    """Pages of tasks, which have random ids, in order of time, the newest first."""

    ordering = "-submitted_at"

    def is_position(self, position: str) -> bool:
        try:
            return parse_datetime(position) is not None
        except ValueError:
            return False


@extend_schema_view(list=extend_schema(summary="List the campaigns in which you judge"))
class AnnotatorCampaigns(BeforeAndAfterTasks, mixins.ListModelMixin, Resource):
    """Campaigns in which the user judges."""

    scope = ANNOTATE
    queryset = Campaign.objects.all()
    serializer_class = CampaignToJudgeSerializer
    filter_backends = ()
    lookup_field = lookup_url_kwarg = "uuid"
    lookup_value_converter = "uuid"

    def rows(self) -> QuerySet[Campaign]:
        judges = self.request.user.memberships.filter(role=Membership.Role.ANNOTATOR)
        found = Campaign.objects.filter(pk__in=judges.values("campaign"))
        return found.listed() if self.action == "list" else found.select_related("protocol")

    def enrollment(self) -> Enrollment:
        campaign = self.get_object()
        use_fixed_language(self.request, campaign)
        return next_tasks.enrollment_of(self.request.user, campaign)

    @extend_schema(responses=CampaignTextsSerializer)
    def retrieve(self, request: Request, uuid: str) -> Response:
        """Return a campaign with the texts that its annotators read before they begin."""
        return Response(_texts(self.enrollment()))

    @extend_schema(request=ConsentSerializer, responses=CampaignTextsSerializer)
    @action(detail=True, methods=["post"])
    def consent(self, request: Request, uuid: str) -> Response:
        """Agree to the consent text of a campaign."""
        enrollment = self.enrollment()
        sent = ConsentSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        current = enrollments.consent_digest(whole_consent(enrollment.campaign))
        if sent.validated_data["consent_digest"] != current:
            raise Conflict("The consent text has changed since you read it. Read it again.")
        enrollments.store_consent(enrollment=enrollment, now=timezone.now())
        enrollment.refresh_from_db(fields=["consented_at", "consent_digest"])
        return Response(_texts(enrollment))

    @extend_schema(request=None, responses=ClaimSerializer)
    @action(detail=True, methods=["post"])
    def claim(self, request: Request, uuid: str) -> Response:
        """Claim the next task of a campaign, or return the one that the user holds."""
        enrollment = self.enrollment()
        _check_agreed(enrollment)
        now = timezone.now()
        state = next_tasks.annotator_state(enrollment=enrollment, now=now, skips_start=True)
        outcome = None
        match state.next_step:
            case "training" | "qualification" as step:
                page = reverse(f"annotation:{step}", args=[uuid])
                return _claimed(step, url=request.build_absolute_uri(page))
            case "tasks":
                outcome = next_tasks.claim_task(enrollment=enrollment, rounds=state.rounds)
        if isinstance(outcome, Here):
            return _claimed("task", task=_task(_own(request, outcome.assignment.pk)))
        if state.participation is not None:
            participations.end_participation(participation=state.participation, now=now)
        if isinstance(outcome, NoneNow):
            return _claimed("none_now", held_by_others=outcome.held_by_others)
        return _claimed("closed" if outcome is None else "finished")

    @extend_schema(responses=DoneTaskSerializer(many=True))
    @action(detail=True, pagination_class=DoneTaskPages)
    def tasks(self, request: Request, uuid: str) -> Response:
        """List the tasks that the user submitted in a campaign, the newest first."""
        done = Assignment.objects.done_by(self.enrollment())
        page = self.paginate_queryset(done)
        return self.get_paginated_response(DoneTaskSerializer(page, many=True).data)


class AnnotatorTasks(Resource):
    """Tasks that the user holds or has submitted."""

    scope = ANNOTATE
    queryset = Assignment.objects.all()
    serializer_class = TaskSerializer
    lookup_value_converter = "uuid"

    def own(self) -> Assignment:
        found = _own(self.request, self.kwargs["pk"])
        _check_agreed(found.enrollment)
        return found

    @extend_schema(responses=TaskSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """Return a task as the judging page shows it, with the draft so far."""
        return Response(_task(self.own()))

    @extend_schema(request=DraftSerializer, responses=SavedSerializer)
    @action(detail=True, methods=["put"])
    def draft(self, request: Request, pk: str) -> Response:
        """Save answers as a draft, and extend the lease of the task.

        If a later draft has other answers, those are kept: the response is 409 and names them. All
        other answers are saved.
        """
        own = self.own()
        sent, page = _page(own, DraftSerializer(data=request.data))
        lost = drafts.save_draft(assignment=own, page=page)
        _check_none_lost(lost)
        return Response({"sequence": sent["sequence"]})

    @extend_schema(request=StageNumberSerializer, responses=TaskSerializer)
    @action(detail=True, methods=["post"], url_path="continue")
    def leave_stage(self, request: Request, pk: str) -> Response:
        """Leave the open stage of a task: its saved answers are final, and the next stage opens."""
        own = self.own()
        sent = StageNumberSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            drafts.freeze_stage(assignment=own, stage=sent.validated_data["number"] - 1)
        except MissingAnswers as missing:
            raise _lacking(missing) from None
        return Response(_task(self.own()))

    @extend_schema(request=SubmissionSerializer, responses=SubmittedSerializer)
    @action(detail=True, methods=["post"])
    def submit(self, request: Request, pk: str) -> Response:
        """Save the last answers, submit the task, and claim the next one.

        A task with a further stage is continued first (`continue_first`). The same submission sent
        twice is stored once. A submitted task is changed by submitting it
        again with its new token.
        """
        own = self.own()
        sheet = sheets.sheet_of_assignment(own)
        _check_last_stage(own, sheet)
        sent, page = _page(own, SubmissionSerializer(data=request.data), sheet)
        try:
            done = judgments.submit_and_claim_next(
                claim_next=checks.claim_next_with_checks,
                assignment=own,
                page=page,
                token=sent["token"],
                sheet=sheet,
            )
        except MissingAnswers as missing:
            raise _lacking(missing) from None
        _check_none_lost(done.lost)
        return Response({"state": own.state, "next": done.following and done.following.pk})


def _texts(enrollment: Enrollment) -> dict[str, Any]:
    campaign = enrollment.campaign
    protocol = sheets.cached_protocol(campaign.protocol).document
    decisions = discussions.current_decisions(campaign)
    campaign.label = enrollment.label
    campaign.consent_digest = enrollments.consent_digest(whole_consent(campaign))
    campaign.agreed = enrollments.has_agreed(enrollment)
    campaign.guideline = documents.localized(
        protocol, get_language() or protocol.language
    ).guideline
    campaign.decisions = decisions.text if decisions else ""
    language = get_language() or campaign.text_language
    texts = {name: text_in(campaign, name, language).text for name in TRANSLATED}
    for name, text in texts.items():
        setattr(campaign, name, text)
    return CampaignTextsSerializer(campaign).data


def _own(request: Request, pk: Any) -> Assignment:
    found = assignment_at_work(pk=pk, user_pk=request.user.pk)
    if found is None:
        raise Http404
    use_fixed_language(request, found)
    return found


def _check_agreed(enrollment: Enrollment) -> None:
    if not enrollments.has_agreed(enrollment):
        raise Conflict("Read the consent text of the campaign, and agree to it first.")


def _task(assignment: Assignment) -> dict[str, Any]:
    shown: ShownTask = shown_tasks.shown_task(assignment)
    progress = shown_tasks.task_progress(assignment)
    return TaskSerializer({"assignment": assignment, "shown": shown, "progress": progress}).data


def _claimed(outcome: str, **details: Any) -> Response:
    return Response(
        {"outcome": outcome, "task": None, "held_by_others": None, "url": None} | details
    )


def _page(
    own: Assignment, sent: DraftSerializer, sheet: Sheet | None = None
) -> tuple[Mapping[str, Any], SentPage]:
    sent.is_valid(raise_exception=True)
    return sent.validated_data, sent.page(sheet or sheets.sheet_of_assignment(own))


def _check_last_stage(assignment: Assignment, sheet: Sheet) -> None:
    """Raise ContinueFirst if a stage of the task comes after the open one."""
    number, stages = assignment.stage + 1, len(sheet.protocol.stages)
    if number < stages:
        raise drafts.ContinueFirst(
            f"This is stage {number} of {stages}. Save its answers, and continue to stage {number + 1}."
        )


def _lacking(missing: MissingAnswers) -> ValidationError:
    """Return the missing answers as errors of their fields."""
    found: dict[str, dict[str, list[str]]] = {}
    for asked in missing.asked:
        kind = "marks" if isinstance(asked, sheets.AskedMark) else "answers"
        found.setdefault(kind, {})[asked.name] = [f"An answer is required: {asked.title}."]
    return ValidationError(found)


def _check_none_lost(lost: tuple[Entry, ...]) -> None:
    """Raise Conflict if some of the sent answers were not saved, because later ones exist."""
    if lost:
        names = ", ".join("note" if isinstance(entry, str) else entry.name for entry in lost)
        raise Conflict(f"Later answers were saved for {names}. Read the task again.")
