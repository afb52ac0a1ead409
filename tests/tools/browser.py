"""A headless Chromium that tests talk to through its debugging pipe: one process, no driver, no network port."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: A promise that is kept when the browser has painted the page as it is now.
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def find_browser() -> str | None:
    """The browser of the distribution, if one is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """The browser with one page. Use it as a context manager."""

    def __init__(self, program: str, *, dark: bool = False) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="ringfen-browser-", ignore_cleanup_errors=True)
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        options = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--remote-debugging-pipe",
            f"--user-data-dir={self._profile.name}",
            "--hide-scrollbars",
            "about:blank",
        ]
        # The browser reads commands from descriptor 3 and writes to 4.
        moved = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", moved, program, *options],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._number = 0
        self._rest = b""
        self._session: str | None = None
        #: What the browser told without being asked: requests, messages of the console.
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self._frame = self._loader = ""
        if dark:
            features = [{"name": "prefers-color-scheme", "value": "dark"}]
            self.call("Emulation.setEmulatedMedia", features=features)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        self._process.wait()
        self._profile.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """What the browser answers to a command of its protocol."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        number = self._number
        answer = self._next(lambda told: told.get("id") == number)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        pieces = [self._rest]
        while True:
            while b"\0" not in pieces[-1]:
                pieces.append(os.read(self._in, 1 << 20))
                assert pieces[-1], "the browser has ended"
            raw, _, rest = b"".join(pieces).partition(b"\0")
            pieces = [rest]
            self._rest = rest
            told: dict[str, Any] = json.loads(raw)
            if wanted(told):
                return told
            self.events.append(told)

    def open(self, page: Path) -> None:
        """Loads a file and waits until it is loaded and painted: before that the browser discards clicks."""
        seen = len(self.events)
        answer = self.call("Page.navigate", url=page.as_uri())
        self._frame, loader = answer["frameId"], answer["loaderId"]
        self._finish(seen, lambda found: found["loaderId"] == loader)

    def reload(self) -> None:
        """Loads the page again and waits as `open` does."""
        seen, before = len(self.events), self._loader
        self.call("Page.reload")
        self._finish(seen, lambda found: found["frameId"] == self._frame and found["loaderId"] != before)

    def _finish(self, seen: int, wanted: Callable[[dict[str, Any]], bool]) -> None:
        def is_load(told: dict[str, Any]) -> bool:
            is_lifecycle = told.get("method") == "Page.lifecycleEvent"
            return is_lifecycle and told["params"]["name"] == "load" and wanted(told["params"])

        event = next(filter(is_load, self.events[seen:]), None) or self._next(is_load)
        self._loader = event["params"]["loaderId"]
        self.value(PAINTED)

    def value(self, expression: str) -> Any:
        """The value of an expression in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def value_in_frame(self, expression: str) -> Any:
        """The value of an expression in the one frame of the page that has its own process."""
        (frame,) = (one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "iframe")
        page, self._session = self._session, None
        self._session = self.call("Target.attachToTarget", targetId=frame["targetId"], flatten=True)["sessionId"]
        try:
            return self.value(expression)
        finally:
            self._session = page

    def press(self, key: str) -> None:
        """Presses and releases a key, named as the DOM names it."""
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35}
        codes |= {"Tab": 9, "Enter": 13}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, words: str) -> None:
        """Types into the field that has the focus."""
        self.call("Input.insertText", text=words)

    def press_at(self, x: float, y: float) -> None:
        """Clicks there."""
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def touch_at(self, x: float, y: float) -> None:
        """Taps there with a finger."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def resize(self, width: int, height: int) -> None:
        """The size of the window, in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        while self.value("[innerWidth, innerHeight]") != [width, height]:
            self.value(PAINTED)
        self.value(PAINTED)

    def forget(self) -> None:
        """Forgets errors and requests."""
        self.events.clear()

    def console(self) -> list[str]:
        """Errors and warnings that the page caused so far."""
        said = []
        for event in self.events:
            if event.get("method") == "Log.entryAdded":
                said.append(event["params"]["entry"]["text"])
            elif event.get("method") == "Runtime.exceptionThrown":
                said.append(str(event["params"]["exceptionDetails"]))
        return said

    def requests(self) -> list[str]:
        """The addresses requested so far."""
        sent = (event for event in self.events if event.get("method") == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]
