"""The body of a form: fields, and files where a page takes them."""

from tempfile import SpooledTemporaryFile
from typing import Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from trackyard.base.errors import BadInput, RequestError
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame.address import Pair
from trackyard.wire.http.bodies import check_length, read_body
from trackyard.wire.request.brackets import File, FormLimits, multipart_pairs

MAX_FIELDS: Final = 2000
_LIMITS: Final = FormLimits(parameters=MAX_FIELDS)
_IN_MEMORY: Final = 1024 * 1024
_UNREADABLE: Final = lazy_gettext("This form cannot be read: send it as UTF-8, with at most 2,000 fields.")

SentForm = tuple[tuple[Pair, ...], tuple[tuple[str, File], ...]]
"""The fields of a form, empty ones too, and its files."""


async def read_form(request: Request, most: int) -> SentForm:
    """Return the fields and files of a form of at most so many bytes.

    Raises BodyTooLarge, and RequestError for one that cannot be read.
    """
    check_length(request, most)
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as body:
        await read_body(request, most, body)
        kind = request.headers.get("content-type", "")
        try:
            if not kind.startswith("multipart/form-data"):
                body.seek(0)
                return tuple(parse_qsl(body.read().decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS)), ()
            pairs = await multipart_pairs(kind, body, _LIMITS)  # type: ignore[arg-type]
        except (BadInput, ValueError):
            raise RequestError(_UNREADABLE) from None
    fields = tuple((name, value) for name, value in pairs if isinstance(value, str))
    return fields, tuple((name, value) for name, value in pairs if isinstance(value, File))
