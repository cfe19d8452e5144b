"""What an analysis rests on: how much was judged, how complete it is, and what annotators knew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, OuterRef
from django.utils.text import Truncator

from analysis.frames import Material, adjudicated_count
from analysis.reports.numerals import format_count
from analysis.reports.rows import Record, row_field, table_row
from analysis.sections.agreement.violations import Violations
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.limits import MAX_PAGE_ROWS
from judging.campaigns.actions.live_agreements import count_looks
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import SHOWN_OF_CHANGE, Campaign
from judging.campaigns.models.members import Exclusion
from judging.crowd.models.crowd import CrowdPlatform
from judging.datasets.models.added_file import AddedFile
from judging.imports.actions.fit import WHY_EXCLUDED
from judging.quality.actions.blinding import read_others, unblinded
from judging.quality.pay import rate_of
from judging.work.models.judgment import Judgment
from quaestor_stats._design import REQUIRED_CLUSTERS, ClusterUnit, cluster_unit

if TYPE_CHECKING:
    import pandas as pd

ORIGINS = {
    "simulated": "These ratings were made by simulated annotators, not by people: they show what a report looks "
    "like and are no evidence about any system.",
    "imported": "These ratings were imported from a file; the time annotators took is unknown.",
}
OF_MEANS = (
    "The human ratings were imported as means over annotators, without the individual ratings: metrics can be "
    "compared with them, and agreement is unknown."
)


@table_row
class StudyFacts:
    """The facts of the study; one row."""

    campaign: str = row_field("title of the campaign")
    origin: str = row_field(
        "judged here, imported or simulated; mixed where some judgments were imported and others "
        "not"
    )
    judgments: int = row_field("standing judgments that were read")
    forced: int = row_field("those of them that a rule of the protocol set")
    annotators: int = row_field("annotators whose judgments were read")
    tasks: int = row_field("tasks with judgments")
    places: int = row_field("assignments drawn in the main round; 0 for imported ratings")
    filled: int = row_field("assignments that were submitted")
    without_values: int = row_field(
        "assignments that were submitted without any value, for example because each question was "
        "reported as broken"
    )
    sources: int = row_field("sources that the campaign judges")
    sources_judged: int = row_field("sources with at least one judgment")
    systems: list[str] = row_field("names of the systems")
    expected: int = row_field("questions expected")
    returned: int = row_field("questions returned")
    seconds_a_question: float = row_field(
        "median time at work for a question; empty for imported ratings"
    )
    excluded: list[Any] = row_field("annotators excluded by a manager, with the reason")
    unblinded: list[str] = row_field(
        "annotators who could have known which system is which: by a role or a right given before "
        "they began or while the study was closed in between, or by what they did themselves"
    )
    read_others: list[str] = row_field(
        "annotators who may have read others' judgments: they were named as adjudicators of the "
        "dataset after others had judged it, before they began or while the study was closed in "
        "between"
    )
    looked_at_agreement: int = row_field(
        "users who looked at agreement before the campaign was closed, on its overview or in a report"
    )
    deviations: list[Any] = row_field(
        "what was changed after the lock: the first 200, with the beginnings of long texts"
    )
    deviation_count: int = row_field("how many there are in all")
    violations: int = row_field("ratings that contradict a rule of the protocol")
    extras_counted: bool = row_field(
        "whether answers count that were submitted after their assignment was given to another "
        "annotator"
    )
    reading: str = row_field("how ratings that contradict a rule were read for systems and metrics")
    design: str = row_field("what is random: sources, and what else was declared")
    reach: str = row_field("the population to which the conclusions generalise")
    excluded_by_run: list[str] = row_field(
        "systems, criteria, metrics and annotators that this run excludes by choice"
    )
    metric_level: str = row_field(
        "the level at which the headline speaks of metrics: pooled, within_source or systems"
    )
    adjudicated: int = row_field(
        "adjudicated ratings that systems and metrics use; 0 if the run uses none"
    )
    people: list[str] = row_field(
        "how annotators were recruited, consented, qualified and were paid, in sentences"
    )
    clusters: int = row_field(
        "passages, or clusters by a declared column, that the judged sources belong to and that "
        "intervals and tests keep together; 0 if every source is independent"
    )
    cluster_column: str = row_field(
        "the column that declares which sources belong together; empty if identical passages "
        "define the clusters"
    )
    ratings_in_files: int = row_field("annotators' ratings in the imported files")
    ratings_excluded: list[Any] = row_field("how many of them were not stored, by reason")

    @property
    def sources_used(self) -> int:
        """The sources that numbers rest on: those with judgments, or all of imported means."""
        return self.sources_judged or self.sources

    @property
    def unit(self) -> ClusterUnit:
        """The unit that intervals and tests keep together."""
        clusters = self.clusters or self.sources_used
        return cluster_unit(self.sources_used, clusters, column=self.cluster_column)

    @property
    def units(self) -> int:
        """The number of these units behind the results."""
        return self.clusters or self.sources_used

    @property
    def sample(self) -> str:
        """The sources that numbers rest on, in words: 42 sources in 12 passages."""
        sources = format_count(self.sources_used, "source")
        return sources if self.unit.is_source else f"{sources} in {self.unit.counted(self.units)}"

    @property
    def has_times(self) -> bool:
        return not isnan(self.seconds_a_question)

    @property
    def missing(self) -> int:
        return self.expected - self.returned

    @property
    def lacks_people(self) -> bool:
        """Whether annotators are excluded, by a manager or by choice of the run."""
        return bool(self.excluded) or any(
            each.startswith("annotator ") for each in self.excluded_by_run
        )

    @property
    def unfinished(self) -> bool:
        """Whether assignments of the main round were not submitted."""
        return self.filled < self.places


class About(Section[StudyFacts]):
    """Counts, completeness, and what to know about the study."""

    key = "about"
    title = "About the study"

    @classmethod
    def without(cls, records: Sequence[Record], labels: Collection[str]) -> list[Record]:
        """Return the facts without the given annotators' exclusions and possible knowledge."""
        return [
            {
                **record,
                "excluded": [
                    one for one in record.get("excluded", []) if one["annotator"] not in labels
                ],
                "unblinded": [one for one in record.get("unblinded", []) if one not in labels],
                "read_others": [one for one in record.get("read_others", []) if one not in labels],
            }
            for record in records
        ]

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[StudyFacts]:
        facts = {
            **_contents(inputs.said),
            **_work(inputs.said),
            **_conduct(inputs.said.campaign),
            **_choices(inputs),
            "violations": len(found.of(Violations)),
        }
        return [StudyFacts(**facts)]

    def caveats(self, found: Found) -> Iterator[str]:
        for study in found.of(About):
            if are_means(found):
                yield OF_MEANS
                continue
            if sentence := ORIGINS.get(study.origin):
                yield sentence
            if study.ratings_excluded:
                yield ratings_not_used(study)
            if not study.judgments:
                yield nothing_judged(study)
            elif study.unfinished:
                yield (
                    f"This study is unfinished: {study.filled:,} of {format_count(study.places, 'assignment')} "
                    f"are submitted, and {study.sources_judged:,} of "
                    f"{format_count(study.sources, 'source')} have judgments."
                )
            elif 0 < study.sources_judged < study.sources:
                yield (
                    f"{study.sources_judged:,} of {format_count(study.sources, 'source')} have judgments; "
                    "agreement, means and tests rest on those."
                )
            if study.clusters:
                yield resampled(study)
            if study.looked_at_agreement:
                people = format_count(study.looked_at_agreement, "person", "people")
                yield (
                    f"{people} looked at agreement before the campaign was closed. If the decision to "
                    "stop depended on it, agreement is biased."
                )
            if study.without_values:
                yield places_without_values(study)
            if study.adjudicated:
                yield (
                    f"Systems and metrics use {format_count(study.adjudicated, 'adjudicated rating')} instead of "
                    "the annotators' ratings; agreement, the human ceiling and the required number of "
                    "annotators use the annotators' ratings."
                )
            if study.reading == "by_protocol":
                yield (
                    "Systems and metrics use protocol-adjusted scores: if a rule of the protocol sets a value "
                    "or counts a question as missing, it replaces the rating. Agreement uses raw scores."
                )


