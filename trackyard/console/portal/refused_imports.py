"""The imports of an affiliate that made no conversion (docs/spec/console.md#portal)."""

from typing import Final

from trackyard.api.conversions import own_imports
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.words import sentences_of

pages = Pages()

PER_PAGE: Final = 30
PATH: Final = "/portal/conversions/refused"
METHOD: Final = own_imports.list_refused


@pages.get(PATH, audience="affiliate", needs=(METHOD,))
def refused_imports(request: PageRequest) -> PageAnswer:
    """Show the imports of a period that made no conversion, and why, the newest first."""
    period, fault = read_period(request.address, request.deps.clock.now_ms(), request.day_zone)
    sent = [("date_from", period.first.isoformat()), ("date_to", period.last.isoformat())]
    found: list[own_imports.RefusedImport] = []
    total, page = 0, 1
    try:
        answer = request.calls.ask(METHOD, [*sent, ("limit", str(PER_PAGE)), ("page", str(request.address.page))])
        found, total, page = answer.imports, answer.pagination.total_count, answer.pagination.page
    except BadInput as refusal:
        fault = sentences_of(refusal)
    return request.page(
        "portal/refused_imports.html",
        rows=[(each, _plain(each.text), _plain(each.advice)) for each in found],
        period=period,
        periods=CHOICES,
        fault=fault,
        total=total,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        api_request_path=request.calls.address(METHOD, sent),
    )


def _plain(text: str) -> str:
    """Return a text of the reference in the language of the page, without marks of code."""
    return gettext(text.replace("`", "")) if text else ""
