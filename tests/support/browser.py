"""A browser that tests drive.

It is Debian's chromium without a window, over the pipe of its DevTools protocol.
"""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import wait_until

KEYS = {
    "Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, ""), " ": (32, " "), "ArrowDown": (40, ""), "End": (35, ""),
    "Backspace": (8, ""), "ArrowRight": (39, ""), "ArrowLeft": (37, ""),
}  # fmt: skip
"""Keys with a name: the number and the character of each, "" = none."""
_PLACE = """(selector, words) => {
  const found = [...document.querySelectorAll(selector)].find(
    each => each.checkVisibility({visibilityProperty: true}) && each.textContent.includes(words));
  if (!found) return null;
  found.scrollIntoView({block: 'center', behavior: 'instant'});
  const place = found.getBoundingClientRect();
  return {x: place.x + place.width / 2, y: place.y + place.height / 2};
}"""
OPTIONS = (
    "--headless=new",
    "--hide-scrollbars",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-dev-shm-usage",
)


class BrowserTab:
    """A tab of a browser."""

    def __init__(self, sent: int, received: int) -> None:
        self._sent, self._received = sent, os.fdopen(received, "rb")
        self._number, self._session, self._pending = 0, "", b""
        self.messages: list[dict[str, Any]] = []
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def open(self, url: str) -> None:
        """Load a page and wait until its scripts have run. Complaints and requests count from here."""
        self.messages.clear()
        self._call("Page.navigate", {"url": url})
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """Return the value of an expression. Promises are awaited."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True, "userGesture": True}
        answer = self._call("Runtime.evaluate", asked)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, script: str, seconds: float = 20.0) -> Any:
        """Return the value of an expression as soon as it is true."""
        wait_until(lambda: bool(self.run(script)), seconds=seconds)
        return self.run(script)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key: a character, or one of KEYS by its name."""
        number, text = KEYS.get(key, (0, key))
        event = {"key": key, "code": key if key in KEYS else "", "windowsVirtualKeyCode": number}
        event |= {"modifiers": 8} if shift else {}
        self._call("Input.dispatchKeyEvent", {"type": "keyDown" if text else "rawKeyDown", "text": text, **event})
        self._call("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def click(self, selector: str, words: str = "") -> None:
        """Click with the mouse on the first element that can be seen and holds these words.

        What covers the element takes the click, as it does of a person.
        """
        at = self.run(f"({_PLACE})({json.dumps(selector)}, {json.dumps(words)})")
        assert at, f"no {selector} with {words!r}: {self.run('document.body.innerText')}"
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", {"type": kind, **at, "button": "left", "clickCount": 1})

    def drag(self, selector: str, *numbers: int) -> None:
        """Drag the mouse over elements, by their numbers; a single one is pointed at."""
        for number in numbers:
            words = f"[...document.querySelectorAll({json.dumps(selector)})][{number}]"
            middle = "(at => ({x: at.x + at.width / 2, y: at.y + at.height / 2}))"
            self.run(f"{words}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
            at = self.run(f"{middle}({words}.getBoundingClientRect())") | {
                "button": "none" if len(numbers) == 1 else "left"
            }
            self._call("Input.dispatchMouseEvent", {"type": "mouseMoved", **at})
            if len(numbers) > 1 and number in (numbers[0], numbers[-1]):
                kind = "mousePressed" if number == numbers[0] else "mouseReleased"
                self._call("Input.dispatchMouseEvent", {"type": kind, **at, "clickCount": 1})

    def fill(self, name: str, text: str) -> None:
        """Click on a field by its name, and type in place of what it holds."""
        self.click(f"main [name={json.dumps(name)}]")
        self.run("document.activeElement.select()")
        self._call("Input.insertText", {"text": text})

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """Wait until what the block does has led to another page, and its scripts have run."""
        seen = len(self.messages)
        yield
        wait_until(lambda: self._has_loaded(seen), seconds=20)
        self.wait("document.readyState === 'complete'")

    def _has_loaded(self, seen: int) -> bool:
        self._call("Page.getFrameTree")  # reads what the browser reported
        return any(each["method"] == "Page.loadEventFired" for each in self.messages[seen:])

    def pretend(self, agent: str) -> None:
        """Give the browser another name."""
        self._call("Network.setUserAgentOverride", {"userAgent": agent})

    def swap_cookies(self, cookies: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
        """Take cookies that were kept, by default none, and return those until now.

        So another person is at the browser.
        """
        kept: list[dict[str, Any]] = self._call("Network.getAllCookies")["cookies"]
        self._call("Network.clearBrowserCookies")
        self._call("Network.setCookies", {"cookies": list(cookies)})
        return kept

    def choose(self, name: str, words: str) -> None:
        """Choose from a list by typing the first letters of a choice."""
        self.run(f"document.querySelector('main [name={json.dumps(name)}]').focus()")
        for letter in words:
            self.press(letter)
        chosen = "document.activeElement.selectedOptions[0].textContent"
        assert self.run(chosen).startswith(words), self.run(chosen)

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Set the size of the window, and whether the system is dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", {"features": [scheme]})

    def screenshot(self, *, whole: bool = False) -> bytes:
        """Return what the window shows, as PNG. whole: with what scrolling would show."""
        asked: dict[str, Any] = {"captureBeyondViewport": whole}
        if whole:
            size = self._call("Page.getLayoutMetrics")["cssContentSize"]
            asked["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000), "scale": 1}
        return base64.b64decode(self._call("Page.captureScreenshot", asked)["data"])

    def complaints(self) -> list[str]:
        """Return errors of scripts, and what the policy of a page refused."""
        found = [each["params"] for each in self.messages if each["method"] in _COMPLAINTS]
        return [json.dumps(each) for each in found if each.get("entry", {}).get("level", "error") == "error"]

    def requested(self) -> list[str]:
        """Return the address of every request, in order."""
        asked = (each for each in self.messages if each["method"] == "Network.requestWillBeSent")
        return [each["params"]["request"]["url"] for each in asked]

    def close(self) -> None:
        """Close the pipe."""
        os.close(self._sent)
        self._received.close()

    def _call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params or {}}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._sent, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            self.messages.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._pending:
            part = os.read(self._received.fileno(), 65536)
            assert part, "the browser ended"
            self._pending += part
        message, _, self._pending = self._pending.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found


_COMPLAINTS = ("Runtime.exceptionThrown", "Log.entryAdded")


@contextmanager
def browser_tab(home: Path, fonts: str = "") -> Iterator[BrowserTab]:
    """A tab of a new browser. fonts: a configuration of fonts instead of the system's."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        if os.environ.get("TESTS_BROWSER") == "required":
            pytest.fail("there is no browser: install chromium")
        pytest.skip("there is no browser: install chromium")
    to_browser, sent = os.pipe()
    received, from_browser = os.pipe()
    flags = [*OPTIONS, f"--user-data-dir={home / 'profile'}", "--remote-debugging-pipe"]
    places = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'  # the numbers at which the browser reads and writes
    (home / "fonts.conf").write_text(fonts)
    environment = {**os.environ, "FONTCONFIG_FILE": str(home / "fonts.conf")} if fonts else None
    with (home / "browser.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", places, "bash", program, *flags],
            pass_fds=(to_browser, from_browser),
            stdout=log,
            stderr=log,
            env=environment,
        )
        os.close(to_browser)
        os.close(from_browser)
        tab = None
        try:
            tab = BrowserTab(sent, received)
            yield tab
        finally:
            if tab is not None:
                tab.close()
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
