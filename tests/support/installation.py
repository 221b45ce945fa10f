"""A whole installation with parts that are stepped by hand on one clock."""

from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.support.api import NOW, installed
from tests.support.models.events import new_click
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.ids import new_click_id, new_id
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.jobs.loading.projector import Projector
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.journal.records import Click, InboundPostback, RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.engine.database import Database
from trackyard.store.tracking import edges

UTC = ZoneInfo("UTC")


class SteppedInstallation:
    """Clicks and postbacks go in at `click` and `call`; `settle` makes of them what follows."""

    def __init__(self, database: Database, analytics: Analytics, home: Path) -> None:
        self.api = installed(database, analytics)
        self.clock = self.api.clock
        self.home = home
        self.api = replace(self.api, deps=replace(self.api.deps, journals=home / "journal"))
        with database.write() as conn:
            self.edge = edges.claim_edge(conn, "d" * 24, 0, NOW)
        self.writer = JournalWriter(home / "journal", self.edge, self.clock)
        self.start()

    @property
    def database(self) -> Database:
        """The SQL store."""
        return self.api.deps.database

    @property
    def analytics(self) -> Analytics:
        """The analytic store."""
        return self.api.deps.analytics

    def start(self) -> None:
        """New workers, as after a kill: nothing but files and databases is left of those before."""
        self.projector = Projector(
            self.database, self.analytics, self.home / "journal", self.home / "rules", self.clock
        )
        self.converter = PostbackProcessor(self.database, "USD", UTC, self.clock)
        self.editor = ConversionEditor(self.database, "USD", UTC, self.clock)
        self.schedule = JobScheduler(self.database, UTC, self.clock)

    def click(self, offer: int, affiliate: int, advertiser: str, **fields: object) -> Click:
        """An accepted click, recorded now."""
        now = self.clock.now_ms()
        made = new_click(1, offer=offer, affiliate=affiliate, advertiser=advertiser, time=now)
        made = Click(
            **{name: getattr(made, name) for name in Click.__struct_fields__}
            | {"id": new_click_id(now, self.edge)}
            | fields
        )
        self.writer.append(RecordKind.CLICK, encode(made))
        return made

    def call(self, **params: str) -> str:
        """An inbound call, recorded now; the id of its record."""
        now = self.clock.now_ms()
        call = InboundPostback(now, new_id(now), "postback", "GET", "192.0.2.9", "shop", "", "", params)
        self.writer.append(RecordKind.POSTBACK, encode(call))
        return call.id

    def write_checkpoint(self) -> None:
        """Makes what was recorded ready to be loaded."""
        self.clock.advance(400)
        self.writer.write_checkpoint(self.clock.now_ms())
        self.writer.sync()

    def settle(self) -> None:
        """Works until nothing is left to be done now."""
        self.write_checkpoint()
        self.work()

    def work(self) -> None:
        """Does all that can be done with what is marked."""
        for _ in range(50):
            self.projector.drain()
            busy = self.converter.step() + self.editor.step()
            if not busy:
                break
        self.projector.drain()

    def end_holds(self) -> None:
        """Confirms what was held and is due."""
        while self.schedule.end_holds():
            pass

    def close(self) -> None:
        """Seals the journal."""
        self.writer.close()
