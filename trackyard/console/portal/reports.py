"""The page Reports of affiliates, with what they earn alone (docs/spec/console.md#reports)."""

from trackyard.api.statistics import reports as reports_api
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.reports_shown.exports import report_file
from trackyard.console.reports_shown.pages import report_page
from trackyard.console.reports_shown.saved import LIST, saved_page

pages = Pages()


@pages.get("/portal/reports", audience="affiliate", needs=(reports_api.custom,))
def reports(request: PageRequest) -> PageAnswer:
    """Show a report."""
    return report_page(request)


@pages.get("/portal/reports/file", audience="affiliate", needs=(reports_api.custom,))
def reports_file(request: PageRequest) -> PageAnswer:
    """Send a report as a file."""
    return report_file(request)


@pages.get("/portal/reports/saved", audience="affiliate", needs=(LIST,))
@pages.post("/portal/reports/saved", audience="affiliate", needs=(LIST,))
def saved_reports(request: PageRequest) -> PageAnswer:
    """Show the saved reports, or run the command of a form."""
    return saved_page(request)
