"""Who may ask the analytic store, and when: nobody's heavy report holds up what another asks.

A statement begins in one of a few places for light ones. One that is not done after two seconds has shown that it is
heavy: it goes on in a place for heavy ones, of which each name has but few, or is ended and waits for such a place.
So a place for light ones is free again within two seconds, whatever is asked. Files of many rows take turns among the
heavy ones, one for each piece, so that none keeps a place as long as somebody reads it.
"""

import logging
import math
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from trackyard.analytics.cancellation import Asking
from trackyard.base.errors import Abandoned, ReportsBusy

log = logging.getLogger("trackyard.analytics")

_TICK_S: Final = 0.2
"""How often the running statements are looked at."""


@dataclass(frozen=True, slots=True)
class Places:
    """How many statements run at once: `most` in all, `each` of one name; `waiting` more wait, `seconds` at most."""

    most: int
    each: int
    waiting: int
    seconds: float


LIGHT: Final = Places(most=6, each=2, waiting=64, seconds=10)
HEAVY: Final = Places(most=2, each=1, waiting=16, seconds=15)
LIGHT_SECONDS: Final = 2.0
"""What takes longer is heavy."""


class Lane:
    """Places that names share: of those that wait, the one whose name was served longest ago goes first."""

    def __init__(self, places: Places, has_heavy: Callable[[str], bool] = lambda _name: False) -> None:
        """has_heavy: whether a name has other statements that are heavy; then it has one place here."""
        self._places, self._has_heavy = places, has_heavy
        self._changed = threading.Condition()
        self._running: dict[str, int] = {}
        self._waiting: list[Asking] = []
        self._served: dict[str, int] = {}
        self._turns = 0

    def enter(self, who: Asking, *, patient: bool = False) -> None:
        """Waits for a place. Raises ReportsBusy when there is none in time, unless it is `patient`, and Abandoned when
        nobody waits any more."""
        until = math.inf if patient else time.monotonic() + self._places.seconds
        with self._changed:
            if len(self._waiting) >= self._places.waiting and not patient:
                raise ReportsBusy(self._places.seconds)
            self._waiting.append(who)
            try:
                while self._next() is not who:
                    left = until - time.monotonic()
                    if who.is_over:
                        raise Abandoned
                    if left <= 0:
                        raise ReportsBusy(self._places.seconds)
                    self._changed.wait(min(left, threading.TIMEOUT_MAX))
                self._take(who.name)
            finally:
                self._waiting.remove(who)
                self._changed.notify_all()

    def try_enter(self, name: str) -> bool:
        """Takes a place if one is free and nobody waits for it."""
        with self._changed:
            if not self._is_free(name) or self._next() is not None:
                return False
            self._take(name)
            return True

    def leave(self, name: str) -> None:
        """Gives a place back."""
        with self._changed:
            self._running[name] -= 1
            if not self._running[name]:
                del self._running[name]
            waiting = {each.name for each in self._waiting}
            self._served = {each: turn for each, turn in self._served.items() if each in waiting}
            self._turns += 1
            self._served[name] = self._turns
            self._changed.notify_all()

    def holds(self, name: str) -> bool:
        """Whether a place is a name's now."""
        return name in self._running

    def look_again(self) -> None:
        """Lets those that wait see that they need not."""
        with self._changed:
            self._changed.notify_all()

    def waiting(self) -> list[str]:
        """The names of those that wait, the first that came first."""
        with self._changed:
            return [each.name for each in self._waiting]

    def _next(self) -> Asking | None:
        able = [each for each in self._waiting if self._is_free(each.name)]
        return min(able, key=lambda each: self._served.get(each.name, 0), default=None)

    def _is_free(self, name: str) -> bool:
        running, each = self._running, 1 if self._has_heavy(name) else self._places.each
        return sum(running.values()) < self._places.most and running.get(name, 0) < each

    def _take(self, name: str) -> None:
        self._running[name] = self._running.get(name, 0) + 1


