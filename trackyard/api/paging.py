"""Parameters that every list has."""

from typing import Annotated, Any

from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params

Count = Annotated[int, s.WholeNumber(minimum=1)]


class Paging(Params):
    """page from 1; a limit above the method's maximum is clamped to it."""

    page: Count = 1
    limit: Count = 100

    def clamped(self, request: ApiRequest[Any]) -> int:
        """Return the limit that is used."""
        return min(self.limit, request.max_limit)
