"""Campaigns: plan, invite, follow, read, analyse."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, Unpack, cast

from quaestor_client import types
from quaestor_client.connection import Connection
from quaestor_client.datasets import Dataset
from quaestor_client.judgments import Judgments
from quaestor_client.llm_judges import LlmJudges
from quaestor_client.progress import progress_bar
from quaestor_client.protocols import Protocol, id_of
from quaestor_client.resources import Endpoint, Resource
from quaestor_client.rows import Rows
from quaestor_client.runs import Run
from quaestor_client.webhooks import Webhooks


@dataclass(frozen=True)
class Invitation:
    """An invitation: a link for people, a token for programs."""

    id: int
    link: str
    token: str


class Campaign(Resource[types.Campaign]):
    """A dataset judged under a protocol and a design."""

    kind = types.WholeCampaign

    @property
    def uuid(self) -> str:
        """The id."""
        return self.data["uuid"]

    @property
    def title(self) -> str:
        """The title."""
        return self.data["title"]

    @property
    def state(self) -> str:
        """draft, locked, open, paused, closed or archived."""
        return self.data["state"]

    # Plan

    def plan(self) -> types.WholeCampaign:
        """Return the campaign with its texts, hypotheses, selection and quality plan."""
        return cast(types.WholeCampaign, self.refresh().data)

    def update(
        self, *, if_match: str | None = None, **changes: Unpack[types.PatchedDesignRequest]
    ) -> Self:
        """Change the plan of a draft.

        Parameters
        ----------
        if_match
            The `etag` of the campaign as you read it.
        **changes
            The new values of fields of the plan, such as `annotators_per_task=3`.

        Raises
        ------
        QuaestorError
            With the status 412 if the campaign is no longer in the state of `if_match`.
        """
        return self._take("PATCH", body=changes, if_match=if_match)

    def delete(self) -> None:
        """Delete a draft that no annotator joined."""
        self._delete("")

    def clone(self) -> Campaign:
        """Create a draft with the same plan, and return it."""
        return campaign_of(self.connection, self._post("clone/", types.WholeCampaign))

    def reproduce(self) -> Campaign:
        """Create a draft that repeats this closed campaign with new annotators, and return it."""
        return campaign_of(self.connection, self._post("reproduce/", types.WholeCampaign))

    def selection(self) -> types.Chosen:
        """Return the part of the dataset that is judged, with its size."""
        return self._get("selection/", types.Chosen)

    def select(self, selection: types.SelectionRequest) -> types.Chosen:
        """Choose the part of the dataset that a draft judges, and return it with its size."""
        return self._put("selection/", types.Chosen, selection)

    def quality(self) -> types.Quality:
        """Return the quality plan: checks between tasks, thresholds and exclusion rules."""
        return self._get("quality/", types.Quality)

    def set_quality(self, **plan: Unpack[types.QualityRequest]) -> types.Quality:
        """Replace the quality plan of a draft; fields that are not given get their defaults."""
        return self._put("quality/", types.Quality, plan)

    def power(self, **settings: Unpack[types.NewPowerAnalysisRequest]) -> types.PowerAnalysis:
        """Compute how many items and annotators find a `difference` of two systems' means."""
        job = self._start("power-analyses/", settings).wait()
        return self._get(f"power-analyses/{job.data['id']}/", types.PowerAnalysis)

    def dry_run(self, **settings: Unpack[types.NewDryRunRequest]) -> types.WholeDryRun:
        """Have simulated annotators judge a copy of the draft, and return what came of it."""
        self._start("dry-runs/", settings).wait()
        newest = max(self.dry_runs(), key=lambda run: run["number"])
        return self._get(f"dry-runs/{newest['copy']}/", types.WholeDryRun)

    def dry_runs(self) -> Rows[types.DryRun]:
        """Return the dry runs."""
        return self._rows("dry-runs/", types.DryRun)

    # States

    def lock(self) -> Self:
        """Lock the protocol and the design."""
        return self._do("lock")

    def open(self, *, anyway: bool = False) -> Self:
        """Open the campaign to its annotators; a draft is locked first.

        `anyway` opens it although it breaks rules of its crowd platform.
        """
        if self.state == "draft":
            self.lock()
        return self._do("open", {"anyway": anyway})

    def pause(self) -> Self:
        """Pause the campaign."""
        return self._do("pause")

    def close(self) -> Self:
        """Close the campaign."""
        return self._do("close")

    def reopen(self) -> Self:
        """Open a closed campaign again."""
        return self._do("reopen")

    def archive(self) -> Self:
        """Archive the campaign."""
        return self._do("archive")

    def unarchive(self) -> Self:
        """Take the campaign out of the archive; it is closed then."""
        return self._do("unarchive")

    def rounds(self) -> Rows[types.Round]:
        """Return the rounds."""
        return self._rows("rounds/", types.Round)

    def begin_round(self, **settings: Unpack[types.NewRoundRequest]) -> types.Round:
        """Begin a pilot or calibration round of a draft, on `size` sources drawn for it."""
        return self._post("rounds/", types.Round, settings)

    def end_round(self, id: int) -> types.Round:
        """Close a pilot or calibration round."""
        return self._post(f"rounds/{id}/end/", types.Round)

    def deviations(self) -> Rows[types.Deviation]:
        """Return the changes since the plan was locked."""
        return self._rows("deviations/", types.Deviation)

    def amend(self, **change: Unpack[types.AmendmentRequest]) -> types.Deviation:
        """Change `what` to `value` in a locked plan; the report lists it with the `reason`."""
        return self._post("deviations/", types.Deviation, change)

    def history(self, **filters: Unpack[types.CampaignsHistoryListQuery]) -> Rows[types.Event]:
        """Return what was done in the campaign, such as `since` a moment."""
        return self._rows("history/", types.Event, filters)

    # Annotators

    def invite(self, **invitation: Unpack[types.NewInvitationRequest]) -> Invitation:
        """Create an invitation, such as one for `places=3` annotators with a `label`."""
        made = self._post("invitations/", types.MadeInvitation, invitation)
        # A repeated request is answered without secrets
        shown = (
            made if "token" in made else self._get(f"invitations/{made['id']}/", types.Invitation)
        )
        return Invitation(shown["id"], str(shown["link"]), str(shown["token"]))

    def invitations(self) -> Rows[types.Invitation]:
        """Return the invitations."""
        return self._rows("invitations/", types.Invitation)

    def annotators(
        self, **filters: Unpack[types.CampaignsEnrolmentsListQuery]
    ) -> Rows[types.Enrolment]:
        """Return the annotators with their progress."""
        return self._rows("enrolments/", types.Enrolment, filters)

    def exclude(self, annotator: str, reason: str) -> types.Enrolment:
        """Exclude an annotator, named by the label, from analyses; the report prints the reason."""
        return self._decide_about(annotator, "exclude", {"reason": reason})

    def reinclude(self, annotator: str) -> types.Enrolment:
        """Re-include an annotator, named by the label, in analyses."""
        return self._decide_about(annotator, "reinclude", {})

    def exclusion_rules(self) -> types.ExclusionRules:
        """Return the exclusion rules in words, and the annotators whom they propose now."""
        return self._get("exclusion-rules/", types.ExclusionRules)

    def progress(self) -> types.Overview:
        """Return assignments, ratings on criteria, annotators, systems and agreement so far."""
        return self._get("overview/", types.Overview)

    def wait_until(
        self, submitted: int | None = None, timeout: float | None = None, every: float = 10.0
    ) -> Self:
        """Wait until annotators have submitted assignments, and return the campaign.

        Parameters
        ----------
        submitted
            How many assignments; by default all of the main round.
        timeout
            Seconds to wait at most; by default there is no limit.
        every
            Seconds between two requests.

        Raises
        ------
        TimeoutError
            If they have not submitted as many in time.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        with progress_bar(self.title, self.connection.progress) as show:
            while True:
                data = self.refresh().data
                target = data["assignments"] if submitted is None else submitted
                show(data["submitted"], target)
                if data["submitted"] >= target:
                    return self
                if deadline is not None and time.monotonic() > deadline:
                    count = data["submitted"]
                    raise TimeoutError(f"{count} of {target} assignments are submitted.")
                time.sleep(every)

    # Results

    def tasks(self, **filters: Unpack[types.CampaignsTasksListQuery]) -> Rows[types.CampaignTask]:
        """Return the tasks with their texts and assignments."""
        return self._rows("tasks/", types.CampaignTask, filters)

    def judgments(self, **filters: Unpack[types.JudgmentFilters]) -> Judgments:
        """Return the judgments, such as those with `annotator="A01"`."""
        return Judgments(self.connection, f"{self.address}judgments/", filters)

    def run(self, **settings: Unpack[types.NewRunRequest]) -> Run:
        """Start an analysis, and return it; options that are not given are as the page offers
        them.

        Examples
        --------
        >>> campaign.run(resamples=1000).wait().table("systems")
        """
        return self.get_run(self._post("runs/", types.RunJob, settings)["run"])

    def runs(self, **filters: Unpack[types.CampaignsRunsListQuery]) -> Rows[Run]:
        """Return the analyses, the newest first."""
        return Rows(map(self._run, self._rows("runs/", types.Run, filters)))

    def get_run(self, number: int) -> Run:
        """Return an analysis by its number."""
        return self._run(self._get(f"runs/{number}/", types.WholeRun))

    # Parts with operations of their own

    @cached_property
    def llm_judges(self) -> LlmJudges:
        """The LLM judges."""
        return LlmJudges(self.connection, f"{self.address}llm-judges/")

    @cached_property
    def webhooks(self) -> Webhooks:
        """The webhooks."""
        return Webhooks(self.connection, f"{self.address}webhooks/")

    def _run(self, data: types.Run) -> Run:
        return Run(self.connection, f"{self.address}runs/{data['number']}/", data)

    def _decide_about(self, annotator: str, act: str, body: dict[str, str]) -> types.Enrolment:
        enrolments = self.annotators(label=annotator)
        if not enrolments:
            raise LookupError(f"The campaign has no annotator {annotator}.")
        address = f"enrolments/{enrolments[0]['id']}/{act}/"
        return self._post(address, types.Enrolment, body)

    def _do(self, act: str, body: Any = None) -> Self:
        self._finish(self._post(f"{act}/", dict[str, Any], body))
        return self.refresh()

    def __repr__(self) -> str:
        return f"<Campaign {self.uuid}: {self.title} ({self.state})>"


class Campaigns(Endpoint):
    """The campaigns that the user manages or analyses."""

    def __init__(self, connection: Connection):
        super().__init__(connection, "campaigns/")

    def list(self, **filters: Unpack[types.CampaignsListQuery]) -> Rows[Campaign]:
        """Return the campaigns, such as those with `state="open"`."""
        rows = self._rows("", types.Campaign, filters)
        return Rows(campaign_of(self.connection, row) for row in rows)

    def get(self, uuid: str) -> Campaign:
        """Return a campaign."""
        return Campaign(self.connection, f"campaigns/{uuid}/").refresh()

    def create(
        self,
        title: str,
        dataset: Dataset | int,
        protocol: Protocol | int | str,
        **design: Unpack[types.CampaignOptions],
    ) -> Campaign:
        """Create a draft, and return it.

        Parameters
        ----------
        title
            The title.
        dataset
            A dataset, or its id.
        protocol
            A protocol, its id, or the key of one, whose newest version is taken.
        **design
            Fields of the plan.

        Examples
        --------
        >>> client.campaigns.create("Locks", dataset, "qgeval", annotators_per_task=3)
        """
        body = design | {
            "title": title,
            "dataset": dataset.id if isinstance(dataset, Dataset) else dataset,
            "protocol": id_of(self.connection, protocol),
        }
        return campaign_of(self.connection, self._post("", types.WholeCampaign, body))


def campaign_of(connection: Connection, data: types.Campaign) -> Campaign:
    """Return the campaign of which these are the fields."""
    return Campaign(connection, f"campaigns/{data['uuid']}/", data)
