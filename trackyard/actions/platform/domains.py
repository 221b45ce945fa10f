"""Domains that tracking links may begin with (docs/api/domains.md)."""

import hmac
import secrets
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import Final
from urllib.parse import urlsplit

from trackyard.actions.deps import Deps
from trackyard.base.errors import Conflict, required
from trackyard.base.texts.marks import gettext
from trackyard.domain.platform.domains import Domain
from trackyard.domain.platform.own_requests import INSTALLATION_PATH, proof_of
from trackyard.outbound.results import SitePart
from trackyard.store.platform import domains

PASSED: Final = "passed"
FAILED: Final = "failed"
NOT_CHECKED: Final = "not checked"
_HTTP_OK: Final = 200
_SOON_MS: Final = 14 * 86_400_000
"""Time before the end of a certificate from which a check says that it ends soon."""


@dataclass(frozen=True, slots=True)
class DomainCheckStep:
    """A part of the check of a domain.

    verdict: "passed", "failed", or "not checked" where an earlier part failed or the domain does not need it.
    text: what was found. advice: what to do, "" = nothing.
    """

    name: SitePart
    verdict: str
    text: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class DomainCheck:
    """The check of a domain. url: what was asked. certificate_end: Unix seconds, None = none was seen."""

    url: str
    steps: list[DomainCheckStep]
    certificate_end: int | None

    @property
    def passes(self) -> bool:
        """Return whether tracking links may begin with the domain."""
        return all(each.verdict != FAILED for each in self.steps)


def list_domains(deps: Deps, order: str = "id", *, descending: bool = False) -> list[Domain]:
    """Return all domains by a field of them, equal ones by id."""
    with deps.database.read() as conn:
        found = domains.list_domains(conn)
    return sorted(found, key=attrgetter(order), reverse=descending)


def is_tracking_host(deps: Deps, name: str) -> bool:
    """Return whether tracking links may begin with a host, of the settings or of a domain."""
    host = name.lower().rstrip(".")
    if not host or ":" in host:
        return False
    if host == urlsplit(deps.tracking_url).hostname:
        return True
    with deps.database.read() as conn:
        return domains.has_host(conn, host)


def get_domain(deps: Deps, domain_id: int) -> Domain:
    """Return the domain of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return required(domains.find_domain(conn, domain_id))


def add_domain(deps: Deps, url: str, *, use_https: bool) -> Domain:
    """Create a domain. Raises Conflict for a taken host."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        made = domains.add_domain(conn, Domain(0, url, use_https, created_at=now, updated_at=now))
    if made is None:
        raise _taken(url)
    return made


def edit_domain(deps: Deps, domain_id: int, url: str | None, use_https: bool | None) -> Domain:
    """Change the given fields. Raises NotFound, Conflict."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(domains.find_domain(conn, domain_id, lock=True))
        after = replace(
            found,
            url=found.url if url is None else url,
            use_https=found.use_https if use_https is None else use_https,
            updated_at=now,
        )
        if domains.is_taken(conn, after.url, excluding=after.id):
            raise _taken(after.url)
        values = {"url": after.url, "use_https": after.use_https, "updated_at": now}
        domains.edit_domain(conn, after.id, values)
    return after


def remove_domain(deps: Deps, domain_id: int) -> Domain:
    """Remove an unused domain and return it. Raises NotFound, Conflict."""
    with deps.database.write() as conn:
        found = required(domains.find_domain(conn, domain_id, lock=True))
        if domains.is_used(conn, found.id):
            raise Conflict({"id": ["Offers or SmartLink categories use this domain."]})
        domains.remove_domain(conn, found.id)
    return found


def check_domain(deps: Deps, domain: Domain) -> DomainCheck:
    """Ask a domain once whether this installation answers there, as a visitor would reach it.

    Raises TooManyRequests while the domain is checked already, or too many requests to other hosts run.
    """
    challenge = secrets.token_hex(16)
    url = f"http{'s' if domain.use_https else ''}://{domain.url}{INSTALLATION_PATH}?challenge={challenge}"
    look = deps.trials.look(-domain.id, url)
    is_this = hmac.compare_digest(look.body, proof_of(deps.origin, challenge).encode())
    steps, stopped = [], False
    for part in SitePart:
        if stopped:
            steps.append(DomainCheckStep(part, NOT_CHECKED, gettext("An earlier step failed.")))
        elif part is look.fault:
            steps.append(DomainCheckStep(part, FAILED, _sentence(look.error), _advice(part, domain)))
        elif part is SitePart.CERTIFICATE and not domain.use_https:
            steps.append(DomainCheckStep(part, NOT_CHECKED, gettext("Links of the domain begin with http.")))
        elif part is SitePart.ANSWER and not (look.status == _HTTP_OK and is_this):
            steps.append(_wrong_answer(look.status, domain))
        else:
            steps.append(DomainCheckStep(part, PASSED, *_found(part, look.certificate_end, deps)))
        stopped = stopped or steps[-1].verdict == FAILED
    return DomainCheck(url.partition("?")[0], steps, look.certificate_end)


def _sentence(error: str) -> str:
    return f"{error.rstrip('.')}."


def _found(part: SitePart, certificate_end: int | None, deps: Deps) -> tuple[str, str]:
    """Return the result of a part that passed, and the next step."""
    if part is SitePart.NAME:
        return gettext("The name has an IP address."), ""
    if part is SitePart.CONNECTION:
        return gettext("A server takes connections there."), ""
    if part is SitePart.ANSWER:
        return gettext("The tracking listener of this platform answers."), ""
    if certificate_end is None:
        return gettext("The certificate is valid."), ""
    day = datetime.fromtimestamp(certificate_end, deps.zone).date().isoformat()
    is_near = certificate_end * 1000 - deps.clock.now_ms() < _SOON_MS
    advice = gettext("It ends soon: renew it, and look why it was not renewed by itself.") if is_near else ""
    return gettext("The certificate is valid until %(day)s.", day=day), advice


def _advice(part: SitePart, domain: Domain) -> str:
    """Return advice about a part that failed."""
    host = domain.url.partition(":")[0]
    if part is SitePart.NAME:
        return gettext(
            "Add a DNS record of %(host)s that leads to the server. Where its IP address is private, allow it in "
            "TRACKYARD_OUTBOUND_ALLOW.",
            host=host,
        )
    if part is SitePart.CONNECTION:
        return gettext(
            "Look whether the DNS record leads to the server, and whether its proxy runs and its port is open."
        )
    if part is SitePart.CERTIFICATE:
        return gettext(
            "Get a certificate of %(host)s for the proxy, or let links of the domain begin with http.", host=host
        )
    return gettext("Look at the log of the proxy: it must lead the domain to the tracking listener.")


def _wrong_answer(status: int, domain: Domain) -> DomainCheckStep:
    """Return the step of an answer that another installation gave."""
    if status == _HTTP_OK:
        text = gettext("Another site answers.")
        advice = gettext("Lead the DNS record and the proxy to the tracking listener of this platform.")
    elif 300 <= status < 400 and not domain.use_https:
        text = gettext("The answer is a redirect, with status %(status)s.", status=status)
        advice = gettext("Let links of the domain begin with https, or answer http without a redirect.")
    else:
        text = gettext("The answer has status %(status)s.", status=status)
        advice = _advice(SitePart.ANSWER, domain)
    return DomainCheckStep(SitePart.ANSWER, FAILED, text, advice)


def _taken(url: str) -> Conflict:
    return Conflict({"url": [f"The domain {url} is taken."]})
