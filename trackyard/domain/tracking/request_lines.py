"""Heads of HTTP requests that a parser refused, with a target that can mean one thing only. Pure.

docs/spec/tracking.md#what-is-forgiven
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from trackyard.base.encodings import readable_text
from trackyard.base.masks import mask_secrets
from trackyard.domain.tracking.forgiven import ENCODING, RAW_BYTES, RAW_SPACE

HEAD_END: Final = b"\r\n\r\n"
MAX_SHOWN: Final = 200
"""Bytes of a refused request line that the log shows."""

_METHOD: Final = re.compile(rb"[A-Z]{1,20}\Z")
_BEGIN: Final = re.compile(rb"[A-Z]{1,20}(?: |\Z)")
_CONTROL: Final = "control character in the request line"
_NO_LINE: Final = "no request line of HTTP/1"
_CONTROLS: Final = re.compile(rb"[\x00-\x1f\x7f]")
_SEPARATORS: Final = re.compile(rb"([&=?/;])")
_CONNECTION: Final = frozenset((b"connection", b"keep-alive", b"proxy-connection", b"upgrade"))
_LITERAL: Final = "".join(map(chr, range(0x21, 0x7F)))
"""Characters that stay as they came; others are percent-encoded."""


@dataclass(frozen=True, slots=True)
class MendedHead:
    """A head with a target that a parser takes.

    head: b"" = the request stays refused
    forgiven: bits of domain/tracking/forgiven.py
    reason: why it stays refused, for the log
    closes: whether what follows the head is not read, and the connection ends behind the answer
    """

    head: bytes = b""
    forgiven: int = 0
    reason: str = ""
    closes: bool = False


def mended_head(head: bytes) -> MendedHead:
    """Return a refused head with its target percent-encoded.

    head: up to its empty line.
    """
    line, _, headers = head.lstrip(b"\r\n").partition(b"\r\n")
    if _CONTROLS.search(line):
        return MendedHead(reason=_CONTROL)
    method, _, rest = line.partition(b" ")
    target, version, minor = rest.rpartition(b" HTTP/1.")
    target = target.strip(b" ")
    if not target or not _METHOD.match(method) or minor not in (b"0", b"1"):
        return MendedHead(reason=_NO_LINE)
    has_space = b" " in target
    if not has_space and target.isascii():
        return MendedHead(reason="invalid request")
    if has_space:
        lines = headers.split(b"\r\n")
        if any(map(_announces_body, lines)):
            return MendedHead(reason="space in the URL of a request with a body")
        kept = [each for each in lines if _name_of(each) not in _CONNECTION]
        headers = b"\r\n".join((b"Connection: close", *kept))
    encoded, bits = _encoded(target)
    return MendedHead(b"%b %b%b%b\r\n%b" % (method, encoded, version, minor, headers), bits, closes=has_space)


def find_early_reason(head: bytes) -> str:
    """Return why a head that is not complete stays refused, "" = it may be taken."""
    line, is_whole, _ = head.lstrip(b"\r\n").partition(b"\r\n")
    if is_whole:
        return mended_head(line + HEAD_END).reason
    if _CONTROLS.search(line.rstrip(b"\r")):
        return _CONTROL
    return "" if _BEGIN.match(line) else _NO_LINE


def _name_of(line: bytes) -> bytes:
    return line.partition(b":")[0].strip().lower()


def _announces_body(line: bytes) -> bool:
    """Return whether a header announces a body."""
    name = _name_of(line)
    if name == b"content-length":
        return line.partition(b":")[2].strip() != b"0"
    return name == b"transfer-encoding"


def _encoded(target: bytes) -> tuple[bytes, int]:
    """Return a target with everything percent-encoded that must be, and what is forgiven."""
    bits = RAW_SPACE if b" " in target else 0
    pieces = _SEPARATORS.split(target)
    for place, piece in enumerate(pieces):
        if not piece.isascii():
            text, is_other = readable_text(piece)
            bits |= RAW_BYTES | (ENCODING if is_other else 0)
            pieces[place] = quote(text, safe=_LITERAL).encode("ascii")
    return b"".join(pieces).replace(b" ", b"%20"), bits


def shown_line(sent: bytes) -> str:
    """Return the first line of a request for the log: its begin, printable and without secrets."""
    line = sent.lstrip(b"\r\n").split(b"\n")[0].rstrip(b"\r")[:MAX_SHOWN]
    return mask_secrets(repr(readable_text(line)[0])[1:-1])
