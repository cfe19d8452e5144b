"""Codes of refusals: every one is documented, and the documentation names no other."""

import ast
import re
from collections.abc import Iterator

import pytest

from config.data_folder import ROOT
from judging.base.api.problems import problem
from judging.base.refusals import Refused
from judging.overview.actions import erasures
from judging.people.actions import tokens, two_factors
from judging.protocols.actions import protocol_drafts
from judging.quality.actions import qualifications
from judging.work.actions import assignments

DOCUMENTED = re.compile(r"^\| `(\w+)`", re.M)
APPS = ("judging", "analysis", "annotation")


def test_docs_name_every_code_of_a_refusal() -> None:
    text = (ROOT / "docs" / "api" / "errors.md").read_text()
    documented = set(DOCUMENTED.findall(text.partition("## Codes of refused actions")[2]))
    defined = set(codes())

    assert len(defined) > 80
    assert documented == defined


def codes() -> Iterator[str]:
    """Return the codes that classes of refusals have and that are given where they are raised."""
    for path in (path for app in APPS for path in (ROOT / app).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                yield from (assigned(line) for line in node.body if is_code(line))
            elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                yield from given(node.exc)


def is_code(line: ast.stmt) -> bool:
    return (
        isinstance(line, ast.Assign)
        and ast.unparse(line.targets[0]) == "code"
        and isinstance(line.value, ast.Constant)  # else a form's field
    )


def assigned(line: ast.stmt) -> str:
    return str(ast.literal_eval(line.value))


def given(refusal: ast.Call) -> Iterator[str]:
    if ast.unparse(refusal.func).endswith("ValidationError"):  # of a form, for its field
        return
    for keyword in refusal.keywords:
        if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
            yield str(keyword.value.value)


@pytest.mark.parametrize(
    "kind",
    [
        assignments.NotAdmitted,
        erasures.AlreadyWithdrawn,
        tokens.LoggedOut,
        qualifications.NoTryLeft,
        protocol_drafts.ChangedElsewhere,
        two_factors.WrongCode,
    ],
)
def test_refusal_raised_without_a_sentence_has_that_of_its_class(kind: type[Refused]) -> None:
    assert str(kind())
    assert str(kind("Another.")) == "Another."


class Full(Refused):
    """For these tests: the state refuses."""

    code = "full"


@pytest.mark.parametrize(
    ("refused", "status", "code", "fields"),
    [
        (Full("It is full."), 409, "full", None),
        (Full("It is full.", code="fuller"), 409, "fuller", None),
        (Full("It is full.", field="size"), 422, "full", ["size"]),
    ],
)
def test_problem_of_a_refusal_has_its_code_and_field(
    refused: Refused, status: int, code: str, fields: list[str] | None
) -> None:
    answer = problem(refused, {})

    assert answer is not None
    assert (answer.status_code, answer.data["code"]) == (status, code)
    assert answer.data["detail"] == "It is full."
    assert [error["field"] for error in answer.data.get("errors", [])] == (fields or [])
