"""Settings that have two places: the start, and the settings of staff."""

from dataclasses import fields

import pytest
from cryptography.fernet import Fernet

from trackyard.actions.platform.settings import Settings
from trackyard.actions.platform.settings_in_force import (
    IN_BOTH_PLACES,
    MailSettings,
    SettingPlace,
    mail_in_force,
    value_in_force,
)
from trackyard.base.secrets import SecretCipher
from trackyard.runtime.settings import SETTINGS
from trackyard.store.engine.database import Database
from trackyard.store.engine.encrypted import ENCRYPTED_SETTINGS
from trackyard.store.platform import settings

OF_STAFF = {"mail_from": "staff@a.example", "smtp_url": "smtp://staff.example"}


@pytest.fixture
def cipher() -> SecretCipher:
    return SecretCipher(Fernet.generate_key().decode())


def store(database: Database, cipher: SecretCipher, name: str, value: str) -> None:
    stored = IN_BOTH_PLACES[name]
    with database.write() as conn:
        settings.edit_setting(conn, stored, cipher.encrypt(value) if stored in ENCRYPTED_SETTINGS and value else value)


def test_every_setting_of_both_places_is_read_by_the_one_reader() -> None:
    in_both = {each.name for each in fields(Settings)} & set(SETTINGS)
    assert in_both == set(IN_BOTH_PLACES) == set(OF_STAFF)
    assert len(in_both) == 2


@pytest.mark.parametrize("name", IN_BOTH_PLACES)
def test_value_of_staff_goes_before_that_of_the_start_until_it_is_emptied(
    sqlite_database: Database, cipher: SecretCipher, name: str
) -> None:
    def found() -> tuple[str, SettingPlace]:
        with sqlite_database.read() as conn:
            value = value_in_force(conn, cipher, name, "of the start")
        return value.value, value.place

    assert found() == ("of the start", SettingPlace.START)
    store(sqlite_database, cipher, name, OF_STAFF[name])
    assert found() == (OF_STAFF[name], SettingPlace.STAFF)
    store(sqlite_database, cipher, name, "")
    assert found() == ("of the start", SettingPlace.START)


def test_mail_in_force_names_the_place_of_its_server(sqlite_database: Database, cipher: SecretCipher) -> None:
    at_start = MailSettings("smtp://start.example", "start@a.example")
    store(sqlite_database, cipher, "smtp_url", OF_STAFF["smtp_url"])
    with sqlite_database.read() as conn:
        found = mail_in_force(conn, cipher, at_start)
    assert (found.smtp_url, found.sender, found.server_place) == (
        "smtp://staff.example", "start@a.example", SettingPlace.STAFF,
    )  # fmt: skip
