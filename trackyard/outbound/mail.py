"""Mail transports: the operator's SMTP server, or a folder of .eml files.

docs/spec/platform.md#mail. The settings name the server, so it may be in a private network.
"""

import os
import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage, Message
from email.policy import Policy
from email.utils import formataddr, formatdate, parseaddr
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from trackyard.base.emails import is_safe_recipient

STEP_TIMEOUT_S: Final = 10
"""Seconds that one step of a conversation with the server may take."""

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class MailServerUnreachable(Exception):
    """The server cannot be used now; the mail is sent later. The text contains the reason."""


class MailRejected(Exception):
    """The server rejected this mail. permanent: a retry cannot succeed."""

    def __init__(self, text: str, *, permanent: bool) -> None:
        super().__init__(text)
        self.permanent = permanent


@dataclass(frozen=True, slots=True)
class MailMessage:
    """One mail.

    id: 24 hex digits, the same at every attempt.
    created_at: UTC milliseconds.
    html: the body as HTML, "" = plain text alone.
    files: name, media type and content.
    server: the mail server and sender, encrypted; "" = the current settings.
    stop: the URL that switches such mails off by POST, and shows it with a button; "" = none.
    """

    id: str
    recipient: str
    subject: str
    body: str
    created_at: int
    html: str = ""
    files: tuple[tuple[str, str, bytes], ...] = ()
    server: str = ""
    stop: str = ""


class MailTransport(Protocol):
    """Sends mail."""

    def send(self, mail: MailMessage) -> None:
        """Send one mail. Raises MailServerUnreachable, MailRejected."""

    def close(self) -> None:
        """Release what is held between mails."""


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """An SMTP server.

    tls: from the first byte (smtps).
    user: "" = no login.
    """

    host: str
    port: int
    tls: bool
    user: str = ""
    password: str = ""

    @property
    def is_local(self) -> bool:
        """Return whether it runs on this machine, where no one can listen."""
        return self.host in _LOOPBACK


