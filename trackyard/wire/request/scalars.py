"""Named types of one value, as the specification names them
(docs/spec/api-conventions.md#parameters, tests/contract/endpoints.toml).

Each is a marker for `Annotated`: it reads what a stranger sent, says in one sentence what is wrong with it, and
describes itself for the OpenAPI document. `contract` is its name in the contract.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from ipaddress import ip_address
from typing import Annotated, Any, ClassVar, Final
from zoneinfo import ZoneInfo

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from trackyard.base.errors import UnsupportedMediaType
from trackyard.base.ids import is_hex24
from trackyard.base.money import find_amount
from trackyard.base.zones import DATETIME_FORMAT, find_zone
from trackyard.domain.platform.geo import is_country
from trackyard.wire.request.brackets import File

Schema = dict[str, Any]

INT32 = 2**31 - 1
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}\Z")
_EMAIL = re.compile(r"[^@\s,;<>\"]{1,64}@[^@\s,;<>\"]{1,189}\Z")
_URL = re.compile(
    r"https?://(?:\[([0-9a-f:.]{2,45})\]|[^\s/?#@:\[\]]{1,255})(?::[0-9]{1,5})?(?:[/?#]\S*)?\Z", re.IGNORECASE
)
"""Its group: an IPv6 address."""
_DURATION = re.compile(r"([0-9]{1,9}[ymwdhis])+\Z")
_COUNTRY = re.compile(r"[A-Z]{2}\Z")
_CURRENCY = re.compile(r"[A-Z]{3}\Z")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
MAX_URL = 8192
EMPTY_ITEM: Final = object()
"""An empty item of a list: the list is without it, unless its type has an empty value."""


def single_text(value: Any) -> str:
    """Return the text of one value, which may be repeated; JSON numbers and booleans as a form would send them."""
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


@dataclass(frozen=True)
class Scalar(ABC):
    """The base of the named types. `drops_empty`: "" means not sent."""

    contract: ClassVar[str]
    drops_empty: ClassVar[bool] = True

    @abstractmethod
    def read(self, text: str, context: Mapping[str, Any]) -> Any:
        """The value of `text`. Raises ValueError with a sentence."""

    @abstractmethod
    def schema(self) -> Schema:
        """The JSON schema of what is accepted."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def validate(value: Any, info: ValidationInfo) -> Any:
            if value is EMPTY_ITEM and self.drops_empty:
                return EMPTY_ITEM
            return self.read("" if value is EMPTY_ITEM else single_text(value), info.context or {})

        return core_schema.with_info_plain_validator_function(validate)

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> Schema:
        return self.schema()


@dataclass(frozen=True)
class BoundedText(Scalar):
    """Text of at most `maximum` characters; `minimum` > 0 refuses the empty one."""

    contract = "string"
    drops_empty = False
    maximum: int = 200
    minimum: int = 0
    pattern: str = ""

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        if len(text) > self.maximum:
            raise ValueError(f"This value must have at most {self.maximum} characters.")
        if len(text) < self.minimum:
            raise ValueError(f"This value must have at least {self.minimum} characters.")
        if self.pattern and not re.fullmatch(self.pattern, text):
            raise ValueError(f"This value must match {self.pattern}.")
        return text

    def schema(self) -> Schema:
        schema: Schema = {"type": "string", "maxLength": self.maximum}
        if self.minimum:
            schema["minLength"] = self.minimum
        if self.pattern:
            schema["pattern"] = self.pattern
        return schema


@dataclass(frozen=True)
class LoginName(BoundedText):
    """The name that an account signs in with, without the blanks around it, as a sign-in reads it."""

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        return super().read(text.strip(), context)


@dataclass(frozen=True)
class WholeNumber(Scalar):
    """A whole number within `minimum` and `maximum`."""

    contract = "int"
    minimum: int = -INT32 - 1
    maximum: int = INT32

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
class HourOfDay(WholeNumber):
    """An hour, 0 to 23."""

    contract = "hour"
    minimum: int = 0
    maximum: int = 23


@dataclass(frozen=True)
class NumberText(WholeNumber):
    """A whole number that the specification calls text."""

    contract = "string"


@dataclass(frozen=True)
class Number(Scalar):
    """A plain decimal >= 0, rounded to four places. most: None = as large as amounts are."""

    maximum: int | None = None

    contract = "float"

    def read(self, text: str, context: Mapping[str, Any]) -> Decimal:
        amount = find_amount(text)
        if amount is None or (self.maximum is not None and amount > self.maximum):
            span = ", 0 or more." if self.maximum is None else f" from 0 to {self.maximum}."
            raise ValueError(f"This value must be a decimal number{span}")
        return amount

    def schema(self) -> Schema:
        return {"type": "number", "minimum": 0} | ({} if self.maximum is None else {"maximum": self.maximum})


