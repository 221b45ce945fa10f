"""How a click is sent to its target (docs/spec/tracking.md#redirects)."""

from enum import StrEnum


class RedirectType(StrEnum):
    """The kind of answer that leads a visitor to the URL."""

    HTTP_302 = "http302"
    HIDDEN = "http302hidden"
    JS = "js"
    META = "meta"
