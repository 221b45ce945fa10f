"""Named types of one value. Their names come from the specification.

docs/spec/api-conventions.md#parameters, tests/contract/endpoints.toml.
A type is a marker for `Annotated`: it reads a sent text, describes its fault in one sentence, and has a JSON schema.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from ipaddress import ip_address, ip_network
from typing import Annotated, Any, Final, TypeVar
from zoneinfo import ZoneInfo

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from trackyard.base.emails import is_email_address
from trackyard.base.errors import UnsupportedMediaType
from trackyard.base.money import SMALLEST_AMOUNT, find_amount, find_signed_amount, is_lost
from trackyard.base.web_addresses import read_web_address, web_address_fault
from trackyard.base.zones import DATETIME_FORMAT, find_zone
from trackyard.domain.platform.geo import is_country
from trackyard.wire.request.brackets import File

Schema = dict[str, Any]
T = TypeVar("T", date, datetime)

INT32 = 2**31 - 1
MAX_IP_LIST = 20_000
"""Characters of a list of addresses."""
EMPTY_ITEM: Final = object()
"""An empty item of a list. It is dropped unless the type has an empty value."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}\Z")
_DURATION = re.compile(r"(?!.{65})([0-9]{1,9}[ymwdhis])+\Z")
_COUNTRY = re.compile(r"[A-Z]{2}\Z")
_CURRENCY = re.compile(r"[A-Z]{3}\Z")
_HEX24 = re.compile(r"[0-9a-f]{24}\Z")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_UNKNOWN_MEDIA_TYPES: Final = ("", "application/octet-stream")
"""Media types of clients that do not know the type of a file."""


def single_text(value: Any) -> str:
    """Return the text of one value, which may be repeated.

    JSON numbers and booleans are read as a form would send them. Raises ValueError with a sentence.
    """
    if isinstance(value, list) and value:
        text, *others = [single_text(item) for item in value]
        if any(other != text for other in others):
            raise ValueError("This value must be sent once; several values were sent.")
        return text
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str):
        return value
    if isinstance(value, int | Decimal) and len(str(value)) <= 64:
        return str(value)
    raise ValueError("This value must be a single text or number.")


