"""Parameters that every list has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import Pagination, View, pagination

Count = Annotated[int, s.WholeNumber(minimum=1)]


@dataclass(frozen=True)
class PageCount(s.WholeNumber):
    """The number of a page. Programs that count pages from 0 mean the first one by it."""

    minimum: int = 0

    def read(self, text: str, context: Mapping[str, Any]) -> int:
        return max(super().read(text, context), 1)


PageNumber = Annotated[int, PageCount()]


class PagePlace(TypedDict):
    """The place of a page, as actions take it."""

    page: int
    limit: int


class TotalPagination(View):
    """The position of a page, in the fields of other platforms. per_page: the same as limit."""

    page: int
    limit: int
    total: int
    per_page: int


class Paging(Params):
    """The page of a list.

    page: from 1; 0 is 1. limit: one above the maximum of the method is clamped to it.
    """

    page: PageNumber = 1
    limit: Count = 100

    def place(self, request: ApiRequest[Any]) -> PagePlace:
        """Return the page and the limit that is used."""
        return {"page": self.page, "limit": min(self.limit, request.max_limit)}

    def pagination(self, request: ApiRequest[Any], total: int) -> Pagination:
        """Return the pagination of an answer. total: entities on all pages."""
        return pagination(page=self.page, per_page=min(self.limit, request.max_limit), total=total)
