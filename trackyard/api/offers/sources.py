"""Traffic sources (docs/api/sources.md)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.offers.sources import add_source, edit_source, get_source, list_sources, remove_source
from trackyard.api.lookups import by_hex
from trackyard.domain.offers.categories import TrafficSource
from trackyard.domain.offers.choices import LANGUAGES, preferred_text
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, NoParams, Params
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()
_find = by_hex(get_source)

Language = Annotated[str, s.Choice(LANGUAGES)]


class ListSources(Params):
    """The order of a list. order: `_id` is another name of `id`."""

    order: Annotated[str, s.Choice(("id", "_id", "title", "languages"))] = "id"
    orderType: Annotated[str, s.Choice(("asc", "desc"))] = "asc"


class WriteSource(Params):
    """Titles of a source by language. In an edit omitted titles stay, an empty one is removed."""

    title_lang: Keyed[Language, s.Text]


class SourceView(View):
    """A traffic source. title: `preferred_text` of its titles. allowed: 1, as in the offers that have it."""

    id: str
    title: str
    title_lang: dict[str, str]
    allowed: int = 1


class SourcesAnswer(Answer):
    """Every traffic source."""

    sources: list[SourceView]


class SourceAnswer(Answer):
    """One traffic source."""

    source: SourceView


@routes.get("/admin/offer/sources", for_staff(Permission.OFFERS_READ), id="admin.offer.sources.list")
def list_all(request: ApiRequest[Deps], params: ListSources) -> SourcesAnswer:
    """List the traffic sources, by default the oldest first."""
    order = params.order.removeprefix("_")
    rows = list_sources(request.deps, order, descending=params.orderType == "desc")
    return SourcesAnswer(sources=[source_view(row) for row in rows])


@routes.post("/admin/offer/source", for_staff(Permission.SOURCES_WRITE), id="admin.offer.source.add")
def add(request: ApiRequest[Deps], params: WriteSource) -> SourceAnswer:
    """Add a traffic source."""
    return SourceAnswer(source=source_view(add_source(request.deps, params.title_lang)))


@routes.post("/admin/offer/source/{id}", for_staff(Permission.SOURCES_WRITE), id="admin.offer.source.edit", find=_find)
def edit(request: ApiRequest[Deps], params: WriteSource) -> SourceAnswer:
    """Change the titles of a traffic source."""
    return SourceAnswer(source=source_view(edit_source(request.deps, request.subject.id, params.title_lang)))


@routes.delete(
    "/admin/offer/source/{id}", for_staff(Permission.SOURCES_WRITE), id="admin.offer.source.remove", find=_find
)
def remove(request: ApiRequest[Deps], _params: NoParams) -> SourceAnswer:
    """Remove a traffic source from all offers. Answers with the removed record."""
    return SourceAnswer(source=source_view(remove_source(request.deps, request.subject.id)))


def source_view(row: TrafficSource) -> SourceView:
    """Return the view of a traffic source."""
    return SourceView(id=row.id, title=preferred_text(row.title_lang), title_lang=row.title_lang)
