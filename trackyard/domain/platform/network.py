"""The face of the network: name, logo, colours, terms, sign-up (docs/spec/platform.md#the-network)."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trackyard.base.colours import least_contrast, nearest_colour

PRODUCT: Final = "Trackyard"
"""The name that is shown while the network has none."""
LEAST_CONTRAST: Final = 4.5
LIGHT_GROUNDS: Final = ("#ffffff", "#fafaf8", "#f3f3f0", "#eceefb")
"""Colours of the light theme that the accent is text on, and the ink on it."""
DARK_GROUNDS: Final = ("#121316", "#191b1f", "#202329", "#252a4a")
"""The same of the dark theme."""
LOGO_MAX: Final = 256 * 1024
"""Bytes of a logo."""
LOGO_SIDE_MAX: Final = 1024
"""Pixels of the longer side of a logo."""


class SignUpState(StrEnum):
    """Whether people may sign up."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The face of the network; "" = not set.

    logo: the id of a stored file.
    accent, accent_dark: #rrggbb, of the light and the dark theme. Without the second, the first is lightened.
    terms: paragraphs, with an empty line between them; terms_url: of a page with the terms.
    contact: how affiliates and advertisers reach the network, such as an e-mail address.
    sign_up: whether affiliates may sign up. advertiser_sign_up: the same of advertisers, None = as affiliates.
    """

    name: str = ""
    logo: str = ""
    accent: str = ""
    accent_dark: str = ""
    terms: str = ""
    terms_url: str = ""
    contact: str = ""
    sign_up: SignUpState = SignUpState.OPEN
    advertiser_sign_up: SignUpState | None = None

    @property
    def shown_name(self) -> str:
        """Return the shown name of the network on pages and in mails."""
        return self.name or PRODUCT

    @property
    def shown_advertiser_sign_up(self) -> SignUpState:
        """Return whether advertisers may sign up."""
        return self.advertiser_sign_up or self.sign_up

    @property
    def terms_version(self) -> str:
        """Return a version that changes with the terms, "" without terms."""
        if not self.terms and not self.terms_url:
            return ""
        return hashlib.sha256(f"{self.terms_url}\n{self.terms}".encode()).hexdigest()[:16]

    @property
    def shown_accents(self) -> tuple[str, str] | None:
        """Return the accents of the light and the dark theme; None = the program's own accents."""
        if not self.accent:
            return None
        return self.accent, self.accent_dark or nearest_colour(self.accent, DARK_GROUNDS, LEAST_CONTRAST, darker=False)


def accent_fault(colour: str, *, dark: bool) -> str | None:
    """Return the fault of an unreadable accent, with the nearest readable colour; None for a readable one."""
    grounds = DARK_GROUNDS if dark else LIGHT_GROUNDS
    found = least_contrast(colour, grounds)
    if found >= LEAST_CONTRAST:
        return None
    nearest = nearest_colour(colour, grounds, LEAST_CONTRAST, darker=not dark)
    theme = "dark" if dark else "light"
    return (
        f"Text in this colour cannot be read on {theme} pages: its contrast is {found:.1f}, and must be at least "
        f"{LEAST_CONTRAST}. The nearest colour that passes is {nearest}."
    )
