"""Lists of the questions behind a number, sorted and filtered; every page costs the same, wherever
it is in the list.

Pages are cut by keys: a page begins after the last question of the previous one, so earlier
questions are not counted. In file order the database uses an index. The other orders are computed
over the judgments of one criterion for each page.
SQL statements are composed only of constants; user input is always bound as parameters.
"""
# ruff: noqa: S608

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Dataset, Source
from judging.datasets.models.score import Metric
from judging.protocols.models.protocol import Criterion

PAGE = 50
SORTS = ("file", "disagreement", "gap", "loss", "outlier", "mean", "score")
OF_ONE_CRITERION = ("gap", "loss", "outlier", "mean")

UNITS = """
    FROM judging_unit u
    JOIN judging_questionset qs ON qs.id = u.question_set_id
    JOIN judging_source src ON src.id = qs.source_id
    JOIN judging_system s ON s.id = qs.system_id
"""
# by the text or the key of the source; one condition on both would have every text joined first
WITH_WORDS = """
    SELECT unit_id FROM judging_question WHERE text ILIKE %(text)s
    UNION
    SELECT unit.id FROM judging_source source
    JOIN judging_questionset one ON one.source_id = source.id
    JOIN judging_unit unit ON unit.question_set_id = one.id
    WHERE source.dataset_id = %(dataset)s AND source.key ILIKE %(text)s
"""
# Values that say "cannot say", looked up once: before the database has counted a new study's rows,
# it would compare each judgment with each point of the scale.
CANNOT_SAY = (
    "SELECT point.value FROM judging_scalepoint point "
    "WHERE point.criterion_id = %(criterion)s AND point.missing"
)
# judgments of the main round that count: submitted, valid, of annotators who are not excluded
COUNTED = f"""
    FROM judging_judgment j
    JOIN judging_assignment a ON a.id = j.assignment_id
    JOIN judging_round r ON r.id = a.round_id
    JOIN judging_enrollment e ON e.id = a.enrollment_id
    WHERE j.criterion_id = %(criterion)s AND r.campaign_id = %(campaign)s AND r.kind = 'main'
      AND a.state = 'submitted' AND j.superseded_at IS NULL AND j.value NOT IN ({CANNOT_SAY})
      AND NOT EXISTS (SELECT 1 FROM judging_exclusion x
          WHERE x.enrollment_id = e.id AND x.lifted_at IS NULL)
"""
SAID = f"""said AS (
    SELECT j.unit_id, avg(j.value)::float8 AS mean, count(*) AS n {COUNTED} GROUP BY j.unit_id)"""
