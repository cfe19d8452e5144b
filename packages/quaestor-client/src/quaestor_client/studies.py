"""Studies from a file: what it describes is found by its name, or made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from quaestor_client import types
from quaestor_client.campaigns import Campaign
from quaestor_client.client import Quaestor
from quaestor_client.columns import Role, column_of, in_words
from quaestor_client.datasets import Dataset
from quaestor_client.protocols import Protocol
from quaestor_client.study_files import load_study_file

Named = TypeVar("Named")
COUNTS = ("questions", "out_of", "sources")  # of a selection
# Roles of columns of scores, by the kind of their metric
SCORE_ROLES: Mapping[str, types.ColumnRole] = {"imported": "metric", "human_mean": "human_mean"}


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
        If a key of the study is unknown or missing, or does not hold what it must.
    """

    def __init__(self, client: Quaestor, path: Path, report: Callable[[str], None]):
        self.client, self.folder, self.report = client, path.parent, report
        self.parts = load_study_file(path)

    def apply(self) -> Campaign:
        """Make what the study describes, change what differs, and return the campaign.

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
        self._check_scores(dataset, digest, columns or {})
        language = dataset.data.get("language")
        if about.get("language", language) != language:
            raise ValueError(
                f"The `language` of the dataset “{name}” is {language} and cannot change. "
                "Restore it in the study, or rename the dataset there."
            )
        licence = about.get("licence")
        if licence is not None and licence != dataset.data.get("licence"):
            dataset.update(licence=licence)
            self.report(f"Changed the licence of the dataset “{name}” to “{licence}”.")
        return dataset

    def _check_scores(self, dataset: Dataset, digest: str, columns: Mapping[str, Role]) -> None:
        """Refuse columns that would hold other scores than those that were added.

        The server does not say which other roles the columns of an added file have.
        """
        stored: dict[str, types.Column] = {
            metric["made"]["column"]: {
                "role": SCORE_ROLES[metric["kind"]],
                "name": metric["name"],
                "direction": metric["direction"],
            }
            for metric in self.client.get(f"datasets/{dataset.id}/metrics/")
            if metric["kind"] in SCORE_ROLES and metric["made"]["sha256"] == digest
        }
        for name, role in columns.items():
            column, current = column_of(role), stored.get(name)
            if _scores(name, column, current) != current:
                before = in_words(current) if current else "no metric"
                raise ValueError(
                    f"The column “{name}” of the dataset “{dataset.name}” was added as {before}, "
                    "which cannot change. Restore its role in the study, or rename the dataset "
                    "there."
                )

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
        self._check_draft(campaign, changed)
        if changed:
            campaign.update(**changed)
            self.report(f"Changed the plan of the campaign: {', '.join(changed)}.")
        return campaign

    def _check_draft(self, campaign: Campaign, changed: Collection[str]) -> None:
        """Refuse changes of a campaign that is no draft."""
        if changed and campaign.state != "draft":
            raise ValueError(
                f"The campaign “{campaign.title}” is {campaign.state}: its {', '.join(changed)} "
                "cannot change. Restore the study, or give its campaign another title."
            )

    def _apply_parts(self, campaign: Campaign) -> None:
        """Choose the part of the dataset, set the quality plan, and create the invitations."""
        selection = dict(self.parts.get("selection", {}))
        if "sample" in selection:
            selection["sample"] = types.SAMPLE_DEFAULTS | selection["sample"]
        chosen = campaign.selection()
        parts = {name: part for name, part in chosen.items() if name not in COUNTS}
        if parts != {name: part for name, part in selection.items() if part}:
            self._check_draft(campaign, ["selection"])
            chosen = campaign.select(cast(types.SelectionRequest, selection))
            self.report(f"Selected {chosen['questions']} of {chosen['out_of']} questions.")
        quality = types.QUALITY_DEFAULTS | self.parts.get("quality", {})
        current = campaign.quality()
        changed = [name for name, value in quality.items() if current.get(name) != value]
        if changed:
            self._check_draft(campaign, changed)
            campaign.set_quality(**quality)
            self.report(f"Changed the quality plan: {', '.join(changed)}.")
        earlier = campaign.invitations()
        for invitation in self.parts.get("invitations", ()):
            self._invite(campaign, invitation, earlier)

    def _invite(
        self, campaign: Campaign, fields: dict[str, Any], earlier: Iterable[types.Invitation]
    ) -> None:
        """Create an invitation, unless there is one of its label, from which it may not differ."""
        label = fields["label"]
        same = [invitation for invitation in earlier if invitation.get("label") == label]
        if not same:
            link = campaign.invite(**fields).link
            self.report(f"Created the invitation “{label}”: {link}")
        elif not any(_equals(invitation, fields) for invitation in same):
            changed = [
                name for name, value in fields.items() if not _equals(same[-1].get(name), value)
            ]
            raise ValueError(
                f"The invitation “{label}” exists: its {', '.join(changed)} cannot change. Restore "
                "the study, or give the invitation another label there."
            )


def find_campaign(client: Quaestor, title: str, **filters: Any) -> Campaign | None:
    """Return the campaign of this title; None if there is none, ValueError if there are several."""
    campaigns = client.campaigns.list(title=title, **filters)
    return only_one([campaign for campaign in campaigns if campaign.title == title], title)


def only_one(named: list[Named], name: str) -> Named | None:
    """Return the only object of a name; None if there is none, ValueError if there are several."""
    if len(named) > 1:
        raise ValueError(f"{len(named)} objects are called “{name}”: {named}. Rename the others.")
    return named[0] if named else None


def _scores(name: str, column: types.Column, current: types.Column | None) -> types.Column | None:
    """Return the scores that a column of the study holds; a direction that is not given is the
    current one."""
    role = column.get("role", "")
    if role not in SCORE_ROLES.values():
        return None
    direction = column.get("direction") or (current or {}).get("direction", "")
    return {"role": role, "name": column.get("name") or name, "direction": direction}


def _equals(current: Any, target: Any) -> bool:
    """Return whether a value is the target; of an object, only the target's fields count."""
    if isinstance(current, datetime):
        moment = datetime.fromisoformat(target) if isinstance(target, str) else target
        is_local = isinstance(moment, datetime) and moment.tzinfo is None  # in the server's zone
        return bool((current.replace(tzinfo=None) if is_local else current) == moment)
    if isinstance(target, Mapping):
        fields = current if isinstance(current, Mapping) else {}
        return all(_equals(fields.get(name), value) for name, value in target.items())
    if isinstance(target, list) and isinstance(current, list):
        return len(current) == len(target) and all(map(_equals, current, target))
    return bool(current == target)


def _in_words(columns: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: {role}" for name, role in columns.items())
