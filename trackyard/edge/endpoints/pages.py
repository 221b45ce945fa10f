"""Pages, scripts and images that an edge answers with."""

from typing import Final

HTML: Final = b"text/html; charset=utf-8"

NOT_AVAILABLE: Final = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>Not available</title>"
    b"<p>This offer is not available.</p></html>\n"
)

GIF: Final = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00"
    b"\x01\x00\x00\x02\x02D\x01\x00;"
)
"""One transparent point."""
GIF_TYPE: Final = b"image/gif"

SUCCESS_PAGE: Final = b"<!doctype html><html lang=en><meta charset=utf-8><title>Success</title><body>%s</body></html>\n"

SCRIPT_TYPE: Final = b"text/javascript; charset=utf-8"
TRACKED_SCRIPT: Final = b"/* reported */\n"
TRACK_SCRIPT: Final = b"""(function () {
  var own = document.currentScript && document.currentScript.src;
  if (!own) return;
  var url = new URL(own), sent = url.searchParams, page = new URLSearchParams(location.search);
  function cookie(name) {
    var found = document.cookie.split("; ").find(function (pair) { return pair.indexOf(name + "=") === 0; });
    return found ? found.slice(name.length + 1) : "";
  }
  var click = page.get("afclick") || page.get("clickid") || page.get("click_id") ||
    cookie("afclick_" + sent.get("offer_id")) || cookie("afclick");
  if (click) sent.set("afclick", click);
  new Image().src = url.origin + "/success.jpg?" + sent;
})();
"""
"""Reports the conversion by the image, with the click that the address or the cookies of the page name."""
