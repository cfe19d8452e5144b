"""Annotators' results in checks."""

from collections.abc import Mapping, Sequence
from typing import Any

from judging.base.models.statements import query_rows
from judging.campaigns.models.campaign import Campaign, Round
from judging.quality.quality import Checked

# An annotator who reports a gold question as broken and leaves it unanswered has not passed it:
# reporting suspected checks must not exclude them. A question that is really broken counts for no
# annotator once it is retired.
GOLD = """
SELECT enrollment_id, item_id, passed AND NOT evaded, evaded FROM (
SELECT met.enrollment_id, met.item_id, coalesce(bool_and(EXISTS (
    SELECT FROM judging_acceptedvalue ok
    WHERE ok.item_id = met.item_id AND ok.criterion_id = said.criterion_id
        AND ok.value = said.value)), false) AS passed,
    count(said.id) = 0 OR coalesce(bool_or(note.text <> ''), false)
        AND count(DISTINCT said.criterion_id) < (
            SELECT count(DISTINCT criterion_id) FROM judging_acceptedvalue
            WHERE item_id = met.item_id) AS evaded
FROM judging_checktask met
JOIN judging_checkitem item ON item.id = met.item_id AND item.retired_at IS NULL
    AND item.kind = 'gold'
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
LEFT JOIN judging_judgment said ON said.assignment_id = own.id AND said.unit_id = item.unit_id
    AND said.superseded_at IS NULL
    AND said.criterion_id IN (SELECT criterion_id FROM judging_acceptedvalue
        WHERE item_id = met.item_id)
LEFT JOIN judging_note note ON note.assignment_id = own.id AND note.unit_id = item.unit_id
WHERE item.campaign_id = %(campaign)s AND own.round_id = %(round)s
GROUP BY met.enrollment_id, met.item_id
HAVING count(said.id) > 0 OR count(note.id) > 0) met ORDER BY item_id
"""
REPEATED = """
SELECT met.enrollment_id, said.criterion_id, first.value, said.value
FROM judging_checktask met
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
JOIN judging_judgment said ON said.assignment_id = own.id AND said.superseded_at IS NULL
JOIN judging_assignment earlier ON earlier.task_id = met.of_task_id
    AND earlier.enrollment_id = met.enrollment_id
JOIN judging_judgment first ON first.assignment_id = earlier.id AND first.unit_id = said.unit_id
    AND first.criterion_id = said.criterion_id AND first.superseded_at IS NULL
WHERE met.kind = 'repeat' AND own.round_id = %(round)s
ORDER BY met.task_id, said.unit_id, said.criterion_id
"""
# values of a question that was rated first and reported as broken when it was repeated
UNREPEATED = """
SELECT met.enrollment_id, first.criterion_id, count(*)
FROM judging_checktask met
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
JOIN judging_note note ON note.assignment_id = own.id AND note.unit_id IS NOT NULL
JOIN judging_assignment earlier ON earlier.task_id = met.of_task_id
    AND earlier.enrollment_id = met.enrollment_id
JOIN judging_judgment first ON first.assignment_id = earlier.id AND first.unit_id = note.unit_id
    AND first.superseded_at IS NULL
WHERE met.kind = 'repeat' AND own.round_id = %(round)s AND NOT EXISTS (
    SELECT FROM judging_judgment said WHERE said.assignment_id = own.id
        AND said.unit_id = first.unit_id AND said.criterion_id = first.criterion_id
        AND said.superseded_at IS NULL)
    AND (note.text <> '' OR NOT EXISTS (
        SELECT FROM judging_judgment said WHERE said.assignment_id = own.id
            AND said.unit_id = first.unit_id AND said.superseded_at IS NULL))
GROUP BY 1, 2 ORDER BY 1, 2
"""
WORSE = """
SELECT met.enrollment_id, item.id,
    sum((said.value - first.value)
        * CASE criterion.best WHEN 'lowest' THEN -1 WHEN 'highest' THEN 1 ELSE 0 END)
FROM judging_checktask met
JOIN judging_checkitem item ON item.id = met.item_id AND item.retired_at IS NULL
    AND item.kind = 'degraded'
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
JOIN judging_judgment said ON said.assignment_id = own.id AND said.unit_id = item.unit_id
    AND said.superseded_at IS NULL
JOIN judging_assignment earlier ON earlier.task_id = met.of_task_id
    AND earlier.enrollment_id = met.enrollment_id
JOIN judging_judgment first ON first.assignment_id = earlier.id AND first.unit_id = item.original_id
    AND first.criterion_id = said.criterion_id AND first.superseded_at IS NULL
JOIN judging_criterion criterion ON criterion.id = said.criterion_id
WHERE item.campaign_id = %(campaign)s AND own.round_id = %(round)s
GROUP BY met.enrollment_id, item.id ORDER BY item.id
"""


def check_outcomes(campaign: Campaign) -> dict[str, list[list[Any]]]:
    """Return the outcomes of checks by annotator, as rows that JSON can hold."""
    round = (
        Round.objects.filter(campaign=campaign, kind=Round.Kind.CHECKS)
        .values_list("pk", flat=True)
        .first()
    )
    if round is None:
        return {}
    names = {"campaign": campaign.pk, "round": round}
    said = {"gold": GOLD, "repeats": REPEATED, "unrepeated": UNREPEATED, "degraded": WORSE}
    return {
        kind: [[*map(_plain, row)] for row in query_rows(query, names)]
        for kind, query in said.items()
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool) else int(value)


def results_by_annotator(found: Mapping[str, Sequence[Sequence[Any]]]) -> dict[int, Checked]:
    """Return each annotator's results in checks, by the enrollment's key."""
    kinds = ("gold", "repeats", "unrepeated", "degraded")
    answered: dict[int, dict[str, list[list[Any]]]] = {}
    for kind in kinds:
        for who, _item, *said in found.get(kind, ()):
            answered.setdefault(who, {each: [] for each in kinds})[kind].append(said)
    done = {}
    for who, of in sorted(answered.items()):
        differences = [said[0] for said in of["degraded"]]
        done[who] = Checked(
            gold=len(of["gold"]),
            passed=sum(bool(said[0]) for said in of["gold"]),
            evaded=sum(any(said[1:]) for said in of["gold"]),  # older counts lack it
            pairs=len(of["repeats"]),
            same=sum(said[0] == said[1] for said in of["repeats"]),
            unrepeated=sum(said[0] for said in of["unrepeated"]),
            lower=sum(each < 0 for each in differences),
            higher=sum(each > 0 for each in differences),
            ties=differences.count(0),
            differences=differences,
        )
    return done
