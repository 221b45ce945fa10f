"""Secrets at rest: digests for look-ups, encrypted values, passwords.

docs/spec/callers.md#keys-and-passwords
"""

import base64
import hashlib
import hmac
import os
import secrets
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from trackyard.base.errors import TooManyRequests

_LETTERS: Final = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without letters that look alike
_SMALL_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_WRONG_KEY: Final = "TRACKYARD_SECRET_KEY does not decrypt a stored key: it is not the key that encrypted it"
_passwords = PasswordHasher(parallelism=1)

MAX_HASHES: Final = 4
HASH_WAIT_S: Final = 2.0
"""A hash costs 64 MB and time on purpose: this many are computed or come next, and others wait this long."""
_hashing = threading.BoundedSemaphore(MAX_HASHES)

HASHED_AT_ONCE: Final = max(1, (os.cpu_count() or 1) // 2)
"""Each takes one core: the others are left to requests, which a flood of sign-ins must not delay."""
HASH_NICENESS: Final = 10
"""Of the threads that hash: where there is other work for their core, it goes first."""

P = ParamSpec("P")
T = TypeVar("T")


class DecryptionFailed(Exception):
    """The secret key does not decrypt a stored value."""


class SecretCipher:
    """Encrypts values that must be shown again, such as API keys.

    key: a Fernet key (32 bytes, base64).
    older: previous keys, which only decrypt.
    """

    def __init__(self, key: str, *older: str) -> None:
        self._keys = (key, *older)
        self._fernet = MultiFernet([Fernet(each) for each in self._keys])
        self._by_purpose: dict[str, SecretCipher] = {}

    def for_purpose(self, purpose: str) -> "SecretCipher":
        """Return the cipher of a purpose: it does not decrypt what any other encrypted."""
        found = self._by_purpose.get(purpose)
        if found is None:
            found = self._by_purpose[purpose] = SecretCipher(*(_derived_key(each, purpose) for each in self._keys))
        return found

    def encrypt(self, text: str) -> str:
        """Return the encrypted text."""
        return self._fernet.encrypt(text.encode()).decode()

    def decrypt(self, encrypted: str) -> str:
        """Return the decrypted text. Raises DecryptionFailed."""
        try:
            return self._fernet.decrypt(encrypted.encode()).decode()
        except InvalidToken:
            raise DecryptionFailed(_WRONG_KEY) from None

    def reencrypt(self, encrypted: str) -> str:
        """Return a value encrypted by the current key. Raises DecryptionFailed."""
        try:
            return self._fernet.rotate(encrypted.encode()).decode()
        except InvalidToken:
            raise DecryptionFailed(_WRONG_KEY) from None


def _derived_key(key: str, purpose: str) -> str:
    derived = hmac.digest(base64.urlsafe_b64decode(key), purpose.encode(), "sha256")
    return base64.urlsafe_b64encode(derived).decode()


def digest(secret: str) -> str:
    """Return the SHA-256 in hex by which a key is looked up."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_password() -> str:
    """Return a new password of 16 letters and digits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(16))


def new_totp_secret() -> str:
    """Return a secret of 160 bits in base32, as authenticator apps take it."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def new_recovery_code() -> str:
    """Return a recovery code of 16 letters and digits in four groups, 79 bits."""
    return "-".join("".join(secrets.choice(_SMALL_LETTERS) for _ in range(4)) for _ in range(4))


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password. Raises TooManyRequests when too many are computed."""
    return _run_at_low_priority(_passwords.hash, password)


def password_matches(password: str, hashed: str) -> bool:
    """Return whether a password matches an argon2id hash. Raises TooManyRequests as `hash_password` does."""
    try:
        return _run_at_low_priority(_passwords.verify, hashed, password)
    except (VerificationError, InvalidHashError):
        return False


def _run_at_low_priority(work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    if not _hashing.acquire(timeout=HASH_WAIT_S):
        raise TooManyRequests(1, "Too Many Requests: many passwords are checked now, try again in a second")
    try:
        return _hashers.submit(work, *args, **options).result()
    finally:
        _hashing.release()


def _lower_priority() -> None:
    """Give way to other threads. Outside Linux a priority applies to a whole process."""
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    now = os.getpriority(os.PRIO_PROCESS, thread)
    os.setpriority(os.PRIO_PROCESS, thread, max(now, HASH_NICENESS))


_hashers: Final = ThreadPoolExecutor(HASHED_AT_ONCE, "passwords", initializer=_lower_priority)
