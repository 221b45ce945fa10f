"""Make a repeated write with an Idempotency-Key once (docs/spec/api-conventions.md#idempotency).

The first answer is stored in the transaction of its write: there is never one without the other. Of several requests
at once, one writes; the others wait for it at their first statement and get its answer. A rejected request wrote
nothing and is not stored: it may be corrected and sent under the same key.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import Conflict
from trackyard.base.secrets import digest
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform import idempotency

REPLAY_WINDOW_MS: Final = 24 * 3_600_000
_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """A request that may be a repeat. owner: its caller; digest: of the whole request."""

    owner: str
    key: str
    digest: str

    @property
    def name(self) -> str:
        """Return the name of its stored answer."""
        return digest(f"{self.owner}\n{self.key}")


class _KeyTaken(Exception):
    """Another request with the key was first."""


def run_once(deps: Deps, asked: IdempotentRequest, work: Callable[[], str]) -> tuple[str, bool]:
    """Return the answer of `work` or of the first request with the key, and whether it is a replay.

    Raises the errors of `work`, and Conflict when the key came with another request.
    """
    for _ in range(_TRIES):
        found = _find_answer(deps, asked)
        if found is not None:
            return found, True
        try:
            return _run_first(deps, asked, work), False
        except _KeyTaken:
            continue  # its answer is stored now, unless it was just removed after 24 h
    raise _KeyTaken


def _run_first(deps: Deps, asked: IdempotentRequest, work: Callable[[], str]) -> str:
    """Return the answer of `work` after storing it. Raises _KeyTaken when another request was first."""
    now = deps.clock.now_ms()

    def claim_key(conn: Connection) -> None:
        if not idempotency.claim_name(conn, asked.name, now, now - REPLAY_WINDOW_MS):
            raise _KeyTaken

    with deps.database.joined_transaction(claim_key):
        answer = work()
        with deps.database.write() as conn:
            # The digest is encrypted, too: by itself it would let a guess at a password in the request be checked.
            idempotency.store_answer(conn, asked.name, deps.cipher.encrypt(f"{asked.digest}\n{answer}"))
    return answer


def remove_expired_answers(database: Database, now_ms: int) -> int:
    """Remove some expired answers; return how many. now_ms: UTC."""
    with database.write() as conn:
        return idempotency.remove_old(conn, now_ms - REPLAY_WINDOW_MS)


def _find_answer(deps: Deps, asked: IdempotentRequest) -> str | None:
    with deps.database.read() as conn:
        found = idempotency.find_answer(conn, asked.name, deps.clock.now_ms() - REPLAY_WINDOW_MS)
    if found is None:
        return None
    text = deps.cipher.decrypt(found.sealed)
    first, answer = (found.asked, text) if found.asked else text.split("\n", 1)
    if first != asked.digest:
        raise Conflict({"Idempotency-Key": ["This key was sent with another request."]})
    return answer
