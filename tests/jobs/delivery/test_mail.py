"""Mail goes from the queue to the mailbox once, with one Message-ID, also after failures."""

import socket
import ssl
import threading
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.processes.mailserver import MailServer, mail_server
from tests.support.waiting import wait_until
from trackyard.base.clock import ManualClock
from trackyard.jobs.delivery.mail import GIVE_UP_MS, LEASE_MS, RETRY_SECONDS, Mailer
from trackyard.outbound.mail import (
    FolderTransport,
    MailMessage,
    MailServerUnreachable,
    MailTransport,
    SmtpServer,
    SmtpTransport,
    parse_smtp_url,
)
from trackyard.store.engine.database import Database
from trackyard.store.engine.queue_depths import get_queue_states
from trackyard.store.platform import mail

__all__ = ["mail_server"]

NOW = 1_700_000_000_000
SENDER = "Trackyard <mail@trackyard.example>"


def queue(database: Database, *recipients: str, subject: str = "Hello", body: str = "Dear all,\n\n.dots\n") -> None:
    with database.write() as conn:
        for recipient in recipients:
            mail.add(conn, recipient, subject, body, NOW)


def left(database: Database, now: int = NOW) -> int:
    with database.read() as conn:
        [state] = [state for state in get_queue_states(conn, now) if state.queue == "mail"]
        return state.depth


def mailer(database: Database, post: MailTransport, clock: ManualClock | None = None) -> Mailer:
    return Mailer(database, clock or ManualClock(NOW), post, draw_jitter=lambda: 0.0)


def drain(one: Mailer) -> None:
    while one.send_one():
        pass


def test_mail_folder_receives_message_as_file(database: Database, tmp_path: Path) -> None:
    queue(database, "a@example.org", subject="Offer «Schuhe»\r\nBcc: x@example.org")
    drain(mailer(database, FolderTransport(tmp_path / "mail", SENDER)))
    [path] = (tmp_path / "mail").iterdir()
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    assert (message["To"], message["From"]) == ("a@example.org", SENDER)
    assert (message["Subject"], message["Bcc"]) == ("Offer «Schuhe» Bcc: x@example.org", None)
    assert message["Message-ID"] == f"<{path.stem}@trackyard.example>"
    assert message.get_content() == "Dear all,\n\n.dots\n"
    assert left(database) == 0


