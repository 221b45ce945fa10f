"""Macros in URLs and in code of pixels that are not filled, with what was probably meant. Pure.

docs/spec/tracking.md#unknown-macros
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Final
from urllib.parse import unquote

from trackyard.domain.tracking.macro_registry import MacroPlace, macro_names
from trackyard.domain.tracking.macros import with_braces

_NAME: Final = r"\s{0,3}([A-Za-z0-9_.-]{1,40}+)\s{0,3}"
_NAMED: Final = re.compile(r"(?<![{$])\{([A-Za-z0-9_.-]{1,40})\}(?!\})")
_CODE_SPELLINGS: Final = (
    rf"\{{\{{{_NAME}\}}\}}",
    rf"\$\{{{_NAME}\}}",
    rf"%%{_NAME}%%",
    rf"%7[Bb]{_NAME}%7[Dd]",
)
_URL_SPELLINGS: Final = (
    rf"\[{_NAME}\]",
    rf"#{_NAME}#",
    rf"<{_NAME}>",
    rf"\{{{_NAME}(?=[&/?#;]|$)",  # an open brace
    rf"(?<=[=/]){_NAME}\}}",
    rf"(?<==)#\{{{_NAME}\}}",
    rf"&(?:#\d{{1,6}}|#x[0-9a-fA-F]{{1,5}}|[a-z]{{2,6}});{_NAME}&(?:#\d{{1,6}}|#x[0-9a-fA-F]{{1,5}}|[a-z]{{2,6}});",
)
_IN_CODE: Final = re.compile("|".join(_CODE_SPELLINGS))
_IN_URL: Final = re.compile("|".join((*_CODE_SPELLINGS, *_URL_SPELLINGS)))
"""The macros of other programs, and damaged ones of ours. Each alternative has one group: the name."""
_AMPERSAND: Final = re.compile(r"&amp;(?=[A-Za-z0-9_.\[\]-]{1,60}=)")
_OTHER_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "aff_id": ("pid",),
    "affiliate_id": ("pid",),
    "partner_id": ("pid",),
    "aff_sub": ("sub1",),
    "aff_click_id": ("sub1",),
    "subid": ("sub1",),
    "amount": ("sum",),
    "payout": ("sum",),
    "revenue": ("sum",),
    "sale_amount": ("order_sum",),
    "conversion_id": ("transactionid",),
    "tid": ("transactionid", "clickid"),
    "country": ("geo",),
    "country_code": ("geo",),
    "ua": ("uagent", "device_ua"),
    "user_agent": ("uagent", "device_ua"),
    "referer": ("referrer",),
    "cb": ("rand",),
    "random": ("rand",),
}
"""Names in other platforms, with our macros of the same meaning."""
_SECOND_QUERY: Final = re.compile(r"[^?#]*\?(?:(?!://)[^#])*\}\?[A-Za-z0-9_.\[\]-]{1,60}=")
_VALUE: Final = re.compile(r"(?<=[=/])[^&?;/=]{1,200}")
"""A value of a query, or a segment of a path."""
_BRACED: Final = re.compile(r"\{([a-z_0-9]{1,40})\}")
_HIDDEN: Final = "\u00ad\u200b-\u200f\u2060\ufeff"
_SIGNS: Final = r"[{}\[\]<>()%$#!@~*|_:^\\\"'`«»‹›“”„\s]"
_WRAPPED: Final = re.compile(
    rf"(?P<before>{_SIGNS}*)(?P<name>[A-Za-z0-9]+(?:[ ._-][A-Za-z0-9]+)*)"
    rf"(?:[|:,!][^{{}}]*?(?=[}}\])>%]))?(?P<behind>{_SIGNS}*)"
)
"""A name within signs, also with a default of it: `{name|none}`."""
_OPENED: Final = ("{", "$", "[", "<", "(", ":", "@", "%")
_LEFT_OVER: Final = re.compile(rf"[{{}}<>%$\\\"'`«»‹›“”„{_HIDDEN}]+")
"""What is left around a macro, and damages its value. Others, such as (, may be meant."""
_INVISIBLE: Final = re.compile(f"[{_HIDDEN}]")
_LATIN: Final = str.maketrans("асеорхуік", "aceopxyik")
"""Cyrillic letters that look like Latin ones."""
MAX_UNKNOWN: Final = 20
"""Names of a text for which a macro is looked for that was probably meant; that takes time."""


def unfilled_macros(text: str, place: MacroPlace, *, likely_only: bool = False) -> Iterator[str]:
    """Yield a sentence for each macro of a text that its place does not fill.

    Each macro is reported once, and at most MAX_UNKNOWN are.

    likely_only: leave out names that resemble no macro: browser code may contain such braces.
    """
    known = macro_names(place)
    yield from _other_spellings(text, known, _IN_CODE if likely_only else _IN_URL)
    if not likely_only:
        yield from _damaged_values(text, known)
    if not likely_only and _AMPERSAND.search(text):
        yield "&amp; stays as it is in a URL, so that the next name begins with amp;. Write & instead."
    unknown = (name for name in dict.fromkeys(_NAMED.findall(text)) if name not in known)
    for name in islice(unknown, MAX_UNKNOWN):
        others = [other.value for other in MacroPlace if other is not place and name in macro_names(other)]
        meant = _find_meant(name, known)
        hint = f" Did you mean {{{meant}}}?" if meant else ""
        if others:
            yield f"The macro {{{name}}} is filled in {others[0]} only and stays as text here.{hint}"
        elif meant or not likely_only:
            yield f"There is no macro {{{name}}}: it stays as text.{hint}"


def _other_spellings(text: str, known: frozenset[str], spellings: re.Pattern[str]) -> Iterator[str]:
    """Yield a sentence for each macro in the form of another program, or damaged."""
    names = {found[0]: found[found.lastindex or 0] for found in spellings.finditer(text)}
    for written, name in islice(names.items(), MAX_UNKNOWN):
        meant = _find_meant(name, known) if with_braces(written, known) == written else ""
        if meant:
            yield f"{written} is not a macro: it stays as text. Write {{{meant}}}."


def _damaged_values(text: str, known: frozenset[str]) -> Iterator[str]:
    """Yield a sentence for each value of a URL that is a macro in a form that is not filled."""
    plain = with_braces(text, known)
    if _SECOND_QUERY.match(plain):
        yield "A second ? does not begin a query: it becomes part of the value before it. Write & instead."
    said = {found[0] for found in _IN_URL.finditer(plain)}
    values = (value for value in dict.fromkeys(_VALUE.findall(plain)) if not any(each in value for each in said))
    for value in islice(values, MAX_UNKNOWN):
        if not known.issuperset(_NAMED.findall(value)):
            continue  # there is a sentence for it
        names = _BRACED.findall(value)
        if not names:
            name = _wrapped_name(value, known)
            if name:
                yield f"{value} is not a macro: it stays as text. Write {{{name}}}."
        elif len(names) == 1 and _LEFT_OVER.fullmatch(unquote(_BRACED.sub("", value))):
            yield f"{value} keeps signs around its value. Write {{{names[0]}}}."


def _wrapped_name(value: str, known: frozenset[str]) -> str:
    """Return the macro that a value of a URL means, which no macro is in; "" when it means none."""
    readable = unicodedata.normalize("NFKC", unquote(unquote(value)))
    found = _WRAPPED.fullmatch(_INVISIBLE.sub("", readable).translate(_LATIN))
    if found is None:
        return ""
    before, behind, name = found["before"], found["behind"], found["name"].lower()
    joined = re.sub("[ ._-]", "", name)
    if not ((before and behind) or before.endswith(_OPENED) or behind.startswith("}")):
        # Without signs it may be a value of the shop: only the click id in capitals means one thing.
        return "clickid" if joined == "clickid" and found["name"].isupper() else ""
    names = (name, joined, *_OTHER_NAMES.get(name, ()))
    return next((each for each in names if each in known), "")


def _find_meant(name: str, known: frozenset[str]) -> str:
    """Return the macro that was probably meant by a name; "" when none is like it."""
    plain = name.lower()
    if plain in known:
        return plain
    same = next((each for each in _OTHER_NAMES.get(plain, ()) if each in known), "")
    if same:
        return same
    return next(iter(get_close_matches(plain, sorted(known), n=1, cutoff=0.75)), "")