# The mean distance between two annotators. Of n sorted values, the one in place i is the larger one of
# i - 1 pairs and the smaller one of n - i pairs.
DISTANCES = f"""
    placed AS (
        SELECT j.unit_id, j.value, count(*) OVER (PARTITION BY j.unit_id) AS n,
            row_number() OVER (PARTITION BY j.unit_id ORDER BY j.value) AS place
        {COUNTED}
    ),
    pairs AS (
        SELECT unit_id, 2 * sum((2 * place - n - 1) * value)::float8 / nullif(n * (n - 1), 0) AS key
        FROM placed GROUP BY unit_id, n
    )
"""
# for values without an order: the share of pairs that differ
DIFFERING = f"""
    given AS (SELECT j.unit_id, j.value, count(*) AS n {COUNTED} GROUP BY j.unit_id, j.value),
    pairs AS (
        SELECT unit_id, (sum(n) * sum(n) - sum(n * n))::float8
            / nullif(sum(n) * (sum(n) - 1), 0) AS key
        FROM given GROUP BY unit_id
    )
"""
# Over all criteria, the mean of each one's mean squared distance of two annotators as a share of its
# scale. It needs no more than sums; distances that are not squared take three times as long.
OF_ALL_CRITERIA = """
    scales AS (
        SELECT c.id AS criterion, c.level = 'nominal' AS is_nominal,
            nullif(max(point.value) - min(point.value), 0)::float8 AS width
        FROM judging_criterion c
        JOIN judging_scalepoint point ON point.criterion_id = c.id AND NOT point.missing
        WHERE c.protocol_id = %(protocol)s GROUP BY c.id
    ),
    ratings AS NOT MATERIALIZED (
        SELECT j.unit_id, j.criterion_id AS criterion, j.value
        FROM judging_judgment j
        JOIN judging_assignment a ON a.id = j.assignment_id
        JOIN judging_round r ON r.id = a.round_id
        JOIN judging_scalepoint point ON point.criterion_id = j.criterion_id
            AND point.value = j.value AND NOT point.missing
        WHERE r.campaign_id = %(campaign)s AND r.kind = 'main' AND a.state = 'submitted'
          AND j.superseded_at IS NULL AND NOT EXISTS (SELECT 1 FROM judging_exclusion x
              WHERE x.enrollment_id = a.enrollment_id AND x.lifted_at IS NULL)
    ),
    distances AS (
        SELECT unit_id, 2 * (count(*) * sum(value * value) - sum(value) * sum(value))::float8
            / nullif(count(*) * (count(*) - 1), 0) / width ^ 2 AS distance
        FROM ratings JOIN scales USING (criterion)
        WHERE NOT is_nominal GROUP BY unit_id, criterion, width
        UNION ALL
        SELECT unit_id,
            (sum(n) * sum(n) - sum(n * n))::float8 / nullif(sum(n) * (sum(n) - 1), 0)
        FROM (SELECT unit_id, criterion, value, count(*) AS n
            FROM ratings JOIN scales USING (criterion)
            WHERE is_nominal GROUP BY unit_id, criterion, value) counts
        GROUP BY unit_id, criterion
    ),
    pairs AS (SELECT unit_id, avg(distance)::float8 AS key FROM distances GROUP BY unit_id)
"""
RANKED = f"""
    {SAID},
    both_known AS (
        SELECT said.unit_id, said.mean * %(human_sign)s AS human,
            sc.value * %(metric_sign)s AS metric
        FROM said JOIN judging_score sc ON sc.unit_id = said.unit_id AND sc.metric_id = %(metric)s
        WHERE sc.value IS NOT NULL
    ),
    ranked AS (
        SELECT unit_id, human, metric, count(*) OVER () AS n,
            rank() OVER (ORDER BY human)
                + (count(*) OVER (PARTITION BY human) - 1) / 2.0 AS of_people,
            rank() OVER (ORDER BY metric)
                + (count(*) OVER (PARTITION BY metric) - 1) / 2.0 AS of_metric
        FROM both_known
    ),
    gaps AS (
        SELECT unit_id, (abs(of_metric - of_people) / greatest(n - 1, 1))::float8 AS key,
            of_people::float8 AS of_people, of_metric::float8 AS of_metric, n, human, metric
        FROM ranked
    )
"""
LOSSES = f"""
    {SAID},
    of_system AS (
        SELECT qs.source_id, qs.system_id, avg(said.mean) * %(human_sign)s AS mean
        FROM said JOIN judging_unit u ON u.id = said.unit_id
            JOIN judging_questionset qs ON qs.id = u.question_set_id
        GROUP BY qs.source_id, qs.system_id
    ),
    losses AS (
        SELECT own.source_id, (avg(other.mean) - own.mean)::float8 AS key
        FROM of_system own JOIN of_system other ON other.source_id = own.source_id
            AND other.system_id <> own.system_id
        WHERE own.system_id = %(system)s
            AND (%(against)s::bigint IS NULL OR other.system_id = %(against)s)
        GROUP BY own.source_id, own.mean
    )
"""
OUTLIERS = f"""
    {SAID},
    outliers AS (
        SELECT j.unit_id,
            abs(j.value - (said.mean * said.n - j.value) / (said.n - 1))::float8 AS key
        FROM judging_judgment j
        JOIN judging_assignment a ON a.id = j.assignment_id
        JOIN judging_round r ON r.id = a.round_id
        JOIN judging_enrollment e ON e.id = a.enrollment_id
        JOIN said ON said.unit_id = j.unit_id
        WHERE j.criterion_id = %(criterion)s AND r.campaign_id = %(campaign)s AND r.kind = 'main'
          AND a.state = 'submitted' AND j.superseded_at IS NULL AND j.value NOT IN ({CANNOT_SAY})
          AND e.label = %(annotator)s AND said.n > 1
    )
"""
# by sort: the WITH query that is computed first, a question's key, and the join that gives it
KEYS: Mapping[str, tuple[str, str, str]] = {
    "disagreement": (DISTANCES, "pairs.key", "JOIN pairs ON pairs.unit_id = u.id"),
    "gap": (RANKED, "gaps.key", "JOIN gaps ON gaps.unit_id = u.id"),
    "loss": (LOSSES, "losses.key", "JOIN losses ON losses.source_id = src.id"),
    "outlier": (OUTLIERS, "outliers.key", "JOIN outliers ON outliers.unit_id = u.id"),
    "mean": (SAID, "-said.mean * %(human_sign)s", "JOIN said ON said.unit_id = u.id"),
    "score": (
        "",
        "-sc.value * %(metric_sign)s",
        "JOIN judging_score sc "
        "ON sc.unit_id = u.id AND sc.metric_id = %(metric)s AND sc.value IS NOT NULL",
    ),
}
JUDGED = """
    EXISTS (
        SELECT 1 FROM judging_judgment j
        JOIN judging_assignment a ON a.id = j.assignment_id
        JOIN judging_round r ON r.id = a.round_id
        JOIN judging_enrollment e ON e.id = a.enrollment_id
        WHERE j.unit_id = u.id AND r.campaign_id = %(campaign)s AND r.kind = 'main'
            AND a.state = 'submitted'
          AND j.superseded_at IS NULL {conditions}
    )
"""