def _contents(said: Material) -> dict[str, Any]:
    """Return the numbers of sources, systems and questions, and of their clusters."""
    judgments, questions = said.judgments, said.questions
    judged = said.slots[said.slots["unit"].isin(judgments["unit"])]
    used = judged if len(judged) else questions
    clusters, sources = said.clusters.loc[used["unit"]].nunique(), used["source"].nunique()
    return {
        "judgments": len(judgments),
        "forced": int((judgments["origin"] == "rule").sum()),
        "annotators": int(judgments["annotator"].nunique()),
        "tasks": int(judgments["task"].nunique()),
        "sources": int(questions["source"].nunique()),
        "sources_judged": int(judged["source"].nunique()),
        "systems": sorted(str(name) for name in questions["system"].unique() if name),
        "expected": len(questions),
        "returned": int(questions["text"].notna().sum()),
        "clusters": clusters if clusters < sources else 0,
        "cluster_column": said.declared.column if said.declared else "",
    }


def _work(said: Material) -> dict[str, Any]:
    """Return how much of the assignments, or of the imported files, is judged."""
    campaign = said.campaign
    filled = Assignment.objects.filter(
        round__campaign=campaign, round__kind="main", state="submitted"
    )
    values = Judgment.objects.standing().filter(assignment=OuterRef("pk"))
    in_files, not_stored = _ratings_in_files(campaign)
    return {
        "places": 0 if campaign.origin == "imported" else _places(campaign),
        "filled": filled.count(),
        "without_values": filled.filter(~Exists(values)).count(),
        "seconds_a_question": _seconds_a_question(campaign, said.judgments),
        "ratings_in_files": in_files,
        "ratings_excluded": [
            {"why": why, "n": not_stored[why]} for why in WHY_EXCLUDED if not_stored[why]
        ],
    }


