"""The values in force of settings that have two places: the start, and staff.

Every user and every check of such a setting reads it here. A value of staff goes before the value of the start.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from trackyard.base.secrets import SecretCipher
from trackyard.outbound.mail import named_sender
from trackyard.store.engine.database import Connection
from trackyard.store.engine.encrypted import ENCRYPTED_SETTINGS
from trackyard.store.platform import settings

IN_BOTH_PLACES: Final[Mapping[str, str]] = {"mail_from": settings.MAIL_FROM, "smtp_url": settings.SMTP_URL}
"""By the name that a setting has at the start and in the settings of staff, the name that it is stored by."""


class SettingPlace(StrEnum):
    """The place that a value in force comes from."""

    STAFF = "staff"
    START = "start"


@dataclass(frozen=True, slots=True)
class ValueInForce:
    """A value in force; "" = none is set."""

    value: str
    place: SettingPlace


@dataclass(frozen=True, slots=True)
class MailSettings:
    """Mail settings. smtp_url: the server, "" = none; sender: an address with or without a name.

    server_place: the place that the server comes from.
    """

    smtp_url: str
    sender: str
    server_place: SettingPlace = field(default=SettingPlace.START, compare=False)


def value_in_force(conn: Connection, cipher: SecretCipher | None, name: str, at_start: str) -> ValueInForce:
    """Return the value of one of IN_BOTH_PLACES. Raises DecryptionFailed.

    cipher: None = the key does not exist yet, so nothing is encrypted. at_start: the value of the variable or the file.
    """
    stored = settings.find_setting(conn, IN_BOTH_PLACES[name])
    if not stored:
        return ValueInForce(at_start, SettingPlace.START)
    if IN_BOTH_PLACES[name] in ENCRYPTED_SETTINGS:
        return ValueInForce("" if cipher is None else cipher.decrypt(str(stored)), SettingPlace.STAFF)
    return ValueInForce(str(stored), SettingPlace.STAFF)


def mail_in_force(conn: Connection, cipher: SecretCipher | None, at_start: MailSettings) -> MailSettings:
    """Return the settings that mail goes out by. Raises DecryptionFailed."""
    server = value_in_force(conn, cipher, "smtp_url", at_start.smtp_url)
    sender = value_in_force(conn, cipher, "mail_from", at_start.sender).value
    return MailSettings(server.value, named_sender(sender, settings.find_network(conn).name), server.place)
