"""What passwords people may choose (docs/spec/callers.md#keys-and-passwords)."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

MIN_CHOSEN: Final = 12
"""Characters of a password that people choose."""

_AROUND: Final = re.compile(r"^[\W\d_]+|[\W\d_]+\Z")
"""Digits and signs at both ends."""
_REPEATED: Final = re.compile(r"(.+?)\1+\Z", re.DOTALL)
_FEWEST_REPEATED: Final = 5
"""A text of fewer characters is too short to be repeated."""

_COMMON = "This is one of the commonest passwords, or one of them repeated or with digits around it: choose another."


@dataclass(frozen=True, slots=True)
class PasswordPolicy:
    """The rule for new passwords.

    length: the fewest characters of a password that people choose.
    everywhere: whether passwords in writes of staff meet the rule, too.
    """

    length: int = MIN_CHOSEN
    everywhere: bool = False

    def chosen_fault(self, password: str) -> str | None:
        """Return the fault of a password that people choose; None without one."""
        if len(password) < self.length:
            return f"This value must have at least {self.length} characters."
        return _COMMON if is_common(password) else None

    def set_fault(self, password: str) -> str | None:
        """Return the fault of a password in a write of staff; None without one."""
        return self.chosen_fault(password) if self.everywhere else None


def is_common(password: str) -> bool:
    """Return whether a password is a common one in any case, also repeated or with digits around it."""
    text = password.lower()
    plain = _AROUND.sub("", text)
    repeated = _REPEATED.match(text)
    unit = repeated[1] if repeated else text
    return len(unit) < _FEWEST_REPEATED or any(f"\n{each}\n" in _commonest() for each in {text, plain, unit})


@cache
def _commonest() -> str:
    """Return the commonest passwords in lower case, each in a line of its own."""
    return "\n" + (resources.files("trackyard.domain.people").joinpath("data", "common_passwords.txt")).read_text(
        encoding="ascii"
    )
