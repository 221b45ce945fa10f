"""An edge's state with a real journal, without a server: clicks decided and recorded one by one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tests.support.clicks.edge import publish
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset
from trackyard.base.clock import ManualClock
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import Reservation
from trackyard.decision.click.state import ReservationRequest
from trackyard.decision.targeting.ip_lists import address_number
from trackyard.decision.visitor.geo import CachedGeoRecord, GeoRecord
from trackyard.decision.visitor.visitor import Agent, ParsedAgent
from trackyard.domain.tracking.rejections import NOT_COUNTED
from trackyard.domain.tracking.ruleset import ClickCap, RulesetAdvertiser, RulesetAffiliate, RulesetRow
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.journal.records import Click, RecordKind, encode
from trackyard.journal.writer import JournalWriter

NOW_MS = 1_700_000_000_000
OFFER = 3
CAP = ClickCap(id="cap", period="month", value=5)


def rows(cap: ClickCap = CAP) -> list[RulesetRow]:
    """An offer with a cap of clicks."""
    return [make_offer(OFFER, click_caps=(cap,)), RulesetAffiliate(id=7), RulesetAdvertiser(id=ADVERTISER)]


class StatefulEdge:
    """An edge number of `directory` that decides clicks by its state alone."""

    def __init__(self, directory: Path, edge: int = 1, *, shared: bool = False, now_ms: int = NOW_MS) -> None:
        self.directory = directory
        self.edge = edge
        self.clock = ManualClock(now_ms)
        journals, published = directory / "journal", directory / "rules"
        if not published.exists():
            publish(published, rows())
        self.ruleset = make_ruleset(rows())
        self.writer = JournalWriter(journals, edge, self.clock)
        self._writing = True
        options = StateOptions(directory / "state", journals, published, edge, shared, 64 * 1024)
        self.state: EdgeState | None = None
        try:
            self.state = EdgeState(options, self.writer.end_position, now_ms // 1000)
        except BaseException:
            self.abandon()
            raise

    def ask(self, visitor: int, sub3: str = "") -> tuple[Hit, Reservation]:
        """A click reserves all it needs."""
        assert self.state is not None
        click_id = f"{self.clock.now_ms() // 1000:08x}{self.edge:02x}{os.urandom(7).hex()}"
        ip = f"10.0.{visitor // 256}.{visitor % 256}"
        params = {"offer_id": str(OFFER), "pid": "7", "sub3": sub3}
        hit = Hit(
            self.ruleset.platform,
            self.ruleset.affiliate_of(params),
            self.clock.now_ms(),
            click_id,
            params,
            ip,
            address_number(ip),
            CachedGeoRecord(GeoRecord("EE")),
            ParsedAgent("ua", Agent()),
            "",
            "",
            {},
        )
        return hit, self.state.reserve([ReservationRequest(hit, self.ruleset.route_of(params), "")])[0]

    def click(self, visitor: int, sub3: str = "") -> str:
        """Decides a click and puts its record: the cap that is full, or "" when it was accepted.

        Statistics leave clicks of seen visitors out.
        """
        assert self.state is not None
        hit, reservation = self.ask(visitor, sub3)
        full, unique = reservation.full_cap, reservation.is_new and not reservation.full_cap
        empty = {each.name: each.type() for each in msgspec.structs.fields(Click)}
        numbers = {"affiliate": 7, "offer": OFFER, "uniq": int(unique)}
        said = {"id": hit.click_id, "time": hit.time_ms, "ip": hit.ip, "ua": hit.ua, "country": hit.country}
        reason = "overcap" if full else "" if unique else NOT_COUNTED
        click = Click(**{**empty, **numbers, **said, "sub3": sub3, "reason": reason})
        self.writer.put(RecordKind.CLICK, encode(click))
        self.state.set_recorded()
        return full

    def flush(self) -> None:
        """Writes what was put, as an edge does."""
        assert self.state is not None
        self.writer.flush()
        self.state.commit()

    def stop(self) -> None:
        """Ends in order."""
        assert self.state is not None
        self.state.close()
        self.state = None
        self._writing = False
        self.writer.close()

    def abandon(self) -> None:
        """Ends as a killed process does: what is in the files stays as it is, locks are gone."""
        if self._writing:
            os.close(self.writer._lock)
        if self.state is not None:
            self.state._growth.close()
            self.state._sync_thread.shutdown(wait=True)
            os.close(self.state._users)


@contextmanager
def stateful_edge(directory: Path, edge: int = 1, **changed: object) -> Iterator[StatefulEdge]:
    """One that ends in order."""
    made = StatefulEdge(directory, edge, **changed)  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.stop()
