"""Two-factor authentication: one-time codes of a device (TOTP, RFC 6238), and recovery codes that
work once each."""

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime

import pyotp
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import transaction
from django.utils.crypto import constant_time_compare

from judging.base.actions.seals import locks
from judging.base.refusals import Refused
from judging.people.actions import history, visits
from judging.people.models.event import Event
from judging.people.models.two_factor import TwoFactor
from judging.people.models.user import User

SALT = "judging.two_factor"
CODES = 10
LATE = (-1, 0, 1)  # half minutes by which a device's clock may be off
ISSUER = "Quaestor"
SHOWN = "two_factor_shown"  # in the session of a browser that logged in with one


class WrongCode(Refused):
    """The code is not the device's at this time, was used before, or is no recovery code."""

    code = "wrong_code"
    sentence = "This code is wrong, or it was used before."


class NotAllowed(Refused):
    """The second factor cannot be changed this way; the message says why."""

    code = "two_factor_required"


@dataclass(frozen=True, slots=True)
class DeviceOffer:
    """What a device needs: the secret to type in, and the same as an address for its camera."""

    secret: str
    address: str


def is_on(user: User) -> bool:
    """Return whether an account has a confirmed second factor."""
    return TwoFactor.objects.filter(user=user, confirmed_at__isnull=False).exists()


def is_required(user: User) -> bool:
    """Return whether this site requires a second factor of the account; accounts without a password
    have none."""
    everybody = settings.SECOND_FACTOR == "everybody"
    administrators = settings.SECOND_FACTOR == "administrators" and user.is_superuser
    return (everybody or administrators) and user.has_usable_password()


def start_two_factor(*, user: User) -> None:
    """Make a secret, which counts once `confirm` got one of its codes."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if is_on(user):
            raise NotAllowed(
                "There is a second factor already. Turn it off first.", code="two_factor_exists"
            )
        sealed = locks(SALT).encrypt(pyotp.random_base32().encode()).decode()
        TwoFactor.objects.update_or_create(
            user=user, defaults={"secret": sealed, "last_step": 0, "recovery": []}
        )


def pending_two_factor(user: User) -> DeviceOffer | None:
    """Return the second factor that was begun and is not confirmed yet, if any."""
    begun = TwoFactor.objects.filter(user=user, confirmed_at__isnull=True).first()
    if begun is None:
        return None
    secret = _secret(begun)
    return DeviceOffer(
        secret, pyotp.TOTP(secret).provisioning_uri(name=user.get_username(), issuer_name=ISSUER)
    )


def confirm_two_factor(*, user: User, code: str, now: datetime) -> list[str]:
    """Turn the second factor on by the device's first code; return the recovery codes, which cannot
    be shown again.

    It ends every earlier session and API token; it refreshes `user`, so that the caller can keep
    the browser that asked logged in.
    """
    with transaction.atomic():
        begun = (
            TwoFactor.objects.select_for_update()
            .filter(user=user, confirmed_at__isnull=True)
            .first()
        )
        if begun is None or not (step := _step_of(begun, code, now)):
            raise WrongCode
        codes = [_recovery_code() for _ in range(CODES)]
        begun.confirmed_at, begun.last_step, begun.recovery = (
            now,
            step,
            [_digest(code) for code in codes],
        )
        begun.save()
        visits.end_all(user=user)
        history.record_event(Event.Act.SECOND_FACTOR_ON, by=user)
    return codes


def check_code(*, user: User, code: str, now: datetime) -> None:
    """Accept a code of the device, or a recovery code, only once; raise WrongCode for any other."""
    with transaction.atomic():
        factor = TwoFactor.objects.select_for_update().get(user=user, confirmed_at__isnull=False)
        if step := _step_of(factor, code, now):
            factor.last_step = step
        elif (used := _digest(code)) in factor.recovery:
            factor.recovery = [each for each in factor.recovery if each != used]
            history.record_event(
                Event.Act.RECOVERY_CODE_USED, by=user, after=f"{len(factor.recovery)} left"
            )
        else:
            raise WrongCode
        factor.save()


def turn_off(*, user: User, by: User | None = None) -> None:
    """Remove the second factor, and end every earlier session if another user or a command did it.

    Users who must have one cannot turn off their own; an administrator, or a command, helps if the
    device is lost.
    """
    if by == user and is_required(user):
        raise NotAllowed("This site requires a second factor at log-in.")
    with transaction.atomic():
        gone, _of = TwoFactor.objects.filter(user=user).delete()
        if gone:
            history.record_event(
                Event.Act.SECOND_FACTOR_OFF, by=by, about=history.account_name(user)
            )
        if gone and by != user:
            visits.end_all(user=user)


def _secret(factor: TwoFactor) -> str:
    return locks(SALT).decrypt(factor.secret.encode()).decode()


def rotate_two_factors() -> int:
    """Encrypt every secret again with the site's newest key; return how many."""
    with transaction.atomic():
        factors = list(TwoFactor.objects.select_for_update())
        for factor in factors:
            factor.secret = locks(SALT).rotate(factor.secret.encode()).decode()
            factor.save(update_fields=["secret"])
    return len(factors)


def _step_of(factor: TwoFactor, code: str, now: datetime) -> int:
    """Return the number of the code's half minute, if that is about now and later than the last one
    accepted; else 0."""
    shown = re.sub(r"\s", "", code)
    try:
        totp = pyotp.TOTP(_secret(factor))
    except InvalidToken:
        return 0  # the site no longer has its key: only recovery codes work
    for late in LATE:
        step = totp.timecode(now) + late
        if step > factor.last_step and constant_time_compare(totp.generate_otp(step), shown):
            return step
    return 0


def _recovery_code() -> str:
    """Return 60 random bits as three groups of letters and digits."""
    letters = base64.b32encode(secrets.token_bytes(10)).decode().lower()
    return "-".join((letters[:4], letters[4:8], letters[8:12]))


def _digest(code: str) -> str:
    return hashlib.sha256(re.sub(r"[\s-]", "", code.lower()).encode()).hexdigest()
