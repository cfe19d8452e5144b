"""The counts of a campaign's overview, made once for all viewers: progress, pace, use of the scales,
severity.

Counting a small campaign takes milliseconds and is done for each page. The counts of a large one
are stored (`Snapshot`) and made again in the background, less often the longer counting takes; the
page shows when they were made.
"""

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from judging.base.models.statements import query_rows
from judging.campaigns.actions import selections
from judging.campaigns.guards import hidden_enrollments
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.quality_plan import quality_plan_from_document
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Criterion
from judging.quality import quality
from judging.quality.actions import check_results
from judging.quality.drift import Day, SourceSpread, find_drifts
from judging.quality.models.snapshot import Snapshot
from judging.quality.pay import Earned, rate_of
from judging.quality.quality import Checked, Flag, Forecast, Use, Workload

LARGE = 10_000  # values or places; fewer are counted in some ten milliseconds and not stored
QUICK_ANSWER = 400  # milliseconds
REST = 30  # times the duration of a count, before an open campaign is counted again
AT_LEAST, SELDOM = timedelta(seconds=15), timedelta(hours=1)
HOURS = 24 * 14  # hours whose submissions are counted for the pace
RUNNING = (Campaign.State.OPEN, Campaign.State.PAUSED)

DONE = """
SELECT enrollment_id, count(*) FILTER (WHERE state = 'submitted'), count(*),
    coalesce(sum(active_seconds), 0),
    extract(epoch FROM max(submitted_at))::float8
FROM judging_assignment WHERE round_id = %(round)s AND submitted_at IS NOT NULL
    GROUP BY enrollment_id
"""
# tasks of every round are paid, checks and extras too; in the main one at most the plan's number for
# each annotator, because annotators who let tasks lapse may have more of them open
PAID = """
SELECT enrollment_id, count(*), coalesce(sum(active_seconds), 0) FROM (
    SELECT own.enrollment_id, own.active_seconds, round.kind, row_number() OVER (
        PARTITION BY own.enrollment_id, round.kind ORDER BY own.submitted_at, own.id) AS place
    FROM judging_assignment own JOIN judging_round round ON round.id = own.round_id
    WHERE round.campaign_id = %(campaign)s AND own.submitted_at IS NOT NULL) done
WHERE kind <> 'main' OR %(most)s::int IS NULL OR place <= %(most)s GROUP BY 1
"""
PLACES = """
SELECT state, count(*) FROM judging_assignment
WHERE round_id = %(round)s AND state IN ('open', 'held', 'submitted') GROUP BY state
"""
# current judgments of submitted tasks, extras included
SAID = """
WITH said AS MATERIALIZED (
    SELECT own.enrollment_id AS who, j.criterion_id AS criterion, j.unit_id AS unit,
        j.value AS value,
           j.origin AS origin, own.submitted_at AS at
    FROM judging_judgment j JOIN judging_assignment own ON own.id = j.assignment_id
    WHERE own.round_id = %(round)s AND j.superseded_at IS NULL AND own.submitted_at IS NOT NULL)
"""
USES = f"""{SAID}
SELECT who, criterion, value, count(*), count(*) FILTER (WHERE origin = 'judged') FROM said
    GROUP BY 1, 2, 3
"""  # noqa: S608
# answers that were given so soon after their criterion was first shown that it was hardly read, and
# all whose times are known
QUICK = """
SELECT own.enrollment_id, count(*) FILTER (WHERE said.answered_at - said.first_shown_at
    <= %(quick)s::int * interval '1 millisecond'), count(*)
FROM judging_judgment said JOIN judging_assignment own ON own.id = said.assignment_id
WHERE own.round_id = %(round)s AND said.superseded_at IS NULL AND own.submitted_at IS NOT NULL
    AND said.answered_at IS NOT NULL AND said.first_shown_at IS NOT NULL
GROUP BY 1
"""
# tasks of every round that are held without a save for a day: the day of the last one, and hours
IDLE = """
SELECT who, (last AT TIME ZONE %(zone)s::text)::date::text,
    (extract(epoch FROM %(now)s::timestamptz - last) / 3600)::float8
FROM (SELECT own.enrollment_id AS who, max(greatest(own.held_at, draft.saved_at)) AS last
    FROM judging_assignment own JOIN judging_round round ON round.id = own.round_id
    LEFT JOIN judging_draft draft ON draft.assignment_id = own.id
    WHERE round.campaign_id = %(campaign)s AND own.state = 'held' GROUP BY own.id) saved
WHERE last < %(now)s::timestamptz - interval '1 day'
"""
RUNS = f"""{SAID}
SELECT DISTINCT ON (who, criterion) who, criterion, value, length FROM (
    SELECT who, criterion, value, count(*) AS length FROM (
        SELECT who, criterion, value,
            row_number() OVER (PARTITION BY who, criterion ORDER BY at, unit)
            - row_number() OVER (PARTITION BY who, criterion, value ORDER BY at, unit) AS run
        FROM said) numbered
    GROUP BY who, criterion, value, run) runs
ORDER BY who, criterion, length DESC, value
"""  # noqa: S608
# how far each annotator's values are from the others' on the same units
SEVERITY = f"""{SAID}
, measured AS (
    SELECT said.* FROM said JOIN judging_scalepoint point
        ON point.criterion_id = said.criterion AND point.value = said.value AND NOT point.missing)
, units AS (SELECT unit, criterion, sum(value) AS total, count(*) AS n FROM measured
    GROUP BY 1, 2 HAVING count(*) > 1)
SELECT who, criterion, avg(value - (total - value)::float8 / (n - 1)), count(*)
FROM measured JOIN units USING (unit, criterion) GROUP BY 1, 2
"""  # noqa: S608
BY_SYSTEM = f"""{SAID}
SELECT held.system_id, who, count(DISTINCT unit)
FROM said JOIN judging_unit ON judging_unit.id = said.unit
JOIN judging_questionset held ON held.id = judging_unit.question_set_id
GROUP BY 1, 2
"""  # noqa: S608
# means of sources by day, and how far they are from the others' on the same units
OF_DAYS = f"""{SAID}
, measured AS (
    SELECT said.*, held.source_id AS source, (at AT TIME ZONE %(zone)s::text)::date AS day
    FROM said JOIN judging_scalepoint point
        ON point.criterion_id = said.criterion AND point.value = said.value AND NOT point.missing
    JOIN judging_unit ON judging_unit.id = said.unit
    JOIN judging_questionset held ON held.id = judging_unit.question_set_id)
"""  # noqa: S608
BY_DAY = f"""{OF_DAYS}
, units AS (SELECT unit, criterion, sum(value) AS total, count(*) AS n FROM measured
    GROUP BY 1, 2 HAVING count(*) > 1)
, of_source AS (
    SELECT who, criterion, day, source, count(*) AS n, avg(value)::float8 AS mean,
        avg(value - (total - value)::float8 / (units.n - 1)) AS apart
    FROM measured LEFT JOIN units USING (unit, criterion) GROUP BY 1, 2, 3, 4)
SELECT who, criterion, day::text, sum(n)::int, count(*), avg(mean), coalesce(stddev_samp(mean), 0),
    count(apart), coalesce(avg(apart), 0), coalesce(stddev_samp(apart), 0)
FROM of_source GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""  # noqa: S608
EVERYBODY_BY_DAY = f"""{OF_DAYS}
, of_source AS (
    SELECT criterion, day, source, count(*) AS n, avg(value)::float8 AS mean FROM measured
        GROUP BY 1, 2, 3)
