"""manage.py import_study: import a file into a dataset from the shell, in one transaction.

The exit status is 0 if everything was stored, 3 if something is in quarantine, 4 if the same file
was imported before, and 1 if nothing could be imported; wrong arguments give 2, as in every
command.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging.formats import child
from judging.formats.frames import Unreadable
from judging.formats.mapping import SCORED, Mapping, MappingRefused, mapping_from
from judging.imports.actions import fit
from judging.imports.actions.adding import AlreadyImported, Imported, import_file
from judging.imports.actions.files import CannotImport, Surprising
from judging.imports.actions.preview import pseudonym_key
from judging.jobs import storage
from judging.people.models.user import User
from judging.protocols.guards import protocols_of
from judging.protocols.models.protocol import Protocol

QUARANTINED, BEFORE, WRONG = 3, 4, 2
SHOWN = 20


class Command(BaseCommand):
    """Import a file with questions, scores and ratings."""

    help = (
        "Import a file of questions. Its mapping is proposed: --show prints it with the check of the study, "
        "--column and --set change parts of it, --mapping gives a whole one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--name", default="", help="what the dataset is called")
        parser.add_argument("--owner", required=True, help="the user name of its owner")
        parser.add_argument("--show", action="store_true", help="import nothing; print the mapping")
        parser.add_argument("--mapping", type=Path, help="a JSON file with the whole mapping")
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="COLUMN=ROLE[:NAME[@RATER]]",
            help="such as Bleu_4=metric:BLEU:higher, F1=ratings:fluency@Anna, note= (left out)",
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="FIELD=VALUE",
            help="a part of the mapping, such as system=T5, expected=2, encoding=cp1252",
        )
        parser.add_argument(
            "--protocol", default="", metavar="KEY", help="the protocol of the ratings"
        )
        parser.add_argument(
            "--ratings-title", default="", help="what the campaign of the ratings is called"
        )
        parser.add_argument("--licence", default="")
        parser.add_argument("--language", default="en")
        parser.add_argument(
            "--accept", action="store_true", help="import although the check asks for a yes"
        )
        parser.add_argument("--again", action="store_true", help="import the same file again")

    def handle(self, *, file: Path, **said: Any) -> None:
        owner = _owner(said["owner"])
        try:
            data = file.read_bytes()
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        mapping = _mapping(file, data, said)
        look = _look(file, data, mapping)
        if said["show"]:
            self.stdout.write(json.dumps(look["mapping"], indent=1, ensure_ascii=False))
        self._tell(look)
        if said["show"]:
            return
        if not said["name"]:
            raise CommandError("Say with --name what the dataset is called.", returncode=WRONG)
        protocol = named_protocol(said["protocol"], owner)
        with _refusals_as_errors():
            made = import_file(
                file=storage.store_bytes(data),
                file_name=file.name,
                name=said["name"],
                by=owner,
                now=timezone.now(),
                mapping=_with_points(look, protocol),
                protocols=protocols_of(owner),
                protocol=protocol,
                licence=said["licence"],
                language=said["language"],
                ratings_title=said["ratings_title"],
                again=said["again"],
                accept_surprises=said["accept"],
            )
        self._tell_made(made)

    def _tell(self, look: dict[str, Any]) -> None:
        """Say what the file holds and what is wrong with it, on the error stream."""
        study = look["study"]
        if study is None:
            return
        self.stderr.write(f"{study['sentence']}.")
        for finding in study["findings"]:
            self.stderr.write(f"{'? ' if finding['needs_yes'] else '  '}{finding['sentence']}")
        self._tell_problems(study["problems"], study["problem_count"])

    def _tell_problems(self, problems: Sequence[Any], count: int) -> None:
        for problem in problems[:SHOWN]:
            row = f"row {problem['row']:,}" if problem["row"] else ""
            where = ", ".join(filter(None, [row, problem["column"]]))
            self.stderr.write(f"{where}: {problem['reason']} {problem['value']}".strip(": "))
        if count > SHOWN:
            self.stderr.write(f"… and {count - SHOWN:,} more.")

    def _tell_made(self, made: Imported) -> None:
        self.stdout.write(f"Dataset {made.dataset.pk}: {made.dataset.name}.")
        if made.campaign:
            raters = made.campaign.enrollments.count()
            self.stdout.write(f"Campaign {made.campaign.uuid}: ratings by {raters:,} annotators.")
        if made.quarantined:
            self.stdout.write(f"{made.quarantined:,} rows or values are in quarantine:")
            rows = made.dataset.quarantine.values("row", "column", "value", "reason")
            self._tell_problems(list(rows[:SHOWN]), made.quarantined)
            sys.exit(QUARANTINED)


@contextmanager
def _refusals_as_errors() -> Iterator[None]:
    """Say why a file cannot be imported, and what to do."""
    try:
        yield
    except AlreadyImported as before:
        message = f"{before} It is dataset {before.dataset.pk}; --again imports it again."
        raise CommandError(message, returncode=BEFORE) from None
    except Surprising as refused:
        remedy = (
            "If this is right, say --accept; otherwise say with --column what the columns hold, or with --protocol "
            "by which protocol they were rated."
        )
        raise CommandError("\n".join([*refused.surprises, remedy])) from None
    except CannotImport as refused:
        raise CommandError("\n".join(refused.reasons)) from None


def _owner(name: str) -> User:
    owner = User.objects.filter(username=name, is_active=True).first()
    if owner is None:
        raise CommandError(
            f"There is no account called {name}. “python3 run.py manage createsuperuser” makes one.",
            returncode=WRONG,
        )
    return owner


def named_protocol(key: str, owner: User) -> Protocol | None:
    """Return the newest protocol of a key that the user may use, None without a key."""
    if not key:
        return None
    protocol = protocols_of(owner).filter(key=key).order_by("-id").first()
    if protocol is None:
        known = sorted(set(Protocol.objects.filter(owner=None).values_list("key", flat=True)))
        hint = (
            f"There are {', '.join(known)}."
            if known
            else "None is installed yet: run manage.py install_protocols."
        )
        raise CommandError(f"There is no protocol {key}. {hint}", returncode=WRONG)
    return protocol


def _mapping(file: Path, data: bytes, said: dict[str, Any]) -> Mapping:
    """Return the mapping of the arguments: a whole one, or the proposed one with changes."""
    changes = dict(_field(each) for each in said["set"])
    if said["mapping"]:
        try:
            whole = json.loads(said["mapping"].read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(f"{said['mapping']}: {error}.", returncode=WRONG) from None
        return _checked({**whole, **changes})
    if not said["column"]:
        return _checked(changes)
    proposed = _look(file, data, _checked(changes))["mapping"]
    columns = {**proposed["columns"], **dict(_column(each) for each in said["column"])}
    return _checked({**proposed, "columns": columns})


def _checked(data: dict[str, Any]) -> Mapping:
    try:
        return mapping_from(data)
    except MappingRefused as refused:
        lines = [f"{field}: {' '.join(said)}" for field, said in refused.errors.items()]
        raise CommandError("\n".join(lines), returncode=WRONG) from None


def _look(file: Path, data: bytes, mapping: Mapping) -> dict[str, Any]:
    try:
        return child.preview_in_child(
            name=file.name, data=data, mapping=mapping, key=pseudonym_key()
        )
    except Unreadable as error:
        raise CommandError(error.reason) from None


def _with_points(look: dict[str, Any], protocol: Protocol | None) -> Mapping:
    """Return the mapping with the points that the words among the ratings probably mean."""
    mapping = mapping_from(look["mapping"])
    if protocol is None or look["study"] is None:
        return mapping
    points = {
        criterion: {word: point for word, point in words.items() if point}
        for criterion, words in fit.proposed_points(protocol, look["study"]["criteria"]).items()
    }
    return mapping.model_copy(update={"points": {**points, **mapping.points}})


def _field(text: str) -> tuple[str, Any]:
    """Read FIELD=VALUE; a value may be JSON."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise CommandError(f"--set {text}: write it as FIELD=VALUE.", returncode=WRONG)
    try:
        return name, json.loads(value)
    except ValueError:
        return name, {"\\t": "\t"}.get(value, value)


def _column(text: str) -> tuple[str, dict[str, Any]]:
    """Read COLUMN=ROLE[:NAME[@RATER]], or for scores COLUMN=ROLE:NAME:DIRECTION[:SCALE]; the
    column's own name may hold colons and signs of equality."""
    column, sign, rest = text.rpartition("=")
    if not sign or not column:
        raise CommandError(f"--column {text}: write it as COLUMN=ROLE.", returncode=WRONG)
    role, _, more = rest.partition(":")
    if role in SCORED:
        name, direction, scale, *_ = (*more.split(":"), "", "", "")
        return column, {
            "role": role,
            "name": name,
            "direction": direction,
            "scale": scale or "none",
        }
    name, _, rater = more.partition("@")
    return column, {"role": role, "name": name, "rater": rater}