@dataclass(eq=False, slots=True)
class Turn:
    """A statement that runs. `id`: by which it is ended · `sent_back`: it was, since it is heavy and no place for
    heavy ones was free."""

    who: Asking
    began: float
    id: str = field(default_factory=lambda: secrets.token_hex(12))
    heavy: bool = False
    sent_back: bool = False


class Turns:
    """The turns of one analytic store. `kill`: ends the statement of an id if it runs; called from a thread of ours."""

    def __init__(
        self,
        kill: Callable[[str], None],
        *,
        light: Places = LIGHT,
        heavy: Places = HEAVY,
        light_seconds: float = LIGHT_SECONDS,
    ) -> None:
        self._kill = kill
        self._heavy = Lane(heavy)
        self._light = Lane(light, self._heavy.holds)
        self._files = Lane(replace(heavy, most=max(1, heavy.most - 1)))
        self._light_seconds = light_seconds
        self._lock = threading.Lock()
        self._running: set[Turn] = set()
        self._look = threading.Event()
        self._watcher: threading.Thread | None = None
        self._closed = False

    def close(self) -> None:
        """Ends the thread that watches."""
        self._closed = True
        self._look.set()
        if self._watcher is not None:
            self._watcher.join()

    def waiting(self) -> list[str]:
        """The names of those that wait for a turn."""
        return self._light.waiting() + self._heavy.waiting() + self._files.waiting()

    @contextmanager
    def light(self, who: Asking) -> Iterator[Turn]:
        """A turn, as long as the block runs. Raises ReportsBusy, Abandoned."""
        with self._turn(who, self._light) as turn:
            yield turn

    @contextmanager
    def heavy(self, who: Asking) -> Iterator[Turn]:
        """A turn of what was sent back. Raises ReportsBusy, Abandoned."""
        with self._turn(who, self._heavy) as turn:
            yield turn

    @contextmanager
    def of_file(self, who: Asking, *, patient: bool) -> Iterator[None]:
        """A turn for the next rows of a file, in a place for heavy ones, of which files leave one to reports. patient:
        it waits as long as it takes. Raises as `Lane.enter`."""
        with self._place(who, self._files, patient=patient), self._place(who, self._heavy, patient=patient):
            yield
        self._light.look_again()

    @staticmethod
    @contextmanager
    def _place(who: Asking, lane: Lane, *, patient: bool) -> Iterator[None]:
        with who.ended_by(lane.look_again):
            lane.enter(who, patient=patient)
        try:
            yield
        finally:
            lane.leave(who.name)

    @contextmanager
    def _turn(self, who: Asking, lane: Lane) -> Iterator[Turn]:
        with who.ended_by(lane.look_again):
            lane.enter(who)
        turn = Turn(who, time.monotonic(), heavy=lane is self._heavy)
        self._begin(turn)
        try:
            with who.ended_by(self._look.set):
                if who.is_over:
                    raise Abandoned
                yield turn
        finally:
            with self._lock:
                self._running.remove(turn)
            (self._heavy if turn.heavy else self._light).leave(who.name)
            self._light.look_again()

    def _begin(self, turn: Turn) -> None:
        with self._lock:
            self._running.add(turn)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="turns", daemon=True)
                self._watcher.start()
        self._look.set()

    def _watch(self) -> None:
        while not self._closed:
            self._look.wait(_TICK_S if self._now() else None)
            self._look.clear()
            for turn in self._now():
                self._look_at(turn)

    def _now(self) -> list[Turn]:
        with self._lock:
            return list(self._running)

    def _look_at(self, turn: Turn) -> None:
        with self._lock:
            is_late = turn in self._running and time.monotonic() - turn.began > self._light_seconds
            if is_late and not turn.heavy and not turn.sent_back:
                turn.heavy = self._heavy.try_enter(turn.who.name)
                turn.sent_back = not turn.heavy
                if turn.heavy:
                    self._light.leave(turn.who.name)
        if turn.sent_back or turn.who.is_over:
            # Again until it has ended: an order that came before the statement began found nothing to end.
            try:
                self._kill(turn.id)
            except Exception:
                log.warning("a statement could not be ended", exc_info=True)
