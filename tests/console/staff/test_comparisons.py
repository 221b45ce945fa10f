"""A file compared on pages, and differences accepted after a preview."""

from tests.support.api import Api
from tests.support.models.history import add_conversion
from tests.support.pages import PageReader, staff_visitor
from tests.support.spreadsheets import XLSX, book, sheet_xml
from trackyard.domain.people.roles import Role
from trackyard.jobs.conversions.edits import ConversionEditor


def test_file_is_compared_and_accepted_on_pages(api: Api) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    made = add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, journal="001-1")
    staff, path = staff_visitor(api), f"/console/affiliates/{pid}"
    assert f"{path}/compare" in staff.read(path).links
    token = PageReader(staff.get(f"{path}/compare").text).fields["form_token"]
    days = {"form_token": token, "date_from": "2023-11-14", "date_to": "2023-11-16"}
    wrong = staff.client.post(
        f"{path}/compare", data=days, files={"file": ("t.csv", b"click_id,sum\na,=1", "text/csv")}
    )
    assert wrong.status_code == 400 and "Row 2, column &#39;sum&#39;: this is a formula" in wrong.text
    picture = staff.client.post(f"{path}/compare", data=days, files={"file": ("t.png", b"x", "image/png")})
    assert picture.status_code == 400 and "This is not a CSV or XLSX file." in picture.text
    file = f"click_id,sum\n{made.click_id},6.50\n{'f' * 24},<b>3".replace("<b>", "").encode()
    sent = staff.client.post(f"{path}/compare", data=days, files={"file": ("t.csv", file, "text/csv")})
    place = sent.headers["location"].partition("?")[0]
    text = staff.read(place).text
    assert "Other sum" in text and "No click has this ID here." in text and "-$2.50" in text.replace("−", "-")
    preview = staff.client.post(place, data={"form_token": token, "classes": "other_sum"})
    assert "1 conversion would be edited" in preview.text
    assert staff.client.post(place, data={"form_token": token}).status_code == 400
    done = staff.client.post(place, data={"form_token": token, "classes": "other_sum", "do": "apply"})
    assert done.status_code == 303
    ConversionEditor(api.deps.database, api.deps.currency, api.deps.zone, api.clock).step()
    assert api.admin.get("/3.1/stats/conversionsbyid", id=made.id)["conversion"]["payouts"] == 6.5
    rows = book(May=sheet_xml([["click_id", "sum"], [made.click_id, 6.5]]))
    sheet = staff.client.post(f"{path}/compare", data=days | {"sheet": "May"}, files={"file": ("t.xlsx", rows, XLSX)})
    assert (
        sheet.status_code == 303 and "Nothing differs." in staff.read(sheet.headers["location"].partition("?")[0]).text
    )
    assert "t.csv" in staff.read(f"{path}/compare").text
    assert staff_visitor(api, Role.SECTION_NEWS).get(f"{path}/compare").status_code == 403