@dataclass(frozen=True)
class ZeroOne(Scalar):
    """0 or 1."""

    contract = "flag"
    words: ClassVar[Mapping[str, bool]] = {"0": False, "1": True}

    def read(self, text: str, context: Mapping[str, Any]) -> bool:
        value = self.words.get(text.strip().lower())
        if value is None:
            raise ValueError("This value must be 0 or 1.")
        return value

    def schema(self) -> Schema:
        return {"type": "integer", "enum": [0, 1]}


@dataclass(frozen=True)
class TrueOrFalse(Scalar):
    """The words true or false; 0, 1 and JSON booleans are understood."""

    contract = "truefalse"
    words: ClassVar[Mapping[str, bool]] = {"false": False, "true": True, "0": False, "1": True}

    def read(self, text: str, context: Mapping[str, Any]) -> bool:
        value = self.words.get(text.strip().lower())
        if value is None:
            raise ValueError("This value must be true or false.")
        return value

    def schema(self) -> Schema:
        return {"type": "string", "enum": ["true", "false"]}


@dataclass(frozen=True)
class CalendarDay(Scalar):
    """A day, YYYY-MM-DD."""

    contract = "date"

    def read(self, text: str, context: Mapping[str, Any]) -> date:
        try:
            day = date.fromisoformat(text) if _DAY.match(text) else None
        except ValueError:
            day = None
        if day is None or not 1970 < day.year < 9999:
            raise ValueError("This value must be a date, YYYY-MM-DD.")
        return day

    def schema(self) -> Schema:
        return {"type": "string", "format": "date"}


@dataclass(frozen=True)
class DayFirst(CalendarDay):
    """A day, DD-MM-YYYY: referral payments alone."""

    contract = "date-dmy"

    def read(self, text: str, context: Mapping[str, Any]) -> date:
        parts = text.split("-")
        try:
            return super().read("-".join(reversed(parts)), context)
        except ValueError:
            raise ValueError("This value must be a date, DD-MM-YYYY.") from None

    def schema(self) -> Schema:
        return {"type": "string", "pattern": r"^\d{2}-\d{2}-\d{4}$"}


