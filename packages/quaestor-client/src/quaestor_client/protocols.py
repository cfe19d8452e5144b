"""Protocols."""

from __future__ import annotations

from typing import Any, Unpack, cast

from quaestor_client import types
from quaestor_client.connection import Connection
from quaestor_client.resources import Endpoint, Resource
from quaestor_client.rows import Rows


class Protocol(Resource[types.Protocol]):
    """A version of a protocol: criteria, scales, stages and rules."""

    kind = types.WholeProtocol

    @property
    def id(self) -> int:
        """The id by which campaigns name it."""
        return self.data["id"]

    @property
    def key(self) -> str:
        """The key, which all versions share."""
        return self.data["key"]

    def document(self) -> dict[str, Any]:
        """Return the document."""
        return cast(types.WholeProtocol, self.refresh().data)["document"]

    def yaml(self) -> str:
        """Return the document as YAML."""
        return self.connection.send("GET", f"{self.address}yaml/").text

    def __repr__(self) -> str:
        return f"<Protocol {self.id}: {self.key}, version {self.data['version']}>"


class Protocols(Endpoint):
    """The protocols that the user may use."""

    def __init__(self, connection: Connection):
        super().__init__(connection, "protocols/")

    def list(self, **filters: Unpack[types.ProtocolsListQuery]) -> Rows[Protocol]:
        """Return the versions of protocols, such as those with `key="qgeval"`."""
        return Rows(map(self._object, self._rows("", types.Protocol, filters)))

    def get(self, key: str | int) -> Protocol:
        """Return a version of a protocol by its id, or the newest version by its key.

        Raises
        ------
        LookupError
            If there is no protocol of this key.
        """
        if isinstance(key, int):
            return self._object(self._get(f"{key}/", types.WholeProtocol))
        versions = self.list(key=key)
        if not versions:
            raise LookupError(f"There is no protocol {key}.")
        return max(versions, key=lambda version: version.id)

    def create(self, document: dict[str, Any] | str) -> Protocol:
        """Create a protocol, or a version of one, from a document or its YAML."""
        return self._object(self._post("", types.WholeProtocol, _content(document)))

    def validate(self, document: dict[str, Any] | str) -> types.Validation:
        """Return the problems of a document or its YAML; nothing is stored."""
        return self._post("validate/", types.Validation, _content(document))

    def _object(self, data: types.Protocol) -> Protocol:
        return Protocol(self.connection, f"{self.address}{data['id']}/", data)


def id_of(connection: Connection, protocol: Protocol | str | int) -> int:
    """Return the id of a protocol; that of the newest version if it is a key."""
    if isinstance(protocol, str):
        protocol = Protocols(connection).get(protocol)
    return protocol.id if isinstance(protocol, Protocol) else protocol


def _content(document: dict[str, Any] | str) -> types.DocumentRequest:
    return {"yaml": document} if isinstance(document, str) else {"document": document}
