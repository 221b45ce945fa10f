"""A report as a file, and as a request for a program (docs/spec/console.md#reports)."""

from typing import Final

from trackyard.api.statistics import reports
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Download, PageAnswer
from trackyard.console.frame.request import PageRequest
from trackyard.console.reports_shown.query import ReportQuery, read_query

FORMATS: Final = {"csv": "CSV", "parquet": "Parquet"}
"""The value of `format` in the address, and its name."""


def report_file(request: PageRequest) -> PageAnswer:
    """Send all rows of a report as the file that the API makes of them."""
    form = request.address.get("format")
    if form not in FORMATS:
        raise BadInput({"format": [gettext("This value must be one of: %(values)s.", values=", ".join(FORMATS))]})
    query = read_query(request)
    if query.faults:
        raise BadInput({"report": query.faults})
    return Download(request.calls.file(reports.custom, [*query.request(), ("format", form)]))


def file_links_of(query: ReportQuery) -> list[tuple[str, PageAddress]]:
    """Return the name and the address of each file of a report."""
    pairs = query.address.without("page", "show", "figures", "compare", "add", "how", "saved").pairs
    return [
        (name, PageAddress(f"{query.address.path}/file", (*pairs, ("format", form))))
        for name, form in (("CSV", "csv"), ("Parquet", "parquet"))
    ]


def curl_line(request: PageRequest, query: ReportQuery) -> str:
    """Return the command that requests the rows of a report from the API."""
    address = request.calls.address(reports.custom, query.request())
    return f"curl -H \"API-Key: $KEY\" '{address}'"
