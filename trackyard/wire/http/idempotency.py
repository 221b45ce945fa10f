"""Idempotency keys: a digest of a call that is the same when it is sent again.

docs/spec/api-conventions.md#idempotency.
"""

import hashlib
import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from starlette.datastructures import Headers

from trackyard.actions.platform.idempotency import IdempotentRequest
from trackyard.base.errors import BadInput
from trackyard.domain.people.callers import Caller
from trackyard.wire.http.routing import Match
from trackyard.wire.request.brackets import File, Tree

IDEMPOTENCY_KEY_HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotency-Replayed"
"""The header of a repeated answer: `true`."""

RunOnce = Callable[[IdempotentRequest, Callable[[], str]], tuple[str, bool]]
"""Returns the answer of the work, or the first answer; and whether it is the first one."""

_KEY = re.compile(r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?\Z")
_PIECE = 64 * 1024


def find_idempotency_key(headers: Headers, match: Match) -> str | None:
    """Return the Idempotency-Key of a write as it was sent, or None."""
    return headers.get(IDEMPOTENCY_KEY_HEADER) if match.endpoint.replayable else None


def check_idempotency_key(key: str | None) -> None:
    """Raise BadInput for a malformed key."""
    if key is not None and not _KEY.match(key):
        raise BadInput({IDEMPOTENCY_KEY_HEADER: ["This value must have 1 to 255 printable ASCII characters."]})


def owner_of(caller: Caller | None, address: str) -> str:
    """Return the owner of idempotency keys.

    Answers to first keys are not repeated to sessions and keys with limits, which see less.
    """
    if caller is None:
        return address
    if caller.key is not None:
        return f"{caller.name}:key:{caller.key.id}"
    return f"{caller.name}:session" if caller.session else caller.name


def idempotent_request_of(owner: str, key: str, match: Match, tree: Tree) -> IdempotentRequest:
    """Return the request to be run once.

    It is compared by its parameters: a form that is sent again has other bytes.
    """
    what = [match.endpoint.id, match.version, match.variables, tree]
    text = json.dumps(what, sort_keys=True, default=_plain)
    return IdempotentRequest(owner, key, hashlib.sha256(text.encode()).hexdigest())


def _plain(value: Any) -> Any:
    """Return a JSON value of a type that JSON does not have."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, File):
        return ["file", value.name, value.kind, _digest(value)]
    raise TypeError(f"a parameter is a {type(value).__name__}")


def _digest(file: File) -> str:
    file.handle.seek(0)
    found = hashlib.sha256()
    while piece := file.handle.read(_PIECE):
        found.update(piece)
    file.handle.seek(0)
    return found.hexdigest()
