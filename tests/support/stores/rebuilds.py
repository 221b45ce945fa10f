"""Rebuilds that rest: for tests of the API, in which nothing is loaded."""

from trackyard.actions.platform.rebuild import Rebuilder
from trackyard.actions.platform.rebuild_status import RebuildMode, RebuildStatus
from trackyard.store.platform.rebuilds import RebuildStage


class IdleRebuilder(Rebuilder):
    """Reports rebuilds that ended as they began."""

    def start(self, wish: RebuildMode) -> RebuildStatus:
        now = self._clock.now_ms()
        self._status = RebuildStatus(1, wish, now, stage=RebuildStage.NOT_SWAPPED, ended_at=now)
        return self._status
