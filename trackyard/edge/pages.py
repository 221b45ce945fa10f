"""The pages that visitors see in place of an offer."""

from typing import Final

HTML: Final = b"text/html; charset=utf-8"

NOT_AVAILABLE: Final = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>Not available</title>"
    b"<p>This offer is not available.</p></html>\n"
)
