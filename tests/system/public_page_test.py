#!/usr/bin/python3
"""The public page in a real browser: headless Chromium, spoken to through its debugging pipe, against a real server.

Usage: public_page_test.py BIN_FOLDER. Exit code 77: no Chromium here."""
import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

BIN = pathlib.Path(sys.argv[1])
PATIENCE = 60.0


class Browser:
    """One page of a headless Chromium. Messages are JSON texts that end with a zero byte, on its file descriptors 3 and 4."""

    def __init__(self, program, profile):
        read_end, self._to = os.pipe()
        self._from, write_end = os.pipe()
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{read_end} 4>&{write_end}', "sh", program, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(read_end, write_end), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(read_end)
        os.close(write_end)
        self._number, self._rest, self._session = 0, b"", None
        self.complaints = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def _receive(self):
        while b"\0" not in self._rest:
            piece = os.read(self._from, 1 << 16)
            if not piece:
                raise RuntimeError("the browser ended by itself")
            self._rest += piece
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._note(answer)

    def _note(self, event):
        method, what = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(what["exceptionDetails"])[:400])
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.complaints.append(what["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([one.get("value") for one in what["args"]]))

    def evaluate(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def wait_for(self, expression):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.evaluate(expression):
                return
            time.sleep(0.1)
        raise AssertionError(f"never became true: {expression}\n{self.evaluate('document.body.innerText')}")

    def show(self, address, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=address)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def make_project(folder):
    text = folder / "text.txt"
    text.write_bytes(b"".join(b"%d green bottles, hanging on the wall, and if one green bottle should fall. " % i for i in range(3000)))
    made = subprocess.run(
        [BIN / "commonweight-project", "create", "--folder", folder / "server", "--name", "Green <b>bottles</b> & walls", "--text", text,
         "--preset", "tiny", "--micro-batch", "2", "--sequence-length", "32", "--steps-at-most", "20", "--total-tokens", "100000",
         "--warm-up-steps", "5", "--trainer", BIN / "commonweight-trainer"], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def serve(folder):
    port_file = folder / "port"
    server = subprocess.Popen([BIN / "commonweight-server", "serve", "--folder", folder / "server", "--port", "0", "--port-file", port_file],
                              stdout=subprocess.DEVNULL, stderr=(folder / "server.log").open("w"))
    end = time.monotonic() + PATIENCE
    while not (port_file.exists() and port_file.read_text().strip()):
        assert server.poll() is None and time.monotonic() < end, (folder / "server.log").read_text()[-800:]
        time.sleep(0.05)
    return server, "http://127.0.0.1:" + port_file.read_text().strip()


def check_page(browser, address):
    """The page draws the curve and the figures of the run, as text and never as markup, and is quiet in the console."""
    run = json.load(urllib.request.urlopen(address + "/v1/project", timeout=30))["runs"][0]["id"]
    browser.show(address, 1000, 1000)
    browser.wait_for("document.querySelectorAll('.curve').length === 1 && document.querySelectorAll('.dot').length === 1")
    seen = browser.evaluate("document.body.innerText")
    loss = json.load(urllib.request.urlopen(f"{address}/v1/runs/{run}", timeout=30))["losses"][-1]["loss"]
    for wanted in ("Green <b>bottles</b> & walls", f"{loss:.3f}", "The project (warm-up)", address, "Download the newest model"):
        assert wanted in seen, f"'{wanted}' is not on the page:\n{seen}"
    assert browser.evaluate("document.querySelectorAll('h1 b, h2 b').length") == 0, "the project's name was taken as markup"
    wide = browser.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert wide, "the page is wider than its window"
    ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    browser.screenshot(SHOTS / "page.png")

    browser.show(address, 360, 800, dark=True)
    browser.wait_for("innerWidth === 360 && document.querySelectorAll('.curve').length === 1")
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than a telephone"
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") != ground, "dark looks like light"
    browser.screenshot(SHOTS / "page-narrow-dark.png")
    assert not browser.complaints, "\n".join(browser.complaints)


def check_vanished_server(browser, server):
    """When the server goes away, the page says so and keeps what it drew."""
    server.send_signal(signal.SIGTERM)
    server.wait(30)
    browser.wait_for("document.getElementById('state').innerText.includes('does not answer')")
    assert browser.evaluate("document.querySelectorAll('.curve').length") == 1


SHOTS = pathlib.Path(os.environ.get("COMMONWEIGHT_SCREENSHOTS", tempfile.gettempdir()))


def main():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("skipped: Chromium is not installed (package chromium)")
        return 77
    SHOTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="commonweight-page-") as name:
        folder = pathlib.Path(name)
        make_project(folder)
        server, address = serve(folder)
        browser = None
        try:
            browser = Browser(chromium, folder / "browser")
            check_page(browser, address)
            check_vanished_server(browser, server)
        finally:
            if browser:
                browser.close()
            server.kill()
            server.wait()
    print("the public page is right in Chromium")
    return 0


if __name__ == "__main__":
    sys.exit(main())
