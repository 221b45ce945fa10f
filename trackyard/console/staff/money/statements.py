"""The statement of an affiliate, for staff."""

from trackyard.api.money import statements
from trackyard.api.people import affiliates
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.money_shown.statements import currencies_of, statement_file, statement_page
from trackyard.console.staff.people_names import affiliate_names

pages = Pages()

_LINKS = {"offer": "/console/offers", "payment": "/console/payments"}


@pages.get("/console/statements/{id}", needs=(statements.show, affiliates.show_balance))
def statement(request: PageRequest) -> PageAnswer:
    """Show what changed the balance of an affiliate."""
    number, currencies = _account(request)
    name = affiliate_names(request.calls, [number]).get(number, f"#{number}")
    return statement_page(
        request,
        [("pid", str(number))],
        currencies,
        title=gettext("Statement"),
        subject=name,
        links=_LINKS,
        back=f"/console/affiliates/{number}",
        back_label=name,
    )


@pages.get("/console/statements/{id}/file", needs=(statements.show, affiliates.show_balance))
def file(request: PageRequest) -> PageAnswer:
    """Send the statement as a file."""
    number, currencies = _account(request)
    return statement_file(request, [("pid", str(number))], currencies)


def _account(request: PageRequest) -> tuple[int, list[str]]:
    """Return the number of the affiliate and the currencies of its balances. Raises NotFound."""
    text = request.key
    if not (text.isascii() and text.isdecimal() and 0 < len(text) < 10):
        raise NotFound
    try:
        found = request.calls.ask(affiliates.show_balance, [("pid", text)]).balance
    except BadInput:
        raise NotFound from None
    return int(text), currencies_of(found)
