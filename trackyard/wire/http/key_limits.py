"""What the key of a request may be used for (docs/spec/callers.md#api-keys)."""

import logging
from typing import Any

from trackyard.base.errors import AccessDenied
from trackyard.domain.people.callers import Caller
from trackyard.wire.endpoint import Endpoint

log = logging.getLogger("trackyard.api")


def check_key(endpoint: Endpoint[Any], caller: Caller, address: str) -> None:
    """Raise AccessDenied when the key of a caller may not call a method, or not from this address."""
    limits = caller.key
    if limits is None:
        return
    if not limits.addresses.permits(address):
        log.warning("key refused by address", extra={"key": limits.id, "caller": caller.name, "address": address})
        raise AccessDenied(
            f"This API key is not accepted from {address}: its list of networks names others.", code="key_address"
        )
    missing = limits.find_missing_scope(
        endpoint.permission, writes=endpoint.method != "GET", credentials=endpoint.credentials
    )
    if missing is not None:
        raise AccessDenied(f"This API key has no scope {missing}: call with one that has it.", code=f"scope.{missing}")
