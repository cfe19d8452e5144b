"""Annotators: claim a task, save answers, submit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar, Unpack

from quaestor_client import types
from quaestor_client.connection import Connection
from quaestor_client.resources import Endpoint

Answers = Mapping[str, int | None]
T = TypeVar("T")


@dataclass(frozen=True)
class Control:
    """A criterion that is asked about a question, or about a set, whose `question` is None.

    `name` is the key of the answer; `open` says whether its stage is open.
    """

    name: str
    criterion: str
    prompt: str
    values: tuple[int, ...]
    required: bool
    open: bool
    question: str | None


class Task:
    """A task as the judging page shows it; `data` has all of it."""

    def __init__(self, data: types.Task):
        self.data, self.sequence = data, data["sequence"]

    @property
    def id(self) -> str:
        """The id."""
        return self.data["id"]

    @property
    def source(self) -> types.ShownSource | None:
        """The source of the questions; None if each question has its own."""
        return self.data["source"]

    @property
    def questions(self) -> list[types.ShownQuestion]:
        """The questions in their shown order."""
        return [question for group in self.data["groups"] for question in group["questions"]]

    @property
    def controls(self) -> list[Control]:
        """The criteria asked for so far, about each question and about each set."""
        controls: list[Control] = []
        for group in self.data["groups"]:
            for question in group["questions"]:
                controls += [_control(row, question["text"]) for row in question["controls"]]
            controls += [_control(row, None) for row in group["controls"]]
        return controls


class Annotator(Endpoint):
    """An annotator of one campaign, with a `label`; and a `token`, if this client joined."""

    def __init__(self, connection: Connection, campaign: str, label: str, token: str | None = None):
        super().__init__(connection, "annotate/")
        self.campaign, self.label, self.token, self.outcome = campaign, label, token, ""

    def claim(self) -> Task | None:
        """Claim the next task, or the one that is held; None if there is none.

        Then `outcome` says why: `none_now`, `finished`, `closed`, `training` or `qualification`.
        """
        claim = self._send(f"campaigns/{self.campaign}/claim/", types.Claim, {})
        self.outcome = claim["outcome"]
        return Task(claim["task"]) if claim["task"] else None

    def read(self, id: str) -> Task:
        """Return a task of this annotator."""
        return Task(self._get(f"tasks/{id}/", types.Task))

    def save(self, task: Task, answers: Answers, **further: Unpack[types.AnswersOptions]) -> None:
        """Save answers by the names of their controls as a draft; `further`: marks, reports and a
        note."""
        task.sequence += 1
        body = {"sequence": task.sequence, "answers": dict(answers), **further}
        self._put(f"tasks/{task.id}/draft/", types.Saved, body)

    def next_stage(self, task: Task) -> Task:
        """Leave the open stage of a task, whose saved answers are final then, and return the
        task."""
        stage = task.data["stage"]
        body = {"number": stage["number"] if stage else 1}
        return Task(self._post(f"tasks/{task.id}/continue/", types.Task, body))

    def submit(
        self, task: Task, answers: Answers | None = None, **further: Unpack[types.AnswersOptions]
    ) -> str | None:
        """Submit a task with its last answers, and return the id of the next task, if the annotator
        holds one then.

        The same submission sent twice is stored once.
        """
        task.sequence += 1
        body = {
            "token": task.data["token"],
            "sequence": task.sequence,
            "answers": dict(answers or {}),
            **further,
        }
        return self._send(f"tasks/{task.id}/submit/", types.Submitted, body)["next"]

    def _send(self, path: str, kind: type[T], body: Mapping[str, object]) -> T:
        """Send a POST that does nothing more if it is sent again."""
        return self.connection.read("POST", self.address + path, kind, body=body, is_safe=True)


def _control(data: types.Control, question: str | None) -> Control:
    return Control(
        name=data["name"],
        criterion=data["criterion"],
        prompt=data["prompt"],
        values=tuple(point["value"] for point in data["points"]),
        required=data["required"],
        open=data["open"],
        question=question,
    )
