"""Mail is sent by the current settings."""

import pytest
from cryptography.fernet import Fernet

from trackyard.actions.platform.settings_in_force import MailSettings
from trackyard.base.secrets import SecretCipher
from trackyard.jobs.delivery.mail import ConfiguredMailTransport
from trackyard.outbound.mail import MailMessage
from trackyard.store.engine.database import Database
from trackyard.store.platform import settings

DEFAULT = MailSettings("smtp://default.example", "default@a.example")
LETTER = MailMessage("a" * 24, "b@b.example", "Hello", "Hello", 0)


class RecordingTransport:
    """A transport that records its settings for each mail and each close."""

    def __init__(self, wanted: MailSettings, calls: list[tuple[str, MailSettings]]) -> None:
        self._wanted = wanted
        self._calls = calls

    def send(self, _letter: MailMessage) -> None:
        self._calls.append(("sent", self._wanted))

    def close(self) -> None:
        self._calls.append(("closed", self._wanted))


@pytest.fixture
def cipher() -> SecretCipher:
    return SecretCipher(Fernet.generate_key().decode())


def test_mail_settings_of_staff_apply_to_next_mail(sqlite_database: Database, cipher: SecretCipher) -> None:
    calls: list[tuple[str, MailSettings]] = []
    made: list[MailSettings] = []

    def make(wanted: MailSettings) -> RecordingTransport:
        made.append(wanted)
        return RecordingTransport(wanted, calls)

    post = ConfiguredMailTransport(sqlite_database, cipher, DEFAULT, make)
    post.close()
    post.send(LETTER)
    post.send(LETTER)
    assert (calls, made) == ([("sent", DEFAULT)] * 2, [DEFAULT])
    with sqlite_database.write() as conn:
        settings.edit_setting(conn, settings.SMTP_URL, cipher.encrypt("smtp://me:secret@other.example"))
    post.send(LETTER)
    other = MailSettings("smtp://me:secret@other.example", "default@a.example")
    assert calls[2:] == [("closed", DEFAULT), ("sent", other)]
    with sqlite_database.write() as conn:
        settings.edit_setting(conn, settings.SMTP_URL, "")
        settings.edit_setting(conn, settings.MAIL_FROM, "new@a.example")
    post.send(LETTER)
    assert calls[-1] == ("sent", MailSettings("smtp://default.example", "new@a.example"))
    post.close()
    assert calls[-1][0] == "closed"
