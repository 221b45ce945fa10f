"""Reads the body of a request up to its limit (docs/spec/api-conventions.md#errors)."""

from tempfile import SpooledTemporaryFile

from starlette.requests import Request

from trackyard.base.errors import BodyTooLarge
from trackyard.wire.endpoint import MEGABYTE


def check_length(request: Request, max_bytes: int) -> None:
    """Raise BodyTooLarge for a request that announces a longer body."""
    content_length = request.headers.get("content-length", "")
    if content_length.isdecimal() and int(content_length) > max_bytes:
        raise _too_large(max_bytes)


async def read_body(request: Request, max_bytes: int, body: "SpooledTemporaryFile[bytes] | None") -> None:
    """Read the body of a request into `body`: in memory up to a megabyte, then on disk.

    None only counts its bytes.

    Raises BodyTooLarge.
    """
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > max_bytes:
            raise _too_large(max_bytes)
        if body is not None:
            body.write(chunk)


def _too_large(max_bytes: int) -> BodyTooLarge:
    size = f"{max_bytes // MEGABYTE} MB" if max_bytes >= MEGABYTE else f"{max_bytes // 1024} KB"
    return BodyTooLarge(f"The body is over the limit of {size}")
