"""Pixels need the code of their offer in a new installation."""

from urllib.parse import urlencode

from tests.support.offer_scenario import click_id_of, create_offer_scenario, period_around_today
from tests.support.processes.program import RunningProgram, poll_until


def test_pixel_on_a_foreign_page_with_the_visitors_cookie_makes_no_confirmed_conversion(
    program: RunningProgram,
) -> None:
    story = create_offer_scenario(program)
    story.await_rules()

    def responses(click_id: str) -> list[str]:
        sent = period_around_today() | {"click_id[]": click_id}
        return [row["response"] for row in program.api("GET", "/3.0/stats/serverpostbacks", sent)["postbacks"]]

    def report(response: str, **sent: str) -> None:
        click_id = click_id_of(story.click())
        query = urlencode({"offer_id": story.offer, "afprice": "100", "afid": click_id} | sent)
        headers = {"Cookie": f"afclick_{story.offer}={click_id}", "Referer": "https://attacker.example/"}
        answer = program.track(f"/success.jpg?{query}", **headers)
        assert (answer.status, answer.headers["content-type"]) == (200, "image/gif")
        assert poll_until(lambda: responses(click_id), seconds=10, what="the pixel in the log") == [response]

    def edit(**fields: str) -> str:
        path = f"/3.0/admin/offer/{story.offer}"
        return str(program.api("POST", path, fields)["offer"]["pixel_code"])

    code = edit(notes="")
    report("Access denied")
    report("Access denied", afsecure=story.code)
    report("", afsecure=code, afstatus="1")
    edit(**{"pixel_pages[]": "shop.example"})
    report("Current page is denied", afsecure=code)
    edit(pixels="0")
    report("Pixels are disabled", afsecure=code)
    own = period_around_today() | {"offer[]": str(story.offer)}
    [made] = program.api("GET", "/3.0/stats/conversions", own)["conversions"]
    assert made["status"] == "pending" and story.balance()["balance"].get("USD", 0) == 0
    click_id = click_id_of(story.click())
    assert story.call(click_id, secure=code).status == 200
    denied = poll_until(lambda: responses(click_id), seconds=10, what="the postback with the pixel's code")
    assert denied == ["Access denied"]
    assert story.call(made["clickid"], action_id=made["clickid"]).status == 200
    poll_until(lambda: story.balance()["balance"].get("USD") == 7, seconds=10, what="the advertiser's confirmation")
