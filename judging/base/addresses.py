"""Addresses of requests. No address is stored: visitors are distinguished by a keyed hash that
changes every day."""

from datetime import datetime
from ipaddress import IPv6Address, ip_address
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac


def address_of(request: HttpRequest) -> str:
    """Return the address of a request's sender; "" if only this machine's proxy is known."""
    said = request.META.get("HTTP_X_FORWARDED_FOR" if settings.BEHIND_PROXY else "REMOTE_ADDR", "")
    address = said.split(",")[-1].strip()
    return "" if address in ("127.0.0.1", "::1") else address


def network_of(request: HttpRequest) -> str:
    """Return the part of an address that one subscriber has: for version 6 the first 64 bits, whose
    2^64 addresses all belong to the subscriber; "" if the address is unknown."""
    try:
        address = ip_address(address_of(request).partition("%")[0])
    except ValueError:
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or int(address) >> 64)


def study_visitor(request: HttpRequest, *, study: UUID, now: datetime) -> str:
    """Return a keyed hash of a request's address and browser, different on each day and in each
    campaign; "" if the address is unknown."""
    address = address_of(request)
    agent = request.META.get("HTTP_USER_AGENT", "")
    said = f"{study}/{address}/{agent}"
    return hash_text(said, purpose="annotation.visitor", now=now) if address else ""


def hash_text(said: str, *, purpose: str, now: datetime) -> str:
    """Return a keyed hash of a text, different for each purpose and on each day."""
    return salted_hmac(
        purpose, f"{now:%Y-%m-%d}/{said}", secret=settings.PSEUDONYM_KEY, algorithm="sha256"
    ).hexdigest()
