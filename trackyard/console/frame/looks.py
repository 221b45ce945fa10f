"""Staff look at the portal as an affiliate sees it (docs/spec/console.md#looking-as-an-affiliate).

The browser holds, encrypted, which session looks at which portal, and until when. Every request asks again whether the
person may see the affiliate.
"""

import json
from typing import Final

from trackyard.actions.people.callers import LOOK_MS, find_looked
from trackyard.base.secrets import DecryptionFailed
from trackyard.console.frame.request import Look, PageRequest
from trackyard.domain.people.callers import AffiliateCaller, Caller, StaffCaller

_PURPOSE: Final = "look as"


def seal_look(request: PageRequest, affiliate: int) -> str:
    """Return what lets the session of a request look at the portal of an affiliate for 30 minutes."""
    ends_at = request.deps.clock.now_ms() + LOOK_MS
    return request.deps.cipher.encrypt(json.dumps([_PURPOSE, _session(request.person.caller), affiliate, ends_at]))


def read_look(request: PageRequest, caller: Caller) -> Look | None:
    """Return the look of a staff user's session, also one that has ended; None for every other session."""
    is_portal = request.address.path.startswith("/portal/")
    if not request.sealed_look or not isinstance(caller, StaffCaller) or not is_portal:
        return None
    try:
        purpose, session, affiliate, ends_at = json.loads(request.deps.cipher.decrypt(request.sealed_look))
    except (DecryptionFailed, ValueError):
        return None
    return Look(affiliate, ends_at) if (purpose, session) == (_PURPOSE, _session(caller)) else None


def find_looked_at(request: PageRequest, caller: Caller, look: Look) -> AffiliateCaller | None:
    """Return the affiliate of a look.

    None when it has ended, or the person may not see the affiliate any more.
    """
    if not isinstance(caller, StaffCaller) or look.ends_at <= request.deps.clock.now_ms():
        return None
    return find_looked(request.deps, caller, look.affiliate)


def _session(caller: Caller) -> str:
    return f"{caller.account.name} {caller.session}"
