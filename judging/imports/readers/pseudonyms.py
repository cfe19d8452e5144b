"""Ids of external annotators, replaced by labels as a file is read: worker ids, e-mail addresses,
ids of participants.

A label is the beginning of a keyed digest (HMAC-SHA256, RFC 2104) of the id, so that one person has
one label in every file that is read with the same key, and without the key the id cannot be found
by trying all ids. The ids can be downloaded once, as a key table, and are stored nowhere.

A column of ids is recognised by its name, and every cell of it is replaced; or by the shape of most
of its cells. In other columns that name people, single cells are replaced that look like an id as a
whole, and so are ids in the names of columns and in what problems quote. In columns of anything but
text, whatever their role, so is a cell that is an e-mail address as a whole. Free text is not
changed: an answer may well be an address, and a text that occurs in its own passage identifies no
annotator. A column of texts of which most cells are ids that no other cell of their row contains is
treated as a column of ids.
"""

import re
from base64 import b32encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from hmac import digest
from typing import TypeVar

from judging.imports.readers.guessing import is_criterion, is_known_name, is_text
from judging.imports.readers.records import (
    Problem,
    QuestionRecord,
    RatingRecord,
    SourceRecord,
    StudyRecords,
)
from judging.imports.readers.tables import AnyTable, OpenTable, Row

LETTERS = 10  # of a label: 50 bits; in a million people two share one with a chance below .001
_NAMED = {
    "workerid",
    "worker",
    "turkerid",
    "mturkid",
    "amazonid",
    "prolificpid",
    "prolificid",
    "prolific",
    "participantid",
    "participant",
    "email",
    "emailaddress",
    "mail",
    "useremail",
    "annotatoremail",
    "rateremail",
    "workeremail",
    "connectid",
    "participantemail",
    "assignmentworkerid",
    "completedby",
    "subjectid",
    "sonaid",
    "ipaddress",
    "annotatorid",
    "phone",
    "username",
    "login",
}
_PEOPLE = (
    "worker",
    "rater",
    "annotator",
    "judge",
    "user",
    "participant",
    "evaluator",
    "subject",
    "person",
    "prolific",
)
_THINGS = {
    "hitid",
    "assignmentid",
    "taskid",
    "passageid",
    "paragraphid",
    "documentid",
    "answerid",
    "source",
    "item",
}
_EMAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
_WORKER = r"A(?=[0-9A-Z]{0,13}[0-9])[0-9A-Z]{11,14}"  # Amazon's: A and at least eleven letters and figures
_HEX = r"[0-9a-f]{24}"  # Prolific's
_ID = re.compile(rf"(?<![\w.+-])(?:{_EMAIL}|{_WORKER}|{_HEX})(?![\w@])")
_ADDRESS = re.compile(_EMAIL)
_KINDS = {"targettype", "targetquestiontype", "requestedtype", "modality", "questiontype"}
_SAMPLE = 200


class Pseudonyms:
    """The labels that one key gives, and the ids they were given for."""

    def __init__(self, key: bytes) -> None:
        """Take the secret key of at least 16 bytes.

        Raises
        ------
        ValueError
            If the key is shorter: it could be found by trying.
        """
        if len(key) < 16:
            raise ValueError("The key of pseudonyms has at least 16 bytes.")
        self._key = key
        self._labels: dict[str, str] = {}
        self._given: set[str] = set()

    @property
    def table(self) -> Mapping[str, str]:
        """Return the ids seen so far by their labels: the key table."""
        return {label: original for original, label in self._labels.items()}

    def label(self, original: str) -> str:
        """Return the label of an id. Blank stays blank; case and surrounding blanks of an e-mail
        address are ignored."""
        plain = original.strip()
        if not plain or plain in self._given:
            return plain
        if plain not in self._labels:
            same = plain.casefold() if "@" in plain else plain
            hashed = digest(self._key, same.encode(), sha256)
            self._labels[plain] = f"P-{b32encode(hashed).decode()[:LETTERS]}"
            self._given.add(self._labels[plain])
        return self._labels[plain]

    def known(self, text: str) -> str:
        """Return the label of an id that was seen before, else the text with everything in the
        shape of an id replaced."""
        return self._labels.get(text.strip()) or self.in_text(text)

    def in_name(self, name: str) -> str:
        """Return the name of a column: in `fluency@rater` only the rater may be an id."""
        criterion, at, rater = name.partition("@")
        if at and ("@" in rater or _ID.fullmatch(rater.strip()) or is_criterion(criterion)):
            return criterion + at + self.in_text(rater)
        return self.in_text(name)

    def in_text(self, text: str) -> str:
        """Return a text with everything in the shape of an id replaced by its label."""
        return (
            _ID.sub(lambda found: self.label(found[0]), text)
            if "@" in text or len(text) > 11
            else text
        )


