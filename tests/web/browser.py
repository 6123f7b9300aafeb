# SPDX-License-Identifier: MIT
"""What the tests of the viewer share: Debian's Chromium without a screen, and pages made up for tests.

Tests wait for flags of the page (window.heddle.state()), never for time alone. Pictures are left in the
working directory."""
import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

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
    """Pixels of the canvas, rows from the top."""

    def __init__(self, width, height, rgba):
        self.width, self.height, self.rgba = width, height, rgba

    def pixel(self, x, y):
        i = 4 * (int(y) * self.width + int(x))
        return tuple(self.rgba[i:i + 3])

    def box(self, left, top, right, bottom, step=1):
        return [self.pixel(x, y) for y in range(top, bottom, step) for x in range(left, right, step)]


# The picture as a PNG, and its pixels without the words that a screenshot has.
READ_CANVAS = """
const png = heddle.screenshot();
const canvas = document.getElementById('canvas');
const copy = document.createElement('canvas');
copy.width = canvas.width;
copy.height = canvas.height;
const pen = copy.getContext('2d');
pen.drawImage(canvas, 0, 0);
const bytes = pen.getImageData(0, 0, copy.width, copy.height).data;
let text = '';
for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
return [png, copy.width, copy.height, btoa(text)];
"""


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
        png, width, height, pixels = self.run(READ_CANVAS)
        if name:
            with open(f"{name}.png", "wb") as out:
                out.write(base64.b64decode(png.split(",", 1)[1]))
        return Picture(width, height, base64.b64decode(pixels))

    def page(self, name):
        """Keeps a picture of the whole page as NAME.png."""
        check(self.driver.save_screenshot(f"{name}.png"), f"{name}.png can be written")


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
