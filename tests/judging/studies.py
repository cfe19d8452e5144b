"""Small studies for tests, imported from tables as researchers write them."""

from datetime import UTC, datetime
from typing import Any

from judging.formats.mapping import mapping_from
from judging.imports.actions import adding
from judging.jobs import storage
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol
from tests import factories

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)

QUESTIONS = """\
passage,answer,system,question,Bleu_4,topic
The lock was built by Agnes.,Agnes,Alba,Who built the lock?,0.5000,locks
The lock was built by Agnes.,Agnes,Brisa,Who was Agnes?,0.25,locks
The weir is old.,old,Alba,How old is the weir?,1,weirs
"""
COLUMNS: dict[str, dict[str, Any]] = {
    "passage": {"role": "passage"},
    "answer": {"role": "answer"},
    "system": {"role": "system"},
    "question": {"role": "question"},
    "Bleu_4": {"role": "metric", "direction": "higher", "scale": "fraction"},
    "topic": {"role": "metadata"},
}


def imported(
    text: str | bytes = QUESTIONS,
    *,
    columns: dict[str, dict[str, Any]] | None = None,
    name: str = "Canals",
    file_name: str = "canals.csv",
    by: User | None = None,
    protocol: Protocol | None = None,
    options: dict[str, Any] | None = None,
    **mapping: Any,
) -> adding.Imported:
    """Return the dataset of one file, read as a mapping says; columns are proposed if none are
    given. Everything surprising is accepted."""
    data = text.encode() if isinstance(text, str) else text
    if data == QUESTIONS.encode() and columns is None:
        columns = COLUMNS
    return adding.import_file(
        file=storage.store_bytes(data),
        file_name=file_name,
        name=name,
        by=by or factories.researcher(),
        now=NOW,
        mapping=mapping_from({"columns": columns or {}, **mapping}),
        protocols=Protocol.objects.none(),
        protocol=protocol,
        again=True,
        accept_surprises=True,
        **(options or {}),
    )
