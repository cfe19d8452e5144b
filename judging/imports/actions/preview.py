"""The preview of a file: what each column becomes and why, how much the file holds, and the
surprises that a user must accept before anything is stored."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from judging.imports.actions import ratings
from judging.imports.actions.joining import Joined
from judging.imports.actions.ratings import ACCEPTED_REASONS, RatingTally
from judging.imports.readers.columns import ONE_COLUMN, ColumnRoles, RatingColumn
from judging.imports.readers.derived import named
from judging.imports.readers.records import WHY_EXCLUDED, ColumnSummary, StudyRecords
from judging.imports.readers.shape.sheets import are_sheets
from judging.models import Rubric

EXCLUDED = "excluded"
MANY = 20  # columns of metadata; if there are more, the page folds them up
DECLARED = "Declared in the plan."
_ROLES = {
    "answer_start": "start of the answer",
    "source_id": "ID of the source",
    "question": "generated question",
    "position": "position in its set",
    "key": "ID of the question",
    "question_type": "type that the system declared",
    "submitted_answer": "answer that the system submitted",
    "rater": "names of annotators",
    "criterion": "names of criteria",
    "value": "ratings, one in each row",
    "note": "notes of annotators",
    "mark": "whether a span is marked",
    "mark_start": "start of a marked span",
    "mark_end": "end of a marked span",
    "mark_text": "text of a marked span",
}


class _Use(NamedTuple):
    """What a column becomes, and whether its values become ratings of annotators or judges."""

    phrase: str
    is_rated: bool = False
    surprise: str = ""  # what it becomes, if ratings should not become this


def preview_of(
    *, joined: Joined, columns: ColumnRoles | None, rubric: Rubric | None
) -> dict[str, Any]:
    """Return the preview as plain data: for a file without columns, no list of columns."""
    study = joined.study
    listed = [] if columns is None else list(_listed(study, columns))
    return {
        "summary": summary_of(study, columns),
        "columns": [row for row in listed if row["is_shown"]],
        "further": [row for row in listed if not row["is_shown"]],
        "surprises": surprises_of(joined, columns),
        "between_points": between_points(study, rubric) if rubric else [],
    }


def summary_of(study: StudyRecords, columns: ColumnRoles | None) -> str:
    """Return the sentence that counts annotators, criteria, systems, questions and missing
    outputs."""
    is_named = columns is None or columns.system or study.systems != (ColumnRoles().default_system,)
    questions, missing = sum(study.returned.values()), sum(study.missing.values())
    criteria = dict.fromkeys([*study.criteria, *(each.criterion for each in study.judge_ratings)])
    parts = [
        _count(len(study.raters), "annotator"),
        _count(len(criteria), "criterion", "criteria"),
        _count(len(study.systems), "system") if is_named else "no named system",
        _count(questions, "question"),
    ]
    if study.llm_judges:
        parts.insert(1, _count(len(study.llm_judges), "LLM judge"))
    outputs = f"{_count(missing, 'output')} {'is' if missing == 1 else 'are'} missing"
    return f"The file has {', '.join(parts[:-1])} and {parts[-1]}; {outputs if missing else 'no output is missing'}."


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def surprises_of(joined: Joined, columns: ColumnRoles | None) -> list[str]:
    """Return a sentence for each surprise: a column that looks like ratings and becomes metadata, a
    metric or a mean; sheets that become annotators; and many ratings that go to quarantine."""
    return [*_column_surprises(joined.study, columns), *_quarantine_surprises(joined)]


def _column_surprises(study: StudyRecords, columns: ColumnRoles | None) -> list[str]:
    if columns is None:
        return []
    uses = _uses(columns)
    found = [
        f"Column “{summary.column}” holds whole numbers from {summary.rating_range}, as ratings do, "
        f"and becomes {use.surprise}. If people gave these numbers, go back to the columns and "
        "choose “ratings on one criterion”."
        for summary in study.column_summaries
        if summary.rating_range and (use := uses.get(summary.column)) and use.surprise
    ]
    if study.raters and are_sheets(columns.rater, study.problems):
        found.append(
            f"The sheets {named(study.raters)} become annotators. If they are something else, go "
            f"back to the columns and change “{columns.rater}”."
        )
    return found


def _quarantine_surprises(joined: Joined) -> list[str]:
    """Return a sentence if more than 1% of the annotators' ratings go to quarantine, and one if so
    many of the LLM judges' ratings do."""
    kinds = [("ratings", joined.tally), ("ratings by LLM judges", joined.judge_tally)]
    return [_quarantined(what, tally) for what, tally in kinds if tally.needs_acceptance()]


