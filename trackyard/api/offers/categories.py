"""Categories of offers (docs/api/categories.md)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.offers.classification import add_category, edit_category, get_category, list_categories
from trackyard.api.paging import Paging
from trackyard.api.paths import path_hex
from trackyard.domain.people.roles import Permission
from trackyard.store.offers.categories import Category
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq
from trackyard.wire.response.envelope import Answer, Pagination, View, pagination


class ListCategories(Paging):
    """Which categories, and in what order. order: `_id` is another name of `id`."""

    ids: Seq[s.Text] = ()
    order: Annotated[str, s.Choice(("id", "_id", "title"))] = "id"
    orderType: Annotated[str, s.Choice(("asc", "desc"))] = "asc"


class WriteCategory(Params):
    """What a category is called."""

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


def list_all(request: ApiRequest[Deps], params: ListCategories) -> CategoriesAnswer:
    """List the categories of offers, by default the oldest first."""
    limit = params.clamped(request)
    rows, total = list_categories(
        request.deps,
        {text.strip().lower() for text in params.ids} or None,
        params.order.removeprefix("_"),
        descending=params.orderType == "desc",
        page=params.page,
        limit=limit,
    )
    return CategoriesAnswer(
        categories=[category_view(row) for row in rows],
        pagination=pagination(page=params.page, per_page=limit, total=total),
    )


def add(request: ApiRequest[Deps], params: WriteCategory) -> CategoryAnswer:
    """Add a category of offers."""
    return CategoryAnswer(category=category_view(add_category(request.deps, params.title)))


def edit(request: ApiRequest[Deps], params: WriteCategory) -> CategoryAnswer:
    """Rename a category of offers."""
    return CategoryAnswer(category=category_view(edit_category(request.deps, request.subject.id, params.title)))


def category_view(row: Category) -> CategoryView:
    """A category on the wire."""
    return CategoryView(id=row.id, title=row.title)


def _find(request: ApiRequest[Deps]) -> Category:
    return get_category(request.deps, path_hex(request))


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="offer.categories.list",
        method="GET",
        path="/offer/categories",
        permission=Permission.CATEGORIES_READ,
        params=ListCategories,
        answer=CategoriesAnswer,
        handle=list_all,
    ),
    Endpoint(
        id="admin.category.add",
        method="POST",
        path="/admin/category",
        audience="staff",
        permission=Permission.CATEGORIES_WRITE,
        params=WriteCategory,
        answer=CategoryAnswer,
        handle=add,
    ),
    Endpoint(
        id="admin.category.edit",
        method="POST",
        path="/admin/category/{id}",
        audience="staff",
        permission=Permission.CATEGORIES_WRITE,
        params=WriteCategory,
        answer=CategoryAnswer,
        find=_find,
        handle=edit,
    ),
)
