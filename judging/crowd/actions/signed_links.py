"""Links that a crowd platform signed: a token (RFC 7519) whose signature, end, audience and ids are
checked.

The platform's public keys are read from the address in its settings, kept for a day, and read again
at once for an unknown key, but not more often than once a minute.
"""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from http.client import HTTPException
from typing import Any

import jwt
from django.conf import settings

from judging.base.actions.redirects import CONFINED
from judging.crowd import crowd_kinds
from judging.crowd.models.crowd import CrowdPlatform

FRESH = timedelta(days=1)
NOT_AGAIN = timedelta(minutes=1)
SECONDS = 5.0
LEEWAY = timedelta(seconds=60)  # by which the platform's clock may differ
UNREADABLE = (OSError, HTTPException, ValueError, KeyError, TypeError, RecursionError)
# signed with a key that only the platform has; never HS256 or none
ALGORITHMS = (
    "RS256",
    "PS256",
    "ES256",
    "EdDSA",
)


class BadToken(Exception):
    """The token does not prove that the platform sent this person now; the message says why."""


class NoKeys(Exception):
    """The platform's keys cannot be read, and none are stored."""


def is_allowed(address: str) -> bool:
    """Return whether keys may be read from an address: only if the site allows it
    (QUAESTOR_CROWD_ORIGINS)."""
    return crowd_kinds.origin(address) in settings.CROWD_ORIGINS


def check_signed_link(
    *, platform: CrowdPlatform, token: str, ids: Mapping[str, str], now: datetime
) -> None:
    """Raise BadToken unless the platform signed these ids for this site, and the token is valid
    now."""
    if not token:
        raise BadToken("there is no token")
    try:
        header = jwt.get_unverified_header(token)
        key = _key(platform, str(header.get("kid", "")), now)
        claims = jwt.decode(
            token,
            key=key,
            algorithms=[name for name in ALGORITHMS if name == header.get("alg")],
            options={
                "require": ["exp", "aud"],
                "verify_aud": False,
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
    except jwt.PyJWTError as error:
        raise BadToken(f"the token is refused: {type(error).__name__}") from None
    _check_claims(platform, claims, ids, now)


def _check_claims(
    platform: CrowdPlatform, claims: Mapping[str, Any], ids: Mapping[str, str], now: datetime
) -> None:
    """Raise BadToken unless the token's claims fit `now`, this site, the platform and the link's
    ids."""
    _check_times(claims, now)
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    origins = [crowd_kinds.origin(audience) for audience in audiences if isinstance(audience, str)]
    if crowd_kinds.origin(platform.audience) not in origins:
        raise BadToken("the token is for another site")
    kind = crowd_kinds.KINDS[platform.kind]
    if kind.issuer and claims.get("iss") != kind.issuer:
        raise BadToken("the token has another issuer")
    nested = claims.get(platform.kind)
    named = nested if isinstance(nested, dict) else claims
    if any(named.get(name) != value for name, value in ids.items()):
        raise BadToken("the token names other ids than the link")


def _check_times(claims: Mapping[str, Any], now: datetime) -> None:
    """Raise BadToken if the token is expired or not valid yet, beyond the leeway of clocks."""
    times = {name: claims[name] for name in ("exp", "nbf") if name in claims}
    for name, time in times.items():
        if not isinstance(time, int | float):
            raise BadToken(f"{name} is no time")
    moment, leeway = now.timestamp(), LEEWAY.total_seconds()
    if times["exp"] <= moment - leeway:
        raise BadToken("the token is expired")
    if "nbf" in times and times["nbf"] >= moment + leeway:
        raise BadToken("the token is not valid yet")


def _key(platform: CrowdPlatform, kid: str, now: datetime) -> jwt.PyJWK:
    """Return the public key of that name."""
    age = now - platform.keys_at if platform.keys_at else None
    if age is None or age > FRESH or (kid not in _by_name(platform) and age > NOT_AGAIN):
        _read_keys(platform, now)
    found = _by_name(platform).get(kid)
    if found is None:
        raise BadToken("the token is signed with an unknown key")
    return jwt.PyJWK.from_dict(found)


def _by_name(platform: CrowdPlatform) -> dict[str, dict[str, Any]]:
    keys = platform.keys if isinstance(platform.keys, list) else []
    return {str(key.get("kid", "")): key for key in keys if isinstance(key, dict)}


def _read_keys(platform: CrowdPlatform, now: datetime) -> None:
    """Read and store the keys; if the platform does not answer, old ones stay valid. The time of
    the attempt is stored too, so that not every participant of a crowd waits for an answer."""
    if not is_allowed(platform.keys_url):
        raise NoKeys("this site may not read keys from there")
    try:
        with CONFINED.open(platform.keys_url, timeout=SECONDS) as answer:
            said = json.loads(answer.read())
        platform.keys = [each for each in said["keys"] if isinstance(each, dict)]
    except UNREADABLE:
        platform.keys = platform.keys or []
    platform.keys_at = now
    CrowdPlatform.objects.filter(pk=platform.pk).update(keys=platform.keys, keys_at=now)
    if not platform.keys:
        raise NoKeys("the platform's keys cannot be read")
