"""The content of backups: chunks under a name that follows from their bytes (docs/decisions/0052).

A stored chunk is not written again, so each further backup costs only its changes. With a key, chunks and lists are
encrypted (AES-256-GCM) and file names reveal nothing about the content.
"""

import base64
import hashlib
import hmac
import os
import zlib
from collections.abc import Set
from typing import Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from trackyard.store.backup.target import BackupTarget

CHUNK_BYTES: Final = 4 * 1024 * 1024
"""The largest chunk. Larger files are several, so that a file that grows or changes in places costs a part."""
_DESCRIPTION: Final = "trackyard-backups.json"
_FORMAT: Final = 1
_NONCE: Final = 12
_SCRYPT_COST: Final = 2**15
_STORED: Final = b"s"
_DEFLATED: Final = b"z"


class BackupDamaged(Exception):
    """A part of a backup is missing, or differs from what was written. The message is a sentence."""


class ForeignTarget(Exception):
    """The target belongs to another installation, or has other files. The message is a sentence."""


class WrongKey(Exception):
    """The backups have another key, or one has a key and the other has none. The message is a sentence."""


class _Description(msgspec.Struct, frozen=True):
    """The description of a target's backups, stored there.

    salt: the salt of the key, base64; "" = not encrypted. owner: the data directory that writes there, "" = any.
    """

    format: int
    salt: str = ""
    check: str = ""
    owner: str = ""


