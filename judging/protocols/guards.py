"""Access control of protocols and their drafts."""

from collections.abc import Callable

from django.db.models import Q, QuerySet

from judging.base.guards import guard_by
from judging.people.guards import creator_required
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol, ProtocolDraft

# other subjects register through which of their objects a user sees protocols
SEEN_BY: dict[str, Callable[[User], Q]] = {}


def protocols_of(user: User) -> QuerySet[Protocol]:
    """Return the protocols that come with the software, the user's own, and those of campaigns they
    manage or analyse.

    Annotators see the guideline on their pages, and nothing of the protocol's checks.
    """
    seen = Q(pk__in=[])
    for filter_of in SEEN_BY.values():
        seen |= filter_of(user)
    if not (user.can_create_campaigns or Protocol.objects.filter(seen).exists()):
        return Protocol.objects.none()
    return Protocol.objects.filter(Q(owner__isnull=True) | Q(owner=user) | seen)


protocol_for_readers = guard_by(
    lambda request, pk: protocols_of(request.user).filter(pk=pk).first()
)
draft_for_owner = guard_by(
    lambda request, pk: ProtocolDraft.objects.filter(owner=request.user, pk=pk).first(),
    after=creator_required,
)
