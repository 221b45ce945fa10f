"""The terms of the network, for affiliates (docs/spec/console.md#portal)."""

from trackyard.api.people import own_account
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()


@pages.get("/portal/terms", audience="affiliate", needs=(own_account.accept,))
def terms(request: PageRequest) -> PageAnswer:
    """Show the terms, and the button that accepts them."""
    return request.page("portal/terms.html")


@pages.post("/portal/terms", audience="affiliate", needs=(own_account.accept,))
def accept_terms(request: PageRequest) -> PageAnswer:
    """Accept the terms."""
    request.calls.ask(own_account.accept)
    return Redirect("/portal/", gettext("You accepted the terms."))
