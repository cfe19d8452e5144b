"""Marks in the passage from a browser without JavaScript: by buttons, and by pasting a piece of
text."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from annotation.forms import AnswersForm
from judging.protocols import spans
from judging.protocols.spans import Marked, Searched
from judging.work.actions import span_marks
from judging.work.actions.sheets import AskedMark

PageMarks = dict[AskedMark, Marked]


@dataclass(frozen=True, slots=True)
class Sent:
    """The marks of a page; a piece that occurs more than once and needs a choice; and messages
    about pieces that were not found."""

    marks: PageMarks
    choosing: tuple[str, str] | None = None
    problems: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether a pasted piece still needs a place."""
        return bool(self.choosing or self.problems)

    def query(self) -> str:
        """Return the query string by which the page offers the choice."""
        if self.choosing is None:
            return ""
        name, piece = self.choosing
        return "?" + urlencode({"choose": name, "piece": piece}) + f"#{name}"


def sent_marks(form: AnswersForm, act: str) -> Sent:
    """Return the marks of a page after its button ("mark m1 13-27", "unmark m1 13-27") and its
    pasted pieces."""
    if not form.marks:
        return Sent({})
    marks = _pressed(form.marked(), act)
    pieces = form.pieces()
    texts = span_marks.texts(mark.unit for mark in pieces) if pieces else {}
    return _found(marks, pieces, texts)


def _pressed(marks: PageMarks, act: str) -> PageMarks:
    word, _blank, rest = act.partition(" ")
    name, _blank, range_ = rest.partition(" ")
    own = next((mark for mark in marks if mark.name == name), None)
    if own is None or not range_:
        return marks
    try:
        given = spans.parse_marks(range_).ranges
    except spans.NoSpans:
        return marks
    before = marks[own]
    return marks | {own: before.without(*given) if word == "unmark" else before.adding(*given)}


def _found(marks: PageMarks, pieces: Mapping[AskedMark, str], texts: Mapping[int, str]) -> Sent:
    choosing, problems = None, []
    searched = {text: Searched(text) for text in set(texts.values())}  # questions share passages
    for mark, piece in pieces.items():
        found = searched[texts[mark.unit]].places(piece) if mark.unit in texts else iter(())
        places = list(islice(found, 2))
        if len(places) == 1:
            marks = marks | {mark: marks[mark].adding(*places)}
        elif places:
            choosing = choosing or (mark.name, piece)
        else:
            said = {"where": mark.title, "piece": piece[:80]}
            problems.append(_("%(where)s: this does not stand in the passage: “%(piece)s”") % said)
    return Sent(marks, choosing, tuple(problems))
