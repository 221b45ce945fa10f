"""The SmartLinks of an affiliate (docs/spec/console.md#portal)."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()


@pages.get("/portal/smartlinks", audience="affiliate", needs=("partner.smartlink.categories.list",))
def smartlinks(request: PageRequest) -> PageAnswer:
    """Show each category with the link of the affiliate."""
    found = request.calls.call("partner.smartlink.categories.list")["data"]
    return request.page(
        "portal/smartlinks.html",
        rows=[(each, _link(each, request.person.caller.id)) for each in found],
        api_request_path=request.calls.address("partner.smartlink.categories.list"),
    )


def _link(category: Mapping[str, Any], pid: int | str) -> str:
    scheme = "https" if category["use_https"] else "http"
    return f"{scheme}://{category['domain']}/sl?{urlencode({'id': category['_id'], 'pid': pid})}"
