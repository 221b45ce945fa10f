"""News (docs/api/news.md)."""

from typing import Annotated, ClassVar, Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform import news
from trackyard.api.lookups import path_hex
from trackyard.api.tracking.logs import Instant, RecordId, instant
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.news import News, NewsAudience
from trackyard.wire.endpoint import ApiRequest, Rights, Routes, for_advertisers, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_READERS: Final = Rights("affiliate", Permission.NEWS_READ, advertisers=True)
"""The people of affiliates and advertisers."""

_COLUMNS = {
    "title": "title",
    "small_desc": "summary",
    "desc": "body",
    "status": "published",
    "fixed": "pinned",
    "audience": "audience",
    "until": "until",
}
"""Wire name → column."""
LastDay = Annotated[s.Day | None, Clearable()]
ForWhom = Annotated[str, s.Choice(tuple(NewsAudience))]


class ListNews(Params):
    """The filter of a list: `limit` news after the first `skip`. fixed: 1 pinned, 0 not pinned, else both."""

    limit: Annotated[int, s.WholeNumber(minimum=1)] = 10
    skip: Annotated[int, s.WholeNumber(minimum=0)] = 0
    fixed: Annotated[str | None, s.Choice(("0", "1"))] = None


class AddNews(Params):
    """New news. status: 1 = its audience sees it. fixed: 1 = before the others. until: the last day of it."""

    title: s.Name
    small_desc: s.LongText = ""
    desc: s.LongText = ""
    status: s.Flag = True
    fixed: s.Flag = False
    audience: ForWhom = "affiliates"
    until: LastDay = None


class EditNews(Params):
    """Changes of news; what is not sent stays."""

    edits: ClassVar[bool] = True

    title: s.Name | None = None
    small_desc: s.LongText | None = None
    desc: s.LongText | None = None
    status: s.Flag | None = None
    fixed: s.Flag | None = None
    audience: ForWhom | None = None
    until: LastDay = None


class SendNews(Params):
    """How news are mailed. dry_run: 1 only counts."""

    dry_run: s.Flag = False


class NewsView(View, rename={"id": "_id"}):
    """News. status: 1 = its audience sees it; fixed: 1 = pinned. until: the last day of it, null = no end."""

    id: RecordId
    title: str
    small_desc: str
    desc: str
    status: int
    fixed: int
    created_at: Instant
    audience: str
    until: str | None


class NewsListAnswer(Answer):
    """News by id, pinned ones first, each group newest first. all_items: the number of all."""

    items: dict[str, NewsView]
    all_items: int


class NewsAnswer(Answer):
    """One piece of news."""

    news: NewsView


class UnreadNewsAnswer(Answer):
    """How many news the person has not read."""

    unread: int


class NewsMailingAnswer(Answer):
    """Who gets news by mail: `added` now, `before` by an earlier request."""

    added: int
    before: int


@routes.get("/news", for_callers(Permission.NEWS_READ), id="news.list", page_max=100)
def list_(request: ApiRequest[Deps], params: ListNews) -> NewsListAnswer:
    """List news, pinned ones first, each group newest first. Drafts are for staff that may write news."""
    return _list(request, params)


@routes.get("/advertiser/news", for_advertisers(Permission.NEWS_READ), id="advertiser.news.list")
def list_for_advertisers(request: ApiRequest[Deps], params: ListNews) -> NewsListAnswer:
    """List the news for advertisers, pinned ones first, each group newest first."""
    return _list(request, params)


@routes.get("/news/unread", _READERS, id="news.unread")
def unread(request: ApiRequest[Deps], _params: NoParams) -> UnreadNewsAnswer:
    """Count the news that were shown since the person last read the news of its company."""
    return UnreadNewsAnswer(unread=news.count_unread(request.deps, request.caller))


@routes.post("/news/seen", _READERS, id="news.seen")
def seen(request: ApiRequest[Deps], _params: NoParams) -> UnreadNewsAnswer:
    """Mark all news as read by the person. Other people of its company have marks of their own."""
    news.mark_seen(request.deps, request.caller)
    return UnreadNewsAnswer(unread=0)


def _list(request: ApiRequest[Deps], params: ListNews) -> NewsListAnswer:
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
    new = news.NewNews(
        title=params.title,
        summary=params.small_desc,
        body=params.desc,
        published=params.status,
        pinned=params.fixed,
        audience=NewsAudience(params.audience),
        until=params.until,
    )
    return NewsAnswer(news=news_view(news.add_news(request.deps, new)))


@routes.post("/admin/news/{id}", for_staff(Permission.NEWS_WRITE), id="admin.news.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditNews) -> NewsAnswer:
    """Change news."""
    given = {name: getattr(params, name) for name in params.model_fields_set}
    changes = {_COLUMNS[name]: each for name, each in given.items() if each is not None or name == "until"}
    return NewsAnswer(news=news_view(news.edit_news(request.deps, request.subject.id, changes)))


@routes.post("/admin/news/{id}/remove", for_staff(Permission.NEWS_WRITE), id="admin.news.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> NewsAnswer:
    """Remove news. Answers with the removed news."""
    return NewsAnswer(news=news_view(news.remove_news(request.deps, request.subject.id)))


@routes.post("/admin/news/{id}/send", for_staff(Permission.NEWS_WRITE), id="admin.news.send", find=_find)
def send(request: ApiRequest[Deps], params: SendNews) -> NewsMailingAnswer:
    """Mail news to the active companies that they are for.

    A person gets them once, also when they are sent again.
    """
    done = news.send_news(request.deps, request.subject.id, dry_run=params.dry_run)
    return NewsMailingAnswer(added=done.added, before=done.before)


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
        audience=row.audience,
        until=row.until or None,
    )
