"""Conversions imported from a CSV file, after a dry run."""

from typing import Any

from tests.support.api import Api
from tests.support.pages import PageReader, Visitor, staff_visitor
from trackyard.domain.people.roles import Role
from trackyard.jobs.conversions.edits import ConversionEditor

PATH = "/console/conversions/import"


def token_of(visitor: Visitor) -> str:
    """The token of the forms of a session."""
    return PageReader(visitor.get(PATH).text).fields["form_token"]


def upload(visitor: Visitor, content: bytes) -> Any:
    """Send a file as the form of the page does."""
    files = {"file": ("conversions.csv", content, "text/csv")}
    return visitor.client.post(PATH, data={"form_token": token_of(visitor), "text": ""}, files=files)


def worked(api: Api) -> None:
    """Make what is queued."""
    editor = ConversionEditor(api.deps.database, api.deps.currency, api.deps.zone, api.clock)
    while editor.step():
        pass


def listed(api: Api) -> list[Any]:
    """Every conversion as staff see it."""
    found: list[Any] = api.admin.get("/3.1/stats/conversions", date_from="2000-01-01", date_to="2100-01-01")[
        "conversions"
    ]
    return found


def test_imported_file_makes_each_good_line_once(api: Api) -> None:
    payment = {"payments[0][total]": "10", "payments[0][revenue]": "7"}
    offer = api.add_offer(**payment)
    pid, _ = api.add_affiliate()
    rows = (
        "Offer;Affiliate ID;Order;Amount;Status;Colour",
        f"{offer};{pid};A-1;20;confirmed;red",
        f"{offer};{pid};A-2;;pending;",
        f"{offer};{pid};A-1;;;twice in the file",
        f"{offer};99999;A-3;;;no such affiliate",
        f"{offer};{pid};A-4;much;;no amount",
        f"{offer};{pid};;;;no identity",
    )
    content = "\n".join(rows).encode("utf-8-sig")
    visitor = staff_visitor(api)
    tried = upload(visitor, content)
    assert tried.status_code == 200, tried.text
    for words in (
        "2 conversions are made, 1 exists already, 3 lines are refused.",
        "2 conversions: charge $20.00, payout $14.00.",
        "An affiliate 99999 does not exist.",
        "Sum: ",
        "It needs an action ID or a click ID",
        "Import 2 conversions",
    ):
        assert words in tried.text
    assert listed(api) == []
    form = {"form_token": token_of(visitor), "text": "\n".join(rows), "do": "import"}
    columns = ["offer", "pid", "action_id", "sum", "status", ""]
    done = visitor.client.post(PATH, data={**form, "column": columns})
    assert done.status_code == 303
    assert "2 conversions are being imported." in visitor.read(done.headers["location"]).text
    worked(api)
    assert sorted((each["action_id"], each["status"]) for each in listed(api)) == [
        ("A-1", "confirmed"),
        ("A-2", "pending"),
    ]
    again = upload(visitor, content).text
    assert "0 conversions are made, 3 exist already, 3 lines are refused." in again
    refused = visitor.client.post(PATH, data={**form, "column": columns})
    assert (refused.status_code, "nothing is imported" in refused.text) == (400, True)
    worked(api)
    assert len(listed(api)) == 2


def test_unreadable_import_says_why_and_keeps_the_text(api: Api) -> None:
    visitor = staff_visitor(api)
    for content, words in (
        (b"\xff\xfe\x00", "The file is cut short in UTF-16."),
        (b"offer,pid\n1,\0\n", "The file is not text."),
        (b"offer,pid\n", "each further row is one record"),
        (b"offer,pid\n" + b"1,2\n" * 1001, "The file has more than 1,000 rows."),
        (b"a,b\n1,2\n", "No column is chosen for: Offer number, Affiliate number"),
    ):
        answer = upload(visitor, content)
        assert answer.status_code == 400
        assert words in answer.text
    assert staff_visitor(api, Role.MANAGER_AFFILIATE).get(PATH).status_code == 403