def _conduct(campaign: Campaign) -> dict[str, Any]:
    """Return who took part in the study, what they could know, and what was changed."""
    return {
        "campaign": campaign.title,
        "origin": str(campaign.origin),
        "people": list(_people(campaign)) if campaign.origin == "judged" else [],
        "excluded": _excluded(campaign),
        "unblinded": unblinded(campaign),
        "read_others": read_others(campaign),
        "looked_at_agreement": count_looks(campaign),
        "deviations": _deviations(campaign),
        "deviation_count": campaign.deviations.count(),
    }


def _choices(inputs: Inputs) -> dict[str, Any]:
    """Return what was chosen for the run."""
    settings = inputs.settings
    return {
        "extras_counted": bool(settings["extras"]),
        "reading": settings["reading"],
        "design": inputs.design.key,
        "reach": inputs.design.reach(),
        "excluded_by_run": list(settings["exclusion_words"]),
        "metric_level": settings["metric_level"],
        "adjudicated": adjudicated_count(inputs.said) if settings.get("adjudicated") else 0,
    }


def nothing_judged(study: StudyFacts) -> str:
    """Return that there are no ratings, and that those of excluded annotators do not count."""
    ratings = (
        "There are no ratings of included annotators"
        if study.lacks_people
        else "There are no ratings yet"
    )
    return f"{ratings}, so there is no agreement and no mean rating."


def resampled(study: StudyFacts) -> str:
    """Return a sentence on the clusters that intervals and tests keep together, or that they are
    too few for intervals."""
    if study.clusters < REQUIRED_CLUSTERS:
        reason = study.unit.reason_against(study.clusters)
        return f"{reason[0].upper()}{reason[1:]}."
    return (
        f"Intervals and tests keep the sources of each {study.unit.singular} together: they rest on "
        f"{study.sample}."
    )


def ratings_not_used(study: StudyFacts) -> str:
    """Return how many ratings the imported files hold, how many are used, and why others are not."""
    excluded = sum(each["n"] for each in study.ratings_excluded)
    used = study.ratings_in_files - excluded
    why = "; ".join(f"{each['n']:,} {WHY_EXCLUDED[each['why']]}" for each in study.ratings_excluded)
    # annotators, systems or criteria that the run excludes are listed elsewhere
    verb = "stored" if study.lacks_people or study.excluded_by_run else "used"
    return (
        f"Imported files hold {study.ratings_in_files:,} ratings; {used:,} are {verb} and "
        f"{excluded:,} {'is' if excluded == 1 else 'are'} excluded: {why}."
    )