SELECT criterion, day::text, sum(n)::int, count(*), avg(mean), coalesce(stddev_samp(mean), 0)
FROM of_source GROUP BY 1, 2 ORDER BY 1, 2
"""  # noqa: S608
# Questions that were reported as broken in submitted tasks, checks included, and how many of these
# tasks have no value. A report that was taken back leaves its row.
REPORTED = """
SELECT own.enrollment_id, count(*) FILTER (WHERE note.text <> ''),
    count(DISTINCT own.id) FILTER (WHERE NOT EXISTS (
        SELECT FROM judging_judgment said
        WHERE said.assignment_id = own.id AND said.superseded_at IS NULL))
FROM judging_note note
JOIN judging_assignment own ON own.id = note.assignment_id AND own.submitted_at IS NOT NULL
JOIN judging_round round ON round.id = own.round_id
WHERE round.campaign_id = %(campaign)s AND note.unit_id IS NOT NULL GROUP BY 1 ORDER BY 1
"""
BY_HOUR = """
SELECT floor(extract(epoch FROM %(now)s::timestamptz - submitted_at) / 3600)::int AS ago, count(*)
FROM judging_assignment
WHERE round_id = %(round)s AND state = 'submitted' AND submitted_at > %(since)s::timestamptz
    GROUP BY 1
