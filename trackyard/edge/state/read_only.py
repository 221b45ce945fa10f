"""The state of a machine's edges as a process beside them sees it: it looks and claims nothing (click-check)."""

from pathlib import Path

from trackyard.decision.click.hit import Hit
from trackyard.edge.state.caps import capped_counts_of
from trackyard.edge.state.counts_file import MIN_FILE_SIZE, CountsFile
from trackyard.edge.state.recovery import VISITORS_FILE
from trackyard.edge.state.unique import HEADER, UniqueVisitors


class ReadOnlyEdgeState:
    """decision.click.state.Seen over the files in `directory`, opened for each look: they come and go with the edges.
    Of what is not there, or is just being made, nothing was seen. Errors: OSError."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def is_new(self, hit: Hit) -> bool:
        """As Seen."""
        path = self._directory / VISITORS_FILE
        if hit.offer is None or _size(path) <= HEADER:
            return hit.offer is not None
        visitors = UniqueVisitors(path, writes=False)
        try:
            return not visitors.seen(hit.offer.id, hit.visitor_key(), hit.cookie, hit.time_ms // 1000)
        finally:
            visitors.close()

    def full_cap(self, hit: Hit) -> str:
        """As Seen."""
        capped = capped_counts_of(hit)
        if not capped.capped_counts:
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
    """The bytes of a file; 0 when it is not there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