def places_without_values(study: StudyFacts) -> str:
    """Return how many submitted assignments have no rating."""
    has = "has" if study.without_values == 1 else "have"
    return f"Of the submitted assignments, {study.without_values:,} {has} no rating."


def _ratings_in_files(campaign: Campaign) -> tuple[int, Counter[str]]:
    """Return the number of annotators' ratings in the files that were added to the campaign, and of
    those not stored by reason."""
    files = AddedFile.objects.filter(campaign=campaign, state=AddedFile.State.ADDED)
    in_files, excluded = 0, Counter[str]()
    for brought in files.values_list("brought", flat=True):
        in_files += brought.get("ratings_read", 0)
        excluded.update(brought.get("ratings_excluded", {}))
    return in_files, excluded


def _places(campaign: Campaign) -> int:
    """Return the number of assignments of the main round: open, held or submitted."""
    states = ["open", "held", "submitted"]
    return Assignment.objects.filter(
        round__campaign=campaign, round__kind="main", state__in=states
    ).count()


def _seconds_a_question(campaign: Campaign, judgments: pd.DataFrame) -> float:
    """Return the median over submitted tasks of the time at work for each question."""
    import pandas as pd

    spent = Assignment.objects.submitted().filter(
        round__campaign=campaign, round__kind="main", active_seconds__gt=0
    )
    columns = ["task", "seconds"]
    rows = pd.DataFrame(spent.values_list("task__number", "active_seconds"), columns=columns)
    if rows.empty or judgments.empty:
        return float("nan")
    questions = judgments.groupby("task")["unit"].nunique()
    return float((rows["seconds"] / rows["task"].map(questions)).median())


def _people(campaign: Campaign) -> Iterator[str]:
    """Yield sentences on the annotators from the plan, and the number who did not qualify."""
    if platform := CrowdPlatform.objects.filter(campaign=campaign).first():
        where = "a crowd platform" if platform.kind == "generic" else platform.get_kind_display()
        yield f"Annotators came from {where}."
    if campaign.consent:
        yield "They agreed to a consent text before their first task."
    if campaign.trains:
        items = campaign.exercises.filter(kind="training").count()
        yield f"They were trained on {format_count(items, 'item')}."
    if campaign.qualifies:
        items = campaign.exercises.filter(kind="qualification").count()
        tried = campaign.enrollments.filter(tries__isnull=False).distinct()
        passed = tried.filter(qualified_at__isnull=False).count()
        yield (
            f"They qualified on {format_count(items, 'item')}: {campaign.pass_mark}% of the answers had to "
            f"be right in one of {format_count(campaign.tries, 'try', 'tries')}; "
            f"{passed:,} of {tried.count():,} passed."
        )
    if rate := rate_of(campaign.rate):
        yield (
            f"A task paid {rate.amount} {rate.currency} at a planned {rate.minutes} min, "
            f"{rate.hourly} {rate.currency} an hour."
        )


def _excluded(campaign: Campaign) -> list[Record]:
    rows = Exclusion.objects.standing().filter(enrollment__campaign=campaign)
    return [
        {"annotator": row.enrollment.label, "reason": row.reason}
        for row in rows.order_by("enrollment__label").select_related("enrollment")
    ]


def _deviations(campaign: Campaign) -> list[Record]:
    found = campaign.deviations.shortened()[:MAX_PAGE_ROWS]
    columns = ("made_at", "what", "before_begins", "after_begins", "reason")
    return [
        {
            "day": at.date().isoformat(),
            "what": what,
            "before": Truncator(before).chars(SHOWN_OF_CHANGE),
            "after": Truncator(after).chars(SHOWN_OF_CHANGE),
            "reason": reason,
        }
        for at, what, before, after, reason in found.values_list(*columns)
    ]


def are_means(found: Found) -> bool:
    """Return whether mean human ratings were imported without the ratings behind them."""
    study = run_facts(found)
    has_means = any(
        row["kind"] == "human_mean" for row in found.documents.get("metric_definitions", [])
    )
    is_imported = study.origin == "imported" and not study.judgments
    return has_means and is_imported and not study.lacks_people


def run_facts(found: Found) -> StudyFacts:
    """Return the facts of a run, which every run has."""
    return found.of(About)[0]
