"""Mail goes by the settings of the moment."""

import pytest

from trackyard.base.secrets import Seal
from trackyard.jobs.delivery.mail_transport import MailSettings, SettledPost
from trackyard.outbound.mail import Letter
from trackyard.store.engine.database import Database
from trackyard.store.platform import settings

DEFAULT = MailSettings("smtp://default.example", "default@a.example")
LETTER = Letter("a" * 24, "b@b.example", "Hello", "Hello", 0)


class Recorder:
    """A post that remembers by which settings each letter went, and when one was closed."""

    def __init__(self, wanted: MailSettings, told: list[tuple[str, MailSettings]]) -> None:
        self._wanted = wanted
        self._told = told

    def send(self, _letter: Letter) -> None:
        self._told.append(("sent", self._wanted))

    def close(self) -> None:
        self._told.append(("closed", self._wanted))


@pytest.fixture
def seal() -> Seal:
    return Seal(Seal.new_key())


def test_what_staff_set_wins_from_the_next_letter_on(sqlite_database: Database, seal: Seal) -> None:
    told: list[tuple[str, MailSettings]] = []
    made: list[MailSettings] = []

    def make(wanted: MailSettings) -> Recorder:
        made.append(wanted)
        return Recorder(wanted, told)

    post = SettledPost(sqlite_database, seal, DEFAULT, make)
    post.close()
    post.send(LETTER)
    post.send(LETTER)
    assert (told, made) == ([("sent", DEFAULT)] * 2, [DEFAULT])
    with sqlite_database.write() as conn:
        settings.edit_setting(conn, settings.SMTP_URL, seal.close("smtp://me:secret@other.example"))
    post.send(LETTER)
    other = MailSettings("smtp://me:secret@other.example", "default@a.example")
    assert told[2:] == [("closed", DEFAULT), ("sent", other)]
    with sqlite_database.write() as conn:
        settings.edit_setting(conn, settings.SMTP_URL, "")
        settings.edit_setting(conn, settings.MAIL_FROM, "new@a.example")
    post.send(LETTER)
    assert told[-1] == ("sent", MailSettings("smtp://default.example", "new@a.example"))
    post.close()
    assert told[-1][0] == "closed"
