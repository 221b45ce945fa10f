"""Pages of the texts of mails, with a preview (docs/spec/mails.md#own-texts)."""

from html import escape
from typing import Final
from urllib.parse import urlsplit

from trackyard.api.platform import mail_texts as api
from trackyard.api.platform.mail_texts import MailKindsAnswer, MailKindView, MailTextView
from trackyard.api.platform.settings import MailTestAnswer
from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.languages import ENGLISH, NAMES
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.forms import open_form
from trackyard.console.forms.declared import FormField, FormGroup, FormPlan
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import FramedDocument, Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.page import declare_list
from trackyard.console.objects.edited import SETTINGS
from trackyard.console.staff.faults import fault_of
from trackyard.domain.platform.mails.labels import READERS, MailReader

pages = Pages()

PATH: Final = f"{SETTINGS}/mails"
_ONE: Final = f"{PATH}/{{id}}"
_SUBJECT: Final = FormField("subject", label=lazy_gettext("Subject"), help="", wide=True)
_BODY: Final = FormField("body", label=lazy_gettext("Text"), help="", widget="long", wide=True)
_BUTTON: Final = FormField("button", label=lazy_gettext("Button"), wide=True)


def _plan(*, has_button: bool) -> FormPlan[api.MailTextsAnswer]:
    """Return the form of a text. has_button: whether the mail has one."""
    fields = (_SUBJECT, _BODY, _BUTTON) if has_button else (_SUBJECT, _BODY)
    return FormPlan(api.edit, (FormGroup(lazy_gettext("The text"), fields),), sends_all=True)


_PLANS: Final = {has: _plan(has_button=has) for has in (True, False)}


def _kind(each: MailKindView, _on: On) -> ListCell:
    return cells.cell(each.title, link=f"{PATH}/{each.kind}")


def _own(each: MailKindView, _on: On) -> str:
    return ", ".join(NAMES[code] for code in each.own) or gettext("default")


declare_list(
    pages,
    ListPage[MailKindView, MailKindsAnswer](
        path=PATH,
        method=api.list_,
        view=MailKindsAnswer,
        needs=(api.show, api.edit),
        rows=lambda _, answer: answer.mails,
        title=lazy_gettext("Texts of mails"),
        counted=lambda total: ngettext("%(num)d kind of mail.", "%(num)d kinds of mails.", total),
        about=lazy_gettext("Each has a default text in every language, until you write your own."),
        columns=(
            ListColumn(title=lazy_gettext("Mail"), role="title", cell=_kind),
            ListColumn(title=lazy_gettext("For"), cell=lambda each, _: str(READERS[MailReader(each.readers)])),
            ListColumn(title=lazy_gettext("Own text"), cell=_own),
        ),
        links=lambda _: [PageLink(gettext("All settings"), SETTINGS)],
        per_page=100,
        empty=lazy_gettext("There are no mails."),
    ),
)


@pages.get(_ONE, needs=(api.show, api.edit, api.preview))
@pages.post(_ONE, needs=(api.show, api.edit, api.preview))
def mail_text(request: PageRequest) -> PageAnswer:
    """Show and change the text of a kind of mail in a language."""
    code, mail = _code(request), request.calls.ask(api.show, path=_place(request)).mail
    shown = next(each for each in mail.texts if each.language == code)
    form = open_form(request, _PLANS[mail.has_button], shown, path=_place(request), fixed=(("language", code),))
    if form.save() is not None:
        return Redirect(_address(request, code), gettext("The text is saved. Mails that are made from now on have it."))
    tested = None
    if form.is_tried:
        try:
            tested = _test_line(request.calls.ask(api.send_test, form.filled_pairs, _place(request)))
        except RequestError as refusal:
            form.refuse(refusal)
    page = form.page(
        request,
        mail.title,
        back=PATH,
        line=_line(shown),
        template="system/mail_text.html",
        mail=mail,
        shown=shown,
        tested=tested,
        languages=[(each, NAMES[each], _address(request, each)) for each in NAMES],
        preview=_address(request, code, "/preview"),
        default=_address(request, code, "/default"),
    )
    return Html(page.template, page.values, page.status, has_frames=True)


@pages.post(f"{_ONE}/default", needs=(api.remove,))
def restore_default(request: PageRequest) -> PageAnswer:
    """Give a kind of mail its default text in a language again."""
    code = _code(request)
    request.calls.ask(api.remove, [("language", code)], _place(request))
    return Redirect(_address(request, code), gettext("The mail has its default text again."))


@pages.get(f"{_ONE}/preview", needs=(api.preview,))
@pages.post(f"{_ONE}/preview", needs=(api.preview,))
def preview(request: PageRequest) -> PageAnswer:
    """Show a mail with made-up values: the text that is sent with the form, else the one that mails have."""
    names = ("subject", "body", "button") if request.form else ()
    typed: list[Pair] = [(name, request.field(name)) for name in names]
    try:
        made = request.calls.ask(api.preview, [("language", _code(request)), *typed], _place(request)).preview
    except BadInput as refusal:
        return FramedDocument(f"<!doctype html><p>{escape(fault_of(refusal))}</p>", status=refusal.status)
    url = urlsplit(request.deps.api_url)
    return FramedDocument(made.html, f"{url.scheme}://{url.netloc}" if url.netloc else "")


def _test_line(done: MailTestAnswer) -> str:
    """Return the result of a test mail, in words."""
    if not done.server:
        return gettext("No mail server is set: the mail to %(address)s is written to a file.", address=done.email)
    if done.is_sent:
        return gettext(
            "The mail server %(server)s took the mail to %(address)s.", server=done.server, address=done.email
        )
    return gettext(
        "The mail to %(address)s was not sent. The mail server %(server)s says: %(answer)s",
        address=done.email,
        server=done.server,
        answer=done.answer,
    )


def _line(shown: MailTextView) -> str:
    name = NAMES[shown.language]
    if shown.is_own:
        return gettext("Your own text in %(language)s.", language=name)
    return gettext("The default text in %(language)s.", language=name)


def _code(request: PageRequest) -> str:
    code = request.address.get("language", ENGLISH)
    return code if code in NAMES else ENGLISH


def _place(request: PageRequest) -> dict[str, str]:
    return {"kind": request.key}


def _address(request: PageRequest, code: str, below: str = "") -> str:
    return f"{PATH}/{request.key}{below}?language={code}"