def id_columns(table: AnyTable) -> tuple[str, ...]:
    """Return the columns that hold ids of people, by their names or by most of their first
    cells."""
    sample = [row.cells for row in table.sample(_SAMPLE)]
    return tuple(
        name
        for place, name in enumerate(table.header)
        if _plain(name) in _NAMED or _holds_ids(name, place, sample)
    )


def _holds_ids(name: str, place: int, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether most cells of a column are ids that, among texts, no other cell contains."""
    if _is_thing(name) and not is_text(name):
        return False
    given = [(cell, cells) for cells in rows if (cell := cells[place].strip())]
    ids = [(cell, cells) for cell, cells in given if _ID.fullmatch(cell)]
    if is_text(name):
        ids = [(cell, cells) for cell, cells in ids if not _is_quoted(cell, cells)]
    return len(ids) > 0.5 * len(given)


def _is_quoted(cell: str, cells: Sequence[str]) -> bool:
    """Return whether a longer cell of the row contains this one, as a passage does its answer."""
    return any(cell in other and len(other.strip()) > len(cell) for other in cells)


def _names_people(name: str) -> bool:
    return any(word in _plain(name) for word in _PEOPLE)


def _is_thing(name: str) -> bool:
    """Return whether the column is known to hold texts, or ids of things rather than people."""
    if _plain(name) in _KINDS:
        return False
    return _plain(name) in _THINGS or (is_known_name(name) and not _names_people(name))


def pseudonymised(taken: AnyTable | StudyRecords, key: Pseudonyms) -> AnyTable | StudyRecords:
    """Return a table or study with labels in place of ids: in the columns that look like ids, in
    the names of columns, and in what the problems quote."""
    if isinstance(taken, StudyRecords):
        return _study(taken, key)
    names = id_columns(taken)
    places = [place for place, name in enumerate(taken.header) if name in names]
    others = [place for place, name in enumerate(taken.header) if name not in names]
    people = [place for place in others if _names_people(taken.header[place])]
    plain = [place for place in others if not is_text(taken.header[place])]
    return OpenTable(
        tuple(map(key.in_name, taken.header)),
        _results(taken, places, people, plain, key),
        delimiter=taken.delimiter,
        quoted=taken.quoted,
        headed=taken.headed,
        percentages=map(key.in_name, taken.percentages),
    )


def _results(
    table: AnyTable,
    places: Sequence[int],
    people: Sequence[int],
    plain: Sequence[int],
    key: Pseudonyms,
) -> Iterator[Row | Problem]:
    """Yield the rows: in columns `places` every cell is replaced, in `people` those that look like
    an id, in `plain` addresses that no longer cell of their row contains."""
    for row in table.rows:
        cells = list(row.cells)
        for place in places:
            cells[place] = key.label(cells[place])
        for place in people:
            if _ID.fullmatch(cells[place].strip()):
                cells[place] = key.label(cells[place])
        for place in plain:
            if "@" in cells[place]:
                address = _ADDRESS.fullmatch(cells[place].strip())
                if address and not _is_quoted(address[0], row.cells):
                    cells[place] = key.label(cells[place])
        yield Row(row.number, tuple(cells))
    for problem in table.problems:
        yield _problem(problem, key)


def _problem(problem: Problem, key: Pseudonyms) -> Problem:
    return replace(
        problem,
        value=key.known(problem.value),
        column=key.in_name(problem.column),
        reason=key.in_text(problem.reason),
    )


def _study(study: StudyRecords, key: Pseudonyms) -> StudyRecords:
    """Replace raters that look like ids, and metadata that are addresses: a study that was read
    whole has no names of columns."""
    return replace(
        study,
        sources=tuple(_without_addresses(each, key) for each in study.sources),
        questions=tuple(_without_addresses(each, key) for each in study.questions),
        ratings=tuple(
            _without_addresses(replace(each, rater=key.in_text(each.rater)), key)
            for each in study.ratings
        ),
        notes=tuple(replace(each, rater=key.in_text(each.rater)) for each in study.notes),
        marks=tuple(replace(each, rater=key.in_text(each.rater)) for each in study.marks),
        problems=tuple(_problem(each, key) for each in study.problems),
    )


Described = TypeVar("Described", SourceRecord, QuestionRecord, RatingRecord)


def _without_addresses(record: Described, key: Pseudonyms) -> Described:
    """Return a record with e-mail addresses in its metadata replaced by labels."""
    if not any("@" in value for value in record.attributes.values()):
        return record
    return replace(
        record,
        attributes={
            name: key.label(value) if _ADDRESS.fullmatch(value.strip()) else value
            for name, value in record.attributes.items()
        },
    )


def _plain(name: str) -> str:
    last = name.rpartition(":")[2] if ":" in name else name
    return "".join(filter(str.isalnum, last)).casefold()
