"""Concurrency by host: more requests while a host answers quickly, few while it hangs.

docs/spec/postbacks.md#fair-turns.
"""

from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

QUICK_SECONDS: Final = 1.0
"""An answer within this time earns its host another slot."""

_MAX_IDLE_HOSTS: Final = 10_000

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class OutboundLimits:
    """Limits of concurrent requests.

    total: in all; `by_affiliate`: for one affiliate; `by_host`: to one host; `hanging`: to hosts that hang. By host (of
    deliveries, and affiliate): `start` of an unknown one, `most` of a quick one, `slow` of a slow one, `least` of a
    silent one.
    seconds: how long one request may take.
    """

    total: int = 512
    by_affiliate: int = 51
    by_host: int = 64
    hanging: int = 128
    start: int = 4
    most: int = 64
    slow: int = 8
    least: int = 2
    seconds: float = 10


@dataclass(slots=True)
class _Host:
    """A host. window: its slots; in_use: taken ones; in_demand: there was work for more."""

    window: int
    in_use: int = 0
    in_demand: bool = False


class HostConcurrency(Generic[Key]):
    """The slots of each host, by its name or another key.

    A host is forgotten when it is idle and unremarkable.
    """

    def __init__(self, limits: OutboundLimits) -> None:
        self._limits = limits
        self._hosts: dict[Key, _Host] = {}
        self._in_use = 0

    @property
    def free(self) -> int:
        """Return how many slots are left in all."""
        return self._limits.total - self._in_use

    @property
    def full(self) -> list[Key]:
        """Return the hosts without a free slot."""
        return [name for name, host in self._hosts.items() if host.in_use >= host.window]

    @property
    def running(self) -> list[Key]:
        """Return the hosts with a request."""
        return [name for name, host in self._hosts.items() if host.in_use > 0]

    @property
    def expanded(self) -> dict[Key, int]:
        """Return the hosts with more slots than at the start and some free, with how many."""
        hosts = self._hosts.items()
        return {
            name: host.window - host.in_use
            for name, host in hosts
            if host.window > self._limits.start and host.in_use < host.window
        }

    def take(self, name: Key) -> bool:
        """Take a slot of a host; return whether there was one."""
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = _Host(self._limits.start)
        host.in_demand = host.in_use + 1 >= host.window
        if host.in_use >= host.window or self.free <= 0:
            return False
        host.in_use += 1
        self._in_use += 1
        return True

    def free_slot(self, name: Key) -> None:
        """Free a slot without a result about its host."""
        host = self._hosts[name]
        host.in_use -= 1
        self._in_use -= 1
        if host.in_use == 0:
            self._forget(name, host)

    def record_answer(self, name: Key, seconds: float, *, well: bool) -> None:
        """Free the slot of a request that took `seconds`; well: the host answered without asking for less."""
        host, limits = self._hosts[name], self._limits
        if not well:
            host.window = max(limits.least, host.window // 2)
        elif seconds <= QUICK_SECONDS:
            host.window = min(limits.most, host.window + host.in_demand)
        elif host.window > limits.slow:
            host.window = max(limits.slow, host.window // 2)
        else:
            host.window = min(limits.slow, host.window + host.in_demand)
        self.free_slot(name)

    def shrink_idle_windows(self, busy: Container[Key]) -> None:
        """Reset hosts with an expanded window to the start when they are idle and have no work."""
        for name in list(self.expanded):
            if self._hosts[name].in_use == 0 and name not in busy:
                del self._hosts[name]

    def _forget(self, name: Key, host: _Host) -> None:
        """Forget an idle host that is as at the start, or another one when there are too many."""
        if host.window == self._limits.start:
            del self._hosts[name]
        elif len(self._hosts) > _MAX_IDLE_HOSTS:
            del self._hosts[next(each for each, one in self._hosts.items() if one.in_use == 0)]
