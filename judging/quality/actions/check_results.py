"""Annotators' results in checks."""

from pathlib import Path

from judging.base.models.statements import named_statements, query_rows
from judging.campaigns.models.campaign import Campaign, Round
from judging.quality.quality import Checked

SQL = named_statements(Path(__file__).with_suffix(".sql"))


def results_by_annotator(campaign: Campaign) -> dict[int, Checked]:
    """Return each annotator's results in checks, by the enrollment's key."""
    round = campaign.rounds.filter(kind=Round.Kind.CHECKS).first()
    if round is None:
        return {}
    arguments = {"campaign": campaign.pk, "round": round.pk}
    gold = {who: counts for who, *counts in query_rows(SQL["gold"], arguments)}
    repeats = {who: counts for who, *counts in query_rows(SQL["repeats"], arguments)}
    unrepeated = dict(query_rows(SQL["unrepeated"], arguments))
    differences = dict(query_rows(SQL["degraded"], arguments))
    results = {}
    for who in sorted({*gold, *repeats, *unrepeated, *differences}):
        met, passed, evaded = gold.get(who, (0, 0, 0))
        pairs, same = repeats.get(who, (0, 0))
        results[who] = Checked(
            gold=met,
            passed=passed,
            evaded=evaded,
            pairs=pairs,
            same=same,
            unrepeated=unrepeated.get(who, 0),
            differences=tuple(differences.get(who, ())),
        )
    return results
