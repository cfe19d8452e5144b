"""Whether a protocol fits the dataset of a campaign, and how much work it takes; nothing is
stored."""

from dataclasses import dataclass
from math import ceil

from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.campaigns.actions import selections
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset, Unit
from judging.protocols import documents
from judging.protocols.models.protocol import Protocol
from judging.protocols.protocol_schema import ProtocolDocument


@dataclass(frozen=True, slots=True)
class MaterialFacts:
    """What is judged of a dataset: how much, and how many of its sources have the parts that a
    protocol may show."""

    sources: int
    passages: int
    sentences: int
    answers: int
    target_types: int
    systems: int
    sets: int
    questions: int
    expected: int  # questions in the largest set


@dataclass(frozen=True, slots=True)
class Effort:
    """How much judging a campaign takes, by the protocol's own estimate of a task."""

    tasks: int
    seconds: int

    @property
    def hours(self) -> float:
        return self.seconds / 3600


def count_contents(dataset: Dataset, units: QuerySet[Unit] | None = None) -> MaterialFacts:
    """Count what a dataset contains, or only some of its units."""
    chosen = Unit.objects.all() if units is None else units
    judged = chosen.filter(question_set__source__dataset=dataset, position__isnull=False)
    source = "question_set__source"
    counted: dict[str, int] = judged.aggregate(
        sources=Count(source, distinct=True),
        passages=Count(source, distinct=True, filter=Q(**{f"{source}__passage__isnull": False})),
        sentences=Count(source, distinct=True, filter=~Q(**{f"{source}__sentence": ""})),
        answers=Count(source, distinct=True, filter=~Q(**{f"{source}__answer": ""})),
        target_types=Count(source, distinct=True, filter=~Q(**{f"{source}__target_type": ""})),
        systems=Count("question_set__system", distinct=True),
        sets=Count("question_set", distinct=True),
        questions=Count("question"),
        expected=Max("question_set__expected", default=0),
    )
    return MaterialFacts(**counted)


def of_draft(campaign: Campaign) -> MaterialFacts:
    """Count what a draft judges as it is planned now."""
    return count_contents(
        campaign.dataset,
        selections.judged_units(campaign) if selections.is_narrowed(campaign) else None,
    )


def misfits(document: ProtocolDocument, material: MaterialFacts) -> list[str]:
    """Return, in sentences, what the protocol requires and the dataset lacks."""
    if not material.questions:
        return [_("The dataset has no questions yet.")]
    of_sets = any(
        criterion.unit == "set" or criterion.asked == "once_per_set"
        for criterion in document.criteria
    )
    is_by_source = document.expected == 1 and document.task == "source" and not of_sets
    numbers = {"wanted": document.expected, "most": material.expected}
    found = _not_there(document, material)
    if of_sets and material.expected < 2:
        words = _("It judges sets of questions; here each system has one question to a source.")
        found.append(words)
    elif document.expected > 1 and material.expected < document.expected:
        words = _(
            "It expects %(wanted)d questions from each system on each source; here there are at most %(most)d."
        )
        found.append(words % numbers)
    elif is_by_source and material.expected > 1:
        words = _(
            "It expects one question from each system on each source; here there are up to %(most)d."
        )
        found.append(words % numbers)
    return found


def _not_there(document: ProtocolDocument, material: MaterialFacts) -> list[str]:
    """Return which parts of a source the protocol shows and some sources lack."""
    shown = {name for stage in document.stages for name in stage.shows}
    parts = {
        "passage": (material.passages, _("the passage")),
        "answer": (material.answers, _("the answer")),
        "target_type": (material.target_types, _("the type that was asked for")),
    }
    if "passage" not in shown:  # beside a passage the sentence is only marked in it
        parts["sentence"] = (material.sentences, _("the sentence"))
    found = []
    for name, (there, words) in parts.items():
        without = material.sources - there
        if name in shown and without > 0:
            said = ngettext(
                "It shows %(part)s; %(n)d of %(sources)d sources has none.",
                "It shows %(part)s; %(n)d of %(sources)d sources have none.",
                without,
            )
            found.append(said % {"part": words, "n": without, "sources": material.sources})
    return found


def effort(document: ProtocolDocument, material: MaterialFacts, annotators: int) -> Effort:
    """Return how many tasks there will be, and the estimated seconds that all annotators judge
    together."""
    tasks = {
        "source": material.sources,
        "question_set": material.sets,
        "unit": ceil(material.questions / document.page_size),
    }[document.task]
    return Effort(tasks, tasks * annotators * document.estimated_seconds)


def order_by_fit(
    protocols: QuerySet[Protocol], material: MaterialFacts
) -> list[tuple[Protocol, list[str]]]:
    """Return protocols with what does not fit, the best fit first, otherwise in their order."""
    found = [
        (protocol, misfits(documents.protocol_from_document(protocol.document), material))
        for protocol in protocols
    ]
    return sorted(found, key=lambda pair: len(pair[1]))
