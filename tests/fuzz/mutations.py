"""Random changes of stored inputs, for short runs and where atheris is not installed."""

from collections.abc import Sequence
from random import Random

_TOKENS = (
    b"[", b"]", b"&", b"=", b"%", b"%00", b"%ff", b"%E2%80%A8", b"\r\n", b"\n\n", b"\0", b"\xff", b"{", b"}", b":",
    b"{clickid}", b"0", b"-1", b"9" * 40, b"1e999", b"\xed\xa0\x80", b"\xfeT", b",", b";", b"--", b"chunked", b"..",
)  # fmt: skip
_MOST = 100_000
"""Bytes of an input."""


def mutated(random: Random, stored: Sequence[bytes]) -> bytes:
    """Return an input that differs from a stored one in a few places."""
    data = bytearray(random.choice(stored))
    for _ in range(random.randint(1, 6)):
        place = random.randint(0, len(data))
        length = random.choice([1, 1, 2, 8, 64])
        match random.randrange(6):
            case 0:
                del data[place : place + length]
            case 1:
                data[place:place] = random.choice(_TOKENS)
            case 2:
                data[place : place + length] = random.randbytes(length)
            case 3:
                data[place:place] = data[place : place + length] * random.choice([1, 2, 50])
            case 4:
                data[place:] = random.choice(stored)[place:]
            case _:
                data[place:place] = random.choice(stored)
    return bytes(data[:_MOST])
