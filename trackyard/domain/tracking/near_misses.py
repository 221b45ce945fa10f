"""Parameters, ids and paths that can mean one thing only, in their plain form. Pure.

docs/spec/tracking.md#what-is-forgiven. Each function is called where the plain look-up failed, or where a request
has something unusual.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final
from urllib.parse import unquote_to_bytes

from trackyard.base.encodings import readable_text
from trackyard.base.ids import is_hex24, is_number
from trackyard.domain.statistics.click_columns import Source, columns_from
from trackyard.domain.tracking.forgiven import AMPERSAND, BLANK_VALUE, EMPTY_REPEAT, IDENTIFIER, NAME, QUESTION_MARK

BLANKS: Final = " \t\r\n\u00a0\u200b\u200c\u200d\u2060\ufeff"
"""What is invisible around a value that was copied."""
QUOTES: Final = "\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"
_AROUND: Final = BLANKS + QUOTES + "+"
_SENTENCE: Final = ".,;:!)>]}" + _AROUND
"""What may be behind a link in a text."""
_AROUND_ID: Final = _SENTENCE + "{[(<$#%|*~"
"""What templates leave around an id: `{{clickid}}` and `${clickid}` give {ID} and $ID."""
_MAX_PATH: Final = 256
"""Characters of a path that is looked at; no known one is longer."""

_AMPERSANDS: Final = re.compile(r"(?:amp;|#0*38;|#x0*26;)+", re.IGNORECASE)
_BEFORE_NAME: Final = re.compile(r"(?:[?&\s\u00a0\u200b\ufeff]|amp;|#0*38;|#x0*26;)+", re.IGNORECASE)
_SEPARATOR: Final = re.compile("[?&;]")
_SLASHES: Final = re.compile(r"/{2,}")
_QUERY_BEGIN: Final = re.compile(r"[?&]")
_LIST_ENDS: Final = ("[]", "[0]")

REFERENCES: Final = ("pid", "offer_id", "l", "id", "aid", "oid")
"""Parameters of links that are numbers or ids."""
LINK_NAMES: Final = frozenset((*REFERENCES, "path", "redirect", "format", "ip", "ua", *columns_from(Source.PARAMETER)))
"""Every name that a link may have."""


def plain_click_id(text: str) -> str:
    """Return a click id in its stored form; a text that cannot be one as it is."""
    if is_hex24(text):
        return text
    plain = text.strip(_AROUND_ID).lower()
    return plain if is_hex24(plain) else text


def plain_reference(text: str) -> str:
    """Return a number or an id of a link without signs around it; other texts stay as they are."""
    plain = text.strip(_AROUND_ID)
    if is_number(plain):
        return plain
    lower = plain.lower()
    return lower if is_hex24(lower) else text


def _trimmed(text: str) -> str:
    return text.strip(BLANKS)


def _bare(text: str) -> str:
    """Return a value without blanks and quotes around it."""
    return text.strip(BLANKS).strip(QUOTES).strip(BLANKS)


_PLAIN_VALUES: Final[Mapping[str, tuple[Callable[[str], str], int]]] = {
    "clickid": (plain_click_id, IDENTIFIER),
    **dict.fromkeys(("status", "sum", "currency"), (_bare, BLANK_VALUE)),
    **dict.fromkeys(("goal", "action_id", "promo_code", "secure", "ts", "signature"), (_trimmed, BLANK_VALUE)),
}
"""What makes the plain form of a parameter of a postback, and what it forgives; others stay as they were sent."""


def plain_values(params: Mapping[str, str]) -> tuple[dict[str, str], int]:
    """Return the values of a postback in their plain form, by canonical name, and what was forgiven."""
    plain, bits = dict(params), 0
    for name, value in params.items():
        make, bit = _PLAIN_VALUES.get(name, (None, 0))
        if make is not None and (found := make(value)) != value:
            plain[name] = found
            bits |= bit
    return plain, bits


def merge(params: dict[str, str], further: Mapping[str, str]) -> int:
    """Add the body's parameters to the query's, which they override; return the forgiven faults as bits."""
    bits = 0
    for name, value in further.items():
        if not value and params.get(name):
            bits = EMPTY_REPEAT
        else:
            params[name] = value
    return bits


def forgive_names(params: dict[str, str], known: frozenset[str]) -> int:
    """Rename near misses to known names without a value; return the forgiven faults as bits."""
    bits = 0
    for sent in [name for name in params if name not in known]:
        if sent.islower() and sent.isidentifier():
            continue
        name, bit = _known_name(sent)
        if name in known and not params.get(name):
            params[name] = params.pop(sent)
            bits |= bit
    return bits


def _known_name(sent: str) -> tuple[str, int]:
    """Return the plain form of a name, and what is forgiven in it."""
    before = _BEFORE_NAME.match(sent)
    prefix = "" if before is None else before[0]
    rest = sent[len(prefix) :]
    name = rest.strip(BLANKS)
    for end in _LIST_ENDS:
        name = name.removesuffix(end)
    name = name.lower()
    bits = AMPERSAND if _AMPERSANDS.search(prefix) else 0
    if "?" in prefix or "&" in prefix:
        bits |= QUESTION_MARK
    if name != rest or any(sign.isspace() for sign in prefix) or not bits:
        bits |= NAME
    return name, bits


def forgive_link(params: dict[str, str]) -> int:
    """Put the names, numbers and ids of a link into their plain form; return the forgiven faults as bits."""
    bits = 0 if LINK_NAMES.issuperset(params) else forgive_names(params, LINK_NAMES)
    for name in REFERENCES:
        text = params.get(name, "")
        if not text or (text.isascii() and text.isdecimal()):
            continue
        text, bit = _split(params, name, text, LINK_NAMES, plain_reference)
        plain = plain_reference(text)
        if plain != text:
            params[name] = plain
            bit |= IDENTIFIER
        bits |= bit
    return bits


def forgive_second_query(params: dict[str, str], names: Iterable[str], known: frozenset[str]) -> int:
    """Separate the parameters that follow a click id and a `?`, an `&` or a `;`; return what was forgiven."""
    bits = 0
    for name in names:
        bits |= _split(params, name, params.get(name, ""), known, plain_click_id)[1]
    return bits


def _split(
    params: dict[str, str], name: str, text: str, known: frozenset[str], plain: Callable[[str], str]
) -> tuple[str, int]:
    """Return a value without a `?`, an `&` or a `;` and what follows, which are further parameters.

    plain: makes an id of its begin.
    """
    found = _SEPARATOR.search(text)
    if found is None or not _is_id(plain(text[: found.start()])):
        return text, 0
    begin, rest = text[: found.start()], text[found.end() :]
    pairs = [pair.partition("=") for pair in _SEPARATOR.split(rest)]
    if found[0] != "?" and not any(further in known for further, _, _ in pairs):
        return text, 0
    params[name] = begin
    for further, _, value in pairs:
        if further in known and not params.get(further):
            params[further] = value
    return begin, QUESTION_MARK if found[0] == "?" else AMPERSAND


def _is_id(text: str) -> bool:
    return is_number(text) or is_hex24(text)


def plain_target(path: str, query: bytes) -> tuple[str, bytes] | None:
    """Return the path and the query of a target in their plain form; None = the path is not a near miss."""
    head, further = _parts(path)
    if len(head) > _MAX_PATH:
        return None
    head, first = _parts(readable_text(unquote_to_bytes(head))[0])
    head = _SLASHES.sub("/", head).rstrip(_SENTENCE + "/")
    if len(head) < 2 or not head.isascii() or not head.isprintable():
        return None
    pairs = (first.encode("utf-8", "replace"), further.encode("utf-8", "replace"), query)
    return head, b"&".join(part for part in pairs if part)


def target_among(path: str, query: bytes, known: Collection[str]) -> tuple[str, bytes]:
    """Return a path and its query; for a near miss, the path and query that are meant."""
    plain = None if path.rstrip("/") in known else plain_target(path, query)
    if plain is None:
        return path.rstrip("/"), query
    near, pairs = plain
    return near.lower() if near.lower() in known else near, pairs


def _parts(path: str) -> tuple[str, str]:
    """Return the text before the first sign that begins a query, and the text after it."""
    begin = _QUERY_BEGIN.search(path)
    return (path, "") if begin is None else (path[: begin.start()], path[begin.end() :])
