"""The texts of mails, for staff (docs/spec/mails.md#own-texts)."""

from typing import Annotated, Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.mails import texts as mail_texts
from trackyard.actions.platform.mails.texts import TextInLanguage
from trackyard.api.platform.settings import MailTestAnswer
from trackyard.base.texts.languages import ENGLISH, NAMES
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.mails.kinds import Notice
from trackyard.domain.platform.mails.labels import MAIL_LABELS
from trackyard.domain.platform.mails.own_texts import BODY_MAX, BUTTON_MAX, SUBJECT_MAX, MailText, values_of
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.SETTINGS_WRITE)
_PATH: Final = "/admin/mail-texts/{kind}"

LanguageCode = Annotated[str, s.Choice(tuple(NAMES))]
MailSubject = Annotated[str, s.BoundedText(minimum=1, maximum=SUBJECT_MAX, strips=True)]
MailBody = Annotated[str, s.BoundedText(minimum=1, maximum=BODY_MAX)]
MailButton = Annotated[str, s.BoundedText(maximum=BUTTON_MAX, strips=True)]


class MailTextPlace(Params):
    """The language of a text."""

    language: LanguageCode


class WriteMailText(MailTextPlace):
    """The own text of a kind of mail in a language. button: "" = the default one."""

    subject: MailSubject
    body: MailBody
    button: MailButton = ""


class TryMailText(Params):
    """A text to try; what is not sent is as mails have it."""

    language: LanguageCode = ENGLISH
    subject: MailSubject | None = None
    body: MailBody | None = None
    button: MailButton | None = None


class MailKindView(View):
    """A kind of mail. own: the languages in which it has an own text."""

    kind: str
    title: str
    readers: str
    values: list[str]
    needed: list[str]
    has_button: bool
    own: list[str]


class MailTextView(View):
    """The text of a kind of mail in a language, and the default one."""

    language: str
    is_own: bool
    subject: str
    body: str
    button: str
    default_subject: str
    default_body: str
    default_button: str


class MailTextsView(MailKindView):
    """A kind of mail with its texts."""

    texts: list[MailTextView]


class MailKindsAnswer(Answer):
    """All kinds of mails."""

    mails: list[MailKindView]


class MailTextsAnswer(Answer):
    """A kind of mail with its texts."""

    mail: MailTextsView


class MailPreviewView(View):
    """A mail with made-up values. text: as plain text. html: in the frame of the network."""

    subject: str
    text: str
    html: str


class MailPreviewAnswer(Answer):
    """A mail with made-up values."""

    preview: MailPreviewView


def _find(request: ApiRequest[Deps]) -> Notice:
    return mail_texts.get_kind(request.path["kind"])


@routes.get("/admin/mail-texts", _STAFF, id="admin.mail-texts.list")
def list_(request: ApiRequest[Deps], _params: NoParams) -> MailKindsAnswer:
    """List the kinds of mails with the values that their texts may have."""
    found = mail_texts.list_kinds(request.deps)
    return MailKindsAnswer(mails=[_kind_view(notice, own) for notice, own in found])


@routes.get(_PATH, _STAFF, id="admin.mail-text.get", find=_find)
def show(request: ApiRequest[Deps], _params: NoParams) -> MailTextsAnswer:
    """Show the texts of a kind of mail in each language: its own, and the default one."""
    return _answer(request)


@routes.post(_PATH, _STAFF, id="admin.mail-text.edit", find=_find)
def edit(request: ApiRequest[Deps], params: WriteMailText) -> MailTextsAnswer:
    """Write the own text of a kind of mail in a language. Mails that are queued from now on have it.

    A value is its name in braces, such as {name}; {{ and }} are braces. An unknown value is a 400, and so is a body
    without a needed value, which has a paragraph of its own. A text that equals the default one is not kept.
    """
    text = MailText(params.subject, params.body, params.button)
    mail_texts.write_text(request.deps, request.subject, params.language, text)
    return _answer(request)


@routes.delete(_PATH, _STAFF, id="admin.mail-text.remove", find=_find)
def remove(request: ApiRequest[Deps], params: MailTextPlace) -> MailTextsAnswer:
    """Remove the own text of a kind of mail in a language: its mails have the default text again."""
    mail_texts.restore_default(request.deps, request.subject, params.language)
    return _answer(request)


@routes.post(f"{_PATH}/preview", _STAFF, id="admin.mail-text.preview", find=_find)
def preview(request: ApiRequest[Deps], params: TryMailText) -> MailPreviewAnswer:
    """Show a mail of a kind with made-up values. Nothing is stored or sent."""
    made = mail_texts.preview(request.deps, request.subject, params.language, _tried(request, params))
    return MailPreviewAnswer(preview=view_of(MailPreviewView, made))


@routes.post(f"{_PATH}/test", _STAFF, id="admin.mail-text.test", find=_find, not_replayable=True)
def send_test(request: ApiRequest[Deps], params: TryMailText) -> MailTestAnswer:
    """Send a mail of a kind with made-up values to the calling staff user now.

    The answer has the answer of the mail server. Without a mail server the mail is queued and written to a file.
    """
    tried = _tried(request, params)
    done = mail_texts.send_test(request.deps, request.caller.account.id, request.subject, params.language, tried)
    return MailTestAnswer(email=done.email, server=done.server, is_sent=done.is_sent, answer=done.answer)


def _tried(request: ApiRequest[Deps], params: TryMailText) -> MailText | None:
    """Return the text that is tried; None for the one that mails have."""
    if params.subject is None and params.body is None and params.button is None:
        return None
    texts = mail_texts.list_texts(request.deps, request.subject)
    now = next(each.in_force for each in texts if each.language == params.language)
    given = {name: each for name in ("subject", "body", "button") if (each := getattr(params, name)) is not None}
    return MailText(given.get("subject", now.subject), given.get("body", now.body), given.get("button", now.button))


def _kind_view(notice: Notice, own: list[str]) -> MailKindView:
    label = MAIL_LABELS[notice.kind]
    return MailKindView(
        kind=notice.kind.value,
        title=str(label.title),
        readers=label.reader.value,
        values=list(values_of(notice)),
        needed=sorted(notice.needed),
        has_button=bool(notice.button),
        own=own,
    )


def _answer(request: ApiRequest[Deps]) -> MailTextsAnswer:
    texts = mail_texts.list_texts(request.deps, request.subject)
    kind = _kind_view(request.subject, [each.language for each in texts if each.own])
    return MailTextsAnswer(mail=view_of(MailTextsView, kind, texts=[_text_view(each) for each in texts]))


def _text_view(each: TextInLanguage) -> MailTextView:
    now, default = each.in_force, each.default
    return MailTextView(
        language=each.language,
        is_own=each.own is not None,
        subject=now.subject,
        body=now.body,
        button=now.button or default.button,
        default_subject=default.subject,
        default_body=default.body,
        default_button=default.button,
    )
