"""Advertisers: making them."""

from dataclasses import asdict, dataclass
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.people import named_manager
from trackyard.base.ids import new_id
from trackyard.domain.callers import Caller
from trackyard.domain.roles import Permission
from trackyard.store import advertisers, rules
from trackyard.store.advertisers import Advertiser
from trackyard.store.staff import Staff


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAdvertiser:
    """What staff say of a new advertiser. manager: the id of a staff user or None."""

    title: str
    contact: str | None
    email: str | None
    url: str | None
    skype: str | None
    note: str | None
    manager: str | None
    allowed_ip: list[str]
    disallowed_ip: list[str]
    hash_password: str | None
    address_1: str | None
    address_2: str | None
    city: str | None
    country: str | None
    zip_code: str | None
    vat_code: str | None
    sub_accounts: dict[str, Any]
    consider_personal_targeting_only: bool
    tags: list[str]


@dataclass(frozen=True, slots=True)
class AdvertiserRecord:
    """An advertiser and its manager."""

    advertiser: Advertiser
    manager: Staff | None


def add_advertiser(deps: Deps, caller: Caller, new: NewAdvertiser) -> AdvertiserRecord:
    """Makes an advertiser. Raises BadInput for a manager that does not exist."""
    now = deps.clock.now_ms()
    values = asdict(new)
    del values["manager"]
    with deps.database.write() as conn:
        manager = named_manager(conn, caller, Permission.ADVERTISERS_WRITE, new.manager, "manager")
        made = Advertiser(
            id=new_id(now), manager_id=manager.id if manager else None, created_at=now, updated_at=now, **values
        )
        advertisers.add_advertiser(conn, made)
        rules.touch(conn, "advertiser", made.id)
    return AdvertiserRecord(made, manager)
