"""Likely roles of columns whose names do not show them, from the shape of their first cells.

Questions end in a question mark, passages are the longest texts, answers occur in their passages,
and the systems ask about the same passages one after the other. These are proposals: a role that is
not clear stays open.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from judging.imports.readers.columns import QuestionColumn
from judging.imports.readers.numbers import is_number

QUESTION_MARKS = ("?", "？", "؟", "՞", "\u037e")
_LONG = 80  # minimum characters of a passage
_NAME = 60  # maximum characters of a system's name
_USUAL_SYSTEMS = 30
_LOOKS = 20  # occurrences in a passage that are checked for an answer
_ENOUGH = 0.6  # share of the cells that must be questions: some systems forget the mark
_USUAL_SHARE = 0.8  # share of the cells, for every other role
# Words around a system's name in the name of its column.
_AROUND = re.compile(
    r"(?<![^\W_])(generated|predicted|systems?|models?|output|questions?|predictions?|preds?|hyp|text|by|from|of)"
    r"(?![^\W_])",
    re.I,
)

# Words in names of columns of systems, as in "Which model made the question".
_SYSTEM_WORDS = {"system", "model", "llm", "generator"}
_WORDS_BESIDE = re.compile(
    r"which|what|whose|the|an?|of|is|was|did|has|by|for|qg|questions?|generat(?:ion|ed|ing)|made|wrote|produced|used"
    r"|name|id|key|tag"
)
# Names of columns of short passages; they may as well hold ids, or the origin of a text.
_SOURCE = re.compile(
    r"(?:source|src|input|doc|instance|example|item|sample)"
    r"(?:_(?:text|sentence|passage|paragraph|context|document|doc))?"
)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{6}")  # a clause, without blanks


def are_questions(cells: Sequence[str]) -> bool:
    """Return whether most of these cells, without blank ones, are questions."""
    given = [cell for cell in cells if cell]
    return bool(given) and sum(cell.endswith(QUESTION_MARKS) for cell in given) > _ENOUGH * len(
        given
    )


def by_shape(
    free: Mapping[str, Sequence[str]], cells: Mapping[str, Sequence[str]], roles: Mapping[str, str]
) -> dict[str, str]:
    """Return the columns of the roles that no name claimed, out of the `free` ones with their
    cells."""
    texts = {
        name: column
        for name, column in free.items()
        if not all(map(is_number, filter(None, column)))
    }
    asking = [name for name, column in texts.items() if are_questions(column)]
    known = dict(roles)

    def take(role: str, column: str) -> None:
        if column:
            known[role] = column

    if "question" not in known:
        take("question", _only(asking))
    if not known.keys() & {"passage", "sentence"}:
        told = {name: texts[name] for name in texts if name not in asking}
        take("passage", _longest(told) or _short_passages(told, cells, known))
    if "system" not in known:
        named = [name for name in texts if name not in known.values() and _is_of_systems(name)]
        take("system", _only([name for name in named if _are_names(texts[name])]))
    passages = cells.get(known.get("passage", "") or known.get("sentence", ""))
    if passages is not None:
        others = {
            name: column for name, column in free.items() if name not in {*asking, *known.values()}
        }
        if "answer" not in known:
            take("answer", answers(others, passages))
        if "question" in known and not known.keys() & {"system", "rater"}:
            names = [name for name in others if name in texts and name not in known.values()]
            take(
                "system", _only([name for name in names if _answer_the_same(texts[name], passages)])
            )
    return {role: column for role, column in known.items() if role not in roles}


def _only(names: Sequence[str]) -> str:
    """Return the name if there is exactly one, else ""."""
    return names[0] if len(names) == 1 else ""


def _longest(columns: Mapping[str, Sequence[str]]) -> str:
    """Return the column with the longest texts, if these are as long as passages."""
    lengths = {name: _length(column) for name, column in columns.items()}
    longest = max(lengths, key=lengths.__getitem__, default="")
    return longest if longest and lengths[longest] >= _LONG else ""


def _short_passages(
    columns: Mapping[str, Sequence[str]],
    cells: Mapping[str, Sequence[str]],
    roles: Mapping[str, str],
) -> str:
    """Return the column that is named like sources and holds sentences: complete ones, or such that
    the systems share. If no column names systems, several different sentences are enough."""
    named = [
        name
        for name, column in columns.items()
        if name not in roles.values()
        and _SOURCE.fullmatch("_".join(re.findall(r"[^\W_]+", name[:_NAME].casefold())))
        and sum(map(_is_sentence, column)) >= _USUAL_SHARE * len(column)
    ]
    whole = [
        name
        for name in named
        if sum(map(_ends, columns[name])) >= _USUAL_SHARE * len(columns[name])
    ]
    if whole:
        return _only(whole)
    if "system" in roles:
        return source_ids(named, cells, roles)
    return _only([name for name in named if len(set(columns[name])) > 2])


def _is_sentence(cell: str) -> bool:
    return cell.count(" ") > 2 or bool(_WIDE.search(cell))


def _ends(cell: str) -> bool:
    return cell.rstrip("\"'”’»›)」』").endswith((".", "!", "?", "。", "！", "？", "।", "؟"))


def source_ids(
    named: Sequence[str], cells: Mapping[str, Sequence[str]], roles: Mapping[str, str]
) -> str:
    """Return the column of source ids: out of those whose names allow ids, the one whose values the
    systems share, each system once. Return "" if there is none or several. If a question has a row
    for every rater, it counts once."""
    systems = cells.get(roles.get("system", ""), ())
    asked = cells.get(roles.get("question", ""), ()) if "rater" in roles else range(len(systems))
    return _only([name for name in named if _share(systems, cells[name], asked)])


def _share(systems: Sequence[str], column: Sequence[str], asked: Sequence[object]) -> bool:
    """Return whether most values recur with another system, and none with the same one."""
    questions = set(zip(systems, column, asked, strict=False))
    pairs = {(system, value) for system, value, _ in questions}
    different = set(column)
    once = bool(pairs) and len(pairs) == len(questions)
    return all(column) and once and 1 < len(different) <= _USUAL_SHARE * len(pairs)


def question_columns(
    names: Sequence[str], cells: Mapping[str, Sequence[str]]
) -> tuple[QuestionColumn, ...]:
    """Return the columns of questions of a table that has one for each system; none if fewer than
    two have any."""
    asking = [name for name in names if are_questions(cells[name])]
    if len(asking) < 2:
        return ()
    short = [_system(name) for name in asking]
    plain = short if len(set(short)) == len(short) and all(short) else asking
    return tuple(
        QuestionColumn(column=name, system=system)
        for name, system in zip(asking, plain, strict=True)
    )


def _length(column: Sequence[str]) -> float:
    return median(map(len, filter(None, column))) if any(column) else 0


def answers(free: Mapping[str, Sequence[str]], passages: Sequence[str]) -> str:
    """Return the column whose cells occur as whole words in the passages of their rows, the longest
    of several."""
    inside = {}
    for name, column in free.items():
        pairs = [
            (cell, passage)
            for cell, passage in zip(column, passages, strict=True)
            if cell and passage
        ]
        if len({cell for cell, _ in pairs}) > 1 and sum(
            _holds(*pair) for pair in pairs
        ) >= _USUAL_SHARE * len(pairs):
            inside[name] = _length(column)
    return max(inside, key=inside.__getitem__, default="")


def _holds(cell: str, passage: str) -> bool:
    """Return whether a passage contains a text as whole words; one or two digits are rather a row's
    number."""
    if len(cell) >= len(passage) or (cell.isdecimal() and len(cell) < 3):
        return False
    start = passage.find(cell)
    for _ in range(_LOOKS):
        if start < 0:
            break
        around = (
            passage[max(0, start - 1) : start] + passage[start + len(cell) : start + len(cell) + 1]
        )
        if not any(map(str.isalnum, around)):
            return True
        start = passage.find(cell, start + 1)
    return False


def _is_of_systems(name: str) -> bool:
    """Return whether a column's name asks for the system, and for nothing else about it."""
    words = set(re.findall(r"[^\W_]+", name[:_NAME].casefold()))
    return bool(words & _SYSTEM_WORDS) and all(map(_WORDS_BESIDE.fullmatch, words - _SYSTEM_WORDS))


