"""The pages that visitors see in place of an offer."""

from typing import Final

HTML: Final = b"text/html; charset=utf-8"

NOT_AVAILABLE: Final = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>Not available</title>"
    b"<p>This offer is not available.</p></html>\n"
)

JS_PAGE: Final = (
    b"<!doctype html><html lang=en><meta charset=utf-8><meta name=referrer content=no-referrer><title>Redirect</title>"
    b"<script>location.replace(%(script)s)</script>"
    b'<noscript><meta http-equiv=refresh content="0;url=%(url)s"></noscript></html>\n'
)
"""Goes on by a script. script: the URL as a string of JSON · url: the URL as an attribute."""

META_PAGE: Final = (
    b"<!doctype html><html lang=en><meta charset=utf-8><meta name=referrer content=no-referrer><title>Redirect</title>"
    b'<meta http-equiv=refresh content="0;url=%(url)s"></html>\n'
)
