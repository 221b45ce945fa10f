"""Parameters that every list has."""

from typing import Annotated, Any, TypedDict

from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import Pagination, View, pagination

Count = Annotated[int, s.WholeNumber(minimum=1)]


class PagePlace(TypedDict):
    """The place of a page, as actions take it."""

    page: int
    limit: int


class TotalPagination(View):
    """The position of a page, by the names that other platforms have. per_page: the same as limit."""

    page: int
    limit: int
    total: int
    per_page: int


class Paging(Params):
    """The page of a list. page: from 1. limit: one above the maximum of the method is clamped to it."""

    page: Count = 1
    limit: Count = 100

    def place(self, request: ApiRequest[Any]) -> PagePlace:
        """Return the page and the limit that is used."""
        return {"page": self.page, "limit": min(self.limit, request.max_limit)}

    def pagination(self, request: ApiRequest[Any], total: int) -> Pagination:
        """Return the pagination of an answer. total: entities on all pages."""
        return pagination(page=self.page, per_page=min(self.limit, request.max_limit), total=total)
