"""Secrets that the site must be able to read again, encrypted with the site's key."""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

SALT = "judging.seal"


def seal_secret(secret: str) -> str:
    """Return a secret encrypted; "", for no secret, stays ""."""
    return locks(SALT).encrypt(secret.encode()).decode() if secret else ""


def unseal_secret(text: str) -> str:
    """Return the decrypted secret; "" if there is none, or the site no longer has its key."""
    try:
        return locks(SALT).decrypt(text.encode()).decode() if text else ""
    except InvalidToken:
        return ""


def reseal_secret(text: str) -> str:
    """Return the same secret encrypted with the newest key; "" if the site no longer has its key."""
    return seal_secret(unseal_secret(text))


def locks(salt: str) -> MultiFernet:
    """Return the cipher for secrets: the site's key, and older keys for what was encrypted
    before."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    hashed = [salted_hmac(salt, "", secret=key, algorithm="sha256").digest() for key in keys]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(each)) for each in hashed])
