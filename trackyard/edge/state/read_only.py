"""The click state of a machine's edges, read by another process (click-check)."""

from pathlib import Path

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute
from trackyard.decision.click.state import ReadOnlyClickState
from trackyard.edge.state.counts_file import MIN_FILE_SIZE, CountsFile
from trackyard.edge.state.recovery import VISITORS_FILE
from trackyard.edge.state.unique import UniqueVisitors, is_complete


def is_new_visitor(visitors: UniqueVisitors, hit: Hit, route: OfferRoute) -> bool:
    """Return whether a click would be unique, without a claim."""
    cookie, second = route.unique_cookie(hit), hit.time_ms // 1000
    return not all(visitors.seen(route.id, key, cookie, second) for key in route.visitor_keys(hit))


class ReadOnlyEdgeState(ReadOnlyClickState):
    """The state in `directory`, opened for each look: its files come and go with the edges.

    A file that is absent or not complete counts as empty. Raises OSError.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def is_new(self, hit: Hit, route: OfferRoute) -> bool:
        path = self._directory / VISITORS_FILE
        if not is_complete(path):
            return True
        visitors = UniqueVisitors(path, writes=False)
        try:
            return is_new_visitor(visitors, hit, route)
        finally:
            visitors.close()

    def find_full_cap(self, hit: Hit, route: OfferRoute) -> str:
        capped = route.capped_counts(hit)
        if capped is None:
            return ""
        totals = [0] * len(capped.capped_counts)
        for path in sorted(self._directory.glob("counts-*.map")):
            if _size(path) < MIN_FILE_SIZE:
                continue
            file = CountsFile(path, writes=False)
            try:
                for index, each in enumerate(capped.capped_counts):
                    cell_index = file.find(each.key)
                    totals[index] += file.count_at(cell_index) if cell_index >= 0 else 0
            finally:
                file.close()
        for index, each in enumerate(capped.capped_counts):
            if totals[index] >= each.limit:
                return capped.caps[index]
        return ""


def _size(path: Path) -> int:
    """Return the size of a file in bytes; 0 = there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