"""


@dataclass(frozen=True, slots=True)
class _Scale:
    """A criterion's key, the width of its scale, and 1 if high is best, -1 if low is, else 0."""

    key: str
    width: float
    sign: int


@dataclass(frozen=True, slots=True)
class AnnotatorStanding:
    """One annotator's work, severity and flags.

    severity: mean distance from the others on the same units as a share of the scale; below 0 is
    harsher.
    """

    work: Workload
    enrollment: int
    extras: int
    last_at: datetime | None
    severity: float | None
    flags: Sequence[Flag]

    @property
    def quick(self) -> int:
        """Return how many answers were given within 400 ms of the criterion's first showing."""
        return self.work.quick

    @property
    def signed_severity(self) -> str:
        """Return the severity as pages write it: with its sign, and a minus that is no hyphen."""
        if self.severity is None:
            return "–"
        text = f"{self.severity:+.2f}".replace("-", "−")
        return "0.00" if text[1:] == "0.00" else text


@dataclass(frozen=True, slots=True)
class ReportedQuestions:
    """How many questions one annotator reported as broken in submitted tasks, and how many of these
    tasks have no value."""

    questions: int
    empty: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A campaign's counts at one moment; `questions` is None if it has no main round.

    idle: the flags of annotators who hold a task without a save, also before their first submission.
    """

    at: datetime
    questions: int | None
    places: int
    filled: int
    held: int
    annotators: Mapping[int, AnnotatorStanding]
    criteria: Mapping[str, Mapping[int, int]]
    systems: Mapping[int, Mapping[int, int]]
    by_hour: Sequence[int]
    earned: Mapping[str, Earned]
    days: Mapping[str, Sequence[Day]]
    reported: Mapping[int, ReportedQuestions]
    idle: Mapping[int, Flag]

    def flags_of(self, enrollment: int) -> list[Flag]:
        """Return all flags of an annotator."""
        standing, idle = self.annotators.get(enrollment), self.idle.get(enrollment)
        return [*(standing.flags if standing else ()), *([idle] if idle else ())]

    @property
    def earned_so_far(self) -> Decimal:
        return sum((each.amount for each in self.earned.values()), Decimal(0))

    @property
    def empty(self) -> int:
        """How many tasks were submitted without a value, because their questions are broken."""
        return sum(each.empty for each in self.reported.values())

    @property
    def below_floor(self) -> int:
        """The number of annotators who were paid less per hour than the floor."""
        return sum(bool(each.top_up) for each in self.earned.values())

    @property
    def forecast(self) -> Forecast | None:
        return quality.forecast_completion(self.by_hour, self.places - self.filled)

    @property
    def flagged(self) -> list[AnnotatorStanding]:
        return [each for each in self.annotators.values() if each.flags]


def campaign_counts(campaign: Campaign) -> Counted:
    """Return a campaign's counts: the stored ones of a large campaign, else counted now."""
    kept = Snapshot.objects.filter(campaign=campaign).first()
    document = kept.document if kept else take_snapshot(campaign=campaign, now=timezone.now())
    return read_counts(campaign, document)


