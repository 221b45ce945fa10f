"""Who may call a method, and with which key (docs/spec/callers.md#api-keys)."""

import logging
from typing import Any

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import AccessDenied, CallerNotAllowed
from trackyard.domain.people.callers import Caller, StaffCaller
from trackyard.domain.people.key_limits import CREDENTIALS
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import Endpoint, check_features, check_password_choice, check_second_factor
from trackyard.wire.request.params import Params, credentials_in

log = logging.getLogger("trackyard.api")


def authorize(endpoint: Endpoint[Any], caller: Caller, address: str) -> None:
    """Raise CallerNotAllowed or AccessDenied when a caller may not call a method from this address."""
    if not endpoint.admits(caller):
        raise CallerNotAllowed
    check_key(endpoint, caller, address)
    check_password_choice(caller, endpoint.id)
    check_second_factor(caller, endpoint.permission)
    check_role(endpoint, caller)
    if endpoint.permission in caller.withheld or (
        isinstance(caller, StaffCaller) and not caller.may(endpoint.permission)
    ):
        raise AccessDenied(code=endpoint.permission)
    check_features(caller, endpoint.features)


def check_role(endpoint: Endpoint[Any], caller: Caller) -> None:
    """Raise AccessDenied for a member of a company with a role that may not call a method."""
    if caller.member is None:
        return
    role = caller.member.role
    is_own = endpoint.permission is Permission.ACCOUNT
    access = endpoint.credentials and not is_own
    if not role.rule.permits(endpoint.permission, writes=endpoint.method != "GET", access=access):
        raise AccessDenied(
            f"Your role {role} may not do this: the owner of the company gives roles.",
            code=ErrorCode.COMPANY_ROLE,
        )


def check_credentials(caller: Caller | None, params: Params) -> None:
    """Raise AccessDenied when a key with limits sends a parameter that decides who gets in."""
    if caller is None or caller.key is None or not (names := credentials_in(params)):
        return
    raise AccessDenied(
        f"This API key has no scope {CREDENTIALS}, which {', '.join(names)} needs: call with the first key.",
        code=f"scope.{CREDENTIALS}",
    )


def check_key(endpoint: Endpoint[Any], caller: Caller, address: str) -> None:
    """Raise AccessDenied when the key of a caller may not call a method, or not from this address."""
    limits = caller.key
    if limits is None:
        return
    if not limits.addresses.permits(address):
        log.warning("key refused by IP address", extra={"key": limits.id, "caller": caller.name, "address": address})
        raise AccessDenied(
            f"This API key is not accepted from {address}: its list of networks has others.",
            code=ErrorCode.KEY_ADDRESS,
        )
    missing = limits.find_missing_scope(
        endpoint.permission, writes=endpoint.method != "GET", credentials=endpoint.credentials
    )
    if missing is not None:
        raise AccessDenied(f"This API key has no scope {missing}: call with one that has it.", code=f"scope.{missing}")
