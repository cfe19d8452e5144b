"""Studies from a file: what it describes is found by its name, or made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

from quaestor_client.campaigns import Campaign
from quaestor_client.client import Quaestor
from quaestor_client.datasets import Dataset
from quaestor_client.protocols import Protocol

Named = TypeVar("Named")
PARTS = ("dataset", "protocol", "campaign", "selection", "quality", "invitations", "state")


class Study:
    """A study in a YAML file, and the server on which it is made.

    Parameters
    ----------
    client
        A client with a token that may change campaigns.
    path
        The file. Files that it names are in the same folder.
    report
        Takes a sentence about each change.

    Raises
    ------
    ValueError
        If a part of the study is unknown or missing.
    """

    def __init__(self, client: Quaestor, path: Path, report: Callable[[str], None]):
        self.client, self.folder, self.report = client, path.parent, report
        self.parts = yaml.safe_load(path.read_text(encoding="utf-8"))
        if not isinstance(self.parts, dict) or set(PARTS[:3]) - self.parts.keys():
            raise ValueError(f"{path} needs the parts {', '.join(PARTS[:3])}.")
        if unknown := [name for name in self.parts if name not in PARTS]:
            raise ValueError(
                f"{path} has the unknown part {unknown[0]}. Parts: {', '.join(PARTS)}."
            )

    def apply(self) -> Campaign:
        """Make what the study describes and does not exist yet, and return the campaign.

        Raises
        ------
        ValueError
            If something of the same name differs and can no longer be changed.
        """
        protocol = self._protocol()
        campaign = self._campaign(self._dataset(protocol), protocol)
        self._apply_parts(campaign)
        state = self.parts.get("state", "draft")
        if state == "locked" and campaign.state == "draft":
            campaign.lock()
            self.report("Locked the campaign.")
        if state == "open" and campaign.state in ("draft", "locked"):
            campaign.open()
            self.report("Opened the campaign.")
        return campaign

    def _protocol(self) -> Protocol:
        """Return the protocol of a key, or that of a document, which is stored if it is new."""
        name = self.parts["protocol"]
        if not name.endswith((".yaml", ".yml")):
            return self.client.protocols.get(name)
        earlier = {protocol.id for protocol in self.client.protocols.list()}
        protocol = self.client.protocols.create((self.folder / name).read_text(encoding="utf-8"))
        if protocol.id not in earlier:
            self.report(f"Created the protocol “{protocol.key}”.")
        return protocol

    def _dataset(self, protocol: Protocol) -> Dataset:
        """Return the user's dataset of the name, with the file added to it."""
        about = dict(self.parts["dataset"])
        name, path = about.pop("name"), self.folder / about.pop("file")
        columns = about.pop("columns", None)
        datasets = self.client.datasets.list(name=name, owner=self.client.me()["username"])
        dataset = only_one([dataset for dataset in datasets if dataset.name == name], name)
        if dataset is None:
            dataset = self.client.datasets.create_from_file(
                path, name=name, columns=columns, protocol=protocol, **about
            )
            self.report(f"Created the dataset “{name}”. {_in_words(dataset.columns)}")
            return dataset
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if digest not in {file.data["sha256"] for file in dataset.files(state="added")}:
            raise ValueError(f"The dataset “{name}” holds other data than {path}. Rename one.")
        return dataset

    def _campaign(self, dataset: Dataset, protocol: Protocol) -> Campaign:
        """Return the campaign of the title, with the plan of the study."""
        plan = dict(self.parts["campaign"])
        title = plan.pop("title")
        campaign = find_campaign(self.client, title, dataset=dataset.id)
        if campaign is None:
            campaign = self.client.campaigns.create(title, dataset, protocol, **plan)
            self.report(f"Created the campaign “{title}”.")
            return campaign
        if self.parts["protocol"] != campaign.data["protocol_key"]:  # whose version stays
            plan["protocol"] = protocol.id
        current = campaign.plan()
        changed = {
            name: value for name, value in plan.items() if not _equals(current.get(name), value)
        }
        if changed and campaign.state != "draft":
            raise ValueError(
                f"The campaign “{title}” is {campaign.state}: its {', '.join(changed)} cannot change."
            )
        if changed:
            campaign.update(**changed)
            self.report(f"Changed the plan of the campaign: {', '.join(changed)}.")
        return campaign

    def _apply_parts(self, campaign: Campaign) -> None:
        """Choose the part of the dataset, set the quality plan, and create the invitations."""
        selection, quality = self.parts.get("selection", {}), self.parts.get("quality", {})
        if not _equals(campaign.selection(), selection):
            chosen = campaign.select(selection)
            self.report(f"Selected {chosen['questions']} of {chosen['out_of']} questions.")
        current = campaign.quality()
        if not _equals(current, quality):
            campaign.set_quality(**(current | quality))
            self.report(f"Changed the quality plan: {', '.join(quality)}.")
        labels = {invitation["label"] for invitation in campaign.invitations()}
        for invitation in self.parts.get("invitations", ()):
            if invitation["label"] not in labels:
                link = campaign.invite(**invitation).link
                self.report(f"Created the invitation “{invitation['label']}”: {link}")


def find_campaign(client: Quaestor, title: str, **filters: Any) -> Campaign | None:
    """Return the campaign of this title; None if there is none, ValueError if there are several."""
    campaigns = client.campaigns.list(title=title, **filters)
    return only_one([campaign for campaign in campaigns if campaign.title == title], title)


def only_one(named: list[Named], name: str) -> Named | None:
    """Return the only object of a name; None if there is none, ValueError if there are several."""
    if len(named) > 1:
        raise ValueError(f"{len(named)} objects are called “{name}”: {named}. Rename the others.")
    return named[0] if named else None


def _equals(current: Any, target: Any) -> bool:
    """Return whether a value is the target; of an object, only the target's fields count."""
    if isinstance(target, Mapping):
        return all(_equals(current.get(name), value) for name, value in target.items())
    if isinstance(target, list) and isinstance(current, list):
        return len(current) == len(target) and all(map(_equals, current, target))
    return bool(current == target)


def _in_words(columns: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {role}" for name, role in columns.items())
