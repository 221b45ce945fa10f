"""News of the network (docs/spec/console.md#portal)."""

from typing import Final

from trackyard.api.platform import news as news_api
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.words import moment_text

pages = Pages()

PER_PAGE: Final = 20


@pages.get("/portal/news", audience="affiliate", needs=(news_api.list_,))
def news(request: PageRequest) -> PageAnswer:
    """Show the news, pinned ones first."""
    page = request.address.page
    sent = [("limit", str(PER_PAGE)), ("skip", str((page - 1) * PER_PAGE))]
    answer = request.calls.ask(news_api.list_, sent)
    return request.page(
        "portal/news.html",
        rows=[(each, moment_text(each.created_at, request.zone)) for each in answer.items.values()],
        total=answer.all_items,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        api_request_path=request.calls.address(news_api.list_, sent),
    )