class Scalar(ABC):
    """The base of the named types.

    contract: name in tests/contract/endpoints.toml.
    drops_empty: whether "" means not sent.
    has_no_comma: whether no value has a comma, so that a filter may be sent as `k=a,b`.
    """

    contract: str
    drops_empty: bool = True
    has_no_comma: bool = False

    @abstractmethod
    def read(self, text: str, context: Mapping[str, Any]) -> Any:
        """Return the value of `text`. Raises ValueError with a sentence."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON schema of accepted values, which the caller may change."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def validate(value: Any, info: ValidationInfo) -> Any:
            if value is EMPTY_ITEM and self.drops_empty:
                return EMPTY_ITEM
            return self.read("" if value is EMPTY_ITEM else single_text(value), info.context or {})

        return core_schema.with_info_plain_validator_function(validate)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> Schema:
        return self.schema()


@dataclass(frozen=True, eq=False)
class TextForm(Scalar):
    """A value of one form of text.

    fault: the sentence about text of another form.
    parse: returns None or raises ValueError for text of another form.
    explain: returns a sentence about one text of another form, "" for the general one.
    """

    contract: str
    fault: str
    parse: Callable[[str], Any]
    described: Schema
    drops_empty: bool = True
    has_no_comma: bool = False
    explain: Callable[[str], str] | None = None

    def read(self, text: str, context: Mapping[str, Any]) -> Any:
        try:
            value = self.parse(text)
        except ValueError:
            value = None
        if value is None:
            raise ValueError((self.explain and self.explain(text)) or self.fault)
        return value

    def schema(self) -> Schema:
        return dict(self.described)


@dataclass(frozen=True, eq=False)
class AmountForm(TextForm):
    """An amount of 4 places. One that is not 0 and would be stored as 0 is refused."""

    def read(self, text: str, context: Mapping[str, Any]) -> Any:
        value = super().read(text, context)
        if is_lost(text):
            raise ValueError(f"This value is too small: the smallest amount is {SMALLEST_AMOUNT}.")
        return value


@dataclass(frozen=True)
class BoundedText(Scalar):
    """Text of `minimum` to `maximum` characters that matches `pattern` as a whole.

    strips: whether blanks at both ends are dropped first.
    """

    contract = "string"
    drops_empty = False
    maximum: int = 200
    minimum: int = 0
    pattern: str = ""
    strips: bool = False
    has_no_comma: bool = False

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        text = text.strip() if self.strips else text
        if len(text) > self.maximum:
            raise ValueError(f"This value must have at most {self.maximum} characters.")
        if len(text) < self.minimum:
            raise ValueError(f"This value must have at least {self.minimum} characters.")
        if self.pattern and not re.fullmatch(self.pattern, text):
            raise ValueError(f"This value must match {self.pattern}.")
        return text

    def schema(self) -> Schema:
        bounds = {"minLength": self.minimum, "pattern": self.pattern}
        return {"type": "string", "maxLength": self.maximum} | {name: value for name, value in bounds.items() if value}


@dataclass(frozen=True)
class WholeNumber(Scalar):
    """A whole number from `minimum` to `maximum`."""

    has_no_comma = True
    minimum: int = -INT32 - 1
    maximum: int = INT32
    contract: str = "int"

    def read(self, text: str, context: Mapping[str, Any]) -> int:
        if not _WHOLE.match(text.strip()):
            raise ValueError("This value must be a whole number.")
        number = int(text)
        if not self.minimum <= number <= self.maximum:
            raise ValueError(f"This value must be between {self.minimum} and {self.maximum}.")
        return number

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


@dataclass(frozen=True)
class CountryCode(Scalar):
    """A country code in capitals.

    listed: whether it must be one of ISO 3166-1; otherwise any two letters are accepted.
    """

    contract = "string"
    has_no_comma = True
    listed: bool = True

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        code = text.strip().upper()
        if not (is_country(code) if self.listed else _COUNTRY.match(code)):
            raise ValueError(f"A country {code[:20]} does not exist: codes follow ISO 3166-1, such as DE.")
        return code

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^[A-Za-z]{2}$"}


@dataclass(frozen=True)
class Choice(Scalar):
    """One of `values`: texts, or an enum, which is read as its member.

    admin: further values of staff.
    only_3_0: further values under /3.0.
    permission: further values of callers with a permission.
    replacements: deprecated value to its successor.
    number: whether the values are numbers.
    """

    contract = "enum"
    has_no_comma = True
    values: Iterable[str]
    admin: tuple[str, ...] = ()
    only_3_0: tuple[str, ...] = ()
    permission: tuple[str, ...] = ()
    replacements: Mapping[str, str] = field(default_factory=dict, hash=False)
    number: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))

    def allowed(self, context: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the values of a caller (`staff`) under a version (`version`)."""
        out = (*self.values, *(self.only_3_0 if context.get("version") == "3.0" else ()))
        return out + self.permission + (self.admin if context.get("staff", True) else ())

    def read(self, text: str, context: Mapping[str, Any]) -> str | int:
        text = text.strip()
        allowed = self.allowed(context)
        if text not in allowed and text not in self.replacements:
            words = (value if value[:1].isalnum() else f'"{value}"' for value in allowed)
            raise ValueError(f"This value must be one of: {', '.join(words)}.")
        return int(text) if self.number else next((value for value in allowed if value == text), text)

    def schema(self) -> Schema:
        values = [*self.values, *self.only_3_0, *self.permission, *self.admin, *self.replacements]
        return (
            {"type": "integer", "enum": [int(v) for v in values]} if self.number else {"type": "string", "enum": values}
        )