def test_mail_folder_that_cannot_be_written_postpones_mail(database: Database, tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("a file")
    queue(database, "a@example.org")
    with pytest.raises(MailServerUnreachable, match="File exists"):
        mailer(database, FolderTransport(tmp_path / "mail", SENDER)).send_one()
    assert (left(database), left(database, NOW + RETRY_SECONDS[0] * 1000)) == (0, 1)


def test_mail_server_receives_all_mails_over_one_connection(database: Database, mail_server: MailServer) -> None:
    queue(database, "a@example.org", "b@example.org")
    post = SmtpTransport(parse_smtp_url(mail_server.url), SENDER)
    drain(mailer(database, post))
    post.close()
    assert sorted(got.recipients for got in mail_server.received) == [["a@example.org"], ["b@example.org"]]
    assert mail_server.received[0].message.get_content() == "Dear all,\r\n\r\n.dots\r\n"
    assert (mail_server.connections, mail_server.logins, left(database)) == (1, [], 0)


def test_mail_connection_that_was_closed_is_reopened(database: Database, mail_server: MailServer) -> None:
    post = SmtpTransport(parse_smtp_url(mail_server.url), SENDER)
    for recipient in ("a@example.org", "b@example.org"):
        queue(database, recipient)
        drain(mailer(database, post))
        assert post._client is not None and post._client.sock is not None
        post._client.sock.shutdown(socket.SHUT_RDWR)
    post.close()
    assert (len(mail_server.received), mail_server.connections) == (2, 2)


def test_mail_server_login_uses_url_credentials(database: Database, mail_server: MailServer) -> None:
    queue(database, "a@example.org")
    url = mail_server.url.replace("smtp://", "smtp://us%40er:pass%3Aword@")
    assert parse_smtp_url(url).password == "pass:word"
    post = SmtpTransport(parse_smtp_url(url), SENDER)
    drain(mailer(database, post))
    post.close()
    assert (len(mail_server.logins), len(mail_server.received)) == (1, 1)


def test_mail_password_is_not_sent_without_tls(
    database: Database, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SmtpServer, "is_local", False)
    queue(database, "a@example.org")
    post = SmtpTransport(parse_smtp_url(mail_server.url.replace("smtp://", "smtp://user:password@")), SENDER)
    with pytest.raises(MailServerUnreachable, match="the password was not sent"):
        mailer(database, post).send_one()
    assert (mail_server.logins, mail_server.received) == ([], [])


def self_signed(directory: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """TLS contexts of a server with a certificate for 127.0.0.1, and of a client that trusts only it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mail")])
    builder = x509.CertificateBuilder(subject_name=name, issuer_name=name, public_key=key.public_key())
    begin = datetime.now(UTC) - timedelta(days=1)
    builder = builder.serial_number(1).not_valid_before(begin).not_valid_after(begin + timedelta(days=2))
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = builder.add_extension(address, critical=False).sign(key, hashes.SHA256())
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    kind = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())
    (directory / "server.pem").write_bytes(secret + pem)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(directory / "server.pem")
    return server, ssl.create_default_context(cadata=pem.decode())


def test_mail_over_implicit_tls_checks_certificate(database: Database, tmp_path: Path) -> None:
    serving, trusting = self_signed(tmp_path)
    with MailServer(tls=serving) as server:
        url = server.url.replace("smtps://", "smtps://user:password@")
        queue(database, "a@example.org")
        with pytest.raises(MailServerUnreachable, match="certificate verify failed"):
            mailer(database, SmtpTransport(parse_smtp_url(url), SENDER)).send_one()
        assert (server.logins, server.received) == ([], [])
        post = SmtpTransport(parse_smtp_url(url), SENDER, context=trusting)
        drain(mailer(database, post, ManualClock(NOW + RETRY_SECONDS[0] * 1000)))
        post.close()
        assert (len(server.logins), len(server.received)) == (1, 1)


def test_mail_rejected_permanently_is_abandoned_and_others_are_sent(
    database: Database, mail_server: MailServer
) -> None:
    mail_server.answer_differently(lambda said: "550 no such user" if said == "a@example.org" else "250 OK")
    queue(database, "a@example.org", "b@example.org", "ä@example.org")
    post = SmtpTransport(parse_smtp_url(mail_server.url), SENDER)
    drain(mailer(database, post))
    post.close()
    assert [got.recipients for got in mail_server.received] == [["b@example.org"]]
    assert left(database, NOW + GIVE_UP_MS) == 0


def test_mail_rejected_temporarily_is_retried_then_abandoned(database: Database, mail_server: MailServer) -> None:
    clock = ManualClock(NOW)
    mail_server.answer_differently(lambda _: "451 later")
    queue(database, "a@example.org")
    post = SmtpTransport(parse_smtp_url(mail_server.url), SENDER)
    one = mailer(database, post, clock)
    for seconds in (*RETRY_SECONDS, RETRY_SECONDS[-1]):
        drain(one)
        assert left(database, clock.now_ms()) == 0
        clock.advance(seconds * 1000)
        assert left(database, clock.now_ms()) == 1
    clock.advance(GIVE_UP_MS)
    drain(one)
    post.close()
    assert left(database, NOW + 10 * GIVE_UP_MS) == 0
    assert mail_server.received == []


def test_mail_interrupted_by_crash_is_resent_with_same_message_id(
    database: Database, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualClock(NOW)
    queue(database, "a@example.org")
    post = SmtpTransport(parse_smtp_url(mail_server.url), SENDER)
    dying = mailer(database, post, clock)
    monkeypatch.setattr(dying, "_finish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        dying.send_one()
    after = mailer(database, post, clock)
    assert not after.send_one()  # its lease holds: no other worker sends it
    clock.advance(LEASE_MS)
    drain(after)
    post.close()
    first, second = mail_server.received
    assert first.message["Message-ID"] == second.message["Message-ID"]
    assert left(database, NOW + GIVE_UP_MS) == 0


def test_mail_waits_for_server_that_is_down(database: Database, mail_server: MailServer) -> None:
    queue(database, "a@example.org")
    with pytest.raises(MailServerUnreachable):
        mailer(database, SmtpTransport(SmtpServer("127.0.0.1", 1, tls=False), SENDER)).send_one()
    post = SmtpTransport(parse_smtp_url(mail_server.url), SENDER)
    drain(mailer(database, post, ManualClock(NOW + RETRY_SECONDS[0] * 1000)))
    post.close()
    assert len(mail_server.received) == 1


class FailingMailFolder(FolderTransport):
    """Fail on one recipient."""

    def send(self, letter: MailMessage) -> None:
        if letter.recipient == "bad@example.org":
            raise ValueError("no mail can be made of it")
        super().send(letter)


def test_mail_that_cannot_be_built_does_not_block_others(database: Database, tmp_path: Path) -> None:
    queue(database, "bad@example.org", "b@example.org")
    drain(mailer(database, FailingMailFolder(tmp_path, SENDER)))
    assert len(list(tmp_path.glob("*.eml"))) == 1
    assert (left(database), left(database, NOW + RETRY_SECONDS[0] * 1000)) == (0, 1)


@pytest.mark.parametrize(
    "recipient", ["ä@example.org", "a@bücher.example", "a(b@c", "a:b@example.org", "x" * 64 + "@c"]
)
def test_mail_to_unusual_address_is_sent(database: Database, tmp_path: Path, recipient: str) -> None:
    queue(database, recipient)
    drain(mailer(database, FolderTransport(tmp_path, SENDER)))
    assert len(list(tmp_path.glob("*.eml"))) == 1


def test_mailer_loop_sends_until_stopped(database: Database, tmp_path: Path) -> None:
    stop = threading.Event()
    one = mailer(database, FolderTransport(tmp_path, SENDER))
    thread = threading.Thread(target=one.run, args=(stop, 0.01))
    thread.start()
    queue(database, "a@example.org")
    try:
        wait_until(lambda: list(tmp_path.glob("*.eml")))
    finally:
        stop.set()
        thread.join(5)
    assert not thread.is_alive()


@pytest.mark.parametrize("url", ["http://a.example", "smtp://", "smtp://a.example/path", "smtp://a.example?x=1"])
def test_mail_server_url_that_is_invalid_is_rejected(url: str) -> None:
    with pytest.raises(ValueError, match="must be a URL"):
        parse_smtp_url(url)


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://a.example", SmtpServer("a.example", 587, False)),
        ("smtps://u:p@a.example", SmtpServer("a.example", 465, True, "u", "p")),
        ("smtp://[::1]:25", SmtpServer("::1", 25, False)),
    ],
)
def test_mail_server_url_is_parsed(url: str, server: SmtpServer) -> None:
    assert parse_smtp_url(url) == server


HOSTILE = "a@=?utf-8?q?x=0Abcc:_victim=40example.org=0A=0AHello=2C_click?="


@pytest.mark.parametrize(
    "recipient", [HOSTILE, "=?utf-8?q?a=0Abcc:_b=40c.org?=@x.example", "a@[bad", "a\x01b@x.example"]
)
def test_mail_to_unsendable_address_is_abandoned_at_once(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture, recipient: str
) -> None:
    queue(database, recipient, "next@example.org")
    with caplog.at_level("ERROR", "trackyard.mail"):
        drain(mailer(database, FolderTransport(tmp_path / "mail", SENDER)))
    [path] = (tmp_path / "mail").iterdir()
    assert message_from_bytes(path.read_bytes(), policy=policy.default)["To"] == "next@example.org"
    assert left(database, 2**60) == 0
    [record] = caplog.records
    assert record.getMessage() == "mail abandoned"
    assert "is not an e-mail address" in record.__dict__["reason"]
    assert recipient not in str(record.__dict__)
