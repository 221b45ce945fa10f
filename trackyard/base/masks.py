"""Secrets in requests and addresses, as people see them: ***."""

import json
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import unquote_plus

_SECRETS: Final = frozenset({"secure", "afsecure"})

# Bounded: senders control how often a name begins, so a search from one beginning must be short. The longest spelling
# of a secret name has six characters for each of its eight, and an index in brackets.
_PAIR_NAME: Final = re.compile(r"(?:^|[&?;])([^&?;=]{6,72}+)=")
_PAIR_VALUE: Final = re.compile(r"[^&;]*")
_JSON_NAME: Final = re.compile(r'"((?:[^"\\]|\\.){6,48}+)"\s*:\s*')
_JSON_VALUE: Final = re.compile(r'"(?:[^"\\]|\\.)*\\?(?:"|\Z)|\[[^\]]*\]?|\{[^}]*\}?|[^,}\s]+')
_SECRET_PART: Final = re.compile(
    r'(?is)(name\s{0,9}=\s{0,9}"?\s{0,9}(?:af)?secure\s{0,9}(?:\[[^\]\r\n]{0,20}\])?"?[^\r\n]{0,200}+\r?\n(?:[^\r\n]{1,200}+\r?\n){0,9}+\r?\n).*?(?=\r?\n--|\Z)'
)

_USER: Final = re.compile(r"(?<=://)[^/?#@]*@")
_QUERY_PAIR: Final = re.compile(r"(?<=[?&;])([^=&;#]{1,100}+)=([^&;#]*)")
_SECRET_WORDS: Final = ("token", "secret", "secur", "passw", "pwd", "apikey", "signature", "auth", "hmac")
_SECRET_ENDS: Final = frozenset({"key", "sig", "sign", "hash", "pass"})


def mask_url(url: str) -> str:
    """Return a URL with *** in place of its login and of the values of secret parameters."""
    url = _USER.sub("***@", url)
    return _QUERY_PAIR.sub(lambda pair: f"{pair[1]}=***" if pair[2] and _sounds_secret(pair[1]) else pair[0], url)


def _sounds_secret(name: str) -> bool:
    plain = unquote_plus(name).lower()
    return any(word in plain for word in _SECRET_WORDS) or re.split(r"[^a-z]+", plain)[-1] in _SECRET_ENDS


def mask_secrets(text: str) -> str:
    """Return a query string or body (urlencoded, JSON, multipart) with the values of `secure` as ***."""
    if "%" not in text and "\\" not in text and "secure" not in text.lower():
        return text
    text = _mask_values(text, _PAIR_NAME, _PAIR_VALUE, unquote_plus, "***")
    text = _mask_values(text, _JSON_NAME, _JSON_VALUE, _json_text, '"***"')
    return _SECRET_PART.sub(r"\1***", text)


def _mask_values(
    text: str, name: re.Pattern[str], value: re.Pattern[str], decode: Callable[[str], str], mask: str
) -> str:
    """Replace the values after names that are secret once they are decoded."""
    pieces, kept = [], 0
    for found in name.finditer(text):
        if found.start() >= kept and _plain_name(decode(found[1])) in _SECRETS:
            hidden = value.match(text, found.end())
            if hidden is not None:
                pieces += [text[kept : found.end()], mask]
                kept = hidden.end()
    return "".join(pieces) + text[kept:]


def _plain_name(name: str) -> str:
    """Return a name without case, outer blanks and an index: `Secure[0]` is `secure`."""
    return name.partition("[")[0].strip().lower()


def _json_text(escaped: str) -> str:
    """Return the text of a JSON string without its quotes; invalid JSON is returned unchanged."""
    try:
        return str(json.loads(f'"{escaped}"', strict=False))
    except ValueError:
        return escaped