POINTS = 400  # questions up to which each is a dot of its own
CELL = 2.5  # of 100: the side of a cell whose questions share a dot where there are more
JITTER = 2.5  # of 100, so that questions with equal means do not hide each other
# Its first question, number of questions, whether they share a dot, and its x and y position
Cell = tuple[int, int, bool, float, float]
# The scatter over all listed questions, sign-aligned so that higher is better; up to `points`
# questions have a cell each
SCATTER = """,
    ends AS (
        SELECT min(metric) AS low, nullif(max(metric) - min(metric), 0) AS wide,
            min(human) AS bottom, nullif(max(human) - min(human), 0) AS high,
            count(*) > %(points)s AS shared
        FROM keyed
    ),
    dotted AS (
        SELECT id, shared, coalesce(100 * (metric - low) / wide, 50)::float8 AS across,
            coalesce(100 - 100 * (human - bottom) / high, 50)::float8 AS down
        FROM keyed, ends
    ),
    cells AS (
        SELECT id AS first, json_build_array(id, 1, false, across, down) AS cell
        FROM dotted WHERE NOT shared
        UNION ALL
        SELECT min(id), json_build_array(min(id), count(*), true,
            round(across / %(cell)s) * %(cell)s, round(down / %(cell)s) * %(cell)s)
        FROM dotted WHERE shared GROUP BY round(across / %(cell)s), round(down / %(cell)s)
    )
"""


@dataclass(frozen=True)
class Dot:
    """A dot of a scatter: its place from 0 to 100 to the right and down, its radius, and its
    questions."""

    across: float
    down: float
    radius: float
    questions: int


@dataclass(frozen=True)
class Chosen:
    """Settings of a list: the material, the order, and the filters on questions."""

    dataset: Dataset
    campaign: Campaign | None = None
    sort: str = "file"
    criterion: Criterion | None = None
    metric: Metric | None = None
    system: int | None = None
    against: int | None = None
    value: int | None = None
    annotator: str = ""
    attribute: str = ""
    attribute_value: str = ""
    text: str = ""

    @property
    def of_sets(self) -> bool:
        """Whether the list is of question sets as a whole."""
        return self.criterion is not None and self.criterion.unit == Criterion.Unit.SET


