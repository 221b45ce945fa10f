"""Files as people send them: the smallest that are what they say."""

import zipfile
import zlib
from io import BytesIO


def png(width: int = 3, height: int = 2) -> bytes:
    """A PNG with its size in the header."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return len(content).to_bytes(4, "big") + kind + content + zlib.crc32(kind + content).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\x02\0\0\0"
    body = zlib.compress(b"".join(b"\0" + b"\0\0\0" * width for _ in range(height))) if width * height < 10_000 else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def gif(width: int = 4, height: int = 5) -> bytes:
    """A GIF of one colour."""
    size = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    return b"GIF89a" + size + b"\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0" + size + b"\0\x02\x02L\x01\0;"


def jpeg(width: int = 6, height: int = 7, comment: bytes = b"") -> bytes:
    """A JPEG up to its frame, after a comment of any length."""
    comments = b"".join(
        b"\xff\xfe" + (len(part) + 2).to_bytes(2, "big") + part
        for part in (comment[start : start + 65_000] for start in range(0, len(comment), 65_000))
    )
    frame = b"\xff\xc0\0\x0b\x08" + height.to_bytes(2, "big") + width.to_bytes(2, "big") + b"\x01\x01\x11\0"
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0" + comments + frame + b"\xff\xd9"


def archive(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP of these members."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return out.getvalue()