@dataclass(frozen=True)
class FileUpload(Scalar):
    """An uploaded file of one of the media types `kinds`.

    Another type is a 415. A file without a known type is accepted: its content decides.
    """

    contract = "file"
    kinds: tuple[str, ...] = ()

    def read(self, text: str, context: Mapping[str, Any]) -> File:
        raise ValueError("This value must be a file.")

    def schema(self) -> Schema:
        return {"type": "string", "format": "binary"}

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def validate(value: Any) -> Any:
            if value is EMPTY_ITEM:
                return EMPTY_ITEM
            if not isinstance(value, File):
                return self.read("", {})
            if value.kind.partition(";")[0].strip().lower() not in (*self.kinds, *_UNKNOWN_MEDIA_TYPES):
                raise UnsupportedMediaType(
                    f"{UnsupportedMediaType.text}: a file here must be one of {', '.join(self.kinds)}"
                )
            return value

        return core_schema.no_info_plain_validator_function(validate)


def _in_range(moment: T) -> T | None:
    return moment if 1970 < moment.year < 9999 else None


def _day(text: str) -> date | None:
    return _in_range(date.fromisoformat(text)) if _DAY.match(text) else None


def _moment(text: str) -> datetime | None:
    moment = datetime.strptime(text, DATETIME_FORMAT)  # noqa: DTZ007 - the platform's zone, added later
    return _in_range(moment) if text.isascii() else None


def _percent(text: str) -> Decimal | None:
    amount = find_amount(text)
    return amount if amount is not None and amount <= 100 else None


def _email(text: str) -> str | None:
    address = text.strip().lower()
    return address if is_email_address(address) else None


def _matched(pattern: re.Pattern[str], text: str) -> str | None:
    return text if pattern.match(text) else None


def _ip_entry(text: str) -> str:
    """Return an address, a range or a network without blanks around it. Raises ValueError."""
    entry = text.strip()
    if len(text) > MAX_IP_LIST:
        raise ValueError
    if "/" in entry:
        ip_network(entry, strict=False)
        return entry
    first, dash, last = entry.partition("-")
    begin = ip_address(first.strip())
    if dash and ((end := ip_address(last.strip())).version != begin.version or int(end) < int(begin)):
        raise ValueError
    return entry


def _ip_lines(text: str) -> str:
    entries = [_ip_entry(line) for line in text.splitlines() if line.strip()]
    if entries and len(text) > MAX_IP_LIST:
        raise ValueError
    return "\n".join(entries)


_WORDS: Final = {"0": False, "1": True, "false": False, "true": True}
_IP_FAULT: Final = "This value must hold IP addresses, ranges a-b, or networks a/n."

