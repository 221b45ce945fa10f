"""The banner of pages while mail is not sent."""

from tests.support.api import Api
from tests.support.pages import Visitor, console_app, staff_visitor
from trackyard.actions.platform.alerts.keeping import keep_alerts
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.alerts.causes import SeenCause
from trackyard.domain.platform.findings import Finding, FindingKind

MAIL = SeenCause(
    Finding(FindingKind.MAIL_REFUSED, "mail.example:587", {"reason": "Connection refused", "place": "Mail"})
)
LATE = SeenCause(Finding(FindingKind.QUEUE_STUCK, "inbox", {"seconds": 900}))
PAGES = ("/console/", "/console/offers", "/console/affiliates", "/console/settings", "/console/profile")
BANNER = "Mail is not sent."


def shown_on(visitor: Visitor) -> list[str]:
    return [page for page in PAGES if BANNER in visitor.get(page).text]


def test_administrators_see_on_each_page_that_mail_is_not_sent_and_why(api: Api) -> None:
    app = console_app(api)
    admin, manager = staff_visitor(api, app=app), staff_visitor(api, Role.MANAGER_AFFILIATE, app=app)
    keep_alerts(api.deps, "books", [LATE])
    assert shown_on(admin) == []
    keep_alerts(api.deps, "checks", [MAIL])
    assert shown_on(admin) == list(PAGES)
    page = admin.get("/console/offers").text
    assert "mail.example:587" in page and "Connection refused" in page and 'href="/console/settings"' in page
    assert shown_on(manager) == []
    keep_alerts(api.deps, "checks", [])
    api.clock.advance(11 * 60_000)
    keep_alerts(api.deps, "checks", [])
    assert shown_on(admin) == []
