"""The mail transport of the current settings: those of staff before those of the start."""

from collections.abc import Callable
from dataclasses import dataclass

from trackyard.base.secrets import SecretCipher
from trackyard.outbound.mail import MailMessage, MailTransport
from trackyard.store.engine.database import Database
from trackyard.store.platform import settings


@dataclass(frozen=True, slots=True)
class MailSettings:
    """smtp_url: the mail server, "" = none · sender: an address with or without a name."""

    smtp_url: str
    sender: str


class ConfiguredMailTransport:
    """A transport that follows its settings. `default`: for settings that staff left out."""

    def __init__(
        self,
        database: Database,
        cipher: SecretCipher,
        default: MailSettings,
        make: Callable[[MailSettings], MailTransport],
    ) -> None:
        self._database = database
        self._seal = cipher
        self._default = default
        self._make = make
        self._transport: tuple[MailSettings, MailTransport] | None = None

    def send(self, letter: MailMessage) -> None:
        """Hands over one letter. Raises Unreachable, Refused, SealBroken."""
        current = self._current_settings()
        if self._transport is None or self._transport[0] != current:
            self.close()
            self._transport = (current, self._make(current))
        self._transport[1].send(letter)

    def close(self) -> None:
        """Release what is held between messages."""
        if self._transport is not None:
            self._transport[1].close()

    def _current_settings(self) -> MailSettings:
        with self._database.read() as conn:
            encrypted = settings.find_setting(conn, settings.SMTP_URL)
            sender = settings.find_setting(conn, settings.MAIL_FROM)
        return MailSettings(
            self._seal.decrypt(encrypted) if encrypted else self._default.smtp_url, sender or self._default.sender
        )