@dataclass(frozen=True)
class ListedQuestion:
    """A question of the list with its sort key; higher keys come first."""

    unit: int
    source: int
    key: float | None = None
    place: int | None = None  # among all listed questions, if the order is computed over all
    of_people: float | None = None  # mid-ranks of a gap, from below
    of_metric: float | None = None
    ranked: int = 0


@dataclass(frozen=True)
class ListPage:
    """Some questions in the requested order, and whether there are more on either side."""

    rows: list[ListedQuestion] = field(default_factory=list)
    more_before: bool = False
    more_after: bool = False
    total: int | None = None  # known if the order is computed over all
    dots: Sequence[Dot] = ()  # the scatter of a gap, over all listed questions


def read_page(
    chosen: Chosen,
    *,
    after: int | None = None,
    before: int | None = None,
    size: int = PAGE,
    points: int = POINTS,
) -> ListPage:
    """Return a page of questions: the first one, or the page after or before a question of the
    list.

    If that question is not in the list (any more), the first page is returned. In the scatter of a
    gap, up to `points` questions have a dot each.
    """
    cursor = after or before
    if chosen.sort == "file":
        return _in_file_order(chosen, cursor, backwards=before is not None, size=size)
    return _by_key(chosen, cursor, backwards=before is not None, size=size, points=points)


ORDER = ("src.position", "s.name", "qs.id", "coalesce(u.position, 0)")


def _in_file_order(chosen: Chosen, cursor: int | None, *, backwards: bool, size: int) -> ListPage:
    where, given = conditions(chosen)
    place = ", ".join(ORDER)
    behind = ""
    if cursor is not None:
        known = _rows(
            f"SELECT {place} {UNITS} WHERE u.id = %(cursor)s AND src.dataset_id = %(dataset)s",
            {"cursor": cursor, "dataset": chosen.dataset.pk},
        )
        if known:
            sign = "<" if backwards else ">"
            given |= {f"at{number}": each for number, each in enumerate(known[0])}
            at = ", ".join(f"%(at{number})s" for number in range(len(ORDER)))
            behind = f"AND src.position {sign}= %(at0)s AND ({place}) {sign} ({at})"
        else:
            cursor = None
    turned = "DESC" if backwards and behind else "ASC"
    order = ", ".join(f"{each} {turned}" for each in ORDER)
    found = _rows(
        f"SELECT u.id, src.id {UNITS} WHERE {where} {behind} ORDER BY {order} LIMIT %(most)s",
        given | {"most": size + 1},
    )
    rows = [ListedQuestion(unit, source) for unit, source in found[:size]]
    more = len(found) > size
    if turned == "DESC":
        return ListPage(rows[::-1], more_before=more, more_after=True)
    return ListPage(rows, more_before=cursor is not None, more_after=more)


def _by_key(
    chosen: Chosen, cursor: int | None, *, backwards: bool, size: int, points: int
) -> ListPage:
    low, high = (-size, -1) if backwards else (1, size)
    rows, total, cells = _stretch(chosen, cursor, low, high, size, points=points)
    if not rows:
        return ListPage(more_before=cursor is not None and not backwards, more_after=backwards)
    return ListPage(
        rows,
        more_before=rows[0].place != 1,
        more_after=rows[-1].place != total,
        total=total,
        dots=_dots(cells),
    )


