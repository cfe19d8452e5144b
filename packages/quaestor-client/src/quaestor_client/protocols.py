"""Protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quaestor_client.connection import Connection, Record


class Protocol:
    """A protocol: criteria, scales, stages and rules."""

    def __init__(self, connection: Connection, data: Mapping[str, Any]):
        self.connection, self.data = connection, dict(data)

    @property
    def id(self) -> int:
        """The id by which campaigns name it."""
        return int(self.data["id"])

    @property
    def key(self) -> str:
        """The key, which all versions share."""
        return str(self.data["key"])

    def __repr__(self) -> str:
        return f"<Protocol {self.id}: {self.key}>"


class Protocols:
    """The protocols that the user may use."""

    def __init__(self, connection: Connection):
        self.connection = connection

    def list(self, **filters: Any) -> list[Protocol]:
        """Return the protocols."""
        found = self.connection.pages("protocols/", **filters)
        return [Protocol(self.connection, each) for each in found]

    def get(self, key: str | int) -> Protocol:
        """Return a protocol by its id, or the newest version by its key."""
        if isinstance(key, int):
            return Protocol(self.connection, self.connection.request("GET", f"protocols/{key}/"))
        named = [each for each in self.list() if each.key == key]
        if not named:
            raise KeyError(f"There is no protocol {key}.")
        return max(named, key=lambda each: each.id)

    def create(self, document: Record | str) -> Protocol:
        """Create a protocol, or a version of one, from a document or its YAML."""
        body = {"yaml" if isinstance(document, str) else "document": document}
        made = self.connection.request("POST", "protocols/", once=True, json=body)
        return Protocol(self.connection, made)