def counted_for(user: User, campaign: Campaign) -> Counted:
    """Return a campaign's counts; without the user's own if they judge in it and must not know
    which of their tasks are checks."""
    counted = campaign_counts(campaign)
    hidden = hidden_enrollments(user, campaign)
    others = {pk: each for pk, each in counted.annotators.items() if pk not in hidden}
    reported = {pk: each for pk, each in counted.reported.items() if pk not in hidden}
    idle = {pk: flag for pk, flag in counted.idle.items() if pk not in hidden}
    return replace(counted, annotators=others, reported=reported, idle=idle)


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """The number of judged units of a system, with the range over annotators."""

    name: str
    judged: int
    fewest: int
    most: int


def systems_so_far(campaign: Campaign, counted: Counted) -> Iterator[SystemStanding]:
    """Yield the systems of a campaign in the order of their names; none before there is an
    annotator."""
    everybody = counted.annotators.keys()
    if not everybody:
        return
    for pk, name in selections.judged_systems(campaign).order_by("name").values_list("pk", "name"):
        own = counted.systems.get(pk, {})
        by = [judged for who, judged in own.items() if who in everybody]
        fewest = min(by, default=0) if len(by) == len(everybody) else 0
        yield SystemStanding(name, sum(by), fewest, max(by, default=0))


def take_snapshot(*, campaign: Campaign, now: datetime) -> dict[str, Any]:
    """Count a campaign, and store the counts if it is large."""
    began = time.monotonic()
    document = count_campaign(campaign, now)
    seconds = time.monotonic() - began
    values, places = document.get("uses", ()), document.get("places", {})
    if max(sum(row[3] for row in values), sum(places.values())) > LARGE:
        Snapshot.objects.update_or_create(
            campaign=campaign, defaults={"document": document, "taken_at": now, "seconds": seconds}
        )
    else:
        Snapshot.objects.filter(campaign=campaign).delete()
    return document


def refresh_one(*, now: datetime) -> bool:
    """Count the campaign again whose stored counts are the oldest of those that are due; return
    whether there was one."""
    acts = Event.objects.filter(campaign=OuterRef("campaign__uuid"), at__gt=OuterRef("taken_at"))
    ahead = Q(taken_at__gt=now)  # the clock was set back since
    due = Q(campaign__state__in=RUNNING) | Q(taken_at__lt=now - SELDOM) | Q(Exists(acts)) | ahead
    for kept in Snapshot.objects.filter(due).order_by("taken_at").select_related("campaign"):
        rest = max(AT_LEAST, timedelta(seconds=REST * kept.seconds))
        if not timedelta() <= now - kept.taken_at <= rest:
            take_snapshot(campaign=kept.campaign, now=now)
            return True
    return False


