"""News (docs/api/news.md)."""

from typing import Annotated, ClassVar

from trackyard.actions.deps import Deps
from trackyard.actions.platform import news
from trackyard.api.lookups import path_hex
from trackyard.api.tracking.logs import Instant, RecordId, instant
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.news import News
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

_COLUMNS = {"title": "title", "small_desc": "summary", "desc": "body", "status": "published", "fixed": "pinned"}
"""Wire name → column."""


class ListNews(Params):
    """The filter of a list: `limit` news after the first `skip`. fixed: 1 pinned, 0 not pinned, else both."""

    limit: Annotated[int, s.WholeNumber(minimum=1)] = 10
    skip: Annotated[int, s.WholeNumber(minimum=0)] = 0
    fixed: Annotated[str | None, s.Choice(("0", "1"))] = None


class AddNews(Params):
    """New news. status: 1 = affiliates see it. fixed: 1 = before the others."""

    title: s.Name
    small_desc: s.LongText = ""
    desc: s.LongText = ""
    status: s.Flag = True
    fixed: s.Flag = False


class EditNews(Params):
    """Changes of news; what is not sent stays."""

    edits: ClassVar[bool] = True

    title: s.Name | None = None
    small_desc: s.LongText | None = None
    desc: s.LongText | None = None
    status: s.Flag | None = None
    fixed: s.Flag | None = None


class NewsView(View, rename={"id": "_id"}):
    """News. status: 1 = affiliates see it; fixed: 1 = pinned."""

    id: RecordId
    title: str
    small_desc: str
    desc: str
    status: int
    fixed: int
    created_at: Instant


class NewsListAnswer(Answer):
    """News by id, pinned ones first, each group newest first. all_items: the number of all."""

    items: dict[str, NewsView]
    all_items: int


class NewsAnswer(Answer):
    """One piece of news."""

    news: NewsView


@routes.get("/news", for_callers(Permission.NEWS_READ), id="news.list", page_max=100)
def list_(request: ApiRequest[Deps], params: ListNews) -> NewsListAnswer:
    """List news, pinned ones first, each group newest first. Drafts are for staff that may write news."""
    found, total = news.list_news(
        request.deps,
        request.caller,
        pinned=None if params.fixed is None else params.fixed == "1",
        skip=params.skip,
        limit=min(params.limit, request.max_limit),
    )
    return NewsListAnswer(items={row.id: news_view(row) for row in found}, all_items=total)


def _find(request: ApiRequest[Deps]) -> News:
    return news.get_news(request.deps, request.caller, path_hex(request))


@routes.get("/news/{id}", for_callers(Permission.NEWS_READ), id="news.get", find=_find)
def show(request: ApiRequest[Deps], _params: NoParams) -> NewsAnswer:
    """Show one piece of news."""
    return NewsAnswer(news=news_view(request.subject))


@routes.post("/admin/news", for_staff(Permission.NEWS_WRITE), id="admin.news.add")
def add(request: ApiRequest[Deps], params: AddNews) -> NewsAnswer:
    """Add news."""
    values = {column: getattr(params, name) for name, column in _COLUMNS.items()}
    return NewsAnswer(news=news_view(news.add_news(request.deps, **values)))


@routes.post("/admin/news/{id}", for_staff(Permission.NEWS_WRITE), id="admin.news.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditNews) -> NewsAnswer:
    """Change news."""
    changes = {_COLUMNS[name]: value for name, value in params.model_dump(exclude_none=True).items()}
    return NewsAnswer(news=news_view(news.edit_news(request.deps, request.subject.id, changes)))


@routes.post("/admin/news/{id}/remove", for_staff(Permission.NEWS_WRITE), id="admin.news.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> NewsAnswer:
    """Remove news. Answers with the removed news."""
    return NewsAnswer(news=news_view(news.remove_news(request.deps, request.subject.id)))


def news_view(row: News) -> NewsView:
    """Return the view of news."""
    return view_of(
        NewsView,
        row,
        id=RecordId(id=row.id),
        small_desc=row.summary,
        desc=row.body,
        status=int(row.published),
        fixed=int(row.pinned),
        created_at=instant(row.created_at),
    )
