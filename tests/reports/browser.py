"""A headless Chromium, driven through its debugging pipe: opens pages, presses keys, evaluates expressions, takes pictures. Needs Debian's
package `chromium` and nothing else."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time


# Keeps the curves that were drawn on a canvas since it was last painted over as a whole.
WATCH = """
{
  const pen = CanvasRenderingContext2D.prototype, {fillRect, moveTo, bezierCurveTo} = pen;
  pen.fillRect = function (x, y, ...rest) {
    if (x === 0 && y === 0 && rest[1] * devicePixelRatio >= this.canvas.height - 1) this.canvas.curves = [];
    return fillRect.call(this, x, y, ...rest);
  };
  pen.moveTo = function (x, y) { this.canvas.last = [x, y]; return moveTo.call(this, x, y); };
  pen.bezierCurveTo = function (...to) {
    (this.canvas.curves ??= []).push([...this.canvas.last, to[4], to[5], this.lineWidth]);
    return bezierCurveTo.apply(this, to);
  };
}
"""


class BrowserProblem(Exception):
    """The browser did not do what it was asked to."""


def find():
    """The browser's path; None if it is not installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page at a time. What the page's scripts complain about is in `errors`."""

    KEYS = {"ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "PageDown": 34, "PageUp": 33,
            "Enter": 13}

    def __init__(self, patience=60):
        self.patience = patience
        self.profile = tempfile.mkdtemp(prefix="raddle-browser-")
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()

        def connect():
            # The browser reads commands from 3 and writes answers to 4. Both may be taken: by these very pipes.
            read, write = os.dup2(to_read, 103), os.dup2(to_write, 104)
            os.dup2(read, 3)
            os.dup2(write, 4)

        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                     "--disable-extensions", "--disable-background-networking", f"--user-data-dir={self.profile}", "--remote-debugging-pipe"]
        self.process = subprocess.Popen([find(), *arguments], preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        os.set_blocking(self.from_browser, False)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.errors = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(domain + ".enable")
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCH)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, until):
        """The next message; waits for it."""
        while b"\0" not in self.buffer:
            if time.monotonic() > until:
                raise BrowserProblem("the browser does not answer")
            try:
                more = os.read(self.from_browser, 1 << 20)
            except BlockingIOError:
                time.sleep(0.002)
                continue
            if not more:
                raise BrowserProblem("the browser is gone")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        """Keeps what happened in the page."""
        method, params = message.get("method", ""), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(str(params["args"]))
        elif method:
            self.events.append(method)

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        until = time.monotonic() + self.patience
        while True:
            answer = self.receive(until)
            if answer.get("id") != self.number:
                self.note(answer)
            elif "error" in answer:
                raise BrowserProblem(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def open(self, path, place=""):
        """Opens a file; returns when its script has drawn it. Says how long that took, in seconds."""
        self.events.clear()
        self.errors.clear()
        began = time.monotonic()
        # A change of the part behind # alone would not load the page again.
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url="file://" + path + place)
        self.until("document.readyState === 'complete' && document.querySelector('main').childElementCount > 0")
        self.settle()
        return time.monotonic() - began

    def evaluate(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserProblem(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression):
        limit = time.monotonic() + self.patience
        while not self.evaluate(expression):
            if time.monotonic() > limit:
                raise BrowserProblem(f"never: {expression}")
            time.sleep(0.01)

    def curves(self):
        """The curves of each canvas as it was drawn last: a list for each, of [x, y, x, y, width of the line]."""
        return self.evaluate("[...document.querySelectorAll('canvas')].filter((c) => c.offsetParent).map((c) => c.curves ?? [])")

    def spoken(self):
        """What a screen reader gets: (role, name) of all that it does not skip."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]

    def print(self):
        """The page as it is printed, as bytes of a PDF."""
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=False)["data"])

    def settle(self):
        """Two frames: what was asked for is on the screen then."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, key):
        code = self.KEYS.get(key)
        names = {"key": key, "code": key, "windowsVirtualKeyCode": code or ord(key.upper())}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **names, **({} if code else {"text": key}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **names)
        self.settle()

    def size(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def picture(self, path):
        self.settle()
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))
