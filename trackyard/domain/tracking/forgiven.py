"""What is forgiven in links, clicks and postbacks.

docs/spec/tracking.md#what-is-forgiven has the same table, which a test compares.

`Click.forgiven`, the server postback log and conversions store these bits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

RAW_BYTES: Final = 1
RAW_SPACE: Final = 2
ENCODING: Final = 4
AMPERSAND: Final = 8
NAME: Final = 16
EMPTY_REPEAT: Final = 32
QUESTION_MARK: Final = 64
IDENTIFIER: Final = 128
BLANK_VALUE: Final = 256
PATH: Final = 512
JSON_BODY: Final = 1024
COMPRESSED: Final = 2048


@dataclass(frozen=True, slots=True)
class Forgiveness:
    """Something that is wrong in a request and can mean one thing only.

    label: for people, in a few words
    sent: an example, as it was sent; taken: how it is read
    rule: what is done
    """

    name: str
    label: str
    sent: str
    taken: str
    rule: str


FORGIVEN: Final[Mapping[int, Forgiveness]] = MappingProxyType(
    {
        RAW_BYTES: Forgiveness(
            "raw-bytes",
            "bytes that were not percent-encoded",
            "comment=Оплачено",
            "comment=%D0%9E…",
            "Bytes above 127 in a URL are taken as if they were percent-encoded.",
        ),
        RAW_SPACE: Forgiveness(
            "raw-space",
            "a space that was not percent-encoded",
            "goal=first deposit",
            "goal=first%20deposit",
            "The URL is between the first space and the last ` HTTP/1.`. The connection is closed behind the "
            "answer. A request with a body is a 400.",
        ),
        ENCODING: Forgiveness(
            "encoding",
            "text that is not UTF-8",
            "sub1=%EE%EA%F0%E1",
            "окрб",
            "Text that is not UTF-8 is windows-1251 where most letters of the words beyond ASCII are Cyrillic in it, "
            "else latin-1. A last character of UTF-8 that was cut is left out.",
        ),
        AMPERSAND: Forgiveness(
            "ampersand",
            "&amp; instead of &",
            "pid=1&amp;offer_id=2",
            "pid=1&offer_id=2",
            "`amp;`, also several times or as a number, before a known name is left out. A `;` or an encoded `&` "
            "(`%26`) behind an id and before a known name separates parameters.",
        ),
        NAME: Forgiveness(
            "name",
            "a name of a parameter in another form",
            "sub1[]=x, PID=1",
            "sub1=x, pid=1",
            "A name in another case, with blanks around it, or with `[]` or `[0]` behind it is the known name, where "
            "that has no value.",
        ),
        EMPTY_REPEAT: Forgiveness(
            "empty-repeat",
            "an empty repeat of a parameter",
            "clickid=ID&clickid=",
            "clickid=ID",
            "An empty repeat of a parameter is left out. Of two different values the last one counts.",
        ),
        QUESTION_MARK: Forgiveness(
            "question-mark",
            "a second ?",
            "offer_id=2?sub1=x",
            "offer_id=2&sub1=x",
            "A `?` behind a number or an id, or before a name, separates parameters.",
        ),
        IDENTIFIER: Forgiveness(
            "identifier",
            "a number or an id in another form",
            "offer_id=2%20, clickid=%22ID%22",
            "offer_id=2, clickid=ID",
            "Numbers and ids in links, and click ids: blanks, plus signs, quotes, signs of a sentence and signs of "
            "a template (`{ID}`, `$ID`, `[ID]`) around them and the case of hexadecimal digits do not count.",
        ),
        BLANK_VALUE: Forgiveness(
            "blanks",
            "blanks around a value",
            "currency=EUR%20, status=%201",
            "currency=EUR, status=1",
            "Blanks around `goal`, `status`, `sum`, `currency`, `action_id`, `promo_code`, `secure`, `ts` and "
            "`signature` of a postback do not count; `status`, `sum` and `currency` may also be in quotes.",
        ),
        PATH: Forgiveness(
            "path",
            "a path in another form",
            "//click, /HASH., /HASH&sub1=x",
            "/click, /HASH, /HASH?sub1=x",
            "Repeated slashes, signs of a sentence and blanks behind a path, percent-encoding and the case of a known "
            "path do not count. A path ends at `&`.",
        ),
        JSON_BODY: Forgiveness(
            "json-body",
            "a body in another form",
            "text/plain with {…}, [{…}]",
            "application/json with {…}",
            "A body that begins with `{` is JSON, whatever its type is, also behind a byte order mark or as the one "
            "item of a list. A body that is called JSON and is a form is read as a form.",
        ),
        COMPRESSED: Forgiveness(
            "compressed",
            "a compressed body",
            "a body with gzip",
            "the same without",
            "A body that begins as gzip does is unpacked, up to 64 KB.",
        ),
    }
)
"""Everything that is forgiven, by its bit."""


@lru_cache(maxsize=512)
def names_of(bits: int) -> tuple[str, ...]:
    """Return the names of the forgiven faults."""
    return tuple(each.name for bit, each in FORGIVEN.items() if bits & bit)


def forgiven_text(bits: int) -> str:
    """Return the names of the forgiven faults as text, "" = none."""
    return ", ".join(names_of(bits))
