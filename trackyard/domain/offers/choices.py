"""Closed sets of an offer's fields, as they are stored and sent."""

from enum import StrEnum


class OfferStatus(StrEnum):
    """Status of an offer; an active one takes clicks."""

    ACTIVE = "active"
    STOPPED = "stopped"
    SUSPENDED = "suspended"


class Privacy(StrEnum):
    """The affiliates that may use an offer without a connection by staff."""

    PUBLIC = "public"
    PROTECTED = "protected"
    PRIVATE = "private"


class RedirectType(StrEnum):
    """The form of a redirect to the target (docs/spec/tracking.md#redirects)."""

    HTTP_302 = "http302"
    HTTP_302_HIDDEN = "http302hidden"
    JS = "js"
    META = "meta"


class CapScope(StrEnum):
    """The way in which a cap counts values: all together, each on its own, or a list."""

    ALL = "all"
    EACH = "each"
    EXACT = "exact"