def _quarantined(what: str, tally: RatingTally) -> str:
    lost = tally.quarantined()
    number, total = sum(lost.values()), sum(tally.read.values())
    reasons = [
        f"{count:,} {WHY_EXCLUDED[why]}"
        for why, count in tally.by_reason().items()
        if why not in ACCEPTED_REASONS
    ]
    criteria = [
        f"{criterion}: {count:,} of {tally.read[criterion]:,}"
        for criterion, count in lost.items()
        if criterion
    ]
    go = "goes" if number == 1 else "go"
    where = f" ({'; '.join(criteria)})" if criteria else ""
    return (
        f"{number:,} of the {total:,} {what} ({_percent(number / total)}) {go} to quarantine and "
        f"{'is' if number == 1 else 'are'} excluded from every analysis: {'; '.join(reasons)}{where}. "
        "If this is wrong, choose a protocol with the scale of the ratings, or correct the file."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.1f}%"


def between_points(study: StudyRecords, rubric: Rubric) -> list[str]:
    """Return a sentence for each criterion with ratings between the points of its scale."""
    return [
        f"{found.criterion}: {_count(found.count, 'rating')} such as {found.first} "
        f"{'is' if found.count == 1 else 'are'} between the points of the protocol’s scale "
        f"({found.scale}), which has whole numbers only. Such ratings go to quarantine. To keep "
        "them, round them in the file and upload it again."
        for found in ratings.between_points(study=study, rubric=rubric)
    ]


def _listed(study: StudyRecords, columns: ColumnRoles) -> Iterator[dict[str, Any]]:
    """Yield the line of each column. If there are many, metadata and excluded columns that do not
    look like ratings are folded."""
    uses = _uses(columns)
    plain = [each for each in study.column_summaries if _is_plain(each, uses)]
    hidden = {each.column for each in plain} if len(plain) > MANY else set()
    for summary in study.column_summaries:
        use = uses.get(summary.column, _Use(EXCLUDED))
        yield {
            "column": summary.column,
            "becomes": use.phrase,
            "why": columns.evidence.get(summary.column, DECLARED),
            "first": summary.first,
            "rating_range": "" if use.is_rated else summary.rating_range,
            "is_shown": summary.column not in hidden,
        }


def _is_plain(summary: ColumnSummary, uses: Mapping[str, _Use]) -> bool:
    use = uses.get(summary.column)
    is_kept_aside = use is None or use.surprise.startswith("metadata")
    return is_kept_aside and not summary.rating_range


def _uses(columns: ColumnRoles) -> dict[str, _Use]:
    """Return what each column becomes; excluded columns are not among them."""
    found = {
        column: _Use(_ROLES.get(role, role.replace("_", " ")), role == "value")
        for role in ONE_COLUMN
        if (column := getattr(columns, role))
    }
    found |= {name: _Use("reference question") for name in columns.references}
    found |= {
        each.column: _Use(f"questions of the system “{each.system}”") for each in columns.by_system
    }
    found |= {each.column: _Use(_of_ratings(each), is_rated=True) for each in columns.ratings}
    for score in columns.scores:
        kind = "the mean human score" if score.kind == "human_mean" else "the metric"
        phrase = f"{kind} “{score.name}”"
        found[score.column] = _Use(phrase, surprise=phrase)
    for what, names in {
        "question": columns.metadata,
        "source": columns.source_metadata,
        "rating": columns.rating_metadata,
    }.items():
        phrase = f"metadata of the {what}"
        found |= {name: _Use(phrase, surprise=phrase) for name in names}
    return found


def _of_ratings(rating: RatingColumn) -> str:
    judge = "the LLM judge" if rating.kind == "llm_judge" else "the annotator"
    by = f" by {judge} “{rating.rater}”" if rating.rater else ""
    return f"ratings of “{rating.criterion}”{by}"
