"""manage.py reproduce STUDY FILE: a released file in, its authors' numbers beside ours."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from analysis.actions import reproductions
from analysis.actions.published import STUDIES
from judging.actions.imports import CannotImport
from judging.formats.text import Unreadable
from judging.models import User

NOBODY = "reproductions"


class Command(BaseCommand):
    help = "Import a published study's released file into a closed campaign and print published beside computed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", choices=sorted(STUDIES))
        parser.add_argument("file", type=Path)
        parser.add_argument("--owner", default="", help="user name of whoever manages the campaign")
        parser.add_argument("--json", action="store_true", help="one object: study, file_sha256, published, computed")

    def handle(self, *, study: str, file: Path, owner: str, json: bool, **options: Any) -> None:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        try:
            found = reproductions.reproduce(
                key=study, content=content, name=file.name, by=_owner(owner), now=timezone.now()
            )
        except (CannotImport, Unreadable) as error:
            raise CommandError(f"{file}: {error}") from None
        self.stdout.write(_as_json(found) if json else "\n".join(_as_text(found)))


def _owner(name: str) -> User:
    """Return the named user, or an account that nobody can log in with."""
    if not name:
        return User.objects.get_or_create(username=NOBODY, defaults={"is_active": False, "password": "!"})[0]
    try:
        return User.objects.get(username=name)
    except User.DoesNotExist:
        raise CommandError(f"--owner: there is no account {name}") from None


def _as_json(found: reproductions.Reproduction) -> str:
    return json.dumps(
        {
            "study": found.study.key,
            "file_sha256": found.file_sha256,
            "published": found.study.numbers,
            "computed": found.computed,
        },
        indent=2,
    )


def _as_text(found: reproductions.Reproduction) -> Iterator[str]:
    yield f"{found.study.title}, file {found.file_sha256[:12]}, {found.quarantined} values in quarantine"
    yield f"Campaign: {found.campaign.title} ({found.campaign.uuid})"
    yield ""
    yield f"{'':66}{'published':>12}{'computed':>12}"
    for path, value in _leaves(found.computed):
        yield f"{' / '.join(path):66}{_shown(_at(found.study.numbers, path)):>12}{_shown(value):>12}"
    yield ""
    yield from found.study.why
    if found.study.released_sha256 and found.file_sha256 != found.study.released_sha256:
        yield "This is another file than the one we know as released: what was published need not hold for it."


def _leaves(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
