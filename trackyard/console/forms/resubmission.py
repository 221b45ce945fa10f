"""Forms that were sent after the end of a session, which are kept until the person signs in.

docs/spec/console.md#forms. The browser holds what was typed, encrypted, for the account and the page that the form was
made for. It is shown again and never saved without the person.
"""

from dataclasses import dataclass, replace
from typing import Final

from trackyard.console.frame.address import Pair
from trackyard.console.frame.request import PageRequest
from trackyard.console.seals import SealPurpose, seal, unseal

SEAL: Final = "form_by"
"""The hidden field that says, encrypted, for which person and which page a form was made."""
KEPT: Final = "kept"
"""The field of the sign-in page with a form that is kept."""
DO: Final = "form_do"
"""The field of the buttons of a form."""
_KEEP: Final = "keep"
"""The value of that field with which a form is shown again and does nothing."""
KEPT_MS: Final = 600_000
"""Milliseconds for signing in, after which a form is forgotten."""
_MOST: Final = 540_000
"""Characters of a kept form, encrypted."""
_OWN: Final = ("form_token", SEAL, DO)


@dataclass(frozen=True, slots=True)
class KeptForm:
    """What was typed. address: of its page."""

    address: str
    pairs: tuple[Pair, ...]


def seal_of(request: PageRequest) -> str:
    """Return the seal of a form that is made for the person of this request; "" for a stranger."""
    if request.person_or_none is None:
        return ""
    account = request.person.caller.account.name
    return seal(request.deps.cipher, SealPurpose.FORM, account, request.address.path)


def keep(request: PageRequest) -> str:
    """Return a form that came without a session, encrypted; "" for a form that is not kept."""
    account = _sealed_account(request)
    if not account:
        return ""
    pairs = [pair for pair in request.form if pair[0] not in _OWN]
    until = request.deps.clock.now_ms() + KEPT_MS
    sealed = seal(request.deps.cipher, SealPurpose.KEPT_FORM, account, str(request.address), pairs, until)
    return sealed if len(sealed) <= _MOST else ""


def find_kept(request: PageRequest, kept: str, account: str) -> KeptForm | None:
    """Return the form that was kept for an account; None for one of others, and for one that is too old."""
    found = unseal(request.deps.cipher, SealPurpose.KEPT_FORM, kept, tuple[str, str, tuple[tuple[str, str], ...], int])
    if found is None:
        return None
    owner, address, pairs, until = found
    if owner != account or until < request.deps.clock.now_ms():
        return None
    return KeptForm(address, (*pairs, (DO, _KEEP)))


def only_shown(request: PageRequest) -> PageRequest | None:
    """Return a form of an earlier session of this person as one that is shown again.

    It is None for any other form.
    """
    if request.person_or_none is None or _sealed_account(request) != request.person.caller.account.name:
        return None
    return replace(request, form=(*(pair for pair in request.form if pair[0] not in _OWN), (DO, _KEEP)))


def _sealed_account(request: PageRequest) -> str:
    """Return the account that a form was made for, on its own page; "" for none."""
    found = unseal(request.deps.cipher, SealPurpose.FORM, request.field(SEAL), tuple[str, str])
    return found[0] if found is not None and found[1] == request.address.path else ""
