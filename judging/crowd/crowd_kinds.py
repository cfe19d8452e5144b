"""Crowd platforms as data: how each names a study's ids, and how annotators return with a code.

A kind names the parameters for the platform's ids, and the placeholders in the study's address that
the platform fills in. Everything is a proposal that a manager may change.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

ID_CHARACTERS = 64
ID = re.compile(rf"[A-Za-z0-9_-]{{1,{ID_CHARACTERS}}}")
PARAMETER = re.compile(r"^[A-Za-z][A-Za-z0-9_.-]{0,39}\Z")  # of an address
CODE = re.compile(r"^[A-Za-z0-9_-]{4,40}\Z")


@dataclass(frozen=True, slots=True)
class CrowdKind:
    """The parameters and addresses of a platform.

    `fills` gives the placeholder for each id in the study's address; "" if the platform adds the
    parameters by itself.
    """

    key: str
    name: str
    person: str
    study: str
    session: str
    fills: Mapping[str, str]
    return_template: str = ""
    token: str = ""
    keys_url: str = ""
    issuer: str = ""


PROLIFIC = CrowdKind(
    key="prolific",
    name="Prolific",
    person="PROLIFIC_PID",
    study="STUDY_ID",
    session="SESSION_ID",
    fills={
        "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
        "STUDY_ID": "{{%STUDY_ID%}}",
        "SESSION_ID": "{{%SESSION_ID%}}",
    },
    return_template="https://app.prolific.com/submissions/complete?cc={code}",
    token="prolific_token",  # noqa: S106  the name of a parameter
    keys_url="https://api.prolific.com/.well-known/study/jwks.json",
    issuer="https://www.prolific.com",
)
CONNECT = CrowdKind(
    key="connect",
    name="Connect",
    person="participantId",
    study="projectId",
    session="assignmentId",
    fills={},
)
SONA = CrowdKind(
    key="sona",
    name="SONA",
    person="survey_code",
    study="",
    session="",
    fills={"survey_code": "%SURVEY_CODE%"},
    return_template="https://SCHOOL.sona-systems.com/webstudy_credit.aspx?experiment_id=ID&credit_token=TOKEN&survey_code={person}",
)
GENERIC = CrowdKind(
    key="generic",
    name="another platform",
    person="participant",
    study="",
    session="",
    fills={},
)
KINDS: Mapping[str, CrowdKind] = {each.key: each for each in (PROLIFIC, CONNECT, SONA, GENERIC)}


def is_id(text: str) -> bool:
    """Return whether a text can be an id of a platform."""
    return ID.fullmatch(text) is not None


def study_address(kind: CrowdKind, entry: str, names: tuple[str, str, str]) -> str:
    """Return the address to paste as the study's: `entry` with a parameter for each id.

    If the platform is not known, names in capitals mark the values it has to fill in.
    """
    if kind is CONNECT:
        return entry
    proposed = (kind.person, kind.study, kind.session)
    filled = [
        f"{name}={kind.fills.get(own) or name.upper()}"
        for name, own in zip(names, proposed, strict=True)
        if name
    ]
    return f"{entry}?{'&'.join(filled)}"


def gives_credit(template: str) -> bool:
    """Return whether annotators return by the id they came with, as to SONA, which then grants a
    credit."""
    return "{person}" in template


def return_address(template: str, code: str, person: str = "") -> str:
    """Return the address by which an annotator returns with a code, or with the id they came with;
    "" if there is none."""
    if gives_credit(template):
        return template.replace("{person}", quote(person, safe="")) if person else ""
    return template.replace("{code}", quote(code, safe="")) if template and code else ""


def origin(address: str) -> str:
    """Return the scheme and host of an address; for a bare host, that host with https."""
    parts = urlsplit(address if "://" in address else f"https://{address}")
    return f"{parts.scheme}://{parts.netloc}".lower()
