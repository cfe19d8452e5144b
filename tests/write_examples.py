"""Write the examples of the API's document from the answers that tests have recorded.

Record and write them after a change of the API:

    mkdir /tmp/examples
    files=$(git grep -l "judging.programs import" tests | grep -v "fuzzing\\|large")
    QUAESTOR_EXAMPLES=/tmp/examples pytest $files tests/config/test_sweep.py -m "not long"
    QUAESTOR_EXAMPLES=/tmp/examples pytest tests/analysis/planning/api -k dry_run -m long
    python -m tests.write_examples /tmp/examples
    python manage.py spectacular --file docs/openapi.yaml

Of several answers of an operation the fullest is its example. The file changes with the API only:
ids, moments, names and secrets that differ between recordings are replaced by fixed ones, and an
example stays if the new one has the same fields.
"""

import hashlib
import json
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from config.openapi import EXAMPLES

MAX_ENTRIES, MAX_CHARACTERS, MAX_TABLES = 3, 300, 2  # of a list, of a text, of a run
SMALL = 150  # characters of an entry; of larger ones a list has one
MIN_ID = 1_000_000  # from which each table of the tests counts; smaller numbers are no ids
FIRST_ID = 11
FIRST_MOMENT = datetime(2026, 11, 30, 9, tzinfo=UTC)
EXPIRY = "2026-12-29T09:00:00Z"
MOMENT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)"
SECONDS = 2.5
MEASURED = ("active_seconds", "seconds", "seconds_a_value")
VERSIONS = {"numpy": "2.3.5", "python": "3.13.9", "scipy": "1.16.3"}
QUESTIONS = (
    "Who built the lock?",
    "What are the gates made of?",
    "Which gates does the lock have?",
)
USERS = ("mara", "jonas", "lea", "pavel", "ines", "tomas")
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

Example = dict[str, Any]


def fixed_id(number: int, _found: str) -> str:
    return str(FIRST_ID + number)


def fixed_uuid(number: int, _found: str) -> str:
    return str(uuid.UUID(hashlib.sha256(f"example {number}".encode()).hexdigest()[:32], version=4))


def fixed_digits(number: int, found: str) -> str:
    return hashlib.sha256(f"digits {number}".encode()).hexdigest()[: len(found)]


def fixed_code(number: int, found: str) -> str:
    digest = hashlib.sha256(f"code {number}".encode()).digest()
    return "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in digest[: len(found)])


def fixed_moment(number: int, _found: str = "") -> str:
    return f"{FIRST_MOMENT + timedelta(minutes=number):%Y-%m-%dT%H:%M:%SZ}"


def fixed_label(number: int, _found: str) -> str:
    return f"A{number + 1:02d}"


def fixed_question(number: int, _found: str) -> str:
    return QUESTIONS[number % len(QUESTIONS)]


def fixed_user(number: int, _found: str) -> str:
    return USERS[number % len(USERS)]


# What differs between recordings, and what stands in its place; the order matters.
REPLACED: dict[str, Callable[[int, str], str]] = {
    r"http://testserver": lambda number, found: "https://quaestor.example",
    r"(?<=cursor=)[^&]+": lambda number, found: "cD0xMjM%3D",
    r"(?<=/password/new/)[^/]+/[^/]+": lambda number, found: (
        "MTE/cq3v1f-c216bea934bae284205165ed73587101"
    ),
    r"(?<=/go/)[^/]+": lambda number, found: "11.m4GYyJplptUEMi7JRrGFGjlogqxEOilDMzUwIPfcyM0",
    r"(?<=whsec_)[\w+/=-]+": lambda number, found: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    MOMENT: fixed_moment,
    r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b": fixed_uuid,
    r"\bannotator-[0-9a-f]{12}\b": fixed_user,
    r"\b[0-9a-f]{24,}\b|^[0-9a-f]{12}$": fixed_digits,
    r"^[A-HJ-NP-Z2-9]{8}$": fixed_code,
    r"What does the \d+th question want to know\?": fixed_question,
    r", asks (\w+ )?\(\d+\)\?": lambda number, found: "?",
    r"\bA\d{2,}\b": fixed_label,
    r"\buser\d+\b": fixed_user,
    r"\b[1-9]\d{6,7}\b": fixed_id,
}


class FixedNames:
    """The replacements in one example: equal values have equal ones, and moments keep their order."""

    def __init__(self, recorded: str) -> None:
        self._known: dict[str, dict[str, str]] = {pattern: {} for pattern in REPLACED}
        moments = sorted({found[0] for found in re.finditer(MOMENT, recorded)})
        self._known[MOMENT] = {found: fixed_moment(place) for place, found in enumerate(moments)}

    def in_text(self, text: str) -> str:
        """Return a text with fixed values."""
        for pattern, fixed in REPLACED.items():
            known = self._known[pattern]
            for found in re.finditer(pattern, text):
                known.setdefault(found[0], fixed(len(known), found[0]))
            text = re.sub(pattern, lambda found, known=known: known[found[0]], text)
        return text

    def in_value(self, value: Any, name: str = "") -> Any:
        """Return a shortened value with fixed values, such as the content of an answer."""
        if name == "versions":
            return VERSIONS
        if isinstance(value, dict):
            shown = list(value.items())[: MAX_TABLES if name == "tables" else None]
            return {self.in_text(key): self.in_value(inner, key) for key, inner in shown}
        if isinstance(value, list):
            entries = [self.in_value(inner) for inner in value[:MAX_ENTRIES]]
            is_small = all(len(json.dumps(entry)) <= SMALL for entry in entries)
            return entries if is_small else entries[:1]
        if isinstance(value, str) and name == "expires_at":
            return EXPIRY
        if isinstance(value, str):
            text = self.in_text(value)
            return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
        if isinstance(value, float):
            return SECONDS if value and name in MEASURED else round(value, 4)
        is_id = isinstance(value, int) and value >= MIN_ID
        return int(self.in_text(str(value))) if is_id else value


def leaves(value: Any) -> Iterator[Any]:
    """Yield the values in a value that say something."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    elif value:
        yield value


def fullness(example: Example) -> tuple[bool, int, int, str]:
    """Return a key by which the fullest of several examples is the greatest, always the same one."""
    text = json.dumps(example, ensure_ascii=False)
    return "request" in example, len(list(leaves(example))), -len(text), text


def shape(value: Any) -> Any:
    """Return the fields of a value with the types of their values."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value[:1]]
    return type(value)


def merged(folder: Path, known: dict[str, Example]) -> dict[str, Example]:
    """Return the example of each operation of which a folder has answers."""
    candidates: dict[str, list[Example]] = {}
    for file in sorted(folder.glob("*.json")):
        text = file.read_text()
        if "secret_shown_once" not in text:
            example = FixedNames(text).in_value(json.loads(text))
            candidates.setdefault(file.name.partition(".")[0], []).append(example)
    fullest = {name: max(examples, key=fullness) for name, examples in sorted(candidates.items())}
    return {
        name: known[name] if shape(known.get(name)) == shape(example) else example
        for name, example in fullest.items()
        if "request" in example or "response" in example
    }


if __name__ == "__main__":
    examples = merged(Path(sys.argv[1]), json.loads(EXAMPLES.read_text()))
    EXAMPLES.write_text(json.dumps(examples, ensure_ascii=False, indent=1) + "\n")
