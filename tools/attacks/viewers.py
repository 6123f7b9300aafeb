# SPDX-License-Identifier: MIT
"""The viewer under bad requests and idle connections, beside a run that is being computed and must not notice."""
import os
import select
import socket
import sys
import time

from . import scenes
from .bench import ROOT, Attack, Lost, attack, check, check_same, start

BATCH = 100  # requests of one case
IDLE = 200  # connections that say nothing
HELD = 2 * (32 + 16)  # that the server keeps at the most: docs/security.md has 32 strangers and 16 viewers, and it
                      # may not have noticed yet that others are gone
METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", "", "G\0T", "PRI")
REQUESTS = ("hello", "about 0", "about 99", "geometry 0", "frame 0 0 -1 -1", "frame 0 99999 -1 -1", "frame 0 0 0 99",
            "table 0 energy 0", "table 0 ../../etc/passwd 0", "table 0 energy -5", "", "x" * 256, "hello\0", "%s%n")


def junk(rng, size):
    return bytes(rng.randrange(256) for _ in range(rng.randrange(size)))


def path(rng, token):
    t = rng.choice((token, token, token[:-1], token[:-1] + "g", "", token * 40, token.upper(), "0" * 32))
    return rng.choice((f"/{t}/", f"/{t}/socket", f"/{t}/../{t}/", f"/{t}/%2e%2e/etc/passwd", "/", "*", "/etc/passwd",
                       f"/{t}/" + "a" * rng.choice((10, 3000, 20000)), "http://evil.example/", f"/{t}/?" + "&" * 500,
                       f"/{t}/%00", f"//{t}//", f"/{t}/socket/../../x", "/" + "../" * 500, "\\", "/%zz"))


def headers(rng, viewer):
    host = rng.choice((f"{viewer.host}:{viewer.port}", "evil.example", "", f"{viewer.host}:1", "h" * 5000, "[::1]"))
    lines = [f"Host: {host}"] if rng.random() < 0.9 else []
    for _ in range(rng.choice((0, 0, 1, 3, 50))):
        lines.append(rng.choice((
            "Upgrade: websocket", "Connection: Upgrade", "Connection: close", "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Version: 99999999999", "Sec-WebSocket-Key: x", "Sec-WebSocket-Protocol: heddle-1",
            f"Origin: http://{viewer.host}:{viewer.port}", "Origin: null", "Content-Length: 99999999999999999999",
            "Content-Length: -1", "Transfer-Encoding: chunked", "Expect: 100-continue", "Cookie: " + "a" * 3000,
            "Range: bytes=0-99999999999", "no colon", ": empty", "X" * 2000 + ": y", " folded", "A: \x7f\x01",
            "Upgrade: h2c", "Accept-Encoding: gzip;q=9, *")))
    return "\r\n".join(lines)


def is_ended(s):
    """Whether the other side has closed a connection that nobody reads."""
    poll = select.poll()
    poll.register(s, select.POLLRDHUP)
    return bool(poll.poll(0))


def connections(pid, port):
    """Established connections to a port: those a process has taken, and those that wait for it."""
    taken = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            taken.add(os.readlink(f"/proc/{pid}/fd/{name}"))
        except FileNotFoundError:
            pass
    held = waiting = 0
    with open("/proc/net/tcp") as table:
        for line in list(table)[1:]:
            words = line.split()
            if int(words[1].split(":")[1], 16) == port and words[3] in ("01", "08"):  # established, or the other side left
                held += f"socket:[{words[9]}]" in taken
                waiting += words[9] == "0"
    return held, waiting


