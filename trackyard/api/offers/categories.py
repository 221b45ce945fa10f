"""Categories of offers (docs/api/categories.md)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.offers.categories import add_category, edit_category, get_category, list_categories
from trackyard.api.lookups import by_hex
from trackyard.api.paging import Paging
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_find = by_hex(get_category)


class ListCategories(Paging):
    """The filter and order of a list. order: `_id` is another name of `id`."""

    ids: Seq[s.Text] = ()
    order: Annotated[str, s.Choice(("id", "_id", "title"))] = "id"
    orderType: Annotated[str, s.Choice(("asc", "desc"))] = "asc"


class WriteCategory(Params):
    """The title of a category."""

    title: Annotated[str, s.BoundedText(minimum=1)]


class CategoryView(View):
    """A category of offers."""

    id: str
    title: str


class CategoriesAnswer(Answer):
    """A page of the categories."""

    categories: list[CategoryView]
    pagination: Pagination


class CategoryAnswer(Answer):
    """One category."""

    category: CategoryView


@routes.get("/offer/categories", for_callers(Permission.CATEGORIES_READ), id="offer.categories.list")
def list_all(request: ApiRequest[Deps], params: ListCategories) -> CategoriesAnswer:
    """List the categories of offers, by default the oldest first."""
    rows, total = list_categories(
        request.deps,
        {text.strip().lower() for text in params.ids} or None,
        params.order.removeprefix("_"),
        descending=params.orderType == "desc",
        **params.place(request),
    )
    return CategoriesAnswer(
        categories=[view_of(CategoryView, row) for row in rows],
        pagination=params.pagination(request, total),
    )


@routes.post("/admin/category", for_staff(Permission.CATEGORIES_WRITE), id="admin.category.add")
def add(request: ApiRequest[Deps], params: WriteCategory) -> CategoryAnswer:
    """Add a category of offers."""
    return CategoryAnswer(category=view_of(CategoryView, add_category(request.deps, params.title)))


@routes.post("/admin/category/{id}", for_staff(Permission.CATEGORIES_WRITE), id="admin.category.edit", find=_find)
def edit(request: ApiRequest[Deps], params: WriteCategory) -> CategoryAnswer:
    """Rename a category of offers."""
    return CategoryAnswer(category=view_of(CategoryView, edit_category(request.deps, request.subject.id, params.title)))
