"""Use cases of the texts of mails that staff write (docs/spec/mails.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.mails.at_once import MailTest, send_at_once
from trackyard.actions.platform.notices import (
    NOTICES,
    Recipient,
    WrittenMail,
    link_of,
    values_for,
    why_account,
    write_mail,
)
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.languages import NAMES, language, speaking
from trackyard.domain.people.callers import HOMES, AccountKind
from trackyard.domain.platform.mails.frame import look_of
from trackyard.domain.platform.mails.kinds import Notice, NoticeKind
from trackyard.domain.platform.mails.labels import MAIL_LABELS, MailReader
from trackyard.domain.platform.mails.own_texts import MailText, default_text, faults_of, settled, with_own_text
from trackyard.domain.platform.mails.samples import sample_values
from trackyard.store.engine.database import Connection
from trackyard.store.platform import mail, mail_texts, settings

_HOMES: Final[Mapping[MailReader, str]] = {
    MailReader.STAFF: HOMES[AccountKind.STAFF],
    MailReader.AFFILIATES: HOMES[AccountKind.AFFILIATE],
    MailReader.ADVERTISERS: HOMES[AccountKind.ADVERTISER],
    MailReader.ALL: HOMES[AccountKind.AFFILIATE],
}
"""The pages that links of previews lead to."""


@dataclass(frozen=True, slots=True)
class TextInLanguage:
    """The text of a kind of mail in one language. own: None = mails have the default one."""

    language: str
    default: MailText
    own: MailText | None = None

    @property
    def in_force(self) -> MailText:
        """Return the text that mails have."""
        return self.own or self.default


def list_kinds(deps: Deps) -> list[tuple[Notice, list[str]]]:
    """Return every kind of mail, and the languages in which it has an own text."""
    with deps.database.read() as conn:
        own = mail_texts.list_languages(conn)
    return [(NOTICES[kind], [code for code in NAMES if code in own.get(kind, ())]) for kind in MAIL_LABELS]


def get_kind(kind: str) -> Notice:
    """Return a kind of mail by its name. Raises NotFound."""
    if kind not in set(NoticeKind):
        raise NotFound
    return NOTICES[NoticeKind(kind)]


def list_texts(deps: Deps, notice: Notice) -> list[TextInLanguage]:
    """Return the text of a kind in each language."""
    with deps.database.read() as conn:
        own = mail_texts.find_texts(conn, notice.kind)
    return [_in_language(notice, code, own) for code in NAMES]


def write_text(deps: Deps, notice: Notice, code: str, text: MailText) -> None:
    """Store an own text, which mails that are queued from now on have. Raises BadInput.

    A text that equals the default one is not stored, and an earlier own one is removed.
    code: the language.
    """
    text = checked_text(notice, text)
    with deps.database.write() as conn:
        default = _in_language(notice, code, {}).default
        if replace(text, button=text.button or default.button) == default:
            mail_texts.remove_text(conn, notice.kind, code)
            return
        stored = replace(text, button="" if text.button == default.button else text.button)
        mail_texts.write_text(conn, notice.kind, code, stored, deps.clock.now_ms())


def restore_default(deps: Deps, notice: Notice, code: str) -> None:
    """Let mails of a kind have the default text in a language again."""
    with deps.database.write() as conn:
        mail_texts.remove_text(conn, notice.kind, code)


def checked_text(notice: Notice, text: MailText) -> MailText:
    """Return a text as it is stored. Raises BadInput."""
    text = settled(text)
    if faults := faults_of(notice, text):
        raise BadInput(faults)
    return text


def preview(deps: Deps, notice: Notice, code: str, text: MailText | None) -> WrittenMail:
    """Return a mail of a kind with made-up values. text: None = the one that mails have. Raises BadInput."""
    text = checked_text(notice, text) if text else None
    with deps.database.read() as conn:
        return _sample(deps, conn, notice, code, text, None)


def send_test(deps: Deps, staff_id: str, notice: Notice, code: str, text: MailText | None) -> MailTest:
    """Send a mail of a kind with made-up values to a staff user, now.

    Raises BadInput, NotFound, DecryptionFailed.
    """
    text = checked_text(notice, text) if text else None
    return send_at_once(deps, staff_id, partial(_queue_sample, deps, notice, code, text))


def _queue_sample(
    deps: Deps, notice: Notice, code: str, text: MailText | None, conn: Connection, recipient: Recipient
) -> str:
    made = _sample(deps, conn, notice, code, text, recipient.name)
    return mail.add(
        conn, recipient.email, made.subject, made.text, deps.clock.now_ms(), html=made.html, kind=notice.kind
    )


def _sample(
    deps: Deps, conn: Connection, notice: Notice, code: str, text: MailText | None, name: str | None
) -> WrittenMail:
    """Return a mail with made-up values. name: of the person who gets it, None = a made-up one."""
    shown = text or mail_texts.find_texts(conn, notice.kind).get(code)
    base = settings.find_api_url(conn)
    look = look_of(settings.find_network(conn), base)
    recipient = Recipient("", "", home=_HOMES[MAIL_LABELS[notice.kind].reader])
    with speaking(language(code)):
        named = values_for(recipient, base, sample_values(notice, deps.currency)) | {"network": look.name}
        named["link"] = f"{base}/sign-in" if "link" in notice.needed else link_of(notice, recipient, base, named)
        if name is not None:
            named["name"] = name
        return write_mail(with_own_text(notice, shown, named), named, look, why_account(look))


def _in_language(notice: Notice, code: str, own: Mapping[str, MailText]) -> TextInLanguage:
    with speaking(language(code)):
        return TextInLanguage(code, default_text(notice), own.get(code))
