"""Exports of surveys, in which a row is a response and the columns are named after the rated items.

`When was it built? - Fluency` (Qualtrics) and `Rate the fluency [When was it built?]` (Google Forms)
are ratings of a question that the name holds: each becomes a row of its own.
"""

import re
from collections.abc import Iterator

from judging.imports.readers.cells import counted
from judging.imports.readers.guessing import is_criterion
from judging.imports.readers.likely_columns import QUESTION_MARKS
from judging.imports.readers.rater_columns import one_scale
from judging.imports.readers.shape.tables import Propose, remark, replaced
from judging.imports.readers.tables import AnyTable, Row

_HEADER = ("annotator", "question", "criterion", "value")
_BRACKETS = re.compile(r"(?P<before>[^\[\]]+)\[(?P<inside>[^\[\]]+)\]\s*")
_DIVIDERS = (" - ", " – ", " | ", ": ")
# The columns that name the respondent, the surest first; compared by their letters alone
_PEOPLE = (
    *("prolificpid", "prolificid", "participantid", "participant", "workerid", "annotator"),
    *("rater", "emailaddress", "email", "username", "name", "responseid", "respondentid", "id"),
)
_OF_SURVEYS = {"startdate", "enddate", "recordeddate", "responseid", "respondentid", "timestamp"}
_CODE = re.compile(r"(?:[0-9]{1,3}_)?Q[0-9]{1,3}(?:[._][0-9]{1,3})*")
_ADVICE = (
    "This looks like the export of a survey, but the names of its columns do not say which question "
    "was rated. 1. In the survey tool, export with the texts of the questions in the header. 2. Name "
    "each rated column by the question and the criterion, such as “When was it built? - Fluency”. "
    "3. Import the file again. Or make a table with a row for each rating and the columns annotator, "
    "question, criterion and value."
)


def open_survey(table: AnyTable, propose: Propose) -> AnyTable:
    """Return the responses of a survey as a row for each rating."""
    roles = propose(table)
    if roles.question or roles.by_system or roles.rater:
        return table
    rated = _rated_columns(table)
    if len(rated) < 2:
        return replaced(table, table.rows, remarks=[remark(_ADVICE)]) if _is_like(table) else table
    person = _person(table, rated)

    def rows() -> Iterator[Row]:
        for number, row in enumerate(table.rows, 1):
            own = "" if person is None else row.cells[person].strip()
            annotator = own or f"respondent {number}"
            for place, (question, criterion) in rated.items():
                yield Row(row.number, (annotator, question, criterion, row.cells[place]))

    left = [
        name for place, name in enumerate(table.header) if place not in rated and place != person
    ]
    by = f"column “{table.header[person]}”" if person is not None else "the order of the rows"
    reason = (
        f"The file is the export of a survey: {len(rated):,} columns are read as ratings of the questions in "
        f"their names, by the annotators that {by} tells. {_excluded(left)}"
    )
    return replaced(table, rows(), header=_HEADER, remarks=[remark(reason.strip())])


def _rated_columns(table: AnyTable) -> dict[int, tuple[str, str]]:
    """Return the question and the criterion of each column that holds ratings of a question."""
    cells = counted(table.header, (row.cells for row in table.sample()))
    named = {place: parts for place, name in enumerate(table.header) if (parts := _parts(name))}
    prompts = dict.fromkeys(prompt for _, prompt in named.values())
    found = {}
    for prompt in prompts:
        places = [place for place, (_, own) in named.items() if own == prompt]
        if one_scale([table.header[place] for place in places], cells, is_sure=True):
            found.update({place: (named[place][0], _criterion(prompt)) for place in places})
    return dict(sorted(found.items()))


def _parts(name: str) -> tuple[str, str] | None:
    """Return the question in the name of a column and the rest of the name.

    >>> _parts("Who built it? - Fluency"), _parts("Rate the fluency [Who built it?]")
    (('Who built it?', 'Fluency'), ('Who built it?', 'Rate the fluency'))
    """
    pairs = []
    if match := _BRACKETS.fullmatch(name):
        inside, before = match["inside"].strip(), match["before"].strip()
        if inside.endswith(QUESTION_MARKS) and before:
            return inside, before  # the rest may also end in a question mark
        pairs.append((inside, before))
    for divider in _DIVIDERS:
        first, found, rest = name.partition(divider)
        if found:
            pairs.append((first, rest))
        before, found, last = name.rpartition(divider)
        if found:
            pairs.append((last, before))
    for one, other in ((one.strip(), other.strip()) for one, other in pairs):
        if one.endswith(QUESTION_MARKS) and other and not other.endswith(QUESTION_MARKS):
            return one, other
        if other.endswith(QUESTION_MARKS) and one and not one.endswith(QUESTION_MARKS):
            return other, one
    return None


def _criterion(prompt: str) -> str:
    """Return the known criterion that a prompt names, else the prompt."""
    known = [word.casefold() for word in re.findall(r"[^\W\d_]+", prompt) if is_criterion(word)]
    return known[0] if len(set(known)) == 1 else prompt


def _person(table: AnyTable, rated: dict[int, tuple[str, str]]) -> int | None:
    """Return the column that names the respondent, each person once."""
    plain = {
        "".join(filter(str.isalnum, name)).casefold(): place
        for place, name in enumerate(table.header)
        if place not in rated
    }
    for name in _PEOPLE:
        if name in plain:
            cells = [row.cells[plain[name]].strip() for row in table.sample()]
            if all(cells) and len(set(cells)) == len(cells):
                return plain[name]
    return None


def _excluded(left: list[str]) -> str:
    named = ", ".join(f"“{name[:60]}”" for name in left[:5])
    more = f" and {len(left) - 5:,} more" if len(left) > 5 else ""
    return f"Columns about the response are excluded: {named}{more}." if left else ""


def _is_like(table: AnyTable) -> bool:
    """Return whether columns have names that survey tools write."""
    plain = {"".join(filter(str.isalnum, name)).casefold() for name in table.header}
    codes = sum(bool(_CODE.fullmatch(name)) for name in table.header)
    return bool(plain & _OF_SURVEYS) and (codes > 1 or len(plain & _OF_SURVEYS) > 1)
