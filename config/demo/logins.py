"""The demo's users: log-ins with random passwords, kept in a file that only its owner can read."""

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from judging.people.models.user import User

RESEARCHER, ANNOTATOR = "researcher", "annotator"


@dataclass(frozen=True, slots=True)
class Login:
    """An account, and its password unless the user has chosen another since."""

    user: User
    password: str

    def __str__(self) -> str:
        return f"{self.user.username}, password {self.password or 'changed since'}"


def path() -> Path:
    """Return the file of the passwords."""
    return Path(settings.HOME) / "demo-passwords.txt"


def ensure_logins() -> tuple[Login, Login]:
    """Return the researcher and the annotator; create them with new passwords if they do not
    exist."""
    passwords = _read() or _write(
        {name: secrets.token_urlsafe(9) for name in (RESEARCHER, ANNOTATOR)}
    )
    researcher = _login(
        RESEARCHER, passwords, first_name="Robin", last_name="Researcher", may_create_campaigns=True
    )
    return researcher, _login(ANNOTATOR, passwords, first_name="Ana", last_name="Annotator")


def _login(name: str, passwords: Mapping[str, str], **columns: object) -> Login:
    user, made = User.objects.get_or_create(username=name, defaults=columns)
    if made:
        user.set_password(passwords[name])
        user.save(update_fields=["password"])
    return Login(user, passwords[name] if user.check_password(passwords[name]) else "")


def _read() -> dict[str, str]:
    if not path().exists():
        return {}
    lines = path().read_text(encoding="utf-8").splitlines()
    return {name: password for name, _, password in (line.partition(" ") for line in lines)}


def _write(passwords: Mapping[str, str]) -> Mapping[str, str]:
    with os.fdopen(
        os.open(path(), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8"
    ) as file:
        file.writelines(f"{name} {password}\n" for name, password in passwords.items())
    return passwords
