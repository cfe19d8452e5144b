"""Ids of external annotators, replaced by labels as a file is read: worker ids, e-mail addresses,
ids of participants.

A label is the beginning of a keyed digest (HMAC-SHA256, RFC 2104) of the id, so that one person has
one label in every file that is read with the same key, and without the key the id cannot be found
by trying all ids. The ids can be downloaded once, as a key table, and are stored nowhere.

A column of ids is recognised by its name, or by the shape of most of its cells, and every cell of
it is replaced. In other columns that name people, cells are replaced that look like an id, and so
are ids in the names of columns. In every column but those of texts, so is a cell that is an e-mail
address. Texts are not changed: an answer may well be an address.
"""

import re
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from hmac import digest

import pandas as pd

from judging.formats.frames import Problem
from judging.formats.vocabulary import is_criterion, vocabulary

LETTERS = 10  # of a label: 50 bits; in a million people two share one with a chance below .001
_EMAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
_WORKER = r"A(?=[0-9A-Z]{0,13}[0-9])[0-9A-Z]{11,14}"  # Amazon's: A and at least eleven more
_HEX = r"[0-9a-f]{24}"  # Prolific's
# an underscore may divide an id from the rest of a column's name
_ID = re.compile(rf"(?<![^\W_])(?<![.+-])(?:{_EMAIL}|{_WORKER}|{_HEX})(?![^\W_]|@)")
_ADDRESS = re.compile(_EMAIL)
_LABEL = re.compile(rf"P-[A-Z2-7]{{{LETTERS}}}")
_TEXT_ROLES = (
    "question",
    "passage",
    "sentence",
    "answer",
    "submitted_answer",
    "note",
    "mark_text",
)


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
        has_any = "@" in text or len(text) > 11
        return _ID.sub(lambda found: self.label(found[0]), text) if has_any else text


def is_label(text: str) -> bool:
    """Return whether a text is a label of a person."""
    return _LABEL.fullmatch(text) is not None


def pseudonymised(frame: pd.DataFrame, key: Pseudonyms) -> pd.DataFrame:
    """Return the frame with labels in place of ids of people."""
    changed = {}
    for name in frame.columns:
        cells = frame[name]
        if _is_text(name):
            if _holds_ids(cells) and not _are_quoted(frame, name):
                cells = cells.map(key.label)
        elif _plain(name) in vocabulary()["person_ids"] or (
            not _is_thing(name) and _holds_ids(cells)
        ):
            cells = cells.map(key.label)
        elif _names_people(name):
            cells = cells.map(lambda cell: key.label(cell) if _ID.fullmatch(cell.strip()) else cell)
        elif cells.str.contains("@", regex=False).any() and not _are_quoted(frame, name):
            cells = cells.map(
                lambda cell: key.label(cell) if _ADDRESS.fullmatch(cell.strip()) else cell
            )
        changed[name] = cells
    return pd.DataFrame(changed, index=frame.index, dtype=object).rename(columns=key.in_name)


def without_ids(problem: Problem, key: Pseudonyms) -> Problem:
    """Return a problem that quotes no id of a person."""
    return replace(
        problem,
        value=key.known(problem.value),
        column=key.in_name(problem.column),
        reason=key.in_text(problem.reason),
    )


def _holds_ids(cells: "pd.Series[str]") -> bool:
    """Return whether most of the first cells are ids of people."""
    given = cells[cells.str.strip() != ""].head(200)
    return bool(len(given)) and given.str.strip().map(_ID.fullmatch).notna().mean() > 0.5


def _are_quoted(frame: pd.DataFrame, name: str) -> bool:
    """Return whether longer cells of the rows contain these, as passages do their answers."""
    rows = frame[frame[name].str.contains("@", regex=False) | (frame[name].str.len() > 11)]
    for row in rows.head(200).itertuples(index=False):
        cells = [str(cell) for cell in row]
        own = cells[list(frame.columns).index(name)].strip()
        if own and any(own in other and len(other.strip()) > len(own) for other in cells):
            return True
    return False


def _is_text(name: str) -> bool:
    roles = vocabulary()["roles"]
    plain = re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
    return any(plain in roles[role] for role in _TEXT_ROLES) or plain in vocabulary()["references"]


def _names_people(name: str) -> bool:
    words = ("worker", "prolific", *vocabulary()["people"])
    return any(word in _plain(name) for word in words if len(word) > 3)


def _is_thing(name: str) -> bool:
    """Return whether the name is one of ids of things, which look like ids of people."""
    return _plain(name) in vocabulary()["thing_ids"] or (
        _plain(name).endswith("id") and not _names_people(name) and _plain(name) != "id"
    )


def _plain(name: str) -> str:
    last = name.rpartition(":")[2] if ":" in name else name
    return "".join(filter(str.isalnum, last)).casefold()
