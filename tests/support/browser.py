"""A browser that tests drive.

It is Debian's chromium without a window, over the pipe of its DevTools protocol.
"""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import wait_until

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage")


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

    def press(self, key: str) -> None:
        """Press a key with a character."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", {"type": kind, "key": key, "text": key if kind == "keyDown" else ""})

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Set the size of the window, and whether the system is dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", {"features": [scheme]})

    def screenshot(self) -> bytes:
        """Return what the window shows, as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot")["data"])

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
def browser_tab(home: Path) -> Iterator[BrowserTab]:
    """A tab of a new browser."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        if os.environ.get("TESTS_BROWSER") == "required":
            pytest.fail("there is no browser: install chromium")
        pytest.skip("there is no browser: install chromium")
    to_browser, sent = os.pipe()
    received, from_browser = os.pipe()
    flags = [*OPTIONS, f"--user-data-dir={home / 'profile'}", "--remote-debugging-pipe"]
    places = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'  # the numbers at which the browser reads and writes
    with (home / "browser.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", places, "bash", program, *flags], pass_fds=(to_browser, from_browser), stdout=log, stderr=log
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