def _are_names(column: Sequence[str]) -> bool:
    """Return whether a few short texts recur often, as names of systems do."""
    different = set(column)
    return (
        all(0 < len(cell) <= _NAME for cell in column)
        and 2 * len(different) <= len(column)
        and len(different) <= _USUAL_SYSTEMS
    )


def _answer_the_same(column: Sequence[str], passages: Sequence[str]) -> bool:
    """Return whether these may be systems: on most passages each of them occurs once."""
    if not all(0 < len(cell) <= _NAME for cell in column):
        return False
    names = set(column)
    if not 2 <= len(names) <= _USUAL_SYSTEMS:
        return False
    on: dict[str, list[str]] = defaultdict(list)
    for cell, passage in zip(column, passages, strict=True):
        on[passage].append(cell)
    # only the first cells of a file are known: their last passage may continue
    whole = list(on.values())[: len(on) - 1 or 1]
    complete = [each for each in whole if set(each) == names and len(each) == len(names)]
    return len(complete) >= max(1, _USUAL_SHARE * (len(on) - 1))


def _system(name: str) -> str:
    """Return a column's name without words that every such column may have."""
    return re.sub(r"([\s_.:@-])[\s_.:@-]+", r"\1", _AROUND.sub("", name[:_NAME])).strip(
        " _.:@-()[]"
    )