ZERO_ONE: Final = TextForm(
    "flag",
    "This value must be 0 or 1.",
    lambda text: {"0": False, "1": True}.get(text.strip()),
    {"type": "integer", "enum": [0, 1]},
)
_TRUE_FALSE: Final = TextForm(
    "truefalse",
    "This value must be true or false.",
    lambda text: _WORDS.get(text.strip().lower()),
    {"type": "string", "enum": ["true", "false"]},
)
AMOUNT: Final = AmountForm(
    "float", "This value must be a decimal number, 0 or more.", find_amount, {"type": "number", "minimum": 0}
)
_SIGNED_AMOUNT: Final = AmountForm(
    "float", "This value must be a decimal number.", find_signed_amount, {"type": "number"}
)
_PERCENT: Final = AmountForm(
    "float",
    "This value must be a decimal number from 0 to 100.",
    _percent,
    {"type": "number", "minimum": 0, "maximum": 100},
)
_ISO_DAY: Final = TextForm("date", "This value must be a date, YYYY-MM-DD.", _day, {"type": "string", "format": "date"})
_DAY_FIRST: Final = TextForm(
    "date-dmy",
    "This value must be a date, DD-MM-YYYY.",
    lambda text: _day("-".join(reversed(text.split("-")))),
    {"type": "string", "pattern": r"^\d{2}-\d{2}-\d{4}$"},
)
_LOCAL_TIME: Final = TextForm(
    "datetime",
    "This value must be a time, YYYY-MM-DD HH:MM:SS.",
    _moment,
    {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$"},
)
_ZONE: Final = TextForm(
    "zone",
    "This value must be an IANA time zone name, such as Europe/Berlin.",
    lambda text: find_zone(text) if len(text) < 64 else None,
    {"type": "string", "examples": ["Europe/Berlin"]},
)
_DURATION_TEXT: Final = TextForm(
    "duration",
    "This value must be a duration: numbers with units y, m, w, d, h, i, s, such as 1d12h.",
    lambda text: _matched(_DURATION, text),
    {"type": "string", "pattern": "^([0-9]+[ymwdhis])+$"},
)
_EMAIL_ADDRESS: Final = TextForm(
    "email",
    "This value must be an e-mail address.",
    _email,
    {"type": "string", "format": "email"},
)
_WEB_ADDRESS: Final = TextForm(
    "url",
    "This value must be a URL that begins with http:// or https://.",
    read_web_address,
    {"type": "string", "pattern": "^https?://"},
    explain=web_address_fault,
)
_CURRENCY_CODE: Final = TextForm(
    "currency",
    "This value must be a currency code of three letters.",
    lambda text: _matched(_CURRENCY, text.strip().upper()),
    {"type": "string", "pattern": "^[A-Za-z]{3}$"},
    has_no_comma=True,
)
_HEX_ID: Final = TextForm(
    "string",
    "This value must be an id of 24 hexadecimal digits.",
    lambda text: _matched(_HEX24, text.lower()),
    {"type": "string", "pattern": "^[0-9a-fA-F]{24}$"},
    has_no_comma=True,
)

Text = Annotated[str, BoundedText()]
LongText = Annotated[str, BoundedText(maximum=20_000)]
Name = Annotated[str, BoundedText(minimum=1)]
Login = Annotated[str, BoundedText(strips=True)]
Int = Annotated[int, WholeNumber()]
Id = Annotated[int, WholeNumber(minimum=1)]
Hour = Annotated[int, WholeNumber(minimum=0, maximum=23, contract="hour")]
Amount = Annotated[Decimal, AMOUNT]
SignedAmount = Annotated[Decimal, _SIGNED_AMOUNT]
Percent = Annotated[Decimal, _PERCENT]
Flag = Annotated[bool, ZERO_ONE]
TrueFalse = Annotated[bool, _TRUE_FALSE]
Day = Annotated[date, _ISO_DAY]
DayMonthYear = Annotated[date, _DAY_FIRST]
"""A day of referral payments, the only ones that are sent day first."""
Moment = Annotated[datetime, _LOCAL_TIME]
"""A moment of the platform's zone, read as a naive datetime."""
Zone = Annotated[ZoneInfo, _ZONE]
Duration = Annotated[str, _DURATION_TEXT]
"""Numbers with units y, m, w, d, h, i (minute), s, such as 1y or 1h30i; kept as written."""
Email = Annotated[str, _EMAIL_ADDRESS]
"""An e-mail address in lower case, since two spellings of one mailbox are one."""
Url = Annotated[str, _WEB_ADDRESS]
"""An http or https URL, macros allowed."""
Currency = Annotated[str, _CURRENCY_CODE]
Country = Annotated[str, CountryCode()]
Hex = Annotated[str, _HEX_ID]
IpAddress = Annotated[
    str,
    TextForm(
        "string",
        "This value must be an IP address.",
        lambda text: str(ip_address(text.strip())),
        {"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]},
    ),
]
IpEntry = Annotated[str, TextForm("string", _IP_FAULT, _ip_entry, {"type": "string"})]
"""One address, a range `a-b`, or a network `a/n`; IPv4 and IPv6."""
IpLines = Annotated[str, TextForm("string", _IP_FAULT, _ip_lines, {"type": "string"}, drops_empty=False)]
"""Several of these, one a line."""
