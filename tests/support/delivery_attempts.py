"""Records of the affiliate postback log, written past the worker."""

from typing import Any

from tests.support.api import NOW
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import load
from trackyard.base.ids import new_id
from trackyard.domain.statistics.rows import AffiliatePostbackLog, encode_row


def add_attempt(analytics: Analytics, **fields: Any) -> str:
    """A call that was taken at its first attempt; the record's id."""
    at = fields.get("time", NOW)
    values: dict[str, Any] = {
        "id": new_id(at),
        "time": at,
        "job_id": new_id(at),
        "conversion_id": new_id(at),
        "postback_id": 1,
        "offer": 1,
        "affiliate": 1,
        "advertiser": "a" * 24,
        "goal": "1",
        "status": 1,
        "http_code": 200,
        "url": "https://a.example/?c=1",
        "attempt": 1,
        "outcome": "sent",
        "error": "",
        "forced": 0,
        "version": 1,
    }
    values |= fields
    load(analytics, "affiliate_log", [encode_row(AffiliatePostbackLog(**values))], f"attempt-{values['id']}")
    return str(values["id"])