def parse_smtp_url(url: str) -> SmtpServer:
    """Return the server of a URL smtp://user:password@host:587 or smtps://…. Raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError("must be a URL such as smtp://user:password@host:587 or smtps://host")
    tls = parts.scheme == "smtps"
    port = parts.port or (465 if tls else 587)
    return SmtpServer(parts.hostname, port, tls, unquote(parts.username or ""), unquote(parts.password or ""))


def build_message(mail: MailMessage, sender: str) -> EmailMessage:
    """Return a mail as it is sent. A repeat has the same Message-ID.

    Raises MailRejected for good when the recipient is not an address: it could add headers.
    """
    if not is_safe_recipient(mail.recipient):
        raise MailRejected("the recipient is not an e-mail address: correct it in the account", permanent=True)
    message = EmailMessage()
    message["From"] = sender
    message["To"] = mail.recipient
    message["Subject"] = mail.subject
    message["Date"] = formatdate(mail.created_at / 1000)
    message["Message-ID"] = f"<{mail.id}@{sender_host(sender)}>"
    message["Auto-Submitted"] = "auto-generated"
    if mail.stop:  # RFC 8058
        message["List-Unsubscribe"] = _WholeHeader("List-Unsubscribe", f"<{mail.stop}>")
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(mail.body)
    if mail.html:
        message.add_alternative(mail.html, subtype="html")
    for name, kind, content in mail.files:
        main, _, sub = kind.partition("/")
        message.add_attachment(content, maintype=main, subtype=sub, filename=name)
    return message


class _WholeHeader(str):
    """A header that is sent in one line: a long URL must not become an encoded word.

    Raises ValueError for blanks and control characters.
    """

    name: str

    def __new__(cls, name: str, value: str) -> "_WholeHeader":
        if not value.isascii() or not value.isprintable() or " " in value:
            raise ValueError(f"{name} has one word of printable characters")
        made = super().__new__(cls, value)
        made.name = name
        return made

    def fold(self, *, policy: "Policy[Message]") -> str:
        """Return the line of the header, as email.policy calls it."""
        return f"{self.name}: {self}{policy.linesep}"


def named_sender(sender: str, name: str) -> str:
    """Return a sender with a name: its own, or else this one."""
    own, address = parseaddr(sender)
    return sender if own or not name or not address else formataddr((name, address))


def sender_host(sender: str) -> str:
    """Return the host in a sender such as `Trackyard <mail@host>`."""
    return parseaddr(sender)[1].rpartition("@")[2] or "localhost"


class FolderTransport:
    """Writes mails into a directory, one {id}.eml each; a repeat replaces the file."""

    def __init__(self, directory: Path, sender: str) -> None:
        self._directory = directory
        self._sender = sender

    def send(self, mail: MailMessage) -> None:
        """Write the file durably. Raises MailServerUnreachable when that fails, MailRejected."""
        content = bytes(build_message(mail, self._sender))
        partial = self._directory / f"{mail.id}.partial"
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as handle:
                handle.write(content)
                handle.flush()
                os.fsync(handle.fileno())
            partial.replace(partial.with_suffix(".eml"))
        except OSError as fault:
            raise MailServerUnreachable(f"{self._directory}: {fault.strerror}") from fault

    def close(self) -> None:
        """Do nothing, since nothing is held."""


class SmtpTransport:
    """Sends mails to an SMTP server over one connection, made with the first mail.

    TLS with a verified certificate is used when the server offers it, except on this machine. A password is never sent
    to another machine without TLS.
    """

    def __init__(
        self,
        server: SmtpServer,
        sender: str,
        *,
        context: ssl.SSLContext | None = None,
        step_seconds: float = STEP_TIMEOUT_S,
    ) -> None:
        self._step_seconds = step_seconds
        self._server = server
        self._sender = sender
        self._context = context or ssl.create_default_context()
        self._client: smtplib.SMTP | None = None

    def connect(self) -> None:
        """Connect and log in, which sends nothing. Raises MailServerUnreachable."""
        self._connected()

    def send(self, mail: MailMessage) -> None:
        """Send a mail. Raises MailServerUnreachable, MailRejected."""
        client = self._connected()
        try:
            client.send_message(build_message(mail, self._sender), to_addrs=[mail.recipient])
        except smtplib.SMTPNotSupportedError as fault:  # an address that is not ASCII
            raise MailRejected(str(fault), permanent=True) from fault
        except smtplib.SMTPRecipientsRefused as fault:
            code, text = next(iter(fault.recipients.values()))
            raise MailRejected(f"{code} {_text(text)}", permanent=code >= 500) from fault
        except smtplib.SMTPDataError as fault:
            raise MailRejected(
                f"{fault.smtp_code} {_text(fault.smtp_error)}", permanent=fault.smtp_code >= 500
            ) from fault
        except (smtplib.SMTPException, OSError) as fault:
            self.close()
            raise MailServerUnreachable(_reason(fault)) from fault

    def close(self) -> None:
        """End the connection."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(smtplib.SMTPException, OSError):
                client.quit()
            client.close()

    def _connected(self) -> smtplib.SMTP:
        if self._client is not None and _is_alive(self._client):
            return self._client
        self.close()
        try:
            self._client = self._connect()
        except (smtplib.SMTPException, OSError) as fault:
            raise MailServerUnreachable(_reason(fault)) from fault
        return self._client

    def _connect(self) -> smtplib.SMTP:
        server, name = self._server, sender_host(self._sender)
        client: smtplib.SMTP
        if server.tls:
            client = smtplib.SMTP_SSL(server.host, server.port, name, timeout=self._step_seconds, context=self._context)
        else:
            client = smtplib.SMTP(server.host, server.port, name, timeout=self._step_seconds)
        try:
            client.ehlo()
            secure = server.tls or server.is_local
            if not secure and client.has_extn("starttls"):
                client.starttls(context=self._context)
                secure = True
            if server.user:
                if not secure:
                    raise smtplib.SMTPException("the server offers no TLS: the password was not sent")
                client.login(server.user, server.password)
        except BaseException:
            client.close()
            raise
        return client


def _is_alive(client: smtplib.SMTP) -> bool:
    try:
        return bool(client.noop()[0] == 250)
    except (smtplib.SMTPException, OSError):
        return False


def _reason(fault: Exception) -> str:
    if isinstance(fault, smtplib.SMTPResponseException):
        return f"{fault.smtp_code} {_text(fault.smtp_error)}"
    return str(fault) or type(fault).__name__


def _text(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
