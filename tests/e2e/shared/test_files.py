"""The worker fetches a creative by its URL, and creatives and logos are served to anyone."""

import json
from urllib.parse import urlsplit

from tests.support.pictures import jpeg, png
from tests.support.processes.program import KEY, RunningProgram, poll_until, request
from tests.support.processes.receiver import Receiver, Reply

MULTIPART = (
    b'--x\r\nContent-Disposition: form-data; name="creativeFiles[]"; filename="own.png"\r\n'
    b"Content-Type: image/png\r\n\r\n%s\r\n"
    b'--x\r\nContent-Disposition: form-data; name="creativeDownloads"\r\n\r\n%s\r\n--x--\r\n'
)


def test_creatives_are_downloaded_and_served(program: RunningProgram) -> None:
    with Receiver(lambda _: Reply(200, jpeg(60, 70))) as receiver:
        advertiser = program.api("POST", "/3.1/admin/advertiser", {"title": "Shop"})["advertiser"]["id"]
        given = {"title": "Shoes", "advertiser": advertiser, "url": "https://shop.example/", "payments[0][total]": 1}
        offer = program.api("POST", "/3.1/admin/offer", given)["offer"]["id"]
        body = MULTIPART % (png(30, 20), receiver.url("/far.jpg").encode())
        headers = {"API-Key": KEY, "Content-Type": "multipart/form-data; boundary=x"}
        sent = request(program.api_port, "POST", f"/3.1/admin/offer/{offer}", body=body, headers=headers)
        assert sent.status == 200, json.loads(sent.body)

        def fetched() -> list[dict[str, object]]:
            shown = program.api("GET", f"/3.1/offer/{offer}")["offer"]["creatives"]
            return shown if all(item["size"] for item in shown) else []

        own, far = poll_until(fetched, seconds=10, what="the creative that was fetched")
    assert (far["title"], far["mime"], far["width"], far["height"]) == ("far.jpg", "image/jpeg", 60, 70)
    for item, content in ((own, png(30, 20)), (far, jpeg(60, 70))):
        place = urlsplit(str(item["url"]))
        assert place.port == program.api_port
        served = request(program.api_port, "GET", place.path)
        assert (served.status, served.body, served.headers["content-type"]) == (200, content, item["mime"])
