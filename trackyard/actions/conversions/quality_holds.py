"""Release conversions that offers hold as suspicious (docs/spec/quality.md#holding-and-rejecting)."""

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import Access
from trackyard.store.conversions import conversions, edits


def release_held(deps: Deps, access: Access, offer_id: int | None, affiliate_id: int | None) -> int:
    """Queue the confirmation of all held conversions of an offer, an affiliate, or both; return how many.

    A repeat finds none. Raises BadInput without an offer and an affiliate.
    """
    if offer_id is None and affiliate_id is None:
        raise BadInput({"offer": ["Name an offer, an affiliate, or both."]})
    with deps.database.write() as conn:
        ids = conversions.take_held_by_quality(conn, scope_of(conn, access), offer_id, affiliate_id)
        released = (ConversionEdit(conversion_id=each, status=Status.CONFIRMED, releases=True) for each in ids)
        edits.add_tasks(conn, "edit", access.caller.name, list(map(msgspec.to_builtins, released)), deps.clock.now_ms())
    return len(ids)