class ChunkStore:
    """The chunks and lists of a target. written, written_bytes: what `add` had to store.

    passphrase: encrypts everything; None = nothing is encrypted.
    create: whether the target may be empty. owner: the id of the data directory that will write there, "" = only read.
    Raises WrongKey, BackupDamaged, ForeignTarget, TargetUnusable.
    """

    def __init__(
        self, target: BackupTarget, passphrase: bytes | None, *, create: bool = False, owner: str = ""
    ) -> None:
        self._target = target
        self.written = self.written_bytes = 0
        self._cipher: AESGCM | None = None
        self._name_key = b""
        self._known: set[str] | None = None
        found = target.find(_DESCRIPTION)
        if found is None and not create:
            raise BackupDamaged("there are no backups.")
        if found is None and next(iter(target.names("")), None) is not None:
            raise ForeignTarget("the target has other files and no backups: name an empty folder.")
        described = _read(found) if found is not None else self._describe(passphrase, owner)
        if owner and described.owner and described.owner != owner:
            raise ForeignTarget("the backups there are of another installation: name another target.")
        if described.format != _FORMAT:
            raise BackupDamaged(f"the backups have format {described.format}, which this program does not know.")
        if (passphrase is None) != (not described.salt):
            state = "encrypted: give their key" if described.salt else "not encrypted: give no key, or another target"
            raise WrongKey(f"the backups there are {state}.")
        if passphrase is not None:
            self._use_key(passphrase, described)
        if found is None:
            target.put(_DESCRIPTION, msgspec.json.encode(described))

    def has(self, name: str) -> bool:
        """Return whether a chunk is there."""
        return name in self._names()

    def _names(self) -> set[str]:
        if self._known is None:
            self._known = {each.rpartition("/")[2] for each in self._target.names("chunks")}
        return self._known

    def add(self, content: bytes) -> str:
        """Store a chunk unless it is there; return its name."""
        name = self._name(content)
        if not self.has(name):
            packed = zlib.compress(content, 1)
            body = _DEFLATED + packed if len(packed) < 0.9 * len(content) else _STORED + content
            sealed = self._seal(body)
            self._target.put(_chunk_path(name), sealed)
            self._names().add(name)
            self.written += 1
            self.written_bytes += len(sealed)
        return name

    def read(self, name: str) -> bytes:
        """Return a chunk. Raises BackupDamaged."""
        sealed = self._target.find(_chunk_path(name))
        if sealed is None:
            raise BackupDamaged(f"the part {self._target.place(_chunk_path(name))} is missing")
        body = self._open(sealed, _chunk_path(name))
        try:
            content = zlib.decompress(body[1:]) if body[:1] == _DEFLATED else body[1:]
        except zlib.error:
            content = b""
        if not hmac.compare_digest(self._name(content), name):
            raise BackupDamaged(f"the part {self._target.place(_chunk_path(name))} differs from what was written")
        return content

    def put_list(self, backup_id: str, content: bytes) -> None:
        """Store the list of a backup, which makes it one."""
        self._target.put(f"backups/{backup_id}", self._seal(self._name(content).encode() + b"\n" + content))

    def get_list(self, backup_id: str) -> bytes:
        """Return the list of a backup. Raises BackupDamaged."""
        sealed = self._target.find(f"backups/{backup_id}")
        if sealed is None:
            raise BackupDamaged(f"there is no backup {backup_id}.")
        name, _, content = self._open(sealed, f"backups/{backup_id}").partition(b"\n")
        if not hmac.compare_digest(self._name(content).encode(), name):
            place = self._target.place(f"backups/{backup_id}")
            raise BackupDamaged(f"the list of a backup {place} differs from what was written: use another backup.")
        return content

    def remove_list(self, backup_id: str) -> None:
        """Remove the list of a backup, which ends it. Its chunks stay."""
        self._target.remove(f"backups/{backup_id}")

    def remove_others(self, needed: Set[str]) -> int:
        """Remove the chunks that are not needed; return their number."""
        others = sorted(self._names() - needed)
        for name in others:
            self._target.remove(_chunk_path(name))
            self._names().discard(name)
        return len(others)

    def remove_unfinished(self) -> None:
        """Remove what backups that were killed left. Their whole chunks stay for the next one."""
        self._target.remove_unfinished()

    def ids(self) -> list[str]:
        """Return the ids of all backups, the oldest first."""
        return sorted(name.rpartition("/")[2] for name in self._target.names("backups"))

    def _describe(self, passphrase: bytes | None, owner: str) -> _Description:
        if passphrase is None:
            return _Description(_FORMAT, owner=owner)
        salt = os.urandom(16)
        check = hmac.digest(_derived(passphrase, salt), b"check", "sha256").hex()
        return _Description(_FORMAT, base64.b64encode(salt).decode(), check, owner)

    def _use_key(self, passphrase: bytes, described: _Description) -> None:
        derived = _derived(passphrase, base64.b64decode(described.salt))
        if not hmac.compare_digest(hmac.digest(derived, b"check", "sha256").hex(), described.check):
            raise WrongKey("the backups there have another key.")
        self._cipher = AESGCM(hmac.digest(derived, b"content", "sha256"))
        self._name_key = hmac.digest(derived, b"names", "sha256")

    def _name(self, content: bytes) -> str:
        if self._name_key:
            return hmac.digest(self._name_key, content, "sha256").hex()
        return hashlib.sha256(content).hexdigest()

    def _seal(self, body: bytes) -> bytes:
        if self._cipher is None:
            return body
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher.encrypt(nonce, body, None)

    def _open(self, sealed: bytes, name: str) -> bytes:
        if self._cipher is None:
            return sealed
        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], None)
        except (InvalidTag, ValueError):
            raise BackupDamaged(f"the part {self._target.place(name)} differs from what was written") from None


def _read(description: bytes) -> _Description:
    try:
        return msgspec.json.decode(description, type=_Description)
    except msgspec.DecodeError:
        raise BackupDamaged(f"{_DESCRIPTION} of the target cannot be read: no backup there can be restored.") from None


def _derived(passphrase: bytes, salt: bytes) -> bytes:
    return hashlib.scrypt(passphrase, salt=salt, n=_SCRYPT_COST, r=8, p=1, maxmem=64 * 1024 * 1024, dklen=32)


def _chunk_path(name: str) -> str:
    return f"chunks/{name[:2]}/{name}"