def _stretch(
    chosen: Chosen, cursor: int | None, low: int, high: int, size: int, *, points: int = 0
) -> tuple[list[ListedQuestion], int, Sequence[Cell]]:
    """Return the questions from `low` to `high` places after the question `cursor` of the list, the
    number of all listed questions, and the cells of a gap's scatter if it has `points`.

    Without that question, or if it is not in the list, the first `size` are returned.
    """
    statement, given = keyed(chosen)
    has_scatter = chosen.sort == "gap" and points
    # Only the questions of the page are sorted: places are counted
    query = f"""
        {statement},
        own AS (
            SELECT count(*) AS place FROM keyed own JOIN keyed other
                ON other.key > own.key OR (other.key = own.key AND other.id <= own.id)
            WHERE own.id = %(cursor)s
        ),
        shown AS (
            SELECT CASE place WHEN 0 THEN 1 ELSE greatest(place + %(low)s, 1) END AS first,
                CASE place WHEN 0 THEN %(size)s ELSE place + %(high)s END AS last
            FROM own
        )
        {SCATTER if has_scatter else ""}
        SELECT id, source, key, of_people, of_metric, ranked,
            (SELECT first FROM shown), (SELECT count(*) FROM keyed),
            {"(SELECT json_agg(cell ORDER BY first) FROM cells)" if has_scatter else "'[]'::json"}
        FROM keyed ORDER BY key DESC, id
        OFFSET (SELECT first - 1 FROM shown)
        LIMIT (SELECT greatest(last - first + 1, 0) FROM shown)
    """
    given |= {"cursor": cursor, "low": low, "high": high, "size": size}
    found = _rows(query, given | {"points": points, "cell": CELL})
    rows = [
        ListedQuestion(unit, source, key, first + number, of_people, of_metric, ranked or 0)
        for number, (unit, source, key, of_people, of_metric, ranked, first, *_) in enumerate(found)
    ]
    total, cells = found[0][-2:] if found else (0, [])
    return rows, total, cells


def keyed(chosen: Chosen) -> tuple[str, dict[str, Any]]:
    """Return a WITH clause that computes the sort keys of an order, and its parameters.

    Its last table, `keyed`, has a row for each question that is listed: its key, and the ranks and
    values of a gap.
    """
    first, key, join = KEYS[chosen.sort]
    where, given = conditions(chosen)
    if chosen.sort == "disagreement":
        if chosen.criterion is None:
            first = OF_ALL_CRITERIA
        elif chosen.criterion.level == Criterion.Level.NOMINAL:
            first = DIFFERING
    extras = (
        "gaps.of_people, gaps.of_metric, gaps.n, gaps.human, gaps.metric"
        if chosen.sort == "gap"
        else "NULL::float8, NULL::float8, 0, NULL::float8, NULL::float8"
    )
    statement = f"""
        WITH {f"{first}," if first else ""}
        keyed (id, source, key, of_people, of_metric, ranked, human, metric) AS (
            SELECT u.id, src.id, {key}, {extras} {UNITS} {join}
            WHERE {where} AND {key} IS NOT NULL
        )
    """
    return statement, given


@dataclass(frozen=True)
class Neighbours:
    """A question of a list with the ones before and behind it; in the order of the file, those of
    other sources."""

    before: ListedQuestion | None = None
    own: ListedQuestion | None = None
    after: ListedQuestion | None = None
    total: int | None = None


def neighbours(chosen: Chosen, *, source: Source, unit: int | None) -> Neighbours:
    """Return the questions before and after a question in the order of a list."""
    if chosen.sort == "file":
        return Neighbours(
            before=_beside(chosen, source, "<", "DESC"), after=_beside(chosen, source, ">", "ASC")
        )
    rows, total, _ = _stretch(chosen, unit, -1, 1, 0)
    own = next((place for place, each in enumerate(rows) if each.unit == unit), None)
    if own is None:
        return Neighbours()
    return Neighbours(
        before=rows[own - 1] if own else None,
        own=rows[own],
        after=rows[own + 1] if own + 1 < len(rows) else None,
        total=total,
    )


def _beside(chosen: Chosen, source: Source, sign: str, turned: str) -> ListedQuestion | None:
    """Return the first listed question of the next source in one direction."""
    where, given = conditions(chosen)
    found = _rows(
        f"SELECT u.id, src.id {UNITS} WHERE {where} AND src.position {sign} %(position)s "
        f"ORDER BY src.position {turned}, s.name, qs.id, coalesce(u.position, 0) LIMIT 1",
        given | {"position": source.position},
    )
    return ListedQuestion(*found[0]) if found else None


