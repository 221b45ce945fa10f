"""Invitations to an account (docs/spec/people.md#invitations)."""

from dataclasses import dataclass
from typing import Final

MAX_MESSAGE: Final = 2000
"""Characters of the words that staff write with an invitation."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """What goes with an invitation besides the account.

    language: for pages and mails; "" = the usual one.
    message: the words of the staff user, above the link.
    """

    language: str = ""
    message: str = ""
