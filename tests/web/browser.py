"""Chromium without a window, driven through a pipe by its DevTools protocol: pages, and what they do when somebody points,
clicks and types."""
import json
import os
import pathlib
import select
import shutil
import subprocess
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
             "--disable-component-update --disable-sync --disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe")
PATIENCE = 60  # s, for a busy machine


class BrowserFailed(Exception):
    pass


class Browser:
    """A browser with one page; FOLDER is for its files."""

    def __init__(self, folder):
        down, self.commands = os.pipe()
        self.answers, up = os.pipe()
        command = f"exec {CHROMIUM} {ARGUMENTS} --user-data-dir={folder}/profile about:blank 3<&{down} 4>&{up}"
        self.process = subprocess.Popen(["sh", "-c", command], pass_fds=(down, up), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.pending, self.events, self.number, self.session = b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.downloads = pathlib.Path(folder) / "downloads"
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        os.close(self.commands)
        os.close(self.answers)

    def receive(self):
        """The next message of the browser."""
        while b"\0" not in self.pending:
            if not select.select([self.answers], [], [], PATIENCE)[0]:
                raise BrowserFailed(f"the browser says nothing for {PATIENCE} s")
            block = os.read(self.answers, 1 << 16)
            if not block:
                raise BrowserFailed("the browser has ended")
            self.pending += block
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserFailed(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def seen(self, method):
        """What events METHOD have said since the page was opened."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def open(self, path):
        self.events = []
        self.call("Page.navigate", url=f"file://{path}")
        while not self.seen("Page.loadEventFired"):
            self.events.append(self.receive())

    def ask(self, expression):
        """The value of a JavaScript expression in the page, as JSON has it; a promise is waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise BrowserFailed(f"{expression}: {result['exceptionDetails']['exception']['description']}")
        return result["result"].get("value")

    def wait(self, expression):
        """Waits until EXPRESSION is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = self.ask(f"Boolean({expression})")
            if value:
                return
            time.sleep(0.02)
        raise BrowserFailed(f"{expression} does not become true")

    def point(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector):
        self.ask(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        x, y = self.ask(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                        " return [r.x + r.width / 2, r.y + r.height / 2] })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, selector, text):
        """Replaces what is in a box."""
        self.ask(f"document.querySelector({json.dumps(selector)}).focus()")
        self.ask(f"document.querySelector({json.dumps(selector)}).select()")
        if text == "":
            self.call("Input.dispatchKeyEvent", type="keyDown", key="Delete", windowsVirtualKeyCode=46)
        self.call("Input.insertText", text=text)

    def downloaded(self, name):
        """The content of the file NAME, which the page offered."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if (self.downloads / name).exists() and not list(self.downloads.glob("*.crdownload")):
                content = (self.downloads / name).read_bytes()
                (self.downloads / name).unlink()
                return content
            self.ask("1")
            time.sleep(0.02)
        raise BrowserFailed(f"{name} was not offered")
