"""Secrets at rest: look-up digests, sealed values, passwords (docs/spec/callers.md#keys-and-passwords)."""

import hashlib
import secrets
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from cryptography.fernet import Fernet, InvalidToken, MultiFernet

_LETTERS: Final = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that look alike
_WRONG_KEY: Final = "TRACKYARD_SECRET_KEY does not open a stored key: it is not the one that closed it"
_passwords = PasswordHasher()


class DecryptionFailed(Exception):
    """A sealed value that the secret key does not open."""


class SecretCipher:
    """Encrypts values that must be shown again, such as API keys. `key` is a Fernet key (32 bytes, base64); what
    `older` ones closed is opened too."""

    def __init__(self, key: str, *older: str) -> None:
        self._fernet = MultiFernet([Fernet(each) for each in (key, *older)])

    @staticmethod
    def new_key() -> str:
        """Return a fresh key."""
        return Fernet.generate_key().decode()

    def encrypt(self, text: str) -> str:
        """`text` encrypted."""
        return self._fernet.encrypt(text.encode()).decode()

    def decrypt(self, encrypted: str) -> str:
        """Return the text that `encrypt` was given. Raises DecryptionFailed."""
        try:
            return self._fernet.decrypt(encrypted.encode()).decode()
        except InvalidToken:
            raise DecryptionFailed(_WRONG_KEY) from None

    def reencrypt(self, encrypted: str) -> str:
        """Return the same value, closed by the key that closes now. Raises DecryptionFailed."""
        try:
            return self._fernet.rotate(encrypted.encode()).decode()
        except InvalidToken:
            raise DecryptionFailed(_WRONG_KEY) from None


def digest(secret: str) -> str:
    """SHA-256 in hex: what keys are looked up by."""
    return hashlib.sha256(secret.encode()).hexdigest()


def new_password() -> str:
    """Return a password of 16 letters and digits, to be told to its owner once."""
    return "".join(secrets.choice(_LETTERS) for _ in range(16))


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password."""
    return _passwords.hash(password)


def password_matches(password: str, hashed: str) -> bool:
    """Return whether `password` is the one of an argon2id hash."""
    try:
        return _passwords.verify(hashed, password)
    except (VerificationError, InvalidHashError):
        return False
