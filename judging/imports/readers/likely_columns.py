"""What columns probably hold whose names say nothing, by the shape of their first cells.

Questions end in a question mark, passages are the longest texts, answers stand in their passages,
and systems ask about the same passages one after the other. It is a proposal: what is not plain
stays open.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from judging.imports.readers.columns import QuestionColumn
from judging.imports.readers.numbers import is_number

QUESTION_MARKS = ("?", "？", "؟", "՞", "\u037e")
_LONG = 80  # characters of a passage, at least
_NAME = 60  # characters of a system's name, at most
_USUAL_SYSTEMS = 30
_LOOKS = 20  # places in a passage where an answer may stand
_ENOUGH = 0.6  # of the cells, for questions: some systems forget the mark
_USUAL_SHARE = 0.8  # of the cells, for everything else
# What stands around a system's name in the name of its column.
_AROUND = re.compile(
    r"(?<![^\W_])(generated|predicted|systems?|models?|output|questions?|predictions?|preds?|hyp|text|by|from|of)"
    r"(?![^\W_])",
    re.I,
)

# What a column of systems may be called beside its plain names, as in "Which model made the question".
_SYSTEM_WORDS = {"system", "model", "llm", "generator"}
_WORDS_BESIDE = re.compile(
    r"which|what|whose|the|an?|of|is|was|did|has|by|for|qg|questions?|generat(?:ion|ed|ing)|made|wrote|produced|used"
    r"|name|id|key|tag"
)
# What a column of short passages may be called; it may as well hold ids, or where a text is from.
_SOURCE = re.compile(
    r"(?:source|src|input|doc|instance|example|item|sample)"
    r"(?:_(?:text|sentence|passage|paragraph|context|document|doc))?"
)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{6}")  # a clause, without blanks


def are_questions(cells: Sequence[str]) -> bool:
    """Say whether most of these cells, but for blank ones, are questions."""
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
    """Return the name where there is one; nothing where none or several are alike."""
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
    """Return the column that is called as sources are and holds sentences: whole ones, or such as
    the systems share. Where no column is of systems, several different ones are enough."""
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
    """Return the column, out of those whose names say that they may hold ids, whose values the
    systems share, each system once: that of the sources. Nothing where none or several are like
    that. Where a question comes once for every rater, it counts once."""
    systems = cells.get(roles.get("system", ""), ())
    asked = cells.get(roles.get("question", ""), ()) if "rater" in roles else range(len(systems))
    return _only([name for name in named if _share(systems, cells[name], asked)])


def _share(systems: Sequence[str], column: Sequence[str], asked: Sequence[object]) -> bool:
    """Say whether most values come again with another system, and none with the same."""
    questions = set(zip(systems, column, asked, strict=False))
    pairs = {(system, value) for system, value, _ in questions}
    different = set(column)
    once = bool(pairs) and len(pairs) == len(questions)
    return all(column) and once and 1 < len(different) <= _USUAL_SHARE * len(pairs)


def question_columns(
    names: Sequence[str], cells: Mapping[str, Sequence[str]]
) -> tuple[QuestionColumn, ...]:
    """Return the columns of a table that has one of questions for each system; none where fewer
    than two have any."""
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
    """Return the column whose cells stand in the passages beside them as whole words, the longest
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
    """Say whether a text stands in another, not in the middle of a word; digits alone are rather a
    number of a row."""
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
    """Say whether a column's name asks which system it was, and nothing else of the system."""
    words = set(re.findall(r"[^\W_]+", name[:_NAME].casefold()))
    return bool(words & _SYSTEM_WORDS) and all(map(_WORDS_BESIDE.fullmatch, words - _SYSTEM_WORDS))


def _are_names(column: Sequence[str]) -> bool:
    """Say whether a few short texts come again and again, as names of systems do."""
    different = set(column)
    return (
        all(0 < len(cell) <= _NAME for cell in column)
        and 2 * len(different) <= len(column)
        and len(different) <= _USUAL_SYSTEMS
    )


def _answer_the_same(column: Sequence[str], passages: Sequence[str]) -> bool:
    """Say whether these may be systems: on most passages each of them stands once."""
    if not all(0 < len(cell) <= _NAME for cell in column):
        return False
    names = set(column)
    if not 2 <= len(names) <= _USUAL_SYSTEMS:
        return False
    on: dict[str, list[str]] = defaultdict(list)
    for cell, passage in zip(column, passages, strict=True):
        on[passage].append(cell)
    # the first cells of a file: its last passage may go on
    whole = list(on.values())[: len(on) - 1 or 1]
    complete = [each for each in whole if set(each) == names and len(each) == len(names)]
    return len(complete) >= max(1, _USUAL_SHARE * (len(on) - 1))


def _system(name: str) -> str:
    """Return what is left of a column's name without words that every such column may have."""
    return re.sub(r"([\s_.:@-])[\s_.:@-]+", r"\1", _AROUND.sub("", name[:_NAME])).strip(
        " _.:@-()[]"
    )
