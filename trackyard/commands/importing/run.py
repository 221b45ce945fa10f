"""The import: list there, add here, remember the numbers."""

import hashlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from trackyard.commands.failures import CommandFailed, ServerAway
from trackyard.commands.importing.kinds import (
    AFFILIATES,
    CATEGORIES,
    CONNECTIONS,
    KINDS,
    NAMES,
    OFFERS,
    POSTBACKS,
    Kind,
    Lookup,
    NotImportable,
    Record,
)
from trackyard.commands.importing.numbers import NumberMap
from trackyard.commands.local_api import ApiError

_PAGE: Final = 100
_MAX_PAGES: Final = 100_000
_OFFERS_OF_AFFILIATE: Final = "/3.0/partner/offers"
_CONNECT: Final = "/3.0/offer/enable-affiliate"
_AT_ONCE: Final = 100
"""Offers of one request that connects."""


class ListRejected(CommandFailed):
    """The old platform does not list something for the caller."""


class Platform(Protocol):
    """An API, as one caller."""

    def get(self, path: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer to GET. Raises ApiError, ServerAway."""

    def post(self, path: str, params: dict[str, Any], *, once: str = "") -> dict[str, Any]:
        """Return the answer to POST. once: an idempotency key. Raises ApiError, ServerAway."""


@dataclass(slots=True)
class KindSummary:
    """What was done with a kind: records of the old platform, new ones here, and ones from before."""

    found: int = 0
    imported: int = 0
    known: int = 0
    failed: int = 0


@dataclass(slots=True)
class ImportSummary:
    """What an import did. failures: a sentence for each record that was not copied."""

    kinds: dict[str, KindSummary] = field(default_factory=lambda: {name: KindSummary() for name in NAMES})
    failures: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Importer:
    """An import.

    source: returns the old platform as the caller with a key sees it.
    source_key: the key of an administrator there.
    only: the kinds to copy. dry_run: only list, and write nothing.
    progress: is called with a line now and then.
    """

    source: Callable[[str], Platform]
    source_key: str
    target: Platform
    numbers: NumberMap
    only: Collection[str] = NAMES
    dry_run: bool = False
    progress: Callable[[str], None] = lambda _line: None
    summary: ImportSummary = field(default_factory=ImportSummary)
    _public: set[object] = field(default_factory=set)
    """Offers of the old platform that need no connection."""

    def run(self) -> ImportSummary:
        """Copy the kinds in their order. Raises ServerAway when one of the two does not answer.

        A record that is rejected is named in the summary, and the others are copied.
        """
        self.target.get(CATEGORIES.list_path, {"limit": 1})  # it answers, before the old platform is asked for anything
        for kind in KINDS:
            if kind.name in self.only:
                self.progress(f"{kind.name} …")
                for record in self._each(self.source_key, kind.list_path, kind.list_key):
                    self._copy(kind, record)
        if CONNECTIONS in self.only:
            offers = self._each(self.source_key, OFFERS.list_path, OFFERS.list_key)
            self._public = {each["id"] for each in offers if each.get("privacy") == "public"}
        if {CONNECTIONS, POSTBACKS.name} & set(self.only):
            for affiliate in self._each(self.source_key, AFFILIATES.list_path, AFFILIATES.list_key):
                self._copy_of_affiliate(affiliate)
        return self.summary

    def _each(self, key: str, path: str, list_key: str, **params: Any) -> Iterator[Record]:
        """Yield the records of all pages of a list of the old platform."""
        seen = 0
        for page in range(1, _MAX_PAGES):
            try:
                answer = self.source(key).get(path, {"page": page, "limit": _PAGE} | params)
            except ServerAway:
                raise ServerAway("the old platform does not answer: check --from.") from None
            except ApiError as fault:
                raise ListRejected(f"the old platform rejects GET {path}: {fault}") from None
            found = answer.get(list_key) or []
            yield from found
            seen += len(found)
            if not found or seen >= int((answer.get("pagination") or {}).get("total_count") or 0):
                return

    def _copy(self, kind: Kind, record: Record, **more: Any) -> None:
        counted = self.summary.kinds[kind.name]
        counted.found += 1
        old = record["id"]
        if self.numbers.find(kind.name, old) is not None:
            counted.known += 1
            return
        if self.dry_run:
            return
        try:
            here = self._find_twin(kind, record)
            if here is None:
                params = kind.params(record, Lookup(self.numbers.find)) | more
                here = self.target.post(kind.add_path, params, once=self._once(kind, old))[kind.answer_key]["id"]
                counted.imported += 1
            else:
                counted.known += 1
        except (NotImportable, ApiError) as fault:
            counted.failed += 1
            reason = " ".join(str(fault).split())
            self.summary.failures.append(f"{kind.name} {old} ({kind.title(record)}): {reason}")
            return
        self.numbers.add(kind.name, old, here)

    def _find_twin(self, kind: Kind, record: Record) -> object | None:
        """Return the number here of a record that exists already: an affiliate's e-mail address is its own."""
        if kind is AFFILIATES:
            address = str(record.get("email") or "").casefold()
            found = self.target.get(kind.list_path, {"search": address})[kind.list_key] if address else []
            return next((each["id"] for each in found if str(each["email"]).casefold() == address), None)
        if kind is CATEGORIES:
            found = self.target.get(kind.list_path, {"limit": 500})[kind.list_key]
            return next((each["id"] for each in found if each["title"] == record["title"]), None)
        return None

    def _once(self, kind: Kind, old: object) -> str:
        """Return an idempotency key: an import that was killed between request and map adds nothing twice."""
        if kind is AFFILIATES:
            return ""  # the new password differs in every run; the e-mail address shows a repeated one
        return hashlib.sha256(f"import {self.numbers.source} {kind.name} {old}".encode()).hexdigest()

    def _copy_of_affiliate(self, affiliate: Record) -> None:
        """Copy the connections and postbacks of an active affiliate, as the affiliate lists them."""
        here = self.numbers.find(AFFILIATES.name, affiliate["id"])
        if affiliate.get("status") != "active" or (here is None and not self.dry_run):
            return  # others cannot list anything; what is not imported is in the summary
        key = str(affiliate.get("api_key") or "")
        try:
            if CONNECTIONS in self.only:
                self._connect(here or "", key)
            if POSTBACKS.name in self.only:
                for record in self._each(key, POSTBACKS.list_path, POSTBACKS.list_key):
                    self._copy(POSTBACKS, record, pid=here)
        except ListRejected as fault:
            self.summary.failures.append(f"connections and postbacks of affiliate {affiliate['id']}: {fault}")

    def _connect(self, affiliate: str, key: str) -> None:
        """Connect an affiliate to the offers that it is connected to there."""
        counted = self.summary.kinds[CONNECTIONS]
        offers = list(self._offers_to_connect(affiliate, key))
        for start in range(0, 0 if self.dry_run else len(offers), _AT_ONCE):
            part = offers[start : start + _AT_ONCE]
            try:
                self.target.post(_CONNECT, {"offer_id": part, "pid": affiliate, "notice": 0})
            except ApiError as fault:
                counted.failed += len(part)
                self.summary.failures.append(f"connections of affiliate {affiliate}: {fault}")
                continue
            counted.imported += len(part)
            for offer in part:
                self.numbers.add(CONNECTIONS, f"{affiliate} {offer}", offer)

    def _offers_to_connect(self, affiliate: str, key: str) -> Iterator[str]:
        """Yield the numbers here of offers that an affiliate is connected to there, and not by this import."""
        counted = self.summary.kinds[CONNECTIONS]
        for record in self._each(key, _OFFERS_OF_AFFILIATE, "offers"):
            if record.get("required_approval") or record["id"] in self._public:
                continue
            counted.found += 1
            here = self.numbers.find(OFFERS.name, record["id"])
            if here is not None and self.numbers.find(CONNECTIONS, f"{affiliate} {here}"):
                counted.known += 1
            elif here is not None:
                yield here
            elif not self.dry_run:
                counted.failed += 1
                failure = f"connections of affiliate {affiliate}: offer {record['id']} is not imported"
                self.summary.failures.append(failure)


def summary_rows(summary: ImportSummary) -> list[tuple[str, ...]]:
    """Return a row for each kind that was met: name, found, imported, known, failed."""
    return [
        (name, *(f"{value:,}" for value in (done.found, done.imported, done.known, done.failed)))
        for name, done in summary.kinds.items()
        if done.found
    ]
