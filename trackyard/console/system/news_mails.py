"""News by mail: who gets them, and the button (docs/spec/platform.md#news)."""

from typing import Final

from trackyard.api.platform import news
from trackyard.base.errors import Conflict
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of
from trackyard.console.system.settings_lists import AUDIENCES, NEWS

pages = Pages()

_PATH: Final = f"{NEWS.path}/{{id}}/send"


@pages.get(_PATH, needs=(news.show, news.send))
def ask_before_mail(request: PageRequest) -> PageAnswer:
    """Say how many people get the news, with a button."""
    shown = request.calls.ask(news.show, path={"id": request.key}).news
    fault, added, before = "", 0, 0
    try:
        counted = request.calls.ask(news.send, [("dry_run", "1")], {"id": request.key})
        added, before = counted.added, counted.before
    except Conflict as refusal:
        fault = fault_of(refusal)
    return request.page(
        "system/news_mail.html",
        news=shown,
        audience=AUDIENCES[shown.audience],
        people=ngettext("%(num)d person gets it by mail.", "%(num)d people get it by mail.", added),
        earlier=ngettext("%(num)d person got it before.", "%(num)d people got it before.", before) if before else "",
        added=added,
        fault=fault,
        back=NEWS.path,
    )


@pages.post(_PATH, needs=(news.show, news.send))
def mail(request: PageRequest) -> PageAnswer:
    """Mail the news to the people who have not got them."""
    try:
        done = request.calls.ask(news.send, path={"id": request.key})
    except Conflict:
        return ask_before_mail(request)
    if not done.added:
        return Redirect(NEWS.path, gettext("Everybody has these news already."))
    text = ngettext("A mail to %(num)d person is on its way.", "Mails to %(num)d people are on their way.", done.added)
    return Redirect(NEWS.path, text)
