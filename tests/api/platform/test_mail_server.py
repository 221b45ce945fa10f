"""Another mail server needs the password, and the other administrators get a mail."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.pages import PASSWORD, PageReader, staff_visitor
from trackyard.actions.people.staff import set_password
from trackyard.actions.platform.settings_in_force import MailSettings
from trackyard.domain.people.roles import Role
from trackyard.jobs.delivery.mail import ConfiguredMailTransport, Mailer
from trackyard.outbound.mail import MailMessage, MailServerUnreachable
from trackyard.store.platform import mail

OLD = "smtp://me:word@old.example:587"
NEW = "smtp://thief:word@new.example:587"
DEFAULT = MailSettings("smtp://start.example", "start@a.example")


class SentMail:
    """What each server got: its settings, recipient, body.

    down: servers that cannot be reached.
    """

    def __init__(self) -> None:
        self.all: list[tuple[MailSettings, str, str]] = []
        self.down: set[str] = set()

    def make(self, wanted: MailSettings) -> "OneServer":
        """Return the transport of a server."""
        return OneServer(self, wanted)


class OneServer:
    """A transport that keeps what it sends."""

    def __init__(self, sent: SentMail, wanted: MailSettings) -> None:
        self._sent, self._wanted = sent, wanted

    def send(self, message: MailMessage) -> None:
        """Keep the mail."""
        if self._wanted.smtp_url in self._sent.down:
            raise MailServerUnreachable("down")
        self._sent.all.append((self._wanted, message.recipient, message.body))

    def close(self) -> None:
        """Hold nothing."""


def deliver(api: Api, sent: SentMail, default: MailSettings = DEFAULT) -> None:
    post = ConfiguredMailTransport(api.deps.database, api.deps.cipher, default, sent.make)
    mailer = Mailer(api.deps.database, api.clock, post, draw_jitter=lambda: 0.0)
    while mailer.send_one():
        pass


def queue_one(api: Api) -> None:
    """Queue a mail of the platform, which goes through the server in force."""
    with api.deps.database.write() as conn:
        mail.add(conn, "other@a.example", "Hello", "Hello", api.clock.now_ms())


def administrators(api: Api) -> tuple[ApiClient, str]:
    """A session of one administrator, and the address of another."""
    own, client = api.add_staff(Role.ADMIN)
    set_password(api.deps, own, PASSWORD)
    _, session = api.open_session(client)
    other, _ = api.add_staff(Role.ADMIN)
    return session, email_of(api, other)


def email_of(api: Api, staff_id: str) -> str:
    return str(api.admin.get(f"/3.1/admin/user/{staff_id}")["user"]["email"])


@pytest.mark.parametrize("changes", [{"smtp_url": NEW}, {"mail_from": "thief@a.example"}, {"smtp_url": ""}])
def test_other_mail_server_needs_the_password_in_a_session(api: Api, changes: dict[str, str]) -> None:
    api.admin.post("/3.1/admin/settings", smtp_url=OLD, mail_from="old@a.example")
    session, _ = administrators(api)
    for params in (changes, changes | {"password": "wrong"}):
        assert session.refusal("POST", "/3.1/admin/settings", data=params) == (400, ["password"])
    same = {"smtp_url": "smtp://me:***@old.example:587", "mail_from": "old@a.example", "refuse_bots": "0"}
    session.post("/3.1/admin/settings", **same)
    shown = session.post("/3.1/admin/settings", **changes, password=PASSWORD)["settings"]
    assert {name: shown[name].replace("***", "word") for name in changes} == changes


@pytest.mark.parametrize("old", ["", OLD])
def test_other_administrators_get_a_mail_through_the_server_before(api: Api, old: str) -> None:
    if old:
        api.admin.post("/3.1/admin/settings", smtp_url=old, mail_from="old@a.example")
    session, other = administrators(api)
    deliver(api, SentMail())
    session.post("/3.1/admin/settings", smtp_url=NEW, mail_from="thief@a.example", password=PASSWORD)
    sent = SentMail()
    deliver(api, sent)
    told = {recipient: (server, body) for server, recipient, body in sent.all}
    expected = MailSettings(OLD, "old@a.example") if old else DEFAULT
    assert told.keys() == {other, "admin@localhost"}
    assert {server.smtp_url for server, _ in told.values()} == {expected.smtp_url}
    assert all(expected.sender in server.sender for server, _ in told.values())
    assert all("new.example:587" in body and ":word" not in body and "thief:" not in body for _, body in told.values())
    queue_one(api)
    deliver(api, sent)
    assert sent.all[-1][0].smtp_url == NEW


def test_mail_through_an_unreachable_earlier_server_delays_no_other(api: Api) -> None:
    api.admin.post("/3.1/admin/settings", smtp_url=OLD)
    session, other = administrators(api)
    deliver(api, SentMail())
    session.post("/3.1/admin/settings", smtp_url=NEW, password=PASSWORD)
    queue_one(api)
    sent = SentMail()
    sent.down.add(OLD)
    deliver(api, sent)
    assert [server.smtp_url for server, _, _ in sent.all] == [NEW]
    sent.down.clear()
    api.clock.advance(3_600_000)
    deliver(api, sent)
    assert other in {recipient for server, recipient, _ in sent.all if server.smtp_url == OLD}


def test_first_mail_server_sends_the_mail_about_itself(api: Api) -> None:
    """Where mail had no server, a mail through it would be lost."""
    _, other = administrators(api)
    api.admin.post("/3.1/admin/settings", smtp_url=NEW)
    sent = SentMail()
    deliver(api, sent, MailSettings("", "start@a.example"))
    assert (other, NEW) in {(recipient, server.smtp_url) for server, recipient, _ in sent.all}


def test_page_of_settings_asks_for_the_password_of_another_mail_server(api: Api) -> None:
    visitor = staff_visitor(api)
    form = visitor.read("/console/settings")
    sent: dict[str, Any] = {"form_do": "save", "form_shown": form.fields["form_shown"], "smtp_url": NEW}
    refused = visitor.post("/console/settings", **sent)
    assert refused.status_code == 400
    assert "This value is required in a session." in PageReader(refused.text).text
    assert visitor.post("/console/settings", **sent, password=PASSWORD).status_code == 303
    assert api.admin.get("/3.1/admin/settings")["settings"]["smtp_url"] == "smtp://thief:***@new.example:587"
