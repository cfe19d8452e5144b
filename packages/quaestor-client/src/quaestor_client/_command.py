"""The command `quaestor-client`: make a study from a file, and read how it stands."""

from __future__ import annotations

import argparse
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path

import httpx
import yaml

from quaestor_client.campaigns import Campaign
from quaestor_client.client import Quaestor
from quaestor_client.connection import QuaestorError
from quaestor_client.resources import JobFailed
from quaestor_client.studies import Study, find_campaign

REFUSALS = (QuaestorError, JobFailed, httpx.HTTPError, ValueError, LookupError, OSError)
REPORTS = ("report.pdf", "report.zip")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        with Quaestor() as client:
            options.run(client, options)
    except (*REFUSALS, yaml.YAMLError) as refused:
        print(f"quaestor-client: {refused}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="quaestor-client",
        description="Make and follow studies on the server of QUAESTOR_URL, with QUAESTOR_TOKEN.",
    )
    commands = parser.add_subparsers(required=True)
    apply = commands.add_parser("apply", help="make the study that a file describes")
    apply.add_argument("study", type=Path, help="a YAML file; the README describes it")
    apply.set_defaults(run=_apply)
    status = commands.add_parser("status", help="say how far a campaign is")
    status.set_defaults(run=_status)
    report = commands.add_parser("report", help="analyse a campaign and download its report")
    report.add_argument("--to", type=Path, default=Path(), help="the folder for the files")
    report.set_defaults(run=_report)
    for command in (status, report):
        command.add_argument("campaign", help="the title of a campaign, or its UUID")
    return parser


def _apply(client: Quaestor, options: argparse.Namespace) -> None:
    changes: list[str] = []

    def report(sentence: str) -> None:
        changes.append(sentence)
        print(sentence)

    campaign = Study(client, options.study, report).apply()
    if not changes:
        print("Nothing changed.")
    print(_line(campaign))


def _status(client: Quaestor, options: argparse.Namespace) -> None:
    campaign = _campaign(client, options.campaign)
    print(_line(campaign))
    for annotator in campaign.annotators():
        excluded = ", excluded" if annotator["is_excluded"] else ""
        print(f"{annotator['label']}: {annotator['submitted']} submitted{excluded}")


def _report(client: Quaestor, options: argparse.Namespace) -> None:
    run = _campaign(client, options.campaign).run().wait()
    options.to.mkdir(parents=True, exist_ok=True)
    for name in REPORTS:
        print(run.download(name, options.to / name))


def _campaign(client: Quaestor, name: str) -> Campaign:
    try:
        return client.campaigns.get(str(uuid.UUID(name)))
    except ValueError:
        campaign = find_campaign(client, name)
    if campaign is None:
        raise LookupError(f"There is no campaign called “{name}”.")
    return campaign


def _line(campaign: Campaign) -> str:
    data = campaign.data
    counts = f"{data['submitted']} of {data['assignments']} assignments submitted"
    return f"{campaign.title} ({campaign.uuid}): {campaign.state}, {counts}"


if __name__ == "__main__":
    sys.exit(main())
