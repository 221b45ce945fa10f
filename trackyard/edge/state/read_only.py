"""The state of a machine's edges as a process beside them sees it: it looks and claims nothing (click-check)."""

from pathlib import Path

from trackyard.decision.click.hit import Hit
from trackyard.edge.state.caps import places_of
from trackyard.edge.state.counts_file import SMALLEST, CountsFile
from trackyard.edge.state.recovery import VISITORS
from trackyard.edge.state.unique import HEADER, UniqueVisitors


class Onlooker:
    """decision.click.state.Seen over the files in `directory`, opened for each look: they come and go with the edges.
    Of what is not there, or is just being made, nothing was seen. Errors: OSError."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def is_new(self, hit: Hit) -> bool:
        """As Seen."""
        path = self._directory / VISITORS
        if hit.offer is None or _size(path) <= HEADER:
            return hit.offer is not None
        visitors = UniqueVisitors(path, writes=False)
        try:
            return not visitors.seen(hit.offer.id, hit.who(), hit.cookie, hit.time_ms // 1000)
        finally:
            visitors.close()

    def full_cap(self, hit: Hit) -> str:
        """As Seen."""
        places = places_of(hit)
        if not places.wanted:
            return ""
        counted = [0] * len(places.wanted)
        for path in sorted(self._directory.glob("counts-*.map")):
            if _size(path) < SMALLEST:
                continue
            file = CountsFile(path, writes=False)
            try:
                for index, each in enumerate(places.wanted):
                    place = file.find(each.key)
                    counted[index] += file.count_at(place) if place >= 0 else 0
            finally:
                file.close()
        for index, each in enumerate(places.wanted):
            if counted[index] >= each.limit:
                return places.caps[index]
        return ""


def _size(path: Path) -> int:
    """The bytes of a file; 0 when it is not there."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
