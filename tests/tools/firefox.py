"""A headless Firefox that tests talk to over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/)."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

from browser import PAINTED
from websockets.sync.client import connect

NAMES = ("firefox-esr", "firefox")
#: Keys as WebDriver writes them.
KEYS = {"Tab": "\ue004", "Enter": "\ue006", "Escape": "\ue00c", "End": "\ue010", "Home": "\ue011"}
KEYS |= {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}


def find_firefox() -> str | None:
    """The Firefox of the distribution, if it is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Firefox:
    """Firefox with one page, used as `browser.Browser` is. Use it as a context manager."""

    def __init__(self, program: str) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="ringfen-firefox-", ignore_cleanup_errors=True)
        options = ["--headless", "--no-remote", "--profile", self._home.name, "--remote-debugging-port", "0"]
        self._process = subprocess.Popen(
            [program, *options],
            env={"HOME": self._home.name, "PATH": "/usr/bin:/bin", "MOZ_HEADLESS_WIDTH": "1300"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        address = next(found[0] for line in self._process.stderr if (found := re.search(r"ws://\S+", line)))
        # Without a reader, a full pipe would stop Firefox.
        self._reader = threading.Thread(target=self._process.stderr.read, daemon=True)
        self._reader.start()
        self._closing = contextlib.ExitStack()
        self._socket = self._closing.enter_context(connect(f"{address}/session", max_size=None, proxy=None))
        self._number = 0
        #: Errors that the page caused.
        self._errors: list[str] = []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self._page = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def __enter__(self) -> Firefox:
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.close()
        self._process.terminate()
        self._process.wait()
        self._reader.join()
        assert self._process.stderr is not None
        self._process.stderr.close()
        self._home.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """What the browser answers to a command of the protocol."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv())
            if message.get("id") == self._number:
                assert message["type"] == "success", f"{method}: {message}"
                result: dict[str, Any] = message["result"]
                return result
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self._errors.append(str(message["params"]["text"]))

    def open(self, page: Path) -> None:
        """Loads a file and waits until it is loaded and painted."""
        self.call("browsingContext.navigate", context=self._page, url=page.as_uri(), wait="complete")
        self.value(PAINTED)

    def value(self, expression: str) -> Any:
        """The value of an expression in the page; promises are waited for."""
        written = f"Promise.resolve(eval({json.dumps(expression)})).then(v => JSON.stringify(v))"
        target = {"context": self._page}
        result = self.call("script.evaluate", expression=written, target=target, awaitPromise=True)
        assert result["type"] == "success", result
        found = result["result"]
        return json.loads(found["value"]) if found["type"] == "string" else None

    def resize(self, width: int, height: int) -> None:
        """The size of the window, in CSS pixels."""
        viewport = {"width": width, "height": height}
        self.call("browsingContext.setViewport", context=self._page, viewport=viewport)

    def press(self, key: str) -> None:
        """Presses and releases a key, named as the DOM names it. Without a window, no key presses a button."""
        value = KEYS.get(key, key)
        self._act("key", [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")])

    def write(self, words: str) -> None:
        """Types into the field that has the focus."""
        self._act("key", [{"type": kind, "value": one} for one in words for kind in ("keyDown", "keyUp")])

    def press_at(self, x: float, y: float) -> None:
        """Clicks there."""
        self._press_at(x, y, "mouse")

    def touch_at(self, x: float, y: float) -> None:
        """Taps there with a finger."""
        self._press_at(x, y, "touch")

    def _press_at(self, x: float, y: float, pointer: str) -> None:
        move = {"type": "pointerMove", "x": round(x), "y": round(y)}
        press, release = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._act("pointer", [move, press, release], parameters={"pointerType": pointer})

    def _act(self, kind: str, actions: list[dict[str, Any]], **more: Any) -> None:
        source = {"type": kind, "id": f"{kind} {more}", "actions": actions, **more}
        self.call("input.performActions", context=self._page, actions=[source])

    def forget(self) -> None:
        """Forgets errors."""
        self._errors.clear()

    def console(self) -> list[str]:
        """Errors that the page caused so far."""
        return self._errors
