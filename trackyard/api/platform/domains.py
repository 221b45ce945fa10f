"""Domains of tracking links (docs/api/domains.md)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from trackyard.actions.deps import Deps
from trackyard.actions.platform.domains import (
    add_domain,
    check_domain,
    edit_domain,
    get_domain,
    list_domains,
    remove_domain,
)
from trackyard.api.lookups import by_number
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_find = by_number(get_domain)

_LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})*(:[1-9][0-9]{{0,4}})?\Z")


@dataclass(frozen=True)
class HostText(s.BoundedText):
    """A host with or without a port. A scheme before it and a slash after it are dropped."""

    maximum: int = 255
    minimum: int = 1

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        host = re.sub(r"^https?://", "", super().read(text, context).strip().lower()).removesuffix("/")
        if not _HOST.match(host) or (":" in host and int(host.rpartition(":")[2]) > 65535):
            raise ValueError("This value must be a host, such as track.example.org.")
        return host


Host = Annotated[str, HostText()]


class ListDomains(Params):
    """The order of a list."""

    order: Annotated[str, s.Choice(("id", "url", "use_https"))] = "id"
    orderType: Annotated[str, s.Choice(("asc", "desc"))] = "asc"


class AddDomain(Params):
    """A new domain."""

    url: Host
    use_https: s.Flag = True


class EditDomain(Params):
    """Changes of a domain."""

    url: Host | None = None
    use_https: s.Flag | None = None


class DomainView(View):
    """A domain. url: its host."""

    id: int
    url: str
    use_https: bool


class DomainCheckStepView(View):
    """A step of the check. verdict: passed, failed, or not checked."""

    name: str
    verdict: str
    text: str
    advice: str


class DomainCheckView(View):
    """The check of a domain. certificate_until: in the platform's zone, null = no certificate was seen."""

    passes: bool
    url: str
    certificate_until: str | None
    steps: list[DomainCheckStepView]


class DomainCheckAnswer(Answer):
    """A domain that was checked."""

    check: DomainCheckView


class DomainsAnswer(Answer):
    """Every domain by its id."""

    domains: dict[str, DomainView]


class DomainAnswer(Answer):
    """One domain."""

    domain: DomainView


@routes.get("/admin/domains", for_staff(Permission.OFFERS_READ), id="admin.domains.list")
def list_all(request: ApiRequest[Deps], params: ListDomains) -> DomainsAnswer:
    """List the domains that tracking links may begin with, by default the oldest first.

    They are ordered as their names are in the JSON text.
    """
    rows = list_domains(request.deps, params.order, descending=params.orderType == "desc")
    return DomainsAnswer(domains={str(row.id): view_of(DomainView, row) for row in rows})


@routes.post("/admin/domains", for_staff(Permission.SETTINGS_WRITE), id="admin.domain.add")
def add(request: ApiRequest[Deps], params: AddDomain) -> DomainAnswer:
    """Add a domain. Its DNS and, for https, its certificate must lead to the tracking listener."""
    return DomainAnswer(domain=view_of(DomainView, add_domain(request.deps, params.url, use_https=params.use_https)))


@routes.post("/admin/domains/{id}", for_staff(Permission.SETTINGS_WRITE), id="admin.domain.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditDomain) -> DomainAnswer:
    """Change a domain; links made from now on begin with it."""
    changed = edit_domain(request.deps, request.subject.id, params.url, params.use_https)
    return DomainAnswer(domain=view_of(DomainView, changed))


@routes.post(
    "/admin/domains/{id}/check",
    for_staff(Permission.SETTINGS_WRITE),
    id="admin.domain.check",
    find=_find,
    not_replayable=True,
)
def check(request: ApiRequest[Deps], _params: NoParams) -> DomainCheckAnswer:
    """Ask a domain once whether its links work, as a visitor would reach it.

    The steps are its name, a connection, its certificate, and whether this platform answers there. One check of a
    domain runs at a time.
    """
    found, end = check_domain(request.deps, request.subject), None
    if found.certificate_end is not None:
        end = datetime_text(found.certificate_end * 1000, request.deps.zone)
    return DomainCheckAnswer(
        check=DomainCheckView(
            passes=found.passes,
            url=found.url,
            certificate_until=end,
            steps=[view_of(DomainCheckStepView, step, name=step.name.value) for step in found.steps],
        )
    )


@routes.post("/admin/domains/{id}/remove", for_staff(Permission.SETTINGS_WRITE), id="admin.domain.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> DomainAnswer:
    """Remove a domain that nothing uses. Answers with the removed record."""
    return DomainAnswer(domain=view_of(DomainView, remove_domain(request.deps, request.subject.id)))
