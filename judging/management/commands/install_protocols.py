"""manage.py install_protocols: install the protocols that come with the software, or those in a
folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.protocols.actions import protocols
from judging.protocols.documents import SHIPPED
from judging.protocols.protocol_yaml import ProtocolError


class Command(BaseCommand):
    """Install protocols; existing ones do not change."""

    help = "Install the protocols that come with Quaestor, or those of a folder of YAML files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, default=SHIPPED)

    def handle(self, *, folder: Path, **options: Any) -> None:
        if not folder.is_dir():
            raise CommandError(f"{folder} is no folder.")
        try:
            installed = protocols.install_shipped(folder)
        except ProtocolError as error:
            raise CommandError(str(error)) from None
        for protocol in installed:
            self.stdout.write(
                f"{protocol.key} {protocol.version} ({protocol.digest[:12]}): {protocol.title}"
            )
        self.stdout.write(f"{len(installed)} protocols are installed.")
