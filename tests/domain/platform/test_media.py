"""Files by their content."""

import zipfile
from io import BytesIO

import pytest

from tests.support.pictures import archive, gif, jpeg, png
from trackyard.domain.platform.files import (
    GIF,
    JPEG,
    MAX_MEMBERS,
    PNG,
    ZIP,
    InvalidFile,
    Media,
    each_member,
    find_media,
)


@pytest.mark.parametrize(
    ("content", "media"),
    [
        (png(30, 20), Media(PNG, 30, 20)),
        (gif(40, 50), Media(GIF, 40, 50)),
        (jpeg(60, 70), Media(JPEG, 60, 70)),
        (jpeg(60, 70, comment=b"\xff\xc0" * 70_000), Media(JPEG, 60, 70)),
        (archive({"a.png": png()}), Media(ZIP)),
        (b"<html><script>alert(1)</script>", None),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
        (b"\xff\xd8\xff\xe0 and nothing more", None),
        (b"\xff\xd8\xff" + b"\xff" * 1000, None),
        (b"\x89PNG\r\n\x1a\n<html>", None),
        (b"MZ\x90\0", None),
        (b"", None),
    ],
)
def test_media_type_is_found_by_content(content: bytes, media: Media | None) -> None:
    assert find_media(BytesIO(content)) == media


@pytest.mark.parametrize("content", [png(100_000, 100_000), gif(65_000, 65_000), jpeg(60_000, 60_000), png(0, 5)])
def test_media_pictures_with_too_many_pixels_are_rejected(content: bytes) -> None:
    with pytest.raises(InvalidFile):
        find_media(BytesIO(content))


def test_media_archive_lists_members() -> None:
    content = archive({"a/": b"", "a/one.png": png(), "__MACOSX/a/._one.png": b"x", "read me.txt": b"hello"})
    assert list(each_member(BytesIO(content))) == [("one.png", png()), ("read me.txt", b"hello")]


def encrypted() -> bytes:
    content = bytearray(archive({"a.png": png()}, zipfile.ZIP_STORED))
    content[content.index(b"PK\x03\x04") + 6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def lying() -> bytes:
    """Return an archive with a member that is larger than its directory says."""
    content = bytearray(archive({"a.txt": b"x" * 5000}))
    where = content.index(b"PK\x01\x02") + 24
    content[where : where + 4] = (100).to_bytes(4, "little")
    return bytes(content)


def swollen() -> bytes:
    """Return an archive with two members of 60 MB each, by its directory."""
    content = bytearray(archive({"a.bin": b"x" * 5000, "b.bin": b"y" * 5000}))
    where = -1
    while (where := content.find(b"PK\x01\x02", where + 1)) >= 0:
        content[where + 24 : where + 28] = (60 * 1024 * 1024).to_bytes(4, "little")
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [
        archive({"../a.png": png()}),
        archive({"/etc/a.png": png()}),
        archive({"a\\..\\b.png": png()}),
        archive({f"{number}.png": png() for number in range(MAX_MEMBERS + 1)}),
        archive({"bomb.png": b"\0" * 5_000_000}),
        swollen(),
        archive({"a.png": png()})[:-30],
        archive({"a.png": png()}, zipfile.ZIP_STORED).replace(b"IHDR", b"XXXX"),
        encrypted(),
        lying(),
        b"PK\x03\x04 no archive",
    ],
    ids=["up", "root", "backslash", "members", "ratio", "size", "cut", "checksum", "encrypted", "lying", "none"],
)
def test_media_archives_broken_or_dangerous_are_rejected(content: bytes) -> None:
    with pytest.raises(InvalidFile):
        list(each_member(BytesIO(content)))
