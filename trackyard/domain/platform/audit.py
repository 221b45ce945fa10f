"""The audit log of changes (docs/spec/platform.md#audit-log)."""

from dataclasses import dataclass
from typing import Any

Actor = tuple[str, str]
"""Kind and id of an account."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """The changes of one API request to one row.

    at: UTC milliseconds.
    staff_id: "" for an affiliate or an advertiser.
    affiliate_id: None for others. advertiser_id: "" for others.
    client_request_id: the caller's own id of the request.
    what: the table.
    changes: column to [from, to].
    key_id, key_name: the API key that acted; "" for a session or a job.
    member_id: the member of the affiliate or advertiser that acted; "" for its owner.
    """

    id: str
    at: int
    staff_id: str
    affiliate_id: int | None
    request_id: str
    client_request_id: str
    address: str
    method: str
    what: str
    key: str
    changes: dict[str, list[Any]]
    advertiser_id: str = ""
    key_id: str = ""
    key_name: str = ""
    member_id: str = ""

    @property
    def actor(self) -> Actor:
        """Return the kind of its author (staff, affiliate, advertiser, member or system) and the id."""
        if self.member_id:
            return "member", self.member_id
        if self.affiliate_id is not None:
            return "affiliate", str(self.affiliate_id)
        if self.advertiser_id:
            return "advertiser", self.advertiser_id
        return "system" if self.staff_id == "system" else "staff", self.staff_id


@dataclass(frozen=True, slots=True)
class Author:
    """Who acted. Names are empty when the account does not exist any more."""

    id: str
    email: str = ""
    first_name: str = ""
    last_name: str = ""


Authors = dict[Actor, Author]
"""Authors by kind and id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """The records of a list; None is any.

    request_id: ours, or the caller's own.
    since, until (exclusive): UTC milliseconds.
    """

    staff_id: str | None = None
    affiliate_id: int | None = None
    what: str | None = None
    key: str | None = None
    method: str | None = None
    request_id: str | None = None
    since: int | None = None
    until: int | None = None
