"""Where a request comes from. No address is stored: what has to be told apart is told apart by a
keyed hash that changes with the day."""

from datetime import datetime
from ipaddress import IPv6Address, ip_address
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac


def address_of(request: HttpRequest) -> str:
    """Return the address of whoever asks; "" where only a proxy's on this machine is known."""
    said = request.META.get("HTTP_X_FORWARDED_FOR" if settings.BEHIND_PROXY else "REMOTE_ADDR", "")
    address = said.split(",")[-1].strip()
    return "" if address in ("127.0.0.1", "::1") else address


def network_of(request: HttpRequest) -> str:
    """Return what one subscriber holds of an address: of version 6 its first 64 bits, whose 2^64
    addresses are all theirs; "" where it is unknown."""
    try:
        address = ip_address(address_of(request).partition("%")[0])
    except ValueError:
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or int(address) >> 64)


def visitor_of(request: HttpRequest, *, study: UUID, now: datetime) -> str:
    """Return a keyed hash of where a request comes from, another on each day and in each campaign;
    "" where that is unknown."""
    address = address_of(request)
    agent = request.META.get("HTTP_USER_AGENT", "")
    said = f"{study}/{address}/{agent}"
    return hashed(said, purpose="annotation.visitor", now=now) if address else ""


def hashed(said: str, *, purpose: str, now: datetime) -> str:
    """Return a keyed hash of what is said, other for each purpose and on each day."""
    return salted_hmac(
        purpose, f"{now:%Y-%m-%d}/{said}", secret=settings.PSEUDONYM_KEY, algorithm="sha256"
    ).hexdigest()
