"""An installation with two conversions for tests of edits, imports and logs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.history import add_conversion
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.jobs.loading.outbox import OutboxLoader
from trackyard.store.tables import conversion_task

PERIOD = {"date_from": "2023-11-14", "date_to": "2023-11-15"}


@dataclass(frozen=True)
class ConversionEditSetup:
    """An installation with two conversions, and the work of the worker."""

    api: Api
    advertiser: str
    offer: int
    pid: int
    affiliate: ApiClient
    first: str
    second: str
    settle: Callable[[], None]

    def post(self, path: str, **params: Any) -> Any:
        body = self.api.admin.post(path, **params)
        self.settle()
        return body

    def conversions(self) -> dict[str, Any]:
        """By id, as staff see them."""
        found = self.api.admin.get("/3.0/stats/conversions", **PERIOD)["conversions"]
        return {item["id"]: item for item in found}

    def log(self, **params: Any) -> list[Any]:
        found: list[Any] = self.api.admin.get("/3.1/stats/serverpostbacks", **PERIOD | params)["postbacks"]
        return found

    def queued(self) -> int:
        with self.api.deps.database.read() as conn:
            return int(conn.execute(select(func.count()).select_from(conversion_task)).scalar_one())


@pytest.fixture
def world(api: Api, tmp_path: Any) -> ConversionEditSetup:
    advertiser, deps = api.add_advertiser(), api.deps
    offer = api.add_offer(advertiser=advertiser)
    pid, affiliate = api.add_affiliate()
    own = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser}
    first = add_conversion(deps, 1, **own, action_id="A1")
    second = add_conversion(deps, 2, **own, action_id="A2")
    editor = ConversionEditor(deps.database, deps.currency, deps.zone, api.clock)
    loader = OutboxLoader(deps.database, deps.analytics, tmp_path, api.clock)

    def settle() -> None:
        while editor.step():
            pass
        while loader.load_next():
            pass

    return ConversionEditSetup(api, advertiser, offer, pid, affiliate, first.id, second.id, settle)
