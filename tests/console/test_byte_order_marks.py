"""CSV files for people begin with a byte order mark; those of the API by choice.

docs/spec/api-conventions.md#files-of-rows
"""

from typing import Final

from tests.support.api import Api
from tests.support.pages import affiliate_visitor, staff_visitor
from trackyard.api.catalogue import CATALOGUE

MARK: Final = "\ufeff".encode()
STAFF_FILES: Final = (
    "/console/offers?format=csv",
    "/console/affiliates?format=csv",
    "/console/balances?format=csv",
    "/console/conversions/file?format=csv",
    "/console/clicks/file?format=csv",
    "/console/reports/file?by=offer&format=csv",
)
AFFILIATE_FILES: Final = ("/portal/offers?format=csv", "/portal/conversions/file", "/portal/statement/file")
DAYS: Final = {"date_from": "2023-11-14", "date_to": "2023-11-15"}


def test_files_of_pages_have_the_mark(api: Api) -> None:
    seen = 0
    for visitor, addresses in ((staff_visitor(api), STAFF_FILES), (affiliate_visitor(api)[1], AFFILIATE_FILES)):
        for address in addresses:
            answer = visitor.get(address)
            assert answer.status_code == 200, (address, answer.text[:300])
            assert answer.content.startswith(MARK), address
            assert not answer.content.startswith(MARK * 2), address
            seen += 1
    assert seen == 9
    parquet = staff_visitor(api).get("/console/reports/file?by=offer&format=parquet")
    assert parquet.content.startswith(b"PAR1")


def test_files_of_the_api_have_the_mark_by_choice(api: Api) -> None:
    asked = {"stats.custom": {"slice[]": "day", "filter[date_from]": "2023-11-14", "filter[date_to]": "2023-11-15"}}
    names = [each.id for each in CATALOGUE if each.file_export is not None]
    assert {"stats.conversions", "stats.clicks", "stats.custom"} <= set(names)
    for name in ("stats.conversions", "stats.clicks", "stats.custom"):
        path = "/3.1/" + {"stats.custom": "stats/custom"}.get(name, name.replace(".", "/"))
        params = asked.get(name, DAYS) | {"format": "csv"}
        assert not api.admin.call("GET", path, params=params).content.startswith(MARK)
        assert api.admin.call("GET", path, params=params | {"bom": "1"}).content.startswith(MARK)
        assert api.admin.call("GET", path, params=params | {"bom": "2"}).status_code == 400
