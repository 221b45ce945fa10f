"""Files that people send: their type by content (docs/spec/platform.md#files).

Nothing here decodes a picture. Pictures with more than `MAX_PIXELS` are rejected.
"""

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO, Final

JPEG, PNG, GIF, ZIP = "image/jpeg", "image/png", "image/gif", "application/zip"
PDF, PLAIN_TEXT = "application/pdf", "text/plain"
PICTURES: Final = frozenset({JPEG, PNG, GIF})

MAX_PIXELS: Final = 50_000_000
MAX_MEMBERS: Final = 200
MAX_UNPACKED: Final = 100 * 1024 * 1024
"""Bytes of all members of an archive together."""
MAX_RATIO: Final = 100
"""The greatest ratio of a member's size to its packed size. Pictures hardly shrink."""

_TEXT_NAMES: Final = frozenset({".csv", ".tsv", ".txt"})
_PNG_HEAD: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
_JPEG_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE: Final = frozenset({0x01, *range(0xD0, 0xD8)})
_MAX_SEGMENTS: Final = 1000


class InvalidFile(ValueError):
    """A file is broken or dangerous. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Media:
    """The type of a file. width, height: pixels; 0 = no picture."""

    mime: str
    width: int = 0
    height: int = 0

    @property
    def is_picture(self) -> bool:
        """Return whether the file is a picture."""
        return self.mime in PICTURES


def find_media(handle: BinaryIO) -> Media | None:
    """Return the type of a file by its bytes; None for other types. Raises InvalidFile."""
    handle.seek(0)
    head = handle.read(26)
    found = None
    if head.startswith(_PNG_HEAD):
        found = Media(PNG, int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))
    elif head.startswith((b"GIF87a", b"GIF89a")):
        found = Media(GIF, int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little"))
    elif head.startswith(b"\xff\xd8\xff"):
        found = _find_jpeg(handle)
    elif head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return Media(ZIP)
    if found is None:
        return None
    if not found.width or not found.height:
        raise InvalidFile("The picture is broken.")
    if found.width * found.height > MAX_PIXELS:
        raise InvalidFile(f"A picture may have at most {MAX_PIXELS // 1_000_000} million pixels.")
    return found


def find_attachment(handle: BinaryIO, name: str) -> Media | None:
    """Return the type of a file of a message: also a PDF file, or text in UTF-8 that is named as text.

    Raises InvalidFile.
    """
    if (found := find_media(handle)) is not None:
        return found
    handle.seek(0)
    content = handle.read()
    if content.startswith(b"%PDF-"):
        return Media(PDF)
    if PurePosixPath(name.lower()).suffix not in _TEXT_NAMES:
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return Media(PLAIN_TEXT) if text and "\0" not in text else None


def each_member(handle: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Yield the file name and bytes of each member of an archive.

    Raises InvalidFile for an archive that is broken, encrypted, too large when unpacked, or reaches outside itself.
    """
    handle.seek(0)
    try:
        with zipfile.ZipFile(handle) as archive:
            members = archive.infolist()
            _check_members(members)
            for member in members:
                if not member.is_dir() and not member.filename.startswith("__MACOSX/"):
                    yield PurePosixPath(member.filename).name, _unpack(archive, member)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as fault:
        raise InvalidFile("The archive cannot be read.") from fault


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS:
        raise InvalidFile(f"An archive may hold at most {MAX_MEMBERS} files.")
    if sum(member.file_size for member in members) > MAX_UNPACKED:
        raise InvalidFile(f"An archive may unpack to at most {MAX_UNPACKED // 1024 // 1024} MB.")
    for member in members:
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename or ":" in member.filename:
            raise InvalidFile("A name in the archive leads outside of it.")
        if member.flag_bits & 0x1:
            raise InvalidFile("An encrypted archive cannot be read.")
        if member.file_size > MAX_RATIO * max(member.compress_size, 1024):
            raise InvalidFile(f"A file in the archive unpacks to more than {MAX_RATIO} times its size.")


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as packed:
        content = packed.read(member.file_size + 1)  # the declared size may be wrong
    if len(content) > member.file_size:
        raise InvalidFile("The archive cannot be read.")
    return content


def _find_jpeg(handle: BinaryIO) -> Media | None:
    """Return the size in the frame segment of a JPEG, or None."""
    handle.seek(2)
    for _ in range(_MAX_SEGMENTS):
        marker = handle.read(2)
        while len(marker) == 2 and marker == b"\xff\xff":  # fill bytes
            marker = marker[1:] + handle.read(1)
        if len(marker) < 2 or marker[0] != 0xFF:
            return None
        if marker[1] in _JPEG_BARE:
            continue
        head = handle.read(7)
        length = int.from_bytes(head[:2], "big")
        if len(head) < 7 or length < 2:
            return None
        if marker[1] in _JPEG_FRAMES:
            return Media(JPEG, int.from_bytes(head[5:7], "big"), int.from_bytes(head[3:5], "big"))
        handle.seek(length - 7, 1)
    return None


@dataclass(frozen=True, slots=True)
class MailFile:
    """A file of a mail. kind: its media type."""

    name: str
    kind: str
    content: bytes
