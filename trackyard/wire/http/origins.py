"""Where a request comes from, for logs and the audit log (docs/spec/platform.md#audit-log)."""

import re
import secrets
from typing import Any, Final

from starlette.requests import Request

from trackyard.base.logs.origin import RequestOrigin, request_origin
from trackyard.domain.people.callers import AdvertiserCaller, AffiliateCaller, Caller, StaffCaller
from trackyard.store.engine.audit_actor import AuditActor
from trackyard.wire.endpoint import Endpoint

_MAX_ID: Final = 64
_MAX_ADDRESS: Final = 45
_MAX_USER_AGENT: Final = 300
_unfit = re.compile(r"[^A-Za-z0-9._-]")
_unprintable = re.compile(r"[^\x20-\x7e]")


def address_of(request: Request) -> str:
    """Return the client's address, which the server has taken from a trusted proxy's header."""
    return request.client.host if request.client is not None else ""


def origin_of(request: Request) -> RequestOrigin:
    """Return the origin of a request. A caller's own id is shown when it needs no cleaning."""
    own, sent = secrets.token_hex(12), request.headers.get("x-request-id", "")
    client_id = _unfit.sub("", sent[: 4 * _MAX_ID])[:_MAX_ID]
    user_agent = _unprintable.sub("", request.headers.get("user-agent", "")[:_MAX_USER_AGENT])
    shown_id = sent if sent and sent == client_id else own
    return RequestOrigin(own, client_id, shown_id, address_of(request)[:_MAX_ADDRESS], user_agent)


def audit_actor(endpoint: Endpoint[Any], caller: Caller | None, now_ms: int) -> AuditActor | None:
    """Return the actor of this request's writes for the audit log.

    None for reads of affiliates and advertisers: a write that follows from a read, such as a connection at first sight,
    is not their act.
    """
    if caller is None or (endpoint.method == "GET" and not isinstance(caller, StaffCaller)):
        return None
    origin = request_origin.get()
    by_staff = isinstance(caller, StaffCaller)
    return AuditActor(
        staff_id=str(caller.id) if by_staff else "",
        method=endpoint.id,
        request_id=origin.id,
        at=now_ms,
        affiliate_id=caller.id if isinstance(caller, AffiliateCaller) else None,
        client_request_id=origin.client_id,
        address=origin.address,
        advertiser_id=caller.id if isinstance(caller, AdvertiserCaller) else "",
        key_id=caller.used_key.id if caller.used_key is not None else "",
        key_name=caller.used_key.name if caller.used_key is not None else "",
        member_id=caller.member.account.id if caller.member is not None else "",
    )
