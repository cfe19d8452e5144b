"""What an analysis rests on: counts, time, what was left out, how metrics were made, and where ratings break rules."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.frames import Material
from analysis.reports.records import Record, number
from judging.models import Assignment, Campaign, Enrollment, Exclusion, Membership
from judging.rules import Rating, Slot
from judging.rules import violations as contradictions


def study(material: Material, settings: Mapping[str, Any]) -> Record:
    """Return the figures on top of a report."""
    campaign, judgments = material.campaign, material.judgments
    questions = material.questions
    origins = judgments["origin"].value_counts()
    return {
        "judgments": len(judgments),
        "forced": int(origins.get("rule", 0)),
        "annotators": int(judgments["annotator"].nunique()),
        "tasks": int(judgments["task"].nunique()),
        "sources": int(questions["source"].nunique()),
        "systems": sorted(name for name in questions["system"].unique() if name),
        "expected": len(questions),
        "returned": int(questions["text"].notna().sum()),
        "seconds_a_question": _seconds_a_question(campaign, judgments),
        "excluded": _excluded(campaign),
        "unblinded": _unblinded(campaign),
        "deviations": _deviations(campaign),
        "extras_counted": bool(settings["extras"]),
        "reading": settings["reading"],  # of systems and metrics; agreement is as released, aggregates name their own
        "origin": campaign.origin,
    }


def _seconds_a_question(campaign: Campaign, judgments: pd.DataFrame) -> float | None:
    """Return the median over submitted tasks of the time at work for each question; None for imported ratings."""
    spent = Assignment.objects.submitted().filter(round__campaign=campaign, round__kind="main", active_seconds__gt=0)
    rows = pd.DataFrame(spent.values_list("task__number", "active_seconds"), columns=["task", "seconds"])
    if rows.empty or judgments.empty:
        return None
    questions = judgments.groupby("task")["unit"].nunique()
    return number(float((rows["seconds"] / rows["task"].map(questions)).median()))


def _excluded(campaign: Campaign) -> list[Record]:
    rows = Exclusion.objects.standing().filter(enrollment__campaign=campaign).order_by("enrollment__label")
    return [{"annotator": row.enrollment.label, "reason": row.reason} for row in rows.select_related("enrollment")]


def _unblinded(campaign: Campaign) -> list[str]:
    """Return who judged in the main round and ever managed: they could have known which system is which.

    A membership that ended leaves no row, so former managers are known as the maker or by a deviation or exclusion.
    """
    managers = set(campaign.memberships.filter(role=Membership.Role.MANAGER).values_list("user", flat=True))
    managers |= {campaign.created_by_id, *campaign.deviations.values_list("made_by", flat=True)}
    excluding = Exclusion.objects.filter(enrollment__campaign=campaign).values_list("excluded_by", "lifted_by")
    managers |= {user for pair in excluding for user in pair if user}
    judged = Enrollment.objects.filter(
        campaign=campaign,
        user__in=managers,
        assignments__state__in=["submitted", "extra"],
        assignments__round__kind="main",
    )
    return sorted(judged.distinct().values_list("label", flat=True))


def _deviations(campaign: Campaign) -> list[Record]:
    return [
        {
            "day": row.made_at.date().isoformat(),
            "what": row.what,
            "before": row.before,
            "after": row.after,
            "reason": row.reason,
        }
        for row in campaign.deviations.all()
    ]


def criteria(material: Material) -> list[Record]:
    """Return what was judged, on which scale."""
    return [
        {
            "criterion": each.key,
            "name": each.name,
            "level": each.level,
            "best": each.best,
            "unit": each.unit,
            "points": [[point.value, point.label] for point in each.points],
        }
        for each in material.rubric.criteria
    ]


def metrics(material: Material, failures: Mapping[str, str]) -> list[Record]:
    """Return each metric with how it was made, and those that could not be computed with the reason."""
    counted = material.scores.groupby("metric")["value"].agg(["count", "min", "mean", "max"])
    found: list[Record] = []
    for metric in material.metrics:
        row = counted.loc[metric.pk].to_dict() if metric.pk in counted.index else {}
        found.append(
            {
                "name": metric.name,
                "kind": metric.kind,
                "direction": metric.direction,
                "scale": metric.scale,
                "n": int(row.get("count", 0)),
                **{key: number(row.get(key)) for key in ("min", "mean", "max")},
                "made": metric.made,
                "fingerprint": metric.fingerprint,
                "reason": "",
            }
        )
    return found + [{"name": id, "kind": "not computed", "reason": reason} for id, reason in sorted(failures.items())]


def violations(material: Material) -> list[Record]:
    """List the ratings that contradict the protocol's rules, as imported ones may; whatever the reading of a run."""
    rules = material.rubric.rules
    if not rules or material.judgments.empty:
        return []
    found: list[Record] = []
    given = _values(material)
    for (source, system), slots in material.questions.groupby(["source", "system"], sort=False):
        held = [Slot(text, tuple(given.get(unit, ()))) for unit, text in zip(slots["unit"], _texts(slots), strict=True)]
        for each in contradictions(held, rules):
            found.append(
                {
                    "rule": each.rule,
                    "source": source,
                    "system": system,
                    "position": each.position,
                    "annotator": each.rater,
                    "criterion": each.criterion,
                    "rated": number(each.rated),
                    "by_rule": number(each.expected),
                }
            )
    return found


def _texts(slots: pd.DataFrame) -> list[str | None]:
    return [None if pd.isna(text) else str(text) for text in slots["text"]]


def _values(material: Material) -> dict[int, list[Rating]]:
    """Return each unit's ratings, one a annotator."""
    rows = material.judgments.dropna(subset=["value"])
    by_pair: dict[tuple[int, str], dict[str, float]] = {}
    columns = (rows[name].tolist() for name in ("unit", "annotator", "criterion", "value"))
    for unit, annotator, criterion, value in zip(*columns, strict=True):
        by_pair.setdefault((unit, annotator), {})[criterion] = value
    found: dict[int, list[Rating]] = {}
    for (unit, annotator), values in by_pair.items():
        found.setdefault(unit, []).append(Rating(annotator, values))
    return found
