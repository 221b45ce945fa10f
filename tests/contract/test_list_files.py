"""Every list is also a file: its columns, rows and form.

docs/spec/api-conventions.md#files-of-rows
"""

import csv
import io
from typing import Any

import pyarrow.parquet

from tests.contract.test_every_endpoint import EndpointSetup, each_endpoint, send, whole_document
from trackyard.api.catalogue import CATALOGUE
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.response.list_rows import list_rows

WITH_FILES = [each for each in CATALOGUE if each.file_export is not None]
OF_ANSWERS = {each.id for each in WITH_FILES if each.file_export is not None and each.file_export.rows is None}
"""The methods that make a file of the rows of their answers. The others read their rows in an own way."""
NO_LISTS = {
    "admin.findings": "one answer about the platform",
    "admin.reconciliation": "one answer about the platform",
    "admin.rule.look-back": "one answer about a rule",
    "admin.currency.list": "one map of rates, or a list",
    "connection-types.list": "a few words",
    "devices.list": "a few words",
    "offer.privacy.get": "two lists of numbers",
    "partner.payment_systems.list": "two lists",
    "stats.retentionrate": "rows whose fields depend on the period",
    "vendors.list": "words without pages",
}
"""Methods that answer rows of something and have no file."""


def test_every_list_has_a_file_and_no_other_method() -> None:
    found = {each.id for each in CATALOGUE if each.method == "GET" and list_rows(each.answer) is not None}
    own = {each.id for each in WITH_FILES} - found
    assert (len(WITH_FILES), len(OF_ANSWERS)) == (121, 91)
    assert own == {"stats.find-subs", "balance.statement"}, "which make their rows themselves"
    assert all({"format", "mark", "separator"} <= each.params.model_fields.keys() for each in WITH_FILES)
    paged = {each.id for each in CATALOGUE if each.method == "GET" and "limit" in each.params.model_fields}
    assert paged <= {each.id for each in WITH_FILES}
    assert not NO_LISTS.keys() & {each.id for each in WITH_FILES}
    assert NO_LISTS.keys() <= {each.id for each in CATALOGUE}


@each_endpoint(lambda endpoint: endpoint.id in OF_ANSWERS)
def test_file_of_a_list_has_the_columns_of_its_view_and_the_rows_of_its_answer(
    world: EndpointSetup, endpoint: Endpoint[Any]
) -> None:
    client, params = world.caller(endpoint), world.good.get(endpoint.id, {})
    version = endpoint.versions[-1]
    path = world.path(endpoint, version, client=client)

    def sent(**more: str) -> Any:
        return send(world, client, endpoint, version, params | more, path)

    rows = list_rows(endpoint.answer_for(world.api.caller_of(client)))
    assert rows is not None
    names = [column.name for column in rows.columns]
    answered = sent(limit="1000").json() if "limit" in endpoint.params.model_fields else sent().json()
    shown: Any = answered
    for name in rows.place.split("."):
        shown = shown[name]
    answer = sent(format="csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    [header, *lines] = csv.reader(io.StringIO(answer.text, newline=""))
    assert header == names
    count = int(answer.headers["x-total-count"])
    if endpoint.id not in ("admin.audit.list", "admin.security-log.list"):  # which grow with every call
        place = answered.get("pagination", answered) if isinstance(answered, dict) else {}
        total = next((place[name] for name in ("total_count", "total") if name in place), len(shown))
        assert len(lines) == count == total
    assert all(len(line) == len(names) for line in lines)
    parquet = pyarrow.parquet.read_table(pyarrow.BufferReader(sent(format="parquet").content))
    assert parquet.column_names == names
    assert parquet.num_rows >= len(lines)
    marked = sent(format="csv", mark="1", separator=";").content.decode()
    assert marked.startswith("\ufeff")
    assert next(csv.reader(io.StringIO(marked[1:], newline=""), delimiter=";")) == names
    operation = whole_document()["paths"][f"/{version}{endpoint.path}"]["get"]
    content = operation["responses"]["200"]["content"]
    assert {"application/json", "text/csv", "application/vnd.apache.parquet"} == content.keys()
    assert {"format", "mark", "separator"} <= {each["name"] for each in operation["parameters"]}
    refused = sent(format="xls")
    assert (refused.status_code, refused.json()["fields"]) == (
        400,
        {"format": ["This value must be one of: json, csv, parquet."]},
    )
