"""Training and qualification items as the judging page shows them, one at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.views import source_texts
from annotation.views.page import (
    DockButton,
    ExerciseDock,
    ShownCriterion,
    ShownGroup,
    ShownProtocol,
    ShownQuestion,
    guideline_sections,
)
from annotation.views.source_texts import SourceTexts
from judging.campaigns.actions import discussions
from judging.campaigns.models.members import Enrollment
from judging.protocols import documents
from judging.protocols.protocol_schema import CriterionPoint
from judging.work.actions import sheets

ANCHOR = "q1"  # the anchor of the only question on the page


@dataclass(frozen=True, slots=True)
class Feedback:
    """Whether an answer was right, which values are right, and why."""

    key: str  # of the criterion
    name: str
    is_right: bool
    right: tuple[CriterionPoint, ...]
    why: str


@dataclass(frozen=True, slots=True)
class ShownExercise:
    """An item with its controls, its place among the others, and the texts of the page."""

    title: str  # "Training, 1 of 2"
    place: int
    count: int
    passage: str
    answer: str
    question: str
    criteria: tuple[ShownCriterion, ...]
    dock: ExerciseDock
    introduction: str = ""
    feedback: tuple[Feedback, ...] = ()
    carried: Sequence[tuple[str, str]] = field(default_factory=tuple)  # hidden fields: name, value

    @property
    def errors(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            (criterion.name, criterion.legend) for criterion in self.criteria if criterion.error
        )


def training_dock(*, is_answered: bool, is_last: bool) -> ExerciseDock:
    """Return the buttons below a training item, before or after its answers were sent."""
    if not is_answered:
        said = _("Training: your answers are not kept")
        return ExerciseDock(said, DockButton("submit", _("See what is right")))
    following = DockButton("next", _("Go on") if is_last else _("Next item"))
    return ExerciseDock("", following, DockButton("again", _("Try again")))


def qualification_dock(*, is_first: bool, is_last: bool) -> ExerciseDock:
    """Return the buttons below a qualification item."""
    primary = DockButton("submit", _("Submit") if is_last else _("Next item"))
    back = None if is_first else DockButton("back", _("Back"))
    return ExerciseDock(_("Your answers are kept when you submit the last item"), primary, back)


def judging_page(
    enrollment: Enrollment, item: ShownExercise, *, submit_url: str
) -> dict[str, object]:
    """Return the context of the judging page for one item."""
    campaign = enrollment.campaign
    protocol = sheets.cached_protocol(campaign.protocol).document
    words = documents.localized(protocol, get_language() or protocol.language)
    lang, direction = source_texts.direction(campaign.dataset.language)
    question = ShownQuestion(
        letter="A",
        anchor=ANCHOR,
        text=item.question,
        about=(),
        done=False,
        criteria=item.criteria,
        lang=lang,
        dir=direction,
    )
    source = SourceTexts(
        passage=((item.passage, "plain"),) if item.passage else (), answer=item.answer
    )
    shown = ShownProtocol(
        lang=lang,
        dir=direction,
        stage=None,
        source=source or None,
        groups=(ShownGroup("", (question,), ()),),
        guideline=guideline_sections(words, discussions.current_decisions(campaign)),
        errors=item.errors,
        view="focus",
        is_view_fixed=True,
        empty="",
        exercise=item,
    )
    return shown.names(
        {
            "title": campaign.title,
            "progress": {"done": item.place - 1, "total": item.count, "current": item.place},
            "submit_url": submit_url,
            "draft_url": "",
            "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
            "start_url": reverse("annotation:start", args=[campaign.uuid]),
            "pause_url": "",
            "back_url": "",
            "reenter_url": "",
            "preview": False,
            "reviews": False,
            "keywords": campaign.highlight_keywords,
            "token": "",
            "sequence": 0,
            "label": enrollment.label,
            "who": "",
            "account": "",
        }
    )
