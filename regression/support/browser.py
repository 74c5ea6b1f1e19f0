# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium that renders a page of ours, takes its picture and checks it without eyes.

It is spoken to over a pipe in the DevTools protocol; nothing listens on a port.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from regression.support.experiment import ExperimentError, NotHereError

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
DESKTOP_PX, PHONE_PX = 1280, 390
HEIGHT_PX = {DESKTOP_PX: 900, PHONE_PX: 844}
TALLEST_PX = 12_000
"""Pictures end here: a page with the consoles of 64 nodes has no end worth looking at."""
ANSWER_S = 60.0

_TWO_FRAMES = "new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))"
CHECKS = Path(__file__).with_name("page_checks.js")


class Page:
    """A page in a window of a certain width, in light or in dark."""

    def __init__(self, browser: Browser, session: str, width_px: int, dark: bool) -> None:
        self.browser, self.session = browser, session
        self.width_px, self.dark = width_px, dark
        self.complaints: list[str] = []
        """What the page wrote to the browser's console as an error, and exceptions."""

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol on this page."""
        return self.browser.call(method, parameters, self)

    def value(self, expression: str) -> Any:
        """Return what a JavaScript expression is in the page.

        Raises:
            ExperimentError: it throws.
        """
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise ExperimentError(f"{expression[:60]}: {found['exceptionDetails'].get('text')}")
        return found["result"].get("value")

    def picture(self, to: Path, tallest_px: int = TALLEST_PX) -> Path:
        """Write the whole page, as far as `tallest_px`, as a PNG file."""
        height = min(tallest_px, int(self.value("document.documentElement.scrollHeight")))
        clip = {"x": 0, "y": 0, "width": self.width_px, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        to.write_bytes(base64.b64decode(shot["data"]))
        return to

    def element(self, selector: str, to: Path, tallest_px: int = TALLEST_PX) -> Path:
        """Write the first such element as a PNG file; of a taller one the lower part.

        Raises:
            ExperimentError: there is none.
        """
        box = self.value(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect();"
            "return [b.left + scrollX, b.top + scrollY, b.width, b.height]; })()"
        )
        left, top, width, height = (float(value) for value in box)
        kept = min(height, tallest_px)
        clip = {"x": left, "y": top + height - kept, "width": width, "height": kept, "scale": 1}
        shot = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        to.write_bytes(base64.b64decode(shot["data"]))
        return to

    def point_at(self, selector: str, across: float = 0.5) -> bool:
        """Move the pointer over the first such element; False when none can be seen."""
        box = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return;"
            "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
            "return [b.left, b.top, b.width, b.height]; })()"
        )
        if not box or not box[2]:
            return False
        x, y = box[0] + across * box[2], box[1] + box[3] / 2
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return True

    def faults(self) -> list[str]:
        """Return what is wrong with the page, as far as that needs no eyes.

        It must not be wider than its window; the links of its navigation must lead somewhere, in
        the order of the page; text must stand out; dark must be dark; its scripts must not fail.
        """
        dark = "true" if self.dark else "false"
        found = self.value(f"({CHECKS.read_text(encoding='utf-8').strip()})({dark})")
        return [*found, *self.complaints]


class Browser:
    """A running headless browser; as a context manager it ends with the block.

    Raises:
        NotHereError: none of PROGRAMS is installed.
    """

    def __init__(self) -> None:
        program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
        if program is None:
            raise NotHereError(f"no browser; `apt-get install {PROGRAMS[0]}` brings one (283 MB)")
        self._folder = tempfile.TemporaryDirectory(prefix="firesim-browser-")
        to_browser, from_browser = os.pipe(), os.pipe()
        self._process = self._start(program, to_browser[0], from_browser[1])
        os.close(to_browser[0])
        os.close(from_browser[1])
        self._out, self._in = to_browser[1], from_browser[0]
        self._sent, self._buffer = 0, b""
        self._pages: dict[str, Page] = {}
        self._loaded: set[str] = set()

    def _start(self, program: str, reads: int, writes: int) -> subprocess.Popen[bytes]:
        options = [
            "--headless",
            "--disable-gpu",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-background-networking",
            "--force-device-scale-factor=1",
            f"--user-data-dir={self._folder.name}",
            "--remote-debugging-pipe",
        ]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium does not start as root with one.
        # It reads commands from descriptor 3 and answers on 4.
        command = ["bash", "-c", f'exec 3<&{reads} 4>&{writes}; exec "$@"', "browser", program]
        return subprocess.Popen(
            [*command, *options],
            pass_fds=(reads, writes),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        with contextlib.suppress(OSError):  # A helper of the browser may still write into it.
            self._folder.cleanup()

    def _next(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                raise ExperimentError("the browser ended, or gave no answer in time")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        value: dict[str, Any] = json.loads(line)
        return value

    def _note(self, event: dict[str, Any]) -> None:
        """Keep what an event says: that a page is loaded, or what it complains of."""
        page = self._pages.get(event.get("sessionId", ""))
        if page is None:
            return
        method, said = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded.add(page.session)
        elif method == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            thrown = details.get("exception", {}).get("description", details.get("text"))
            page.complaints.append(f"script: {thrown}")
        elif method == "Log.entryAdded" and said["entry"]["level"] == "error":
            page.complaints.append(f"console: {said['entry']['text']}")
        elif method == "Runtime.consoleAPICalled" and said["type"] == "error":
            words = (str(a.get("value", a.get("description"))) for a in said["args"])
            page.complaints.append("console: " + " ".join(words))

    def call(
        self, method: str, parameters: dict[str, Any], page: Page | None = None
    ) -> dict[str, Any]:
        """Call a method of the protocol and return its answer.

        Raises:
            ExperimentError: the browser refuses, ends, or does not answer.
        """
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": parameters}
        if page is not None:
            message["sessionId"] = page.session
        left = json.dumps(message).encode() + b"\0"
        while left:
            left = left[os.write(self._out, left) :]
        until = time.monotonic() + ANSWER_S
        while True:
            answer = self._next(until)
            if answer.get("id") != self._sent:
                self._note(answer)
            elif "error" in answer:
                raise ExperimentError(f"browser: {method}: {answer['error'].get('message')}")
            else:
                result: dict[str, Any] = answer["result"]
                return result

    @contextlib.contextmanager
    def page(self, place: Path | str, width_px: int, *, dark: bool) -> Iterator[Page]:
        """Open an HTML file or address in a window of this width; wait until it is drawn."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        page = Page(self, session["sessionId"], width_px, dark)
        self._pages[page.session] = page
        for domain in ("Page", "Runtime", "Log"):
            page.call(f"{domain}.enable")
        phone = width_px < 640
        height = HEIGHT_PX.get(width_px, 900)
        window = {"width": width_px, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        page.call("Emulation.setDeviceMetricsOverride", **window)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        url = place if isinstance(place, str) else place.resolve().as_uri()
        page.call("Page.navigate", url=url)
        until = time.monotonic() + ANSWER_S
        while page.session not in self._loaded:
            self._note(self._next(until))
        # What is drawn when its size is known is drawn after two frames.
        page.call(
            "Runtime.evaluate",
            expression=_TWO_FRAMES,
            awaitPromise=True,
        )
        try:
            yield page
        finally:
            del self._pages[page.session]
            self.call("Target.closeTarget", {"targetId": target})
