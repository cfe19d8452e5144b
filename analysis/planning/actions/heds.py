"""Answers of the human evaluation datasheet (HEDS 3.0) that follow from a campaign's data."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis import frames
from analysis.planning.actions import dry_run_outcomes, planning
from analysis.planning.reports.heds import Answers, HedsAnswer
from analysis.reports.numerals import coefficient, with_interval
from analysis.reports.rows import Record
from analysis.runs.actions import runs
from analysis.sections.agreement.agreement import alpha_row
from analysis.sections.agreement.hidden_repeats import HiddenRepeats
from analysis.sections.criteria import criterion_rows
from analysis.sections.section import Found
from analysis.sections.systems.system_comparisons import deciding_pairs, tests_of
from judging.base.percentages import percent
from judging.campaigns import quality_plan, selection
from judging.campaigns.actions import selections
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Exclusion
from judging.people.models.event import Event
from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument
from judging.quality.actions import exclusion_rules
from judging.quality.actions.blinding import unblinded
from judging.quality.pay import rate_of
from quaestor_stats._system_differences import CONTRAST

OTHER_LANGUAGE = 185
LANGUAGES = {
    "ar": 8, "bg": 24, "cs": 37, "da": 38, "de": 56, "el": 57, "en": 42, "es": 150, "fa": 128, "fi": 48, "fr": 49,
    "ga": 76, "he": 63, "hi": 65, "hu": 67, "id": 71, "it": 77, "ja": 78, "ko": 90, "nl": 40, "no": 117, "pl": 129,
    "pt": 130, "ro": 133, "ru": 136, "sv": 154, "th": 161, "tr": 167, "uk": 171, "vi": 175, "zh": 30,
}  # fmt: skip
QUALITIES = {"correctness": 1, "goodness": 2, "feature": 3}
ASPECTS = {"form": 1, "content": 2, "both": 3}
FRAMES = {"own": 1, "input": 2, "external": 3}
NOT_ASSESSED = "N/A: no question was shown to the same annotator twice"


def sheet(campaign: Campaign) -> tuple[Answers, dict[str, Answers]]:
    """Return the answers for the whole study, by number of the datasheet's question, and those for
    each criterion, by the name that annotators saw."""
    document = frames.protocol_of(campaign)
    done = runs.latest_run(campaign)
    found = runs.found_by(done) if done else None
    study = {
        **dict(_systems(campaign, document)),
        **dict(_sample(campaign)),
        **dict(_people(campaign)),
        **dict(_design(campaign, document)),
    }
    if campaign.ethics:
        study["5.1"] = HedsAnswer(campaign.ethics)
    return study, {
        criterion.name: dict(_criterion(criterion, document, found))
        for criterion in document.criteria
    }


def _systems(campaign: Campaign, document: ProtocolDocument) -> Iterator[tuple[str, HedsAnswer]]:
    sources = campaign.dataset.sources.all()
    yield (
        "1.1.2",
        HedsAnswer(
            f"{campaign.title}. SHA-256 of its protocol: {campaign.locked_digest or 'not locked yet'}"
        ),
    )
    given = [
        option
        for option, there in (
            (4, sources.exclude(answer="").exists()),
            (5, sources.exclude(sentence="").filter(passage__isnull=True).exists()),
            (6, sources.filter(passage__isnull=False).exists()),
            (13, sources.exclude(target_type="").exists()),
        )
        if there
    ]
    yield "2.1", HedsAnswer(options=tuple(given))
    of_sets = document.expected > 1 or any(
        criterion.unit == "set" for criterion in document.criteria
    )
    yield "2.2", HedsAnswer(options=(6,) if of_sets else (5,))
    yield "2.3", HedsAnswer(options=(11,))
    tag = campaign.dataset.language.split("-")[0].lower()
    option = LANGUAGES.get(tag)
    spoken = HedsAnswer(options=(option,)) if option else HedsAnswer(tag, (OTHER_LANGUAGE,))
    yield "2.4", spoken
    yield "2.5", spoken


def _sample(campaign: Campaign) -> Iterator[tuple[str, HedsAnswer]]:
    systems = selections.judged_systems(campaign).count()
    yield (
        "3.1.1",
        HedsAnswer(
            f"{selections.question_count(campaign):,} questions of {systems:,} systems in all, for "
            f"{selections.judged_sources(campaign).count():,} sources"
        ),
    )
    chosen = selections.planned_selection(campaign)
    if not selection.selection_to_document(chosen):
        yield "3.1.2", HedsAnswer("Every question of the dataset is judged.", (6,))
    elif chosen.sampling is None:
        yield "3.1.2", HedsAnswer(selection.describe_selection(chosen), (3,))
    else:
        drawn = chosen.sampling
        strata = bool(drawn.column) or drawn.over != "sources"
        yield "3.1.2", HedsAnswer(selection.describe_selection(chosen), (2,) if strata else (1,))
    yield from _power(campaign)


def _power(campaign: Campaign) -> Iterator[tuple[str, HedsAnswer]]:
    """Yield method, outcome and code of the power analyses: a plan, the newest dry run, or both."""
    found = [*_power_of_plan(campaign), *_power_of_dry_run(campaign)]
    if found:
        for part, texts in enumerate(zip(*found, strict=True), start=1):
            yield f"3.1.3.{part}", HedsAnswer(". ".join(texts))
    elif not _has_removed_dry_run(campaign):
        for part in (1, 2, 3):
            yield f"3.1.3.{part}", HedsAnswer("N/A: no power analysis was made here")


def _power_of_plan(campaign: Campaign) -> Iterator[tuple[str, str, str]]:
    plan = planning.latest_plan(campaign)
    if plan is None:
        return
    asked, made = plan.parameters, plan.result
    found = [
        (row["annotators"], row["reason"] or f"{row['items']} items") for row in made["needed"]
    ]
    needed = "; ".join(f"{annotators} annotators: {items}" for annotators, items in found)
    yield (
        f"Paired t test for a difference of {asked['difference']} between two systems, level "
        f"{made['level']:.3g}, power {asked['power']}, variances from {made['source']}",
        needed,
        str(made["code"]),
    )


def _power_of_dry_run(campaign: Campaign) -> Iterator[tuple[str, str, str]]:
    run = campaign.dry_runs.filled().defer("outcome").first()
    criteria = dry_run_outcomes.shown_outcome(run)["criteria"] if run else []
    if run is None or not criteria:
        return
    gap, question, severity, noise = (
        f"{100 * run.settings[name]:g}" for name in ("gap", "question", "severity", "noise")
    )
    yield (
        f"Simulation of {criteria[0]['repeats']} repeats of this study with simulated annotators "
        f"({run}): paired permutation test over sources, Holm's correction over the pairs of "
        "systems of a criterion, 5% level. Assumed, in percent of the scale's length: difference "
        f"between neighbouring systems {gap}; standard deviation of questions {question}, of "
        f"annotators {severity}, of single ratings {noise}",
        "; ".join(
            f"{row['name']}, {row['sources']:,} sources: power {_share(row['extremes'])} for the best "
            f"and the worst system, {_share(row['neighbours'])} for all pairs of neighbouring systems"
            for row in criteria
        ),
        f"Quaestor, {run} with seed {run.settings['seed']}",
    )


def _share(share: Record) -> str:
    value, low, high = (percent(share[name]) for name in ("value", "low", "high"))
    return f"{value}, 95% CI [{low}, {high}]"


def _has_removed_dry_run(campaign: Campaign) -> bool:
    """Return whether a dry run was made whose outcome is no longer there."""
    made = Event.objects.filter(campaign=campaign.uuid, act=Event.Act.DRY_RUN_MADE)
    return made.exists() and not campaign.dry_runs.filled().exists()


def _people(campaign: Campaign) -> Iterator[tuple[str, HedsAnswer]]:
    excluded = Exclusion.objects.standing().filter(enrollment__campaign=campaign)
    judged = campaign.enrollments.filter(
        assignments__round__kind=Round.Kind.MAIN,
        assignments__state=Assignment.State.SUBMITTED,
    ).exclude(pk__in=excluded.values("enrollment"))
    if count := judged.distinct().count():
        yield "3.2.1", HedsAnswer(str(count))
    rate = rate_of(campaign.rate)
    if rate or campaign.pay:
        paid = f"{rate.amount} {rate.currency} a task, about {rate.hourly} an hour" if rate else ""
        yield "3.2.2.2", HedsAnswer(". ".join(filter(None, [paid, campaign.pay])), (1,))
    if staff := unblinded(campaign):
        words = f"{len(staff)} who could have known which system made which question judged in it"
        yield "3.2.2.4", HedsAnswer(words, (1,))
    platform = getattr(campaign, "platform", None)
    if platform:
        yield "3.2.3", HedsAnswer(f"Through {platform.get_kind_display()}.")
    elif campaign.invitations.exists():
        yield "3.2.3", HedsAnswer("By personal invitation links.")
    yield "3.2.4", HedsAnswer(". ".join(_training(campaign)) + ".")


def _training(campaign: Campaign) -> Iterator[str]:
    yield "Annotators read the protocol's guideline"
    exercises = campaign.exercises.all()
    if count := exercises.filter(kind="training").count():
        yield f"{count} training questions with feedback"
    if count := exercises.filter(kind="qualification").count():
        yield f"{count} qualification questions, {campaign.pass_mark}% to pass, {campaign.tries} tries"
    if count := campaign.rounds.filter(kind=Round.Kind.CALIBRATION).count():
        yield f"{count} calibration rounds whose differences were discussed"


def _design(campaign: Campaign, document: ProtocolDocument) -> Iterator[tuple[str, HedsAnswer]]:
    yield "3.3.2", HedsAnswer("Pages of Quaestor in a web browser")
    plan = quality_plan.quality_plan_from_document(campaign.quality)
    rules = list(exclusion_rules.standing_rules(campaign))
    excluded = Exclusion.objects.filter(enrollment__campaign=campaign).exists()
    kinds = [
        *([2] if plan.has_checks or campaign.qualifies else []),
        *([4] if rules or excluded else []),
    ]
    yield "3.3.3.1", HedsAnswer(options=tuple(kinds or [7]))
    yield "3.3.3.2", HedsAnswer(". ".join(_checks(campaign, plan, rules)) + ".")
    shown = "; ".join(
        f"{stage.title}: the question, {', '.join(stage.shows) or 'nothing beside it'}"
        for stage in document.stages
    )
    yield "3.3.4.2", HedsAnswer(f"{shown}. No page names a system; orders are drawn at random.")
    words = (
        f"No limit. A task without activity for {campaign.lease_minutes} minutes is assigned to others; "
        "answers submitted later are kept."
    )
    yield "3.3.5", HedsAnswer(words, (5,))
    asks = [
        *([1] if campaign.contact else []),
        *([3] if campaign.exit_questions.exists() else []),
    ]
    yield "3.3.6", HedsAnswer("They may comment on each question and task.", (*asks, 4))
    yield "3.3.7", HedsAnswer(options=(1,))
    yield (
        "3.3.8",
        HedsAnswer(
            "In the annotators' own places. Recorded for each task: the class of the device (phone, tablet or "
            "desktop), what most answers were given with and whether keywords were highlighted; no network and no place"
        ),
    )


def _checks(campaign: Campaign, plan: quality_plan.QualityPlan, rules: list[str]) -> Iterator[str]:
    for share, words in (
        (plan.repeats, "hidden repeats"),
        (plan.gold, "gold questions"),
        (plan.degraded, "degraded copies"),
    ):
        if share:
            yield f"About {share} in 100 tasks are followed by {words}"
    if campaign.qualifies:
        yield "A qualification before the first task"
    yield from (f"Proposed for exclusion: {rule}" for rule in rules)
    yield "Pace, equal values and drift by day are flagged; no annotator is excluded for them alone"


def _criterion(
    criterion: ProtocolCriterion, document: ProtocolDocument, found: Found | None
) -> Iterator[tuple[str, HedsAnswer]]:
    yield from _assessed_quality(criterion, document)
    yield "4.2.1", HedsAnswer(options=(2,))
    yield "4.2.2", HedsAnswer(options=(1,))
    yield "4.2.3", HedsAnswer(options=(1,))
    yield from _rating_scale(criterion)
    yield from _aggregation(criterion, found)
    yield from _agreement(criterion, found)


def _assessed_quality(
    criterion: ProtocolCriterion, document: ProtocolDocument
) -> Iterator[tuple[str, HedsAnswer]]:
    if standard := criterion.standard:
        yield "4.1.1", HedsAnswer(options=(QUALITIES[standard.kind],))
        yield "4.1.2", HedsAnswer(options=(ASPECTS[standard.part],))
        yield "4.1.3", HedsAnswer(options=(FRAMES[standard.frame],))
        if standard.name:
            yield "4.3.1.2", HedsAnswer(standard.name)
    else:
        shows = document.stage(criterion.stage).shows
        yield "4.1.3", HedsAnswer(options=(2,) if shows else (1,))


def _rating_scale(criterion: ProtocolCriterion) -> Iterator[tuple[str, HedsAnswer]]:
    yield "4.3.1.1", HedsAnswer(criterion.name)
    if criterion.definition:
        yield "4.3.2", HedsAnswer(criterion.definition)
    yield "4.3.3", HedsAnswer(str(len(criterion.values())))
    yield (
        "4.3.4",
        HedsAnswer("; ".join(f"{point.value}: {point.label}" for point in criterion.points)),
    )
    yield "4.3.5", HedsAnswer(options=(1,))
    yield "4.3.6", HedsAnswer("N/A")
    yield "4.3.7", HedsAnswer(criterion.prompt)
    yield "4.3.8", HedsAnswer(options=(7,) if criterion.level == "nominal" else (2,))


def _aggregation(
    criterion: ProtocolCriterion, found: Found | None
) -> Iterator[tuple[str, HedsAnswer]]:
    """Yield how ratings become means of systems, and how systems are compared."""
    if criterion.is_averaged:
        yield "4.3.9", HedsAnswer("Mean over annotators, then over a system's questions")
        tests = tests_of(deciding_pairs(found, criterion.key)) if found else []
        words = "Paired permutation over sources"
        if CONTRAST in tests:
            words = "Contrasts within sources, adjusted for annotators"
        yield "4.3.10", HedsAnswer(f"{words}, Holm over pairs; Cliff's delta")
    else:
        yield "4.3.9", HedsAnswer("Shares of the values; nothing is averaged")
        yield "4.3.10", HedsAnswer("N/A: systems are not compared on it")


def _agreement(
    criterion: ProtocolCriterion, found: Found | None
) -> Iterator[tuple[str, HedsAnswer]]:
    row = next(
        (
            each
            for each in (criterion_rows(found) if found else [])
            if each.criterion == criterion.key
        ),
        None,
    )
    if found is None or row is None:
        return  # no report yet
    if told := alpha_row(found, row):
        yield "4.3.11.1", HedsAnswer(f"Krippendorff's alpha, {told.level}")
        yield "4.3.11.2", HedsAnswer(with_interval(told.estimate, coefficient))
    own = [
        each
        for each in found.of(HiddenRepeats)
        if (each.criterion, each.annotator) == (criterion.key, "")
    ]
    known: Mapping[str, Any] = {"method": NOT_ASSESSED, "score": "N/A"}
    if own and own[0].estimate.defined:
        known = {
            "method": "Share of equal values in hidden repeats",
            "score": with_interval(own[0].estimate),
        }
    yield "4.3.12.1", HedsAnswer(known["method"])
    yield "4.3.12.2", HedsAnswer(known["score"])
