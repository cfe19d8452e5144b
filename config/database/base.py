"""Django's PostgreSQL backend with a cheaper check before each request that the server is still
there, and with a server that notices sooner when a client is gone."""

import select
from collections.abc import Iterable
from typing import Any

from django.db.backends.postgresql import base, client

NOTICE = (
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; "
    "SET tcp_user_timeout = 10000"
)


class DatabaseClient(client.DatabaseClient):
    """psql, which disconnects like every other client if another account runs the server."""

    @classmethod
    def settings_to_cmd_args_env(
        cls, settings_dict: dict[str, Any], parameters: Iterable[str]
    ) -> tuple[list[str], dict[str, str] | None]:
        words, environment = super().settings_to_cmd_args_env(settings_dict, parameters)
        if peer := settings_dict["OPTIONS"].get("requirepeer"):
            environment = {**(environment or {}), "PGREQUIREPEER": peer}
        return words, environment


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that checks its socket before it asks the server.

    Nothing is sent to an idle connection except by a server that ends it, so a silent one is in
    order. Asking (`SELECT 1`) would be one of the dozen statements of a submission.
    """

    client_class = DatabaseClient

    def init_connection_state(self) -> None:
        """Have a server reached over a network notice as soon as the client would that they are
        disconnected: the client's transactions then end, and hold no lock."""
        super().init_connection_state()
        if not self.connection.info.host.startswith("/"):
            with self.connection.cursor() as cursor:
                cursor.execute(NOTICE)

    def is_usable(self) -> bool:
        if self.errors_occurred or self._was_sent_something():
            return bool(super().is_usable())
        return True

    def _was_sent_something(self) -> bool:
        if self.connection.closed:
            return True
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        return bool(waiting.poll(0))
