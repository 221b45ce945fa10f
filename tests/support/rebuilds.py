"""Rebuilds that rest: for tests of the API, in which nothing is loaded."""

from trackyard.actions.platform.rebuild import Rebuilder, Told, Wish
from trackyard.store.platform.rebuilds import Stage


class RestingRebuilder(Rebuilder):
    """Tells of rebuilds that ended as they began."""

    def start(self, wish: Wish) -> Told:
        now = self._clock.now_ms()
        self._told = Told(1, wish, now, stage=Stage.KEPT, ended_at=now)
        return self._told