def _dots(cells: Sequence[Cell]) -> list[Dot]:
    """Return a metric's values (to the right) and mean human ratings (down from the best) as dots.

    If a dot is a cell, its area is the number of its questions, so that no question is hidden.
    """
    fullest = max((cell[1] for cell in cells), default=1)
    dots = []
    for unit, questions, is_shared, across, down in cells:
        if is_shared:
            radius = max(0.25, CELL / 2 * (questions / fullest) ** 0.5)
            dots.append(Dot(round(across, 1), round(down, 1), round(radius, 2), questions))
        else:
            jitter = JITTER * (unit * 7 % 11 - 5) / 5
            dots.append(Dot(round(across, 1), round(down + jitter, 1), 1.2, 1))
    return dots


def conditions(chosen: Chosen) -> tuple[str, dict[str, Any]]:
    """Return the conditions that every listed question meets, and the parameters of all statements
    of this module."""
    campaign, criterion, metric = chosen.campaign, chosen.criterion, chosen.metric
    met, given = filters(chosen)
    given |= {
        "criterion": criterion.pk if criterion else None,
        "metric": metric.pk if metric else None,
        "human_sign": -1 if criterion and criterion.best == Criterion.Best.LOWEST else 1,
        "metric_sign": -1 if metric and metric.direction == Metric.Direction.LOWER else 1,
        "against": chosen.against,
    }
    met = [
        "src.dataset_id = %(dataset)s",
        "src.repeat_of_id IS NULL",
        f"u.position IS {'' if chosen.of_sets else 'NOT '}NULL",
        *met,
    ]
    if campaign and campaign.selection and campaign.state != Campaign.State.DRAFT:
        met.append(
            "u.id IN (SELECT unit_id FROM judging_selectedunit WHERE campaign_id = %(campaign)s)"
        )
    return " AND ".join(met), given


def filters(chosen: Chosen) -> tuple[list[str], dict[str, Any]]:
    """Return the filters of a list as conditions on `UNITS`, and their parameters."""
    given: dict[str, Any] = {
        "dataset": chosen.dataset.pk,
        "campaign": chosen.campaign.pk if chosen.campaign else None,
        "protocol": chosen.campaign.protocol_id if chosen.campaign else None,
        "criterion": chosen.criterion.pk if chosen.criterion else None,
        "system": chosen.system,
        "value": chosen.value,
        "annotator": chosen.annotator,
        "attribute": chosen.attribute,
        "attribute_value": chosen.attribute_value,
        "text": f"%{_plain(chosen.text)}%",
    }
    met = []
    if chosen.system is not None:
        met.append("s.id = %(system)s")
    if chosen.campaign and (chosen.annotator or chosen.value is not None):
        met.append(JUDGED.format(conditions=_said(chosen)))
    if chosen.attribute:
        valued = " AND at.value = %(attribute_value)s" if chosen.attribute_value else ""
        met.append(
            "EXISTS (SELECT 1 FROM judging_attribute at "
            f"WHERE at.unit_id = u.id AND at.name = %(attribute)s{valued})"
        )
    if chosen.text:
        met.append(f"u.id IN ({WITH_WORDS})")
    return met, given


def _said(chosen: Chosen) -> str:
    """Return conditions on judgments, one of which must hold for a question to be listed."""
    conditions = []
    if chosen.criterion and (chosen.value is not None or chosen.sort == "outlier"):
        conditions.append("AND j.criterion_id = %(criterion)s")
    if chosen.value is not None:
        conditions.append("AND j.value = %(value)s")
    if chosen.annotator:
        conditions.append("AND e.label = %(annotator)s")
    return " ".join(conditions)


def _plain(text: str) -> str:
    """Return a text in which no character has a meaning for LIKE."""
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def _rows(query: str, given: Mapping[str, Any]) -> Sequence[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, given)
        return list(cursor.fetchall())
