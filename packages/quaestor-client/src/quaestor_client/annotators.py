"""Annotators: claim a task, save answers, submit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quaestor_client.connection import Connection, Record

Answers = Mapping[str, int | None]


@dataclass(frozen=True)
class Control:
    """A criterion that is asked about a question, or about a set of questions."""

    name: str
    criterion: str
    prompt: str
    values: tuple[int, ...]
    required: bool
    open: bool
    question: str | None


class Task:
    """A task as the judging page shows it."""

    def __init__(self, data: Mapping[str, Any]):
        self.data = dict(data)
        self.sequence = int(data["sequence"])

    @property
    def id(self) -> str:
        """The id."""
        return str(self.data["id"])

    @property
    def material(self) -> Record | None:
        """The source of the questions; None if each question has its own."""
        found: Record | None = self.data["material"]
        return found

    @property
    def questions(self) -> list[Record]:
        """The questions in their shown order."""
        return [question for group in self.data["groups"] for question in group["questions"]]

    @property
    def controls(self) -> list[Control]:
        """The criteria asked for so far, about each question and about each set."""
        found: list[Control] = []
        for group in self.data["groups"]:
            for question in group["questions"]:
                found += [_control(each, question["text"]) for each in question["controls"]]
            found += [_control(each, None) for each in group["controls"]]
        return found


class Annotator:
    """An annotator of one campaign."""

    def __init__(self, connection: Connection, data: Mapping[str, Any]):
        self.connection, self.data = connection, dict(data)
        self.outcome = ""

    @property
    def label(self) -> str:
        """The label by which the campaign knows the annotator."""
        return str(self.data["label"])

    @property
    def token(self) -> str | None:
        """The token, if the annotator joined by this client."""
        return self.data.get("token")

    def claim(self) -> Task | None:
        """Claim the next task, or the one that is held; None if there is none.

        Then `outcome` says why: `none_now`, `finished`, `closed`, `training` or `qualification`.
        """
        address = f"annotate/campaigns/{self.data['campaign']}/claim/"
        found = self.connection.send("POST", address, json={}, is_safe=True).json()
        self.outcome = str(found["outcome"])
        return Task(found["task"]) if found["task"] else None

    def read(self, id: str) -> Task:
        """Read a task of this annotator."""
        return Task(self.connection.request("GET", f"annotate/tasks/{id}/"))

    def save(self, task: Task, answers: Answers, **further: Any) -> None:
        """Save answers by the names of their controls as a draft. `further`: marks, reports and a
        note."""
        task.sequence += 1
        body = {"sequence": task.sequence, "answers": dict(answers)} | further
        self.connection.request("PUT", f"annotate/tasks/{task.id}/draft/", json=body)

    def next_stage(self, task: Task) -> Task:
        """Leave the open stage of a task, whose saved answers are final then."""
        body = {"number": task.data["stage"]["number"]}
        address = f"annotate/tasks/{task.id}/continue/"
        return Task(self.connection.request("POST", address, json=body))

    def submit(self, task: Task, answers: Answers | None = None, **further: Any) -> str | None:
        """Submit a task with its last answers; return the id of the next task, which is held then.

        The same submission sent twice is stored once.
        """
        task.sequence += 1
        body = {
            "token": task.data["token"],
            "sequence": task.sequence,
            "answers": dict(answers or {}),
        } | further
        address = f"annotate/tasks/{task.id}/submit/"
        found = self.connection.send("POST", address, json=body, is_safe=True).json()
        following: str | None = found["next"]
        return following


def _control(data: Record, question: str | None) -> Control:
    return Control(
        name=data["name"],
        criterion=data["criterion"],
        prompt=data["prompt"],
        values=tuple(point["value"] for point in data["points"]),
        required=data["required"],
        open=data["open"],
        question=question,
    )
