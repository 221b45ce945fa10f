"""Parts of the stories of a cluster: offers, and clicks of many visitors at both edge machines."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from tests.support.offer_scenario import SHOP, OfferScenario, create_offer_scenario
from tests.support.processes.cluster import ClusterMachine, RunningCluster
from tests.support.processes.program import poll_until, request

AT_ONCE: Final = 8
_visitors = count(1)


@dataclass(frozen=True)
class ClusterStory:
    """An offer, its affiliate, and the machines of the cluster."""

    cluster: RunningCluster
    offer: OfferScenario

    def at(self, machine: ClusterMachine) -> OfferScenario:
        """The same offer, as a machine has it."""
        return replace(self.offer, program=machine)

    def edit(self, api: ClusterMachine, **values: str) -> None:
        """Change the offer at one API."""
        api.api("POST", f"/3.0/admin/offer/{self.offer.offer}", values)

    def location(self, edge: ClusterMachine, visitor: str = "") -> str:
        """Where a click would go, which is not recorded."""
        return self._ask("HEAD", edge, visitor)

    def await_edges(self, start: str = SHOP, *, edges: Sequence[ClusterMachine] = ()) -> None:
        """Wait until clicks at both edge machines would go to an address that begins so."""
        for edge in edges or self.cluster.edges:
            poll_until(
                lambda edge=edge: self.location(edge).startswith(start),  # type: ignore[misc]
                seconds=20,
                what=f"the rule at {edge.directory.name}",
            )

    def accepted(self, clicks: Iterable[tuple[ClusterMachine, str]]) -> list[tuple[ClusterMachine, str]]:
        """Send clicks, several at once, each at a machine for a visitor; those that were accepted."""
        sent = list(clicks)
        with ThreadPoolExecutor(AT_ONCE) as threads:
            locations = list(threads.map(lambda click: self._ask("GET", *click), sent))
        return [click for click, location in zip(sent, locations, strict=True) if location.startswith(SHOP)]

    def _ask(self, method: str, edge: ClusterMachine, visitor: str) -> str:
        path = f"/click?pid={self.offer.affiliate}&offer_id={self.offer.offer}"
        answer = request(edge.tracking_port, method, path, headers={"X-Forwarded-For": visitor or new_visitor()})
        assert answer.status == 302, answer
        return answer.headers["location"]


def new_visitor() -> str:
    """An address that no click came from."""
    number = next(_visitors)
    return f"198.{18 + number // 65536}.{number // 256 % 256}.{number % 256}"


def begin_story(cluster: RunningCluster, postback_url: str | None = None, **values: str) -> ClusterStory:
    """A story with an offer of its own that both edge machines know. values: of the offer."""
    story = ClusterStory(cluster, create_offer_scenario(cluster.apis[0], postback_url))
    begun = f"{SHOP}begun"  # of the edit, which both edges must have
    story.edit(cluster.apis[1], url=f"{begun}?click={{clickid}}", **values)
    story.await_edges(begun)
    return story


def clicks_at(edges: Sequence[ClusterMachine], number: int) -> list[tuple[ClusterMachine, str]]:
    """As many clicks of new visitors, at the machines in turn."""
    return [(edges[each % len(edges)], new_visitor()) for each in range(number)]


def click_cap(value: int) -> dict[str, str]:
    """The parameters of an offer that takes so many clicks in all."""
    return {
        "caps[0][period]": "all",
        "caps[0][type]": "clicks",
        "caps[0][value]": str(value),
        "is_redirect_overcap": "1",
    }
