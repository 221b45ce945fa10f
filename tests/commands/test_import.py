"""`trackyard import`: a network of one platform, copied to another."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import Api, installed
from tests.support.client import ApiClient
from tests.support.stores.analytics import empty_store
from tests.support.stores.shared_statements import open_database
from trackyard.commands import main
from trackyard.commands.failures import CommandFailed
from trackyard.commands.frame.options import Invocation
from trackyard.commands.importing import command
from trackyard.commands.importing.numbers import NumberMap
from trackyard.commands.importing.run import Importer, ImportSummary
from trackyard.commands.local_api import ApiError
from trackyard.runtime.exit_codes import ExitCode

OLD = "https://api.old.example"
KEY_THERE = "ad" * 20
OWN = ("id", "offer_id", "created_at", "updated_at", "advertiser", "pixel_code", "link", "api_key", "postback_url")
"""Fields that a copy has a value of its own of."""


class AsCommand:
    """An API without a server, as commands call it."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client

    def get(self, path: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the answer to GET."""
        return self._checked(self._client.call("GET", path, params=params))

    def post(self, path: str, params: dict[str, Any], *, once: str = "") -> dict[str, Any]:
        """Return the answer to POST."""
        headers = {"Idempotency-Key": once} if once else {}
        return self._checked(self._client.call("POST", path, json=params, headers=headers))

    def _checked(self, response: Any) -> dict[str, Any]:
        answer: dict[str, Any] = response.json()
        if response.status_code >= 400:
            raise ApiError(response.status_code, answer["message"])
        return answer


@pytest.fixture
def old(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Api]:
    """The old platform."""
    path = tmp_path / "old.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    with empty_store() as analytics:
        yield installed(database, analytics)
    database.close()


def fill(old: Api) -> None:
    """A network with everything that refers to something else."""
    category = old.admin.post("/3.0/admin/category", title="Shops")["category"]["id"]
    shop = old.add_advertiser(
        title="Blue Harbor", email="ann@shop.example", note="calls on Mondays", hash_password="c" * 32,
        **{"allowed_ip[]": "192.0.2.1", "sub_account_1": "eu", "sub_account_1_except": "1"},
    )  # fmt: skip
    first, first_client = old.add_affiliate(
        email="first@aff.example", company="First & Co", **{"tags[]": ["vip", "eu"]}
    )
    second, _ = old.add_affiliate(email="second@aff.example", ref=str(first), status="banned")
    offer = old.add_offer(
        advertiser=shop, title="Boots", privacy="protected", uniqIpOnly="1", hold_period="7", stopDate="2030-05-01",
        **{
            "categories[]": category,
            "payments[0][total]": "12.34", "payments[0][revenue]": "7.50", "payments[0][title]": "Sale",
            "payments[0][countries][]": "DE",
            "partner_payments[0][total]": "12.34", "partner_payments[0][revenue]": "9",
            "partner_payments[0][partners][]": str(second),
            "caps[0][period]": "day", "caps[0][type]": "clicks", "caps[0][value]": "100",
            "caps[0][affiliate_type]": "exact", "caps[0][affiliates][]": str(first),
            "targeting[0][country][allow][]": "DE", "targeting[0][os][allow][0][name]": "Android",
            "targeting[0][os][allow][0][comparison]": "GTE", "targeting[0][os][allow][0][version]": "9",
            "targeting[0][affiliate_id][]": [str(first), str(second)],
            "targeting[0][urls][0][url]": "https://shop.example/de", "targeting[0][urls][0][weight]": "3",
            "landings[0][title]": "Sale", "landings[0][url]": "https://shop.example/sale",
            "landings[0][url_preview]": "https://shop.example/sale.png",
            "schedule[enabled]": "1", "schedule[date_start]": "2029-02-03", "schedule[timezone]": "Asia/Kathmandu",
            "schedule[intervals][1][0][From]": "7", "schedule[intervals][1][0][To]": "12",
            "schedule[intervals][1][1][From]": "14", "schedule[intervals][1][1][To]": "20",
            "description_lang[en]": "Warm boots",
        },
    )  # fmt: skip
    everyone = old.add_offer(advertiser=shop, title="Hats", privacy="public")
    old.admin.post("/3.0/offer/enable-affiliate", offer_id=str(offer), pid=str(first))
    old.admin.post("/3.0/partner/postback", pid=str(first), url="https://a.example/?c={clickid}", status="confirmed")
    first_client.post("/3.0/partner/postback", url="https://a.example/hats?c={clickid}", offer_id=str(everyone))


def importer(old: Api, new: Api, file: Path, **options: Any) -> Importer:
    return Importer(
        source=lambda key: AsCommand(old.admin.with_key(key)),
        source_key=KEY_THERE,
        target=AsCommand(new.admin),
        numbers=NumberMap(file, OLD),
        **options,
    )


def counts(summary: ImportSummary) -> dict[str, tuple[int, int, int, int]]:
    return {
        name: (done.found, done.imported, done.known, done.failed) for name, done in summary.kinds.items() if done.found
    }


def offer_named(api: Api, title: str) -> dict[str, Any]:
    [found] = [each for each in api.admin.get("/3.1/offers")["offers"] if each["title"] == title]
    return dict(found)


def test_import_copies_a_network_with_what_its_records_name(old: Api, api: Api, tmp_path: Path) -> None:
    fill(old)
    api.add_advertiser()  # the numbers here are others
    taken, _ = api.add_affiliate(email="Second@aff.example")
    api.add_affiliate(email="third@aff.example")
    summary = importer(old, api, tmp_path / "map.jsonl").run()
    assert summary.failures == []
    assert counts(summary) == {
        "categories": (1, 1, 0, 0),
        "advertisers": (1, 1, 0, 0),
        "affiliates": (2, 1, 1, 0),
        "offers": (2, 2, 0, 0),
        "connections": (1, 1, 0, 0),
        "postbacks": (2, 2, 0, 0),
    }
    people = {each["email"]: each for each in api.admin.get("/3.0/admin/partners")["partners"]}
    copied = people["first@aff.example"]
    first = copied["id"]
    assert (copied["company"], copied["tags"]) == ("First & Co", ["vip", "eu"])
    there, here = offer_named(old, "Boots"), offer_named(api, "Boots")
    assert here["targeting"][0].pop("affiliate_id") == [first, taken]
    assert here["caps"][0].pop("affiliates") == [first]
    assert here["partner_payments"][0].pop("partners") == [taken]
    assert [each["title"] for each in here["full_categories"]] == ["Shops"]
    for each in (there["targeting"][0], there["caps"][0], there["partner_payments"][0]):
        for name in ("affiliate_id", "affiliates", "partners"):
            each.pop(name, None)
    differing = {name for name in there if there[name] != here[name]}
    assert differing <= {*OWN, "categories", "full_categories"}
    [shop] = [each for each in api.admin.get("/3.0/admin/advertisers")["advertisers"] if each["title"] == "Blue Harbor"]
    [origin] = old.admin.get("/3.0/admin/advertisers")["advertisers"]
    assert {name for name in origin if origin[name] != shop[name]} <= set(OWN)
    postbacks = api.admin.with_key(copied["api_key"]).get("/3.0/partner/postbacks")["postbacks"]
    hats = str(offer_named(api, "Hats")["id"])
    assert {(each["url"], each["offer_id"], each["status"]) for each in postbacks} == {
        ("https://a.example/?c={clickid}", None, "confirmed"),
        ("https://a.example/hats?c={clickid}", hats, None),
    }
    seen = api.admin.with_key(copied["api_key"]).get("/3.0/partner/offers")["offers"]
    assert {each["title"]: each["required_approval"] for each in seen} == {"Boots": False, "Hats": False}


def test_import_again_copies_nothing_twice(old: Api, api: Api, tmp_path: Path) -> None:
    fill(old)
    file = tmp_path / "map.jsonl"
    importer(old, api, file).run()
    whole = counts(importer(old, api, file).run())
    assert {name: done[2] for name, done in whole.items()} == {
        "categories": 1, "advertisers": 1, "affiliates": 2, "offers": 2, "connections": 1, "postbacks": 2,
    }  # fmt: skip
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-4]) + lines[-4][:20])  # a kill while it wrote
    importer(old, api, file).run()
    assert sorted(line for line in file.read_bytes().splitlines(keepends=True) if line.count(b'"new"')) == sorted(lines)
    assert len(api.admin.get("/3.0/offers")["offers"]) == 2


def test_import_names_what_is_rejected_and_copies_the_rest(old: Api, api: Api, tmp_path: Path) -> None:
    fill(old)
    summary = importer(old, api, tmp_path / "map.jsonl", only=("categories", "advertisers", "offers")).run()
    assert counts(summary)["offers"] == (2, 1, 0, 1)
    [failure] = summary.failures
    boots = offer_named(old, "Boots")["id"]
    assert failure.startswith(f"offers {boots} (Boots): it names number ")
    assert failure.endswith(" of the affiliates, which is not imported")


def test_import_that_is_tried_writes_nothing(old: Api, api: Api, tmp_path: Path) -> None:
    fill(old)
    summary = importer(old, api, tmp_path / "map.jsonl", dry_run=True).run()
    assert {name: done[0] for name, done in counts(summary).items()} == {
        "categories": 1, "advertisers": 1, "affiliates": 2, "offers": 2, "connections": 1, "postbacks": 2,
    }  # fmt: skip
    assert not (tmp_path / "map.jsonl").exists()
    assert api.admin.get("/3.0/offers")["offers"] == []


def test_import_rejects_the_map_of_another_platform(tmp_path: Path) -> None:
    file = tmp_path / "map.jsonl"
    NumberMap(file, OLD).add("offers", 1, 2)
    assert NumberMap(file, OLD).find("offers", 1) == "2"
    with pytest.raises(CommandFailed, match=re.escape(f"is of an import from {OLD}:")):
        NumberMap(file, "https://api.other.example")
    assert [json.loads(line)["new"] for line in file.read_text().splitlines()] == ["2"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--from", OLD], "the old platform needs the API key of an administrator there: set TRACKYARD_FROM_KEY."),
        (["--from", "ftp://x", "--from-key", "k"], "--from must begin with http:// or https://, not 'ftp://x'."),
    ],
)
def test_import_command_without_an_old_platform_is_wrong_use(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main.main(["import", *words])
    assert (ended.value.code, capsys.readouterr().err) == (ExitCode.USAGE, f"trackyard: {sentence}\n")


def test_import_command_prints_a_table_and_what_was_rejected(
    old: Api, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(old)
    monkeypatch.setattr(Invocation, "api", lambda _self: AsCommand(api.admin))
    monkeypatch.setattr(command, "ApiClient", lambda _url, key: AsCommand(old.admin.with_key(key)))
    words = ["--from", OLD, "--from-key", KEY_THERE, "--map", str(tmp_path / "map.jsonl")]
    with pytest.raises(SystemExit) as ended:
        main.main(["import", *words, "--only", "offers"])
    printed = capsys.readouterr()
    assert ended.value.code == ExitCode.FAILED
    assert printed.out.splitlines()[1].split() == ["offers", "2", "0", "0", "2"]
    assert "(Hats): it names number " in printed.err
    with pytest.raises(SystemExit) as ended:
        main.main(["import", *words])
    assert not ended.value.code
    assert "Each new affiliate sets a password" in capsys.readouterr().out
