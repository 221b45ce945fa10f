"""The test of a tracking domain: whether its links work, and what to do where they do not."""

from dataclasses import dataclass
from typing import Final

from trackyard.api.platform import domains
from trackyard.base.errors import NotFound, RequestError
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of

pages = Pages()

_NEEDS: Final = (domains.list_all, domains.check)
_STEPS: Final = {
    "name": lazy_gettext("Name"),
    "connection": lazy_gettext("Connection"),
    "certificate": lazy_gettext("Certificate"),
    "answer": lazy_gettext("Answer"),
}
_TONES: Final = {"passed": "passed", "failed": "refused"}


@dataclass(frozen=True, slots=True)
class DomainEvidence:
    """A step of the test. tone: "passed", "refused", or "" where it was not checked."""

    label: str
    text: str
    tone: str


@pages.get("/console/domains/{id}/test", needs=_NEEDS)
def ask_before_test(request: PageRequest) -> PageAnswer:
    """Say what the test does, with a button."""
    return _page(request)


@pages.post("/console/domains/{id}/test", needs=_NEEDS)
def test_domain(request: PageRequest) -> PageAnswer:
    """Ask the domain once, and show what was found."""
    _find(request)
    try:
        check = request.calls.ask(domains.check, path={"id": request.key}).check
    except RequestError as refusal:
        return _page(request, fault=fault_of(refusal), status=refusal.status)
    return _page(request, check)


def _page(
    request: PageRequest, check: domains.DomainCheckView | None = None, fault: str = "", status: int = 200
) -> PageAnswer:
    return request.page(
        "staff/programs/domain_test.html",
        status,
        domain=_find(request),
        check=check,
        evidence=[] if check is None else [_evidence(step) for step in check.steps],
        fault=fault,
    )


def _evidence(step: domains.DomainCheckStepView) -> DomainEvidence:
    text = f"{step.text} {step.advice}".strip()
    return DomainEvidence(_STEPS[step.name], text, _TONES.get(step.verdict, ""))


def _find(request: PageRequest) -> domains.DomainView:
    """Return the domain of the path. Raises NotFound."""
    found = request.calls.ask(domains.list_all).domains.get(request.key)
    if found is None:
        raise NotFound
    return found
