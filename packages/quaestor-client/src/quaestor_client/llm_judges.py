"""LLM judges of a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from quaestor_client import types
from quaestor_client.resources import Endpoint, Job
from quaestor_client.rows import Rows


class LlmJudges(Endpoint):
    """The LLM judges of a campaign, which must be locked. None counts as an annotator."""

    def list(self, **filters: Unpack[types.CampaignsLlmJudgesListQuery]) -> Rows[types.LlmJudge]:
        """Return the judges with the numbers of their verdicts, and the problems of those refused."""
        return self._rows("", types.LlmJudge, filters)

    def items(self) -> Rows[dict[str, Any]]:
        """Return the questions for a judge; `item` names each in a verdict."""
        return Rows(map(json.loads, self.connection.lines(f"{self.address}items/")))

    def add(
        self,
        verdicts: Iterable[Mapping[str, Any]] | str | Path,
        **judge: Unpack[types.JudgeOptions],
    ) -> types.LlmJudge:
        """Register a judge, import its verdicts, and return it with the problems of those refused.

        Parameters
        ----------
        verdicts
            An object for each question, with its `item` and a value for each criterion; or the path
            of a file.
        **judge
            At least `name` and `model`.
        """
        if isinstance(verdicts, str | Path):
            path = Path(verdicts)
            with path.open("rb") as file:
                response = self.connection.send(
                    "POST", self.address, once=True, data=judge, files={"file": (path.name, file)}
                )
            job = Job(self.connection, response.json())
        else:
            job = self._start("", {**judge, "verdicts": list(verdicts)})
        job.wait()
        return self.list(name=judge["name"])[0]

    def estimate(self, **request: Unpack[types.AskRequest]) -> types.Estimate:
        """Estimate the calls, tokens and cost of asking a model; nothing is asked."""
        return self._post("estimate/", types.Estimate, request)

    def ask(self, **request: Unpack[types.AskRequest]) -> Job:
        """Ask a model at an address that the operator allows, and return the job that does it; a
        judge of the same name continues where it ended."""
        return self._start("ask/", request)

    def delete(self, id: int) -> None:
        """Remove a judge with its verdicts."""
        self._delete(f"{id}/")
