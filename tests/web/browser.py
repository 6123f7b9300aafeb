# SPDX-License-Identifier: MIT
"""What the tests of the viewer share: Debian's Chromium without a screen, and pages made up for tests.

Tests wait for flags of the page (window.heddle.state()), never for time alone. Pictures are left in the
working directory."""
import base64
import contextlib
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zlib

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

SOURCE = os.environ.get("SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEDDLE = os.environ.get("HEDDLE") or os.path.join(SOURCE, "build", "heddle")
VIEWER = os.path.join(SOURCE, "build", "web", "viewer.html")
PATIENCE = 60  # s until a flag of the page must be there; software rendering on a busy machine is slow


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def build_viewer():
    subprocess.run([os.path.join(SOURCE, "tools", "build-web")], check=True, timeout=200)


def make_page(scene):
    """A page that stands alone with a made-up run (web/test/scenes.ts); its path."""
    build_viewer()
    tool = os.path.join(SOURCE, "build", "web", "tests", "make-page.tool.mjs")
    path = os.path.abspath(f"{scene}.html")
    subprocess.run(["node", tool, VIEWER, scene, path], check=True, timeout=120)
    return path


class Picture:
    """RGB pixels of a PNG with 8 bits a channel, as Chromium writes them."""

    def __init__(self, png):
        check(png[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG")
        at, data = 8, b""
        while at < len(png):
            size, kind = struct.unpack(">I4s", png[at:at + 8])
            if kind == b"IHDR":
                self.width, self.height, depth, colour = struct.unpack(">IIBB", png[at + 8:at + 18])
                check(depth == 8 and colour in (2, 6), f"PNG with depth {depth}, colour type {colour}")
                self.channels = 3 if colour == 2 else 4
            elif kind == b"IDAT":
                data += png[at + 8:at + 8 + size]
            at += 12 + size
        self.rows = self.unfilter(io.BytesIO(zlib.decompress(data)))

    def unfilter(self, stream):
        n, rows, above = self.channels, [], bytearray(self.width * self.channels)
        for _ in range(self.height):
            kind = stream.read(1)[0]
            row = bytearray(stream.read(self.width * n))
            for i in range(len(row) if kind else 0):
                left = row[i - n] if i >= n else 0
                corner = above[i - n] if i >= n else 0
                row[i] = (row[i] + (left, above[i], (left + above[i]) // 2,
                                    paeth(left, above[i], corner))[kind - 1]) & 255
            rows.append(row)
            above = row
        return rows

    def pixel(self, x, y):
        i = int(x) * self.channels
        return tuple(self.rows[int(y)][i:i + 3])

    def box(self, left, top, right, bottom, step=1):
        return [self.pixel(x, y) for y in range(int(top), int(bottom), step)
                for x in range(int(left), int(right), step)]


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def difference(first, second, step=4):
    """Fraction of pixels, on a grid, that differ clearly between two pictures."""
    points = [(x, y) for y in range(0, first.height, step) for x in range(0, first.width, step)]
    changed = sum(max(abs(p - q) for p, q in zip(first.pixel(*at), second.pixel(*at))) > 24 for at in points)
    return changed / len(points)


def start_chromium(profile):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for word in ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                 "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
                 "--force-device-scale-factor=1", "--hide-scrollbars", f"--user-data-dir={profile}"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    driver.set_page_load_timeout(PATIENCE)
    driver.set_script_timeout(PATIENCE)
    return driver


class Browser:
    """A page in Chromium, which is started once for all tests of a file. Use in a with statement; leaving it
    checks that neither the console nor the page has errors."""
    shared = None
    profile = None

    def __init__(self, address, size=(1280, 800), errors_allowed=False):
        if Browser.shared is None:
            Browser.profile = tempfile.mkdtemp(prefix="heddle-chromium-")
            Browser.shared = start_chromium(Browser.profile)
        self.driver = Browser.shared
        self.errors_allowed = errors_allowed
        self.driver.set_window_size(*size)
        self.driver.get_log("browser")  # what earlier pages said
        self.console = []
        self.open(address)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            self.collect()
            if kind is None and not self.errors_allowed:
                check(not self.console, f"console: {self.console}")
                check(not self.state()["errors"], f"errors of the page: {self.state()['errors']}")
        finally:
            self.driver.get("about:blank")

    @classmethod
    def processor_times(cls):
        """Seconds of processor time of each process of the browser, by its number."""
        found = {}
        for process in filter(str.isdigit, os.listdir("/proc") if cls.profile else []):
            with contextlib.suppress(OSError):
                with open(f"/proc/{process}/cmdline") as words, open(f"/proc/{process}/stat") as stat:
                    if cls.profile in words.read():
                        user, system = stat.read().rsplit(")", 1)[1].split()[11:13]
                        found[process] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        return found

    @classmethod
    def quit(cls):
        if cls.shared:
            cls.shared.quit()
            shutil.rmtree(cls.profile, ignore_errors=True)
            cls.shared = None

    def collect(self):
        self.console += [e["message"] for e in self.driver.get_log("browser")
                         if e["level"] in ("SEVERE", "WARNING") and "GPU stall due to ReadPixels" not in e["message"]]

    def open(self, address):
        self.driver.get(address if "://" in address else "file://" + os.path.abspath(address))

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def state(self):
        return self.run("return window.heddle ? window.heddle.state() : {ready: false, errors: []}")

    def wait(self, condition, what):
        """Waits until condition(state) holds; the state then."""
        end = time.monotonic() + PATIENCE
        while True:
            state = self.state()
            if condition(state):
                return state
            if time.monotonic() > end:
                self.collect()
                raise AssertionError(f"waited {PATIENCE} s for {what}: {json.dumps(state)[:2000]} {self.console}")
            time.sleep(0.02)

    def ready(self):
        return self.wait(lambda s: s["ready"], "the first picture")

    def seek(self, frame):
        self.run("heddle.seek(arguments[0])", frame)
        self.wait(lambda s: s["settled"] and s["shown"][0] == frame, f"frame {frame}")

    def key(self, key):
        self.run("document.getElementById('canvas').focus();"
                 "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", key)

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def canvas(self, name=None):
        """The picture on the canvas alone, kept as NAME.png."""
        data = base64.b64decode(self.run("return heddle.screenshot()").split(",", 1)[1])
        if name:
            with open(f"{name}.png", "wb") as out:
                out.write(data)
        return Picture(data)

    def page(self, name):
        """The whole page, kept as NAME.png."""
        data = self.driver.get_screenshot_as_png()
        with open(f"{name}.png", "wb") as out:
            out.write(data)
        return Picture(data)


def main(names):
    """Runs all functions test_* of a module, in the order they are written."""
    failed = 0
    for name, function in list(names.items()):
        if name.startswith("test_") and callable(function):
            begin = time.monotonic()
            try:
                function()
                print(f"ok   {name} ({time.monotonic() - begin:.1f} s)", flush=True)
            except Exception:  # every failure is reported, the rest still runs
                failed += 1
                print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
    Browser.quit()
    sys.exit(1 if failed else 0)
