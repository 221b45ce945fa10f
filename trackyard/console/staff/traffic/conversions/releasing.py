"""Release of conversions that offers hold (docs/spec/quality.md#holding-and-rejecting)."""

from typing import Final

from trackyard.api.conversions import edits
from trackyard.base.texts.marks import ngettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()

_METHOD: Final = edits.release
_OFFERS: Final = "/console/offers"
_AFFILIATES: Final = "/console/affiliates"


@pages.get(f"{_OFFERS}/{{id}}/release", needs=(_METHOD,))
def ask_for_offer(request: PageRequest) -> PageAnswer:
    """Show what an offer holds before it is released."""
    return _ask(request, "offer", f"{_OFFERS}/{request.key}")


@pages.post(f"{_OFFERS}/{{id}}/release", needs=(_METHOD,))
def release_of_offer(request: PageRequest) -> PageAnswer:
    """Confirm the conversions that an offer holds as suspicious."""
    return _release(request, "offer", f"{_OFFERS}/{request.key}")


@pages.get(f"{_AFFILIATES}/{{id}}/release", needs=(_METHOD,))
def ask_for_affiliate(request: PageRequest) -> PageAnswer:
    """Show what offers hold of an affiliate before it is released."""
    return _ask(request, "pid", f"{_AFFILIATES}/{request.key}")


@pages.post(f"{_AFFILIATES}/{{id}}/release", needs=(_METHOD,))
def release_of_affiliate(request: PageRequest) -> PageAnswer:
    """Confirm the conversions of an affiliate that offers hold as suspicious."""
    return _release(request, "pid", f"{_AFFILIATES}/{request.key}")


def _ask(request: PageRequest, name: str, path: str) -> PageAnswer:
    sent = [(name, request.key), ("preview", "1")]
    return request.page("staff/traffic/release.html", found=request.calls.ask(_METHOD, sent), path=path)


def _release(request: PageRequest, name: str, path: str) -> PageAnswer:
    done = request.calls.ask(_METHOD, [(name, request.key)]).released
    return Redirect(path, ngettext("%(num)d conversion is released.", "%(num)d conversions are released.", done))