@attack
class View(Attack):
    name = "viewer"
    about = "bad requests and 200 idle connections to the viewer of a run that is being computed"
    full, quick = 10000, 100

    def prepare(self):
        os.environ.setdefault("HEDDLE", self.programs.plain)
        sys.path.append(os.path.join(ROOT, "tests", "cli"))
        import ws  # the viewer's other side, as the tests have it
        ws.HEDDLE = self.programs.guarded or self.programs.plain
        self.ws = ws
        self.scene = scenes.write_scene(self.home, "springs")
        self.seconds = "0.3" if self.is_quick else "3"
        self.command = ("run", self.scene, "--quiet", "--force", "--duration", self.seconds, "--threads", "1", "-o")
        self.run(*self.command, self.shared("straight"), codes=(0,))
        self.live_runs = 0
        self.live = start(self.programs.plain, *self.command, self.shared("live"))
        while not os.path.exists(self.shared("live", "frames", "000000.hed")):
            time.sleep(0.01)
        self.viewer = ws.Viewer(self.shared("live"), "--no-open")
        self.idle = []
        self.opened = 0  # idle connections so far
        self.held = []  # how many connections the server had, each time that was looked at
        self.waited = []  # and those in the kernel's queue before it

    def keep_idle(self, rng):
        """Connections that say nothing, or half of something, and never read: as many as ever. Those that the
        server has ended are replaced."""
        for s in self.idle:
            if s.fileno() >= 0 and is_ended(s):
                s.close()
        self.idle = [s for s in self.idle if s.fileno() >= 0]
        while len(self.idle) < (IDLE if not self.is_quick else 40):
            s = socket.create_connection((self.viewer.host, self.viewer.port), timeout=60)
            part = rng.choice((b"", b"G", b"GET /", f"GET /{self.viewer.token}/ HTTP/1.1\r\nHost: ".encode()))
            self.idle.append(s)
            self.opened += 1
            try:
                s.sendall(part)
            except OSError:
                pass
        self.count()

    def count(self):
        """The server's side, as the kernel and its own list of files have it."""
        held, waiting = connections(self.viewer.process.pid, self.viewer.port)
        check(held <= HELD, f"the server keeps {held} connections")
        self.held.append(held)
        self.waited.append(waiting)

    def case(self, rng, directory):
        for k in range(BATCH):
            if k % 10 == 0:
                self.keep_idle(rng)
            check(self.viewer.process.poll() is None, f"the viewer has ended: {self.viewer.errors[-2000:]}")
            rng.choice((self.http, self.http, self.raw, self.web_socket))(rng)
        self.good()
        if self.live.poll() is not None:
            self.end_live()
            self.live = start(self.programs.plain, *self.command, self.shared("live"))
        for s in rng.sample(self.idle, len(self.idle) // 4):
            s.close()
        return "answered", BATCH

    def exchange(self, data, wait):
        """What comes back, at most a little; never a file."""
        found = b""
        try:
            with socket.create_connection((self.viewer.host, self.viewer.port), timeout=60) as s:
                s.sendall(data)
                while wait and len(found) < 100000:
                    piece = s.recv(65536)
                    if not piece:
                        break
                    found += piece
        except (ConnectionError, BrokenPipeError, TimeoutError, socket.timeout):
            pass
        check(b"root:" not in found, f"{data[:300]!r} was answered by a file: {found[:300]!r}")
        return found

    def http(self, rng):
        data = (f"{rng.choice(METHODS)} {path(rng, self.viewer.token)} HTTP/{rng.choice(('1.1', '1.0', '9.9', ''))}\r\n"
                f"{headers(rng, self.viewer)}\r\n\r\n").encode("latin-1")
        self.exchange(data, wait=rng.random() < 0.3)

    def raw(self, rng):
        data = rng.choice((junk(rng, 2000), b"\x16\x03\x01" + junk(rng, 300), b"\r\n" * 500, b"GET" + b" " * 5000,
                           b"\0" * 3000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 3000))
        self.exchange(data, wait=False)

    def web_socket(self, rng):
        """A good handshake, then requests and frames that are none."""
        try:
            with self.viewer.socket() as s:
                frame = s.frame(rng.choice((1, 1, 1, 2, 0, 3, 8, 9, 10, 15)), rng.choice((
                    rng.choice(REQUESTS).encode(), junk(rng, 400), b"")), final=rng.random() < 0.9,
                                masked=rng.random() < 0.8)
                at = rng.randrange(len(frame) + 1) if rng.random() < 0.3 else len(frame)
                s.stream.sendall(frame[:at] + (junk(rng, 100) if rng.random() < 0.2 else b""))
        except (self.ws.Refused, self.ws.Closed, ConnectionError, socket.timeout):
            pass

    def good(self):
        """A browser still gets its page and its answers."""
        for attempt in range(40):
            try:
                status, _, body = self.viewer.get(f"/{self.viewer.token}/")
                check(status == 200 and len(body) > 100, f"the page: {status}")
                with self.viewer.socket() as s:
                    check(s.ask("hello")["type"] == "welcome", "hello")
                return
            except (self.ws.Refused, ConnectionError, socket.timeout, self.ws.Closed, Lost, AssertionError) as error:
                last = error
                time.sleep(0.25)
        raise Lost(f"the viewer does not answer any more: {last!r}; {self.viewer.errors[-1000:]}")

    def end_live(self):
        check(self.live.wait(timeout=600) == 0, f"the run beside the viewer: exit code {self.live.returncode}")
        check_same(self.shared("straight"), self.shared("live"))
        self.live_runs += 1

    def finish(self):
        self.end_live()
        for s in self.idle:
            s.close()
        self.good()
        self.note = (f"{self.opened} idle connections opened, {len(self.idle)} at a time; the server had {min(self.held)} "
                     f"to {max(self.held)} of them and others, {max(self.waited)} waited at the most; "
                     f"{self.live_runs} live runs with the same bits")
        code = self.viewer.finish(2)
        errors = self.viewer.errors
        self.viewer.process.stdout.close()
        self.viewer.process.stderr.close()
        check(code == 0 and "Sanitizer" not in errors, f"the viewer: exit code {code}: {errors[-2000:]}")
