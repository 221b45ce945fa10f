"""The slots of deliveries: in all, by affiliate, by host, and by what is known of a host.

docs/spec/postbacks.md#fair-turns.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trackyard.domain.tracking.outbound_calls import Delivery, Destination
from trackyard.jobs.delivery.host_concurrency import HostConcurrency, OutboundLimits
from trackyard.jobs.delivery.host_health import HostHealth
from trackyard.jobs.delivery.slot_shares import SlotShares
from trackyard.outbound.results import HttpResult
from trackyard.store.tracking.deliveries import DueDelivery


@dataclass(frozen=True, slots=True)
class FreeSlots:
    """The slots that are free now.

    free: the slots in all. expanded: the slots of each destination that has more than at the start. without: the
    destinations that get none now. running: the destinations with a request.
    """

    free: int
    expanded: dict[Destination, int]
    without: Sequence[Destination]
    running: Sequence[Destination]
    full_affiliates: Sequence[int]
    full_hosts: Sequence[str]


class DeliverySlots:
    """The slots that deliveries hold while they are made."""

    def __init__(self, limits: OutboundLimits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._concurrency = HostConcurrency[Destination](limits)
        self._affiliates = SlotShares[int](limits.by_affiliate)
        self._hosts = SlotShares[str](limits.by_host)
        self._health = HostHealth(limits.seconds, now)
        self._hanging: set[str] = set()

    def find_free(self, most: int) -> FreeSlots:
        """Return the free slots. most: the limit of `free`."""
        without = {*self._concurrency.full, *self._health.paused}
        if len(self._hanging) >= self._limits.hanging:
            without.update(self._health.hanging)
        expanded = {place: free for place, free in self._concurrency.expanded.items() if place not in without}
        return FreeSlots(
            min(self._concurrency.free, most),
            expanded,
            list(without),
            self._concurrency.running,
            self._affiliates.full,
            self._hosts.full,
        )

    def take(self, item: DueDelivery) -> bool:
        """Take the slots of a delivery; return whether there was one of each kind."""
        hangs = self._health.is_hanging(item.destination)
        if (hangs and len(self._hanging) >= self._limits.hanging) or self._health.is_paused(item.destination):
            return False
        if not self._affiliates.take(item.affiliate_id):
            return False
        if not self._hosts.take(item.host):
            self._affiliates.free_slot(item.affiliate_id)
            return False
        if not self._concurrency.take(item.destination):
            self._free_shares(item)
            return False
        if hangs:
            self._hanging.add(item.id)
        return True

    def free_slot(self, item: DueDelivery | Delivery) -> None:
        """Free the slots of a delivery that was not made."""
        self._concurrency.free_slot(item.destination)
        self._free_shares(item)

    def time_for(self, item: Delivery) -> float:
        """Return how many seconds the request of a delivery may take."""
        return self._health.time_for(item.destination)

    def record_answer(self, item: Delivery, answer: HttpResult, seconds: float, allowed: float) -> None:
        """Free the slots of a delivery that took `seconds` of the `allowed` ones."""
        self._concurrency.record_answer(item.destination, seconds, well=not answer.is_retryable)
        self._health.record(item.destination, answer, allowed)
        self._free_shares(item)

    def forget_idle(self, due: Iterable[DueDelivery], asked: FreeSlots) -> None:
        """Reset destinations that are idle and have no work; one that was not asked for may have some."""
        busy = {item.destination for item in due}.union(asked.without, asked.running)
        for place in self._concurrency.expanded:
            if place.affiliate_id in asked.full_affiliates or place.host in asked.full_hosts:
                busy.add(place)
        self._concurrency.shrink_idle_windows(busy)

    def _free_shares(self, item: DueDelivery | Delivery) -> None:
        self._affiliates.free_slot(item.affiliate_id)
        self._hosts.free_slot(item.host)
        self._hanging.discard(item.id)
