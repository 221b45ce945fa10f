"""Reads a request into one tree (docs/spec/api-conventions.md#parameters).

Parameters come in the query and in urlencoded, multipart and JSON bodies; the body overrides the query. A tree is
nested dicts of text, lists, files and, from JSON, numbers and booleans. Digit keys stay keys: only the type of a
parameter decides whether they are indices of a list or keys of a map.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, BinaryIO, Final
from urllib.parse import unquote_to_bytes

from python_multipart.multipart import parse_options_header
from qs_codec import DecodeOptions, decode
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from trackyard.base.errors import BadInput, BodyTooLarge


@dataclass(frozen=True, slots=True)
class File:
    """An uploaded file.

    kind: the media type that the client sent.
    handle: the bytes, on disk when there are many. It is closed at the end of the request.
    """

    name: str
    kind: str
    handle: BinaryIO

    def read(self) -> bytes:
        """Return the content."""
        self.handle.seek(0)
        return self.handle.read()


Tree = dict[str, Any]
Pairs = Iterable[tuple[str, str | File]]

MAX_PARAMETERS = 5000
MAX_FILES = 200
"""Files of one request, each of which may hold a descriptor."""

MAX_TEXT = 1024 * 1024
"""Bytes of a body that is held in memory as a whole; only uploads may be longer."""

MAX_VALUES = 50_000
"""Values of a JSON body; a list may hold a thousand records (params.MAX_ITEMS)."""

MAX_DEPTH = 8
"""Brackets in a name, and levels of a JSON body. The deepest documented name has five."""


@dataclass(frozen=True, slots=True)
class FormLimits:
    """The limits of a request's query and body.

    values: how many values a JSON body may hold.
    depth: how many brackets a name may have.
    """

    parameters: int = MAX_PARAMETERS
    values: int = MAX_VALUES
    depth: int = MAX_DEPTH

    @property
    def too_deep(self) -> str:
        """Return the sentence about a name that is nested too deep."""
        return f"Names may be nested {self.depth} levels deep."

    @property
    def too_many(self) -> str:
        """Return the sentence about too many parameters."""
        return f"At most {self.parameters} parameters are accepted."


FOR_CALLERS: Final = FormLimits()
FOR_PAGES: Final = FormLimits(parameters=4 * MAX_PARAMETERS)
"""A page names every parameter of a thousand records."""
FOR_STRANGERS: Final = FormLimits(parameters=100, values=100, depth=3)
"""Reading must cost less than sending. The deepest name of a sign-up is payment_systems[0][fields][1]."""

_CHUNK = 64 * 1024
_CHARSET = re.compile(r"\Autf-?8\Z", re.IGNORECASE)


def query_pairs(query: bytes, limits: FormLimits = FOR_CALLERS) -> list[tuple[str, str]]:
    """Return the pairs of a query string or an urlencoded body.

    Raises BadInput on invalid UTF-8, NUL, or too many pairs.
    """
    pieces = [piece for piece in query.split(b"&") if piece]
    if len(pieces) > limits.parameters:
        raise BadInput({"parameters": [limits.too_many]})
    pairs = []
    for piece in pieces:
        name, _, value = piece.partition(b"=")
        pairs.append((_unquoted(name, name), _unquoted(value, name)))
    return pairs


class _CompleteMultiPartParser(MultiPartParser):
    """A parser that rejects a body that ends inside a part.

    Raises MultiPartException, and closes the files of that body.
    """

    is_complete = False

    def on_end(self) -> None:
        self.is_complete = True

    async def parse(self) -> FormData:
        form = await super().parse()
        if not self.is_complete:
            for file in self._files_to_close_on_error:
                file.close()
            raise MultiPartException("The body ends inside a part.")
        return form


async def multipart_pairs(
    content_type: str, body: BinaryIO, limits: FormLimits = FOR_CALLERS
) -> list[tuple[str, str | File]]:
    """Return the fields and files of a multipart body. The caller closes the files.

    Raises BadInput for a malformed body.
    """
    boundary = parse_options_header(content_type)[1].get(b"boundary")
    if not boundary or not _contains(body, b"--" + boundary + b"--"):
        raise BadInput({"body": ["The multipart body cannot be read."]})
    # Latin-1 carries every byte through the parser, which would otherwise guess where UTF-8 is broken.
    latin = f'multipart/form-data; charset=latin-1; boundary="{boundary.decode("latin-1")}"'
    parser = _CompleteMultiPartParser(
        Headers({"content-type": latin}),
        _chunks(body),
        max_files=min(MAX_FILES, limits.parameters),
        max_fields=limits.parameters,
    )
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, ValueError) as fault:
        raise BadInput({"body": ["The multipart body cannot be read."]}) from fault
    items = form.multi_items()
    await _close(value for _, value in items if _is_empty_upload(value))
    try:
        return [_part(name, value) for name, value in items if not _is_empty_upload(value)]
    except BadInput:
        await _close(value for _, value in items)
        raise


def tree_of(pairs: Pairs, limits: FormLimits = FOR_CALLERS) -> Tree:
    """Return the tree of named values: `a[b][0]=x` → `{"a": {"b": {"0": "x"}}}`.

    A repeated name holds a list. Raises BadInput for a name that is nested too deep.
    """
    named: dict[str, list[Any]] = {}
    for name, value in pairs:
        named.setdefault(name, []).append(value)
    sent = {name: values if len(values) > 1 else values[0] for name, values in named.items()}
    try:
        tree = decode(sent, _options(limits))
    except IndexError:
        deepest = max(named, key=lambda name: name.count("["))
        raise BadInput({deepest.partition("[")[0]: [limits.too_deep]}) from None
    return {str(key): value for key, value in tree.items()}


def local_tree(pairs: Sequence[tuple[str, str | File]], limits: FormLimits) -> Tree:
    """Return the tree of named values from within the process, with what a form could carry alone.

    Raises BadInput for too many values, and for text with NUL.
    """
    if len(pairs) > limits.parameters:
        raise BadInput({"parameters": [limits.too_many]})
    for name, value in pairs:
        _check_text((name,), name)
        if isinstance(value, str):
            _check_text((name,), value)
    return tree_of(pairs, limits)


@cache
def _options(limits: FormLimits) -> DecodeOptions:
    return DecodeOptions(
        parse_lists=False,
        depth=limits.depth,
        strict_depth=True,
        raise_on_limit_exceeded=True,
        parameter_limit=limits.parameters,
        list_limit=limits.parameters,
    )


def json_tree(body: bytes, limits: FormLimits = FOR_CALLERS) -> Tree:
    """Return the tree of a JSON body, which must be an object. Raises BadInput.

    Numbers with a fraction are Decimal.
    """
    try:
        tree = json.loads(body.decode(), parse_float=Decimal, parse_constant=_reject_constant)
    except UnicodeDecodeError:
        raise BadInput({"body": ["The body is not valid UTF-8."]}) from None
    except RecursionError:
        raise BadInput({"body": [limits.too_deep]}) from None
    except ValueError:
        raise BadInput({"body": ["The body is not valid JSON."]}) from None
    if not isinstance(tree, dict):
        raise BadInput({"body": ["The JSON body must be an object."]})
    _check_json(tree, limits)
    return tree


def body_tree(content_type: str, body: BinaryIO, limits: FormLimits = FOR_CALLERS) -> Tree:
    """Return the tree of a body by its content type. The caller closes its files.

    It may take a second, so it must not run in an event loop. Raises BodyTooLarge for a long body without files, and
    BadInput for a malformed one or a type without parameters.
    """
    kind, parameters = parse_options_header(content_type)
    size = body.seek(0, 2)
    if not size:
        return {}
    charset = parameters.get(b"charset", b"utf-8").decode("latin-1")
    if not _CHARSET.match(charset):
        raise BadInput({"body": ["The body must be UTF-8."]})
    if kind == b"multipart/form-data":
        return asyncio.run(_upload_tree(content_type, body, limits))  # a loop of its own: this is a thread without one
    if size > MAX_TEXT:
        raise BodyTooLarge
    body.seek(0)
    if kind in (b"application/json", b"text/json"):
        return json_tree(body.read(), limits)
    if kind in (b"", b"application/x-www-form-urlencoded"):
        return tree_of(query_pairs(body.read(), limits), limits)
    raise BadInput({"body": ["The body must be urlencoded, multipart or JSON."]})


def close_files(tree: Any) -> None:
    """Close every file of a tree."""
    if isinstance(tree, File):
        tree.handle.close()
    elif isinstance(tree, dict):
        for value in tree.values():
            close_files(value)
    elif isinstance(tree, list):
        for value in tree:
            close_files(value)


def merged(under: Tree, over: Tree) -> Tree:
    """Return both trees merged; `over` wins."""
    out = dict(under)
    for key, value in over.items():
        below = out.get(key)
        out[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return out


def wire_name(path: Iterable[str | int]) -> str:
    """Return the wire name of a place in a tree: `("filter", "offer", 0)` → `filter[offer][0]`."""
    first, *rest = path
    return str(first) + "".join(f"[{key}]" for key in rest)


def _unquoted(raw: bytes, name: bytes) -> str:
    return _text(unquote_to_bytes(raw.replace(b"+", b" ")), name)


def _text(raw: bytes, name: bytes) -> str:
    shown = name.decode("ascii", "replace")[:100] or "parameters"
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise BadInput({shown: ["This value is not valid UTF-8."]}) from None
    if "\0" in text:
        raise BadInput({shown.replace("\0", ""): ["This value must not contain NUL."]})
    return text


def _check_json(tree: Tree, limits: FormLimits) -> None:
    """Raise BadInput for text that no form could carry, and for too many values or levels.

    It is iterative, since a client decides the depth.
    """
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((key,), value) for key, value in tree.items()]
    for key in tree:
        _check_text((key,), key)
    seen = 0
    while waiting:
        path, value = waiting.pop()
        seen += 1
        if seen + len(waiting) > limits.values:
            raise BadInput({"body": [f"At most {limits.values} values are accepted."]})
        if len(path) > limits.depth + 1:
            raise BadInput({str(path[0]): [limits.too_deep]})
        if isinstance(value, str):
            _check_text(path, value)
        elif isinstance(value, dict):
            for key, inner in value.items():
                _check_text(path, key)
                waiting.append(((*path, key), inner))
        elif isinstance(value, list):
            waiting.extend(((*path, index), inner) for index, inner in enumerate(value))


def _check_text(path: tuple[str | int, ...], text: str) -> None:
    fault = None
    if "\0" in text:
        fault = "This value must not contain NUL."
    elif not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        fault = "This value is not valid Unicode."
    if fault:
        raise BadInput({wire_name(path).encode("ascii", "replace").decode().replace("\0", ""): [fault]})


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


async def _upload_tree(content_type: str, body: BinaryIO, limits: FormLimits) -> Tree:
    pairs = await multipart_pairs(content_type, body, limits)
    try:
        return tree_of(pairs, limits)
    except BadInput:
        close_files([value for _, value in pairs])
        raise


def _part(latin_name: str, value: str | UploadFile) -> tuple[str, str | File]:
    raw_name = latin_name.encode("latin-1")
    name = _text(raw_name, raw_name)
    if isinstance(value, str):
        return name, _text(value.encode("latin-1"), raw_name)
    filename = (value.filename or "").encode("latin-1").decode("utf-8", "replace")
    return name, File(filename, value.content_type or "", value.file)


def _is_empty_upload(value: str | UploadFile) -> bool:
    """Return whether a part is a file field of a browser in which no file was chosen."""
    return isinstance(value, UploadFile) and not value.filename and not value.size


async def _close(values: Iterable[str | UploadFile]) -> None:
    for value in values:
        if isinstance(value, UploadFile):
            await value.close()


async def _chunks(body: BinaryIO) -> AsyncGenerator[bytes, None]:
    body.seek(0)
    while piece := body.read(_CHUNK):
        yield piece


def _contains(body: BinaryIO, marker: bytes) -> bool:
    """Return whether the bytes of a body contain `marker`, read in pieces."""
    body.seek(0)
    kept = b""
    while piece := body.read(_CHUNK):
        if marker in kept + piece:
            return True
        kept = (kept + piece)[-len(marker) :]
    return False