def count_campaign(campaign: Campaign, now: datetime | None = None) -> dict[str, Any]:
    """Return the counts in a form that JSON can store: lists of rows."""
    now = now or timezone.now()
    main = Round.objects.filter(campaign=campaign, kind=Round.Kind.MAIN).first()
    if main is None:
        return {"at": now.timestamp()}
    since = max(main.opened_at or now, now - timedelta(hours=HOURS))

    def table(statement: str, **more: object) -> list[list[Any]]:
        return [list(row) for row in query_rows(statement, {"round": main.pk} | more)]

    document: dict[str, Any] = {
        "at": now.timestamp(),
        "since": since.timestamp(),
        "questions": selections.question_count(campaign),
        "places": dict(table(PLACES)),
        "done": table(DONE),
        "paid": table(PAID, campaign=campaign.pk, most=campaign.tasks_per_annotator)
        if campaign.rate
        else [],
        "by_hour": table(BY_HOUR, now=now, since=since),
    }
    if campaign.origin == Campaign.Origin.JUDGED:
        document["reported"] = table(REPORTED, campaign=campaign.pk)
    if campaign.state == Campaign.State.OPEN:
        document["idle"] = table(IDLE, campaign=campaign.pk, now=now, zone=campaign.time_zone)
    if document["done"]:
        document |= {
            "uses": table(USES),
            "severity": table(SEVERITY),
            "systems": table(BY_SYSTEM),
            "quick": table(QUICK, quick=QUICK_ANSWER),
        }
        if campaign.checked:
            document["checks"] = check_results.check_outcomes(campaign)
        if campaign.origin != Campaign.Origin.IMPORTED:  # imported ratings have no order
            document["runs"] = table(RUNS)
            document["days"] = table(BY_DAY, zone=campaign.time_zone)
            document["all_days"] = table(EVERYBODY_BY_DAY, zone=campaign.time_zone)
    return document


def read_counts(campaign: Campaign, document: Mapping[str, Any]) -> Counted:
    """Return counts as `take` made them, with what follows from the current plan and labels."""
    plan = quality_plan_from_document(campaign.quality)
    places, scales = document.get("places", {}), _scales(campaign)
    works = _works(campaign, document, scales)
    is_imported = campaign.origin == Campaign.Origin.IMPORTED
    flagged = {} if is_imported else quality.flags(list(works.values()), plan)
    severities = _severities(document, scales)
    standings = {}
    for who, done, all_done, _seconds, last_at in document.get("done", ()):
        if who in works:
            standings[who] = AnnotatorStanding(
                work=works[who],
                enrollment=who,
                extras=all_done - done,
                last_at=_moment(last_at),
                severity=severities.get(who),
                flags=flagged.get(works[who].label, ()),
            )
    systems: dict[int, dict[int, int]] = {}
    for system, who, count in document.get("systems", ()):
        systems.setdefault(system, {})[who] = count
    criteria: dict[str, Counter[int]] = {}
    for work in works.values():
        for key, use in work.uses.items():
            criteria.setdefault(key, Counter()).update(use.counts)
    return Counted(
        at=_moment(document["at"]),
        questions=document.get("questions"),
        places=sum(places.values()),
        filled=places.get("submitted", 0),
        held=places.get("held", 0),
        annotators=standings,
        criteria=criteria,
        systems=systems,
        by_hour=_hours(document),
        earned=_earned(campaign, document),
        days=_days_of_all(document, scales),
        reported={
            who: ReportedQuestions(questions, empty)
            for who, questions, empty in document.get("reported", ())
            if questions or empty
        },
        idle={
            who: Flag("idle", "", hours, None, 0, day=day)
            for who, day, hours in document.get("idle", ())
        },
    )


def _days_of_all(document: Mapping[str, Any], scales: Mapping[int, _Scale]) -> dict[str, list[Day]]:
    """Return the values of all annotators by day, by the criterion's key."""
    found: dict[str, list[Day]] = {}
    for criterion, day, values, *given in document.get("all_days", ()):
        found.setdefault(scales[criterion].key, []).append(Day(day, values, SourceSpread(*given)))
    return found


def _days(keys: Mapping[int, str], document: Mapping[str, Any]) -> dict[int, dict[str, list[Day]]]:
    """Return each annotator's values by day, by the enrollment's key and the criterion's."""
    found: dict[int, dict[str, list[Day]]] = {}
    for who, criterion, day, values, n, mean, deviation, *apart in document.get("days", ()):
        others = SourceSpread(*apart) if apart[0] else None
        own = found.setdefault(who, {}).setdefault(keys[criterion], [])
        own.append(Day(day, values, SourceSpread(n, mean, deviation), others))
    return found


