"""Protocols from documents to rows. A row never changes: an equal document has the same row, another
document a new one."""

from functools import lru_cache
from pathlib import Path

from django.db import transaction

from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.models.protocol import Criterion, Protocol, ScalePoint
from judging.protocols.protocol_schema import ProtocolDocument


def install(*, document: ProtocolDocument, owner: User | None = None) -> Protocol:
    """Return the protocol of a document; make it, with its criteria and scale points, if it is
    new."""
    with transaction.atomic():
        protocol, made = Protocol.objects.get_or_create(
            key=document.key,
            version=document.version,
            digest=documents.hash_document(document),
            owner=owner,
            defaults={
                "title": document.title,
                "task": document.task,
                "page_size": document.page_size,
                "document": documents.protocol_to_document(document),
            },
        )
        if made:
            _derive(protocol, document)
    return protocol


def install_shipped(folder: Path = documents.SHIPPED) -> list[Protocol]:
    """Install every protocol of a folder; raise ProtocolError if one of them is invalid."""
    texts = [
        (path.read_text(encoding="utf-8"), path.name) for path in sorted(folder.glob("*.yaml"))
    ]
    return [install(document=documents.parse(text, name)) for text, name in texts]


def _derive(protocol: Protocol, document: ProtocolDocument) -> None:
    stages = {stage.key: number for number, stage in enumerate(document.stages)}
    criteria = Criterion.objects.bulk_create(
        Criterion(
            protocol=protocol,
            key=each.key,
            name=each.name,
            position=position,
            stage=stages[each.stage],
            unit=each.unit,
            asked=each.asked,
            level=each.level,
            best=each.best,
        )
        for position, each in enumerate(document.criteria)
    )
    ScalePoint.objects.bulk_create(
        ScalePoint(criterion=row, value=point.value, label=point.label, missing=point.missing)
        for row, each in zip(criteria, document.criteria, strict=True)
        for point in each.points
    )


def document_of(protocol: Protocol) -> ProtocolDocument:
    """Return a protocol's document, from a cache if it was read before: rows never change."""
    return _document(protocol.pk, protocol.digest)


@lru_cache(maxsize=50)
def _document(pk: int, digest: str) -> ProtocolDocument:
    return documents.protocol_from_document(Protocol.objects.get(pk=pk).document)
