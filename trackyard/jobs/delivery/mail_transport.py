"""Where mail goes by the settings of the moment: what staff set at run time before what the variables say."""

from collections.abc import Callable
from dataclasses import dataclass

from trackyard.base.secrets import Seal
from trackyard.outbound.mail import Letter, Post
from trackyard.store.engine.database import Database
from trackyard.store.platform import settings


@dataclass(frozen=True, slots=True)
class MailSettings:
    """smtp_url: the mail server, "" = none · sender: an address with or without a name."""

    smtp_url: str
    sender: str


class SettledPost:
    """A post that is made anew when the settings it was made by change. `default`: for what staff set nothing of."""

    def __init__(
        self, database: Database, seal: Seal, default: MailSettings, make: Callable[[MailSettings], Post]
    ) -> None:
        self._database = database
        self._seal = seal
        self._default = default
        self._make = make
        self._made: tuple[MailSettings, Post] | None = None

    def send(self, letter: Letter) -> None:
        """Hands over one letter. Raises Unreachable, Refused, SealBroken."""
        wanted = self._wanted()
        if self._made is None or self._made[0] != wanted:
            self.close()
            self._made = (wanted, self._make(wanted))
        self._made[1].send(letter)

    def close(self) -> None:
        """Gives back what is held between letters."""
        if self._made is not None:
            self._made[1].close()

    def _wanted(self) -> MailSettings:
        with self._database.read() as conn:
            sealed = settings.find_setting(conn, settings.SMTP_URL)
            sender = settings.find_setting(conn, settings.MAIL_FROM)
        return MailSettings(
            self._seal.open(sealed) if sealed else self._default.smtp_url, sender or self._default.sender
        )