def _earned(campaign: Campaign, document: Mapping[str, Any]) -> dict[str, Earned]:
    """Return what each annotator has earned, by label; empty if no rate is planned."""
    rate = rate_of(campaign.rate)
    if rate is None:
        return {}
    labels = dict(campaign.enrollments.values_list("pk", "label"))
    paid = {
        labels[who]: (tasks, seconds)
        for who, tasks, seconds in document.get("paid", ())
        if who in labels
    }
    return {label: Earned(*paid[label], rate) for label in sorted(paid)}


def _works(
    campaign: Campaign, document: Mapping[str, Any], scales: Mapping[int, _Scale]
) -> dict[int, Workload]:
    """Return what each annotator has done, by the enrollment's key."""
    labels = dict(campaign.enrollments.values_list("pk", "label"))
    keys = {pk: each.key for pk, each in scales.items()}
    widths = {each.key: each.width for each in scales.values() if each.sign}
    uses, clicked = _uses(document, keys), Counter[int]()
    for who, _criterion, _value, _count, judged in document.get("uses", ()):
        clicked[who] += judged
    checked, days = (
        check_results.results_by_annotator(document.get("checks", {})),
        _days(keys, document),
    )
    quick = {who: (quick, timed) for who, quick, timed in document.get("quick", ())}
    return {
        who: Workload(
            labels[who],
            submitted,
            seconds,
            clicked[who],
            uses.get(who, {}),
            checked.get(who, Checked()),
            days.get(who, {}),
            find_drifts(days.get(who, {}), widths),
            *quick.get(who, (0, 0)),
        )
        for who, submitted, _all, seconds, _last in document.get("done", ())
        if who in labels
    }


def _uses(document: Mapping[str, Any], keys: Mapping[int, str]) -> dict[int, dict[str, Use]]:
    """Return how each annotator used each scale, by the enrollment's key and the criterion's."""
    counts: dict[tuple[int, int], dict[int, int]] = {}
    for who, criterion, value, count, _judged in document.get("uses", ()):
        counts.setdefault((who, criterion), {})[value] = count
    longest = {
        (who, criterion): (length, value)
        for who, criterion, value, length in document.get("runs", ())
    }
    uses: dict[int, dict[str, Use]] = {}
    for place, own in sorted(counts.items()):
        who, criterion = place
        uses.setdefault(who, {})[keys[criterion]] = Use(own, *longest.get(place, (0, 0)))
    return uses


def _scales(campaign: Campaign) -> dict[int, _Scale]:
    """Return the scales of a campaign's criteria; one of a single value has no better end."""
    scales: dict[int, _Scale] = {}
    for each in Criterion.objects.filter(protocol=campaign.protocol_id).prefetch_related("points"):
        values = [point.value for point in each.points.all() if not point.missing]
        sign = {"highest": 1, "lowest": -1}.get(each.best, 0) if len(values) > 1 else 0
        scales[each.pk] = _Scale(each.key, max(values) - min(values) if values else 0, sign)
    return scales


def _severities(document: Mapping[str, Any], scales: Mapping[int, _Scale]) -> dict[int, float]:
    """Return each annotator's mean distance from the others as a share of the scale, below 0 if the
    annotator is harsher."""
    found: dict[int, list[tuple[float, int]]] = {}
    for who, criterion, distance, n in document.get("severity", ()):
        if (scale := scales[criterion]).sign:
            found.setdefault(who, []).append((scale.sign * distance / scale.width, n))
    return {
        who: sum(mean * n for mean, n in own) / sum(n for _, n in own) for who, own in found.items()
    }


def _hours(document: Mapping[str, Any]) -> list[int]:
    """Return how many assignments were submitted in each whole hour since the round opened, the earliest
    first."""
    if not document.get("by_hour"):
        return []
    hours = int((document["at"] - document["since"]) // 3600)
    counts = dict(document["by_hour"])
    return [counts.get(ago, 0) for ago in range(hours - 1, -1, -1)]


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=timezone.get_default_timezone())
