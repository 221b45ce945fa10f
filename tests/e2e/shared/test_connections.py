"""Clicks follow connections of affiliates, and mail about them is in the folder."""

from email import message_from_bytes, policy

from tests.e2e.shared.conftest import MAIL_FROM
from tests.support.processes.program import RunningProgram, poll_until


def test_connection_changes_send_mail_and_redirect_clicks(program: RunningProgram) -> None:
    advertiser = program.api("POST", "/3.1/admin/advertiser", {"title": "Shop"})["advertiser"]["id"]
    given = {"title": "Shoes", "advertiser": advertiser, "url": "https://shop.example/", "payments[0][total]": 1}
    public = {"status": "active", "privacy": "public"}
    offer = program.api("POST", "/3.1/admin/offer", given | public)["offer"]["id"]
    person = {"email": "ann@affiliate.example", "password": "long-enough", "login": "ann"}
    pid = program.api("POST", "/3.0/admin/partner", person)["id"]
    pair = {"offer_id": offer, "pid": pid}

    def passes() -> bool:
        target = program.track(f"/click?pid={pid}&offer_id={offer}").headers.get("location", "")
        return target.startswith("https://shop.example/")

    def subjects() -> list[str]:
        files = (program.directory / "data" / "mail").glob("*.eml")
        messages = [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]
        assert all(one["From"] == MAIL_FROM for one in messages)
        return sorted(one["Subject"] for one in messages if one["To"] == person["email"])

    poll_until(passes, seconds=10, what="a click on the public offer")
    program.api("POST", "/3.0/offer/disable-affiliate", pair)
    poll_until(lambda: not passes(), seconds=10, what="the refusal of the affiliate that was taken off")
    program.api("POST", "/3.0/offer/enable-affiliate", pair)
    poll_until(passes, seconds=10, what="a click after it was connected again")
    expected = [f"You are connected to #{offer} Shoes", f"You are disconnected from #{offer} Shoes"]
    poll_until(lambda: subjects() == expected, seconds=10, what="both mails")
