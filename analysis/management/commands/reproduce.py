"""manage.py reproduce STUDY FILE...: released files in, their authors' numbers beside ours."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from analysis.published.actions import reproductions
from analysis.published.actions.published import STUDIES
from judging.imports.actions.files import CannotImport
from judging.jobs import storage
from judging.people.models.user import User

P_PRINTED_FROM = 0.00005  # a p below it would be written as 0


class Command(BaseCommand):
    help = "Import a published study's released files into a closed campaign and print published beside computed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", choices=sorted(STUDIES))
        parser.add_argument(
            "file",
            type=Path,
            nargs="+",
            help="as released: of QG-Bench and QGEval all files of ratings and scores, else one file",
        )
        parser.add_argument(
            "--owner",
            default="",
            help="user name of the campaign's manager; the only administrator unless given",
        )
        parser.add_argument(
            "--json", action="store_true", help="one object: study, files, published, computed"
        )

    def handle(
        self,
        *,
        study: str,
        file: list[Path],
        owner: str,
        json: bool,
        **options: Any,
    ) -> None:
        by = _account(owner or self._default_owner())
        given = [_given(each) for each in file]
        try:
            found = reproductions.reproduce_study(key=study, files=given, by=by, now=timezone.now())
        except CannotImport as error:
            raise CommandError(str(error)) from None
        self.stdout.write(_as_json(found) if json else "\n".join(_as_text(found)))

    def _default_owner(self) -> str:
        """Return the only administrator; if there is not exactly one, the name typed on the
        terminal."""
        names = _administrators()
        if len(names) == 1:
            return names[0]
        if not User.objects.filter(is_active=True).exists():
            raise CommandError(
                "There is no account that could own the campaign. Create one with “python3 run.py "
                "manage createsuperuser”, or name one with --owner."
            )
        found = f"There are {len(names):,} administrators ({', '.join(names)})"
        found = found if names else "There is no administrator"
        if not sys.stdin.isatty():
            raise CommandError(f"{found}. Name the owner of the campaign with --owner.")
        # standard output may be read as JSON
        self.stderr.write(f"{found}. User name of the campaign's owner: ", ending="")
        if not (typed := sys.stdin.readline().strip()):
            raise CommandError("No owner was named. Name the owner of the campaign with --owner.")
        return typed


def _given(path: Path) -> reproductions.ReleasedFile:
    try:
        return reproductions.ReleasedFile(path.name, storage.store_bytes(path.read_bytes()))
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from None


def _account(name: str) -> User:
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"--owner: there is no account {name}. Name an account that exists.")
    if not user.is_active:
        raise CommandError(f"--owner: the account {name} is deactivated. Name another account.")
    return user


def _administrators() -> list[str]:
    found = User.objects.filter(is_superuser=True, is_active=True).order_by("username")
    return list(found.values_list("username", flat=True))


def _as_json(found: reproductions.Reproduction) -> str:
    files: dict[str, Any] = {"files": found.hashes}
    if len(found.hashes) == 1:
        files = {"file_sha256": found.hashes[0]}
    if found.joined:
        files["joined"] = found.joined
    both = {"published": found.published, "computed": found.computed}
    return json.dumps({"study": found.study.key, **files, **both}, indent=2)


def _as_text(found: reproductions.Reproduction) -> Iterator[str]:
    files = ", ".join(each[:12] for each in found.hashes)
    yield f"{found.study.title}, file {files}, {found.quarantined} values in quarantine"
    yield f"Campaign: {found.campaign.title} ({found.campaign.uuid})"
    yield from found.joined
    yield ""
    yield f"{'':66}{'published':>12}{'computed':>12}"
    for path, published, value in found.rows:
        yield f"{path:66}{_shown(published):>12}{_shown(value):>12}"
    yield ""
    yield from found.notes
    if found.study.printed and not found.published:
        yield "The published numbers are about other data than these, so none of them is printed."


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float) and 0 < value < P_PRINTED_FROM:
        return "<0.0001"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
