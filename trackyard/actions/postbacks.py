"""Postbacks of affiliates: adding one."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.scope import scope_of
from trackyard.base.errors import BadInput, NotFound
from trackyard.domain.callers import AffiliateCaller, Caller
from trackyard.domain.roles import Permission
from trackyard.store import affiliates, offers, postbacks
from trackyard.store.postbacks import NewPostback


@dataclass(frozen=True, slots=True)
class PostbackRecord:
    """A stored postback."""

    id: int
    postback: NewPostback


def add_postback(
    deps: Deps, caller: Caller, *, pid: int | None, offer_id: int | None, url: str, status: str | None, goal: str | None
) -> PostbackRecord:
    """Adds a postback for one offer (None = for all). Raises NotFound for the pid of another affiliate, BadInput."""
    now = deps.clock.now_ms()
    if isinstance(caller, AffiliateCaller):
        if pid not in (None, caller.id):
            raise NotFound
        pid = caller.id
    with deps.database.write() as conn:
        scope = scope_of(conn, caller, Permission.POSTBACKS_WRITE)
        faults = {}
        if pid is None or affiliates.find_affiliate(conn, scope, pid) is None:
            faults["pid"] = [f"An affiliate {pid} does not exist."]
        own = caller.id if isinstance(caller, AffiliateCaller) else None
        if offer_id is not None and not offers.is_visible(conn, offer_id, own):
            faults["offer_id"] = [f"An offer {offer_id} does not exist."]
        if faults or pid is None:
            raise BadInput(faults)
        new = NewPostback(pid, offer_id, url, status, goal, forced=False, created_at=now, updated_at=now)
        return PostbackRecord(postbacks.add_postback(conn, new), new)