@dataclass(frozen=True)
class LocalTime(Scalar):
    """A moment of the platform zone, YYYY-MM-DD HH:MM:SS; read as a naive datetime."""

    contract = "datetime"

    def read(self, text: str, context: Mapping[str, Any]) -> datetime:
        try:
            moment = datetime.strptime(text, DATETIME_FORMAT)  # noqa: DTZ007 - the zone is the platform's, known later
        except ValueError:
            moment = None
        if moment is None or not 1970 < moment.year < 9999:
            raise ValueError("This value must be a time, YYYY-MM-DD HH:MM:SS.")
        return moment

    def schema(self) -> Schema:
        return {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$"}


@dataclass(frozen=True)
class ZoneName(Scalar):
    """An IANA zone name."""

    contract = "zone"

    def read(self, text: str, context: Mapping[str, Any]) -> ZoneInfo:
        zone = find_zone(text) if len(text) < 64 else None
        if zone is None:
            raise ValueError("This value must be an IANA time zone name, such as Europe/Berlin.")
        return zone

    def schema(self) -> Schema:
        return {"type": "string", "examples": ["Europe/Berlin"]}


@dataclass(frozen=True)
class DurationText(Scalar):
    """Numbers with units y, m, w, d, h, i (minute), s, such as 1y or 1h30i; kept as written."""

    contract = "duration"

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        if len(text) > 64 or not _DURATION.match(text):
            raise ValueError("This value must be a duration: numbers with units y, m, w, d, h, i, s, such as 1d12h.")
        return text

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^([0-9]+[ymwdhis])+$"}


@dataclass(frozen=True)
class EmailAddress(Scalar):
    """An e-mail address, lower-cased: two spellings of one mailbox are one."""

    contract = "email"

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        address = text.strip().lower()
        if not _EMAIL.match(address):
            raise ValueError("This value must be an e-mail address.")
        return address

    def schema(self) -> Schema:
        return {"type": "string", "format": "email"}


@dataclass(frozen=True)
class WebAddress(Scalar):
    """An http or https URL, macros allowed."""

    contract = "url"

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        address = text.strip()
        found = _URL.match(address)
        if len(address) > MAX_URL or found is None or not _is_address(found[1]):
            raise ValueError("This value must be a URL that begins with http:// or https://.")
        return address

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^https?://"}


def _is_address(text: str | None) -> bool:
    """Whether what stands in brackets is an IPv6 address; nothing is no wrong one."""
    try:
        return text is None or ip_address(text).version == 6
    except ValueError:
        return False


@dataclass(frozen=True)
class CurrencyCode(Scalar):
    """Three letters of ISO 4217."""

    contract = "currency"

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        code = text.strip().upper()
        if not _CURRENCY.match(code):
            raise ValueError("This value must be a currency code of three letters.")
        return code

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^[A-Za-z]{3}$"}


@dataclass(frozen=True)
class CountryCode(Scalar):
    """A code of ISO 3166-1, upper-cased. listed: whether it must be one of the list, else two letters are enough."""

    contract = "string"
    listed: bool = True

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        code = text.strip().upper()
        if not (is_country(code) if self.listed else _COUNTRY.match(code)):
            raise ValueError(f"A country {code[:20]} does not exist: codes are those of ISO 3166-1, such as DE.")
        return code

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^[A-Za-z]{2}$"}


@dataclass(frozen=True)
class HexId(Scalar):
    """An identifier of 24 hex digits."""

    contract = "string"

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        if not is_hex24(text.lower()):
            raise ValueError("This value must be an id of 24 hexadecimal digits.")
        return text.lower()

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^[0-9a-fA-F]{24}$"}


@dataclass(frozen=True)
class Choice(Scalar):
    """One of `values`: names, or an enum, of which the member is read.

    admin: more for staff
    only_3_0: more under /3.0
    permission: more for callers with a permission
    replacements: deprecated value → today's
    """

    contract = "enum"
    values: Iterable[str]
    admin: tuple[str, ...] = ()
    only_3_0: tuple[str, ...] = ()
    permission: tuple[str, ...] = ()
    replacements: Mapping[str, str] = field(default_factory=dict, hash=False)
    number: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))

    def allowed(self, context: Mapping[str, Any]) -> tuple[str, ...]:
        """The values of a caller (`staff`) under a version (`version`)."""
        out = (*self.values, *(self.only_3_0 if context.get("version") == "3.0" else ()))
        return out + self.permission + (self.admin if context.get("staff", True) else ())

    def read(self, text: str, context: Mapping[str, Any]) -> str | int:
        text = text.strip()
        allowed = self.allowed(context)
        if text not in allowed and text not in self.replacements:
            raise ValueError(f"This value must be one of: {', '.join(allowed)}.")
        return int(text) if self.number else next((value for value in allowed if value == text), text)

    def schema(self) -> Schema:
        values = [*self.values, *self.only_3_0, *self.permission, *self.admin, *self.replacements]
        return (
            {"type": "integer", "enum": [int(v) for v in values]} if self.number else {"type": "string", "enum": values}
        )


@dataclass(frozen=True)
class FileUpload(Scalar):
    """An uploaded file of one of `kinds` (media types); another kind is a 415, not a fault among others. A sender that
    names none lets the content tell."""

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


_UNKNOWN_MEDIA_TYPES = ("", "application/octet-stream")
"""What senders say who do not know the kind of a file."""


Text = Annotated[str, BoundedText()]
LongText = Annotated[str, BoundedText(maximum=20_000)]
Name = Annotated[str, BoundedText(minimum=1)]
Login = Annotated[str, LoginName()]
Int = Annotated[int, WholeNumber()]
Id = Annotated[int, WholeNumber(minimum=1)]
Amount = Annotated[Decimal, Number()]
Percent = Annotated[Decimal, Number(maximum=100)]
Flag = Annotated[bool, ZeroOne()]
TrueFalse = Annotated[bool, TrueOrFalse()]
Day = Annotated[date, CalendarDay()]
DayMonthYear = Annotated[date, DayFirst()]
Moment = Annotated[datetime, LocalTime()]
Zone = Annotated[ZoneInfo, ZoneName()]
Duration = Annotated[str, DurationText()]
Email = Annotated[str, EmailAddress()]
Url = Annotated[str, WebAddress()]
Hour = Annotated[int, HourOfDay()]
Currency = Annotated[str, CurrencyCode()]
Country = Annotated[str, CountryCode()]
Hex = Annotated[str, HexId()]
