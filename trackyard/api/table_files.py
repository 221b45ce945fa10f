"""Files of rows that callers send, or their text (docs/spec/platform.md#tables)."""

from typing import Annotated, Final

from trackyard.base.errors import BadInput
from trackyard.wire.request import scalars as s
from trackyard.wire.request.brackets import File

XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
TABLE_KINDS: Final = (
    *("text/csv", "text/plain", "text/tab-separated-values", "application/csv", "application/vnd.ms-excel"),
    XLSX,
)
"""The media types with which browsers send tables."""
TableFile = Annotated[File, s.FileUpload(TABLE_KINDS)]
TableText = Annotated[str, s.BoundedText(maximum=1_000_000)]


def content_of(file: File | None, text: str, most: int) -> bytes:
    """Return the bytes of a file, at most one more than `most`, else the bytes of a text.

    An empty result means that nothing was sent.
    """
    if file is None:
        return text.encode()
    file.handle.seek(0)
    return file.handle.read(most + 1)


def required_content(content: bytes) -> bytes:
    """Return content that was sent. Raises BadInput."""
    if not content:
        raise BadInput({"file": ["Send a CSV or XLSX file, or the text of a CSV file as csv."]})
    return content
