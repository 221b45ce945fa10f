"""An offer with caps or tiers, and the queues of the worker that counts its conversions."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import func, select, update

from tests.support.clicks.inbound_postbacks import AT, make_click, make_inbound_postback, make_inbox_postback
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer
from trackyard.base.clock import ManualClock
from trackyard.domain.conversions.edits import ConversionEdit, ConversionImport
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.tracking.ruleset import FullCap, RulesetFullCaps
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.journal.records import Click
from trackyard.store.conversions import edits, inbox
from trackyard.store.engine.database import Database
from trackyard.store.tables import conversion, counter, mail, offer
from trackyard.store.tables import inbox as inbox_table
from trackyard.store.tracking import rulesets

UTC = ZoneInfo("UTC")
STAFF: Final = "staff:" + "5" * 24
MIDNIGHT: Final = AT // DAY_MS * DAY_MS + DAY_MS
"""The end of the day in which calls come."""
REACHED: Final = "Cap is reached"


@dataclass
class LimitedOffer:
    """An offer of 5 of 10 USD a conversion, an affiliate, and the queues of the worker."""

    database: Database
    advertiser: str
    affiliate: int
    offer: int
    clock: ManualClock = field(default_factory=lambda: ManualClock(AT + 1_000))
    positions: Iterator[int] = field(default_factory=lambda: count(1))

    def limit(self, *caps: dict[str, Any], tiers: tuple[dict[str, Any], ...] = (), **columns: Any) -> None:
        """Sets the caps and tiers of the offer past the API."""
        plain = {"period": "day", "type": "conversions", "value": "2"}
        made = [plain | {"id": f"{place:024x}"} | each for place, each in enumerate(caps, 1)]
        step = {"timeframe": "day", "type": "conversions", "value": "2", "modifier_type": "by_fix"}
        step |= {"modifier_value": "1"}
        steps = [step | {"id": f"{place:024x}"} | each for place, each in enumerate(tiers, 100)]
        values = {"caps": made, "commission_tiers": steps, "enabled_commission_tiers": bool(steps)} | columns
        with self.database.write() as conn:
            conn.execute(update(offer).values(values))

    def click(self, **fields: Any) -> Click:
        return make_click(self.offer, fields.pop("affiliate", self.affiliate), self.advertiser, **fields)

    def send(self, click: Click | None = None, time: int = AT, **params: str) -> Click:
        """Puts a call into the inbox; its click."""
        click = click or self.click()
        with self.database.write() as conn:
            call = make_inbound_postback(time, clickid=click.id, **params)
            inbox.add_entries(conn, "001-1", [make_inbox_postback(next(self.positions), call, click)])
        return click

    def settle(self) -> None:
        """Does all that waits."""
        workers: list[PostbackProcessor | ConversionEditor] = [
            PostbackProcessor(self.database, "USD", UTC, self.clock),
            ConversionEditor(self.database, "USD", UTC, self.clock),
        ]
        for worker in workers:
            while worker.step():
                pass

    def call(self, click: Click | None = None, time: int = AT, **params: str) -> tuple[str, str]:
        """Status and comment of the conversion after a call."""
        click = self.send(click, time, **params)
        self.settle()
        return self.state(click)

    def state(self, click: Click) -> tuple[str, str]:
        with self.database.read() as conn:
            query = select(conversion.c.status, conversion.c.comment).where(conversion.c.click_id == click.id)
            row = conn.execute(query).one()
        return row.status, row.comment

    def order(self, *items: ConversionEdit | ConversionImport) -> None:
        with self.database.write() as conn:
            for item in items:
                kind = "edit" if isinstance(item, ConversionEdit) else "import"
                edits.add_tasks(conn, kind, STAFF, [msgspec.to_builtins(item)], self.clock.now_ms())
        self.settle()

    def edit(self, click: Click, **fields: Any) -> None:
        with self.database.read() as conn:
            found = conn.execute(select(conversion.c.id).where(conversion.c.click_id == click.id)).scalar_one()
        self.order(ConversionEdit(conversion_id=found, **fields))

    def imported(self, **fields: Any) -> None:
        plain: dict[str, Any] = {"offer_id": self.offer, "affiliate_id": self.affiliate, "goal": "1"}
        self.order(ConversionImport(**plain | fields))

    def accepted(self, *statuses: str) -> int:
        """How many conversions there are in these statuses."""
        wanted = conversion.c.status.in_(statuses or ("confirmed", "pending", "hold", "pending_cap"))
        with self.database.read() as conn:
            return int(conn.execute(select(func.count()).select_from(conversion).where(wanted)).scalar_one())

    def held(self) -> dict[str, tuple[int, Decimal]]:
        """What the counters hold, by name."""
        with self.database.read() as conn:
            rows = conn.execute(select(counter))
            return {row.name: (row.conversions, row.budget) for row in rows}

    def payouts(self) -> list[Decimal]:
        with self.database.read() as conn:
            rows = conn.execute(select(conversion.c.payout).order_by(conversion.c.position, conversion.c.id))
            return list(rows.scalars())

    def full(self) -> tuple[FullCap, ...]:
        """The full caps of the offer as edges receive them."""
        with self.database.read() as conn:
            row = rulesets.compile_row(conn, "full_caps", str(self.offer))
        assert row is None or isinstance(row, RulesetFullCaps)
        return () if row is None else row.caps

    def published_count(self) -> int:
        """How often full caps were published to the edges."""
        with self.database.read() as conn:
            changes = rulesets.changes_since(conn, 0, 100)
        return sum(change.version for change in changes if change.kind == "full_caps")

    def mails(self) -> list[str]:
        with self.database.read() as conn:
            return list(conn.execute(select(mail.c.subject).order_by(mail.c.id)).scalars())


def make_limited_offer(database: Database) -> LimitedOffer:
    """One in a database that holds nothing else."""
    with database.write() as conn:
        advertiser_id = add_advertiser(conn)
        return LimitedOffer(database, advertiser_id, add_affiliate(conn), add_offer(conn, advertiser_id))


def has_waiting_postbacks(database: Database) -> bool:
    """Whether a call waits to be decided."""
    with database.read() as conn:
        return conn.execute(select(inbox_table.c.id).limit(1)).first() is not None


@pytest.fixture
def limited(database: Database) -> LimitedOffer:
    return make_limited_offer(database)
