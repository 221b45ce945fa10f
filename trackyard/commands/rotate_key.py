"""`trackyard rotate-key`: encrypt stored secrets with a new key.

See docs/spec/callers.md#keys-and-passwords. The data directory keeps the old secret until every value is encrypted with
the new one. A start meanwhile, also after a power cut at any step, decrypts with both, and the command continues where
it ended.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from trackyard.actions.platform.installation import reencrypt_secrets
from trackyard.base.secrets import DecryptionFailed, SecretCipher
from trackyard.commands.failures import CommandFailed
from trackyard.runtime.settings import (
    OLD_SECRET_FILE,
    SECRET_FILE,
    CannotStart,
    Config,
    NotInstalled,
    encryption_keys,
    new_secret,
    unusable_directory,
    write_private,
)
from trackyard.runtime.start_checks import refused_database
from trackyard.store.engine.database import Database


@dataclass(frozen=True, slots=True)
class RotatedKey:
    """The result of a rotation.

    values: the number of stored secrets that were encrypted with the new key.
    source: where the key is: file (secret.key of the data directory) or variable (TRACKYARD_SECRET_KEY).
    """

    values: int
    source: str

    def sentence(self) -> str:
        """Return the result for people."""
        counted = "1 stored value is" if self.values == 1 else f"{self.values} stored values are"
        done = f"{counted} encrypted with the new secret key; API keys stay as they are."
        return done if self.source == "file" else f"{done} TRACKYARD_OLD_SECRET_KEY is no longer needed."


def rotate_key(config: Config) -> RotatedKey:
    """Rotate the key; return what was done. Raises CannotStart."""
    if config.secret_key is not None:
        if config.old_secret_key is None:
            raise CannotStart(
                "TRACKYARD_OLD_SECRET_KEY must be set: set it to the current key, TRACKYARD_SECRET_KEY to a new one, "
                "start everything with both, then run this."
            )
        return RotatedKey(_reencrypt(config), "variable")
    if not (config.data_dir / SECRET_FILE).exists():
        raise NotInstalled(f"there is no installation in {config.data_dir} yet: start it first.")
    try:
        with _exclusive_lock(config.data_dir):
            _write_new_secret(config.data_dir)
            count = _reencrypt(config)
            (config.data_dir / OLD_SECRET_FILE).unlink()
    except OSError as fault:
        raise unusable_directory(config.data_dir, fault) from None
    return RotatedKey(count, "file")


def _write_new_secret(directory: Path) -> None:
    secret, old = directory / SECRET_FILE, directory / OLD_SECRET_FILE
    if old.exists() and old.read_text() != secret.read_text():
        return  # an earlier run ended here
    write_private(old, secret.read_text())
    write_private(secret, new_secret())


def _reencrypt(config: Config) -> int:
    """Return the number of stored values that now have the new key."""
    try:
        with Database(config.database_url, pool_size=1) as database:
            return reencrypt_secrets(database, SecretCipher(*encryption_keys(config)))
    except DecryptionFailed as fault:
        raise CannotStart(f"{fault}.") from None
    except SQLAlchemyError as fault:
        raise refused_database(config, fault) from None


@contextmanager
def _exclusive_lock(directory: Path) -> Iterator[None]:
    """Keep a server from starting; a running one knows only the old key."""
    handle = os.open(directory / "trackyard.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandFailed(f"TRACKYARD_DATA_DIR {directory} is in use: stop the server first.") from None
        yield
    finally:
        os.close(handle)
