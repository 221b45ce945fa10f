"""Tracking links of affiliates: the click URL and its short form `/{hash}`.

docs/spec/tracking.md#paths. A hash holds all parts of its link, so an edge resolves it without a table: LEB128 of
offer, affiliate and landing and a check of two bytes, written in base 62. The check separates links from other paths;
it is not a secret.
"""

import zlib
from dataclasses import dataclass
from typing import Final

_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUES: Final = {digit: value for value, digit in enumerate(_DIGITS)}
_MAX_LENGTH: Final = 26
_CHECK: Final = 2
_PREFIX: Final = b"\x01"
"""Precedes the bytes, so that leading zeros are kept."""


@dataclass(frozen=True, slots=True)
class Link:
    """The target of a link. landing_id: of the offer's landings, 0 = the offer's own URL."""

    offer_id: int
    affiliate_id: int
    landing_id: int = 0

    @property
    def query(self) -> str:
        """Return the parameters of `/click`."""
        landing = f"&l={self.landing_id}" if self.landing_id else ""
        return f"pid={self.affiliate_id}&offer_id={self.offer_id}{landing}"

    def url(self, base: str) -> str:
        """Return the click URL. base: the start of tracking links, without a slash at the end."""
        return f"{base}/click?{self.query}"

    @property
    def hash(self) -> str:
        """Return the short form, as in `{base}/{hash}`."""
        return pack(self)


def pack(link: Link) -> str:
    """Return the hash of a link, 7 to 26 letters and digits."""
    body = b"".join(_varint(number) for number in (link.offer_id, link.affiliate_id, link.landing_id))
    number = int.from_bytes(_PREFIX + body + _check(body), "big")
    digits = []
    while number:
        number, digit = divmod(number, 62)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits))


def unpack(text: str) -> Link | None:
    """Return the link of a hash; None for any other text."""
    if not 0 < len(text) <= _MAX_LENGTH:
        return None
    number = 0
    for digit in text:
        value = _VALUES.get(digit)
        if value is None:
            return None
        number = number * 62 + value
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    body, check = data[1:-_CHECK], data[-_CHECK:]
    if len(data) < 1 + 3 + _CHECK or not data.startswith(_PREFIX) or check != _check(body):
        return None
    numbers = _numbers(body)
    if len(numbers) != 3:
        return None
    link = Link(*numbers)
    return link if pack(link) == text else None


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _numbers(body: bytes) -> list[int]:
    numbers, number, shift = [], 0, 0
    for byte in body:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number, shift = 0, 0
    return numbers


def _check(body: bytes) -> bytes:
    return (zlib.crc32(body) & 0xFFFF).to_bytes(_CHECK, "big")
