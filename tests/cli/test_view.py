#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The viewer's server: who gets in, what it answers, what it refuses, and that nobody disturbs a run."""
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True  # leave the source tree as it is

from support import HEDDLE, check, check_same_run, heddle, main, start, stop, tree, wait_for, write_scene
from ws import BINARY, TEXT, Closed, Refused, Socket, Viewer, decode_frame, decode_geometry

TOO_MANY = 17  # one more than the protocol allows


def write_bcc(path="yarns.bcc"):
    """Two open curves of four points, one closed of three; z is up in the file, and y here."""
    curves = [[(0.0, 0.0, 0.1 * k) for k in range(4)], [(0.1, 0.0, 0.1 * k) for k in range(4)],
              [(0.0, 0.2, 0.0), (0.1, 0.2, 0.0), (0.05, 0.3, 0.0)]]
    with open(path, "wb") as out:
        out.write(struct.pack("<3sBccBBQQ40s", b"BCC", 0x44, b"C", b"0", 3, 2, 3, 11, b"test"))
        for k, curve in enumerate(curves):
            out.write(struct.pack("<i", -len(curve) if k == 2 else len(curve)))
            for point in curve:
                out.write(struct.pack("<3f", *point))
    return curves


def view(*arguments):
    return Viewer(*arguments, "--no-open")


def refusal(viewer, **more):
    try:
        viewer.socket(**more).stream.close()
    except Refused as refused:
        return refused.args[0]
    return 101


def closing(viewer, *texts):
    with viewer.socket() as s:
        s.send(*texts)
        return s.closing()


def test_runs():
    write_scene()
    heddle("run", "scene.yaml", "-o", "run", "--quiet")
    write_scene("other.yaml", points=5)
    heddle("run", "other.yaml", "-o", "other", "--quiet")


def test_page():
    before = tree(".")
    with view("run") as v:
        status, headers, body = v.get(f"/{v.token}/")
        check(status == 200 and b"<!doctype html>" in body[:100].lower(), f"{status}: {body[:200]}")
        check(len(body) == int(headers["content-length"]), headers)
        check(headers["content-type"] == "text/html; charset=utf-8", headers)
        policy = headers["content-security-policy"]
        check("default-src 'none'" in policy and f"connect-src 'self' ws://127.0.0.1:{v.port};" in policy, policy)
        check(headers["referrer-policy"] == "no-referrer" and headers["cache-control"] == "no-store", headers)
        check(headers["x-content-type-options"] == "nosniff" and "server" not in headers, headers)
        check(headers["cross-origin-resource-policy"] == "same-origin", headers)
        check(v.said("Ctrl-C") and v.said("run: 6 frames"), v.errors)
    check(tree(".") == before, "the viewer changed files")


def test_each_start_has_another_token():
    tokens = set()
    for _ in range(3):
        with view("run") as v:
            tokens.add(v.token)
    check(len(tokens) == 3, tokens)


def test_only_the_page_and_the_socket():
    with view("run") as v:
        t = v.token
        first, last = ("0" if digit != "0" else "1" for digit in (t[0], t[-1]))  # wrong ones
        for path in ("/", f"/{t}", f"/{t[:-1]}{last}/", f"/{first}{t[1:]}/", f"/{t[:-1]}/", f"/{t}x/", f"/{t.upper()}A/",
                     f"/{t}/x", f"/{t}/socket", f"/{t}/scene.yaml", f"/{t}/../..", f"/{t}/..", f"/{t}/../../etc/passwd",
                     f"/{t}/%2e%2e/%2e%2e/etc/passwd", f"/{t}/..%2f..%2fetc%2fpasswd", "/../../etc/passwd",
                     "//etc/passwd", "/etc/passwd", "/" + 3000 * "a", "/favicon.ico"):
            status, headers, body = v.get(path)
            check(status == 404 and body == b"404 Not Found\n", f"{path}: {status} {body[:60]}")
            check(headers["referrer-policy"] == "no-referrer", headers)
        # These do not even reach us as paths: the connection ends with some refusal or none.
        for path in ("http://127.0.0.1/etc/passwd", f"http://127.0.0.1:{v.port}/{t}/", "etc/passwd", "*", "/%zz",
                     f"/{t}/x%00", f"/{t}/x\0", "/%00", f"/%00/{t}/"):
            status, _, body = v.get(path)
            check(status in (0, 400, 403, 404) and b"root:" not in body and len(body) < 1000, f"{path!r}: {status}")
        # A path that the library tidies up to that of the page is the page.
        page = v.get(f"/{t}/")[2]
        for path in (f"/{t}/x/../", f"/{t}//", f"/{t}/?x=/etc/passwd", f"/{t}/%00", f"/{t}/%00/etc/passwd"):
            status, _, body = v.get(path)
            check(status == 404 or body == page, f"{path}: {status} {body[:60]}")


def test_methods():
    with view("run") as v:
        for method in ("POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"):
            status, headers, _ = v.get(f"/{v.token}/", method)
            check(status == 405 and headers["allow"] == "GET", f"{method}: {status} {headers}")
        status, _, body = v.get(f"/{v.token}/", "POST", more="Content-Length: 5\r\n\r\nhello")
        check(status == 405 and body == b"405 Method Not Allowed\n", f"{status} {body}")
        for method in ("TRACE", "BREW"):
            check(v.get(f"/{v.token}/", method)[0] in (0, 403, 405), method)
        check(v.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")[:12] in (b"", b"HTTP/1.0 403"), "HTTP/2 without asking")
        more = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"
        check(v.get(f"/{v.token}/", more=more)[0] == 404, "h2c")


def test_host():
    with view("run") as v:
        for host in (f"127.0.0.1:{v.port}", f"localhost:{v.port}", f"LocalHost:{v.port}"):
            check(v.get(f"/{v.token}/", host=host)[0] == 200, host)
        for host in ("", "127.0.0.1", "127.0.0.1:1", "evil.example", f"evil.example:{v.port}", f"127.0.0.1.evil.example:{v.port}",
                     f"127.0.0.2:{v.port}", f":{v.port}", f"127.0.0.1:{v.port}:80", f"127.0.0.1:0{v.port}", 5000 * "h"):
            check(v.get(f"/{v.token}/", host=host)[0] == 403, host[:60])
        check(refusal(v, host=f"evil.example:{v.port}") == 403, "socket")
        check(refusal(v, host=None) == 403, "socket without Host")


def test_origin_and_token_of_the_socket():
    with view("run") as v:
        for origin in (None, "null", "", "http://evil.example", f"https://127.0.0.1:{v.port}", f"http://localhost:{v.port}",
                       "http://127.0.0.1", f"http://127.0.0.1:{v.port}/", f"http://127.0.0.1:{v.port}0", 400 * "o"):
            check(refusal(v, origin=origin) == 403, f"origin {origin}: {refusal(v, origin=origin)}")
        check(refusal(v, token=32 * "0") == 404, "wrong token")
        check(refusal(v, token=32 * "0", origin=None) == 404, "wrong token and no origin")
        check(refusal(v, protocol=None) == 400 and refusal(v, protocol="chat") == 400, "subprotocol")
        host = f"localhost:{v.port}"
        check(refusal(v, host=host, origin=f"http://{host}") == 101, "by its other name")


def test_bounds():
    with view("run") as v:
        check(v.get(f"/{v.token}/", more=f"X-Test: {12000 * 'a'}\r\n")[0] == 200, "headers as large as cookies")
        check(v.get(f"/{v.token}/", more=f"X-Test: {100000 * 'a'}\r\n")[0] == 0, "a header of 100 kB")
        check(v.get(f"/{v.token}/", more="".join(f"X-Test{i}: b\r\n" for i in range(5000)))[0] == 0, "5000 headers")
        check(closing(v, 257 * "a") == (1009, "more than 256 bytes"), "a message of 257 bytes")
        check(closing(v, 100000 * "a")[0] == 1009, "a message of 100 kB")
        check(closing(v, 256 * "a") == (1008, "not a request"), "a message of 256 bytes")
        check(closing(v, *TOO_MANY * ["hello"]) == (1008, "more than 16 requests wait"), "17 requests")
        with v.socket() as s:
            s.send(*(TOO_MANY - 1) * ["hello"])
            check([s.receive()["type"] for _ in range(TOO_MANY - 1)] == (TOO_MANY - 1) * ["welcome"], "16 requests")
        with v.socket() as s:  # a message in pieces counts as one
            pieces = [s.frame(TEXT, 100 * b"a", final=False)] + 2 * [s.frame(0, 100 * b"a", final=False)]
            s.stream.sendall(b"".join(pieces))
            check(s.closing()[0] == 1009, "300 bytes in pieces")
        with v.socket() as s:
            s.stream.sendall(s.frame(TEXT, b"hel", final=False) + s.frame(0, b"lo"))
            check(s.receive()["type"] == "welcome", "a request in pieces")


def test_what_is_no_request():
    with view("run") as v:
        for text in ("xyz", "", "hello ", " hello", "Hello", "hello 0", "about", "about x", "about  0", "about 0 0", "about 1.0",
                     "about +0", "about 99999999999", "frame 0 0 -1", "frame 0 0 -1 -1 0", "table 0 energy", "geometry -",
                     "hello\0", "hello\n"):
            check(closing(v, text) == (1008, "not a request"), f"{text!r}: {closing(v, text)}")
        with v.socket() as s:
            s.stream.sendall(s.frame(BINARY, b"hello"))
            check(s.closing() == (1003, "requests are text"), "binary")
        with v.socket() as s:  # answers that were asked for before come first
            s.send("hello", "nonsense")
            check(s.receive()["type"] == "welcome", "in order")
            check(s.closing()[0] == 1008, "then closed")


def test_what_cannot_be_met():
    with view("run") as v, v.socket() as s:
        for text, run, words in (("about 1", 1, "no run 1"), ("about -1", -1, "no run -1"),
                                 ("frame 0 99 -1 -1", 0, "has no frame 99"), ("frame 0 -5 -1 -1", 0, "has no frame -5"),
                                 ("frame 0 0 99 -1", 0, "has no frame 99"), ("frame 0 0 -1 99", 0, "quantity 99"),
                                 ("table 0 scene 0", 0, "no table 'scene'"), ("table 0 ../scene 0", 0, "no table"),
                                 ("table 0 /etc/passwd 0", 0, "no table"), ("table 0 energy -1", 0, "-1")):
            answer = s.ask(text)
            check(isinstance(answer, dict) and answer["type"] == "error", f"{text}: {answer}")
            check(answer["run"] == run and words in answer["text"], f"{text}: {answer}")
        check(s.ask("hello")["type"] == "welcome", "still open")


def obj_positions(source, frame):
    """Vertices by way of another writer."""
    heddle("convert", source, f"f{frame}.obj", "--frame", frame, "--force")
    with open(f"f{frame}.obj") as stream:
        return [[float(x) for x in line.split()[1:4]] for line in stream if line.startswith("v ")]


def check_positions(found, step, expected, what):
    """Half a step, and what six or more digits of an OBJ file cut off."""
    check(3 * len(expected) == len(found), f"{what}: {len(found)} numbers, {len(expected)} vertices")
    for k, point in enumerate(expected):
        for c in range(3):
            error = abs(found[3 * k + c] * step - point[c])
            check(error <= 0.5 * step + 2e-6 * (1 + abs(point[c])), f"{what}: vertex {k} is {error} off, step {step}")


def test_answers():
    with view("run") as v, v.socket() as s:
        check(s.ask("hello") == {"type": "welcome", "version": "0.1.0", "runs": 1}, "hello")
        about = s.ask("about 0")
        check(about["type"] == "about" and about["is_run"] and not about["growing"] and about["frames"] == 6, about)
        check([(o["name"], o["kind"]) for o in about["objects"]] == [("cloth", "sheet"), ("ball", "body")], about)
        run, objects = decode_geometry(s.ask("geometry 0"))
        check(run == 0 and objects[0]["vertices"] == 36 and len(objects[0]["triangles"]) == 3 * 50, objects[0])
        check(all(abs(sum(x * x for x in objects[1]["own"][i:i + 3]) - 0.15 ** 2) < 1e-6
                  for i in range(0, len(objects[1]["own"]), 3)), "vertices of the ball lie on it")
        decoded = {}
        for frame in range(6):
            expected = obj_positions("run", frame)[:36]
            alone = decode_frame(s.ask(f"frame 0 {frame} -1 -1"), objects, decoded)
            check_positions(alone["positions"], about["step"], expected, f"frame {frame}")
            if frame > 0:
                moved = decode_frame(s.ask(f"frame 0 {frame} {frame - 1} -1"), objects, decoded)
                check(moved["positions"] == alone["positions"], f"frame {frame} by its reference")
            check(abs(alone["time"] - frame / 50) < 1e-12, alone["time"])
            check(alone["poses"][:3] == (0.02, 0.1, 0.0) and alone["values"] == [], alone["poses"])
            decoded[frame] = alone["positions"]
        for q, quantity in enumerate(about["quantities"]):
            values = decode_frame(s.ask(f"frame 0 5 5 {q}"), objects, decoded)
            check(values["positions"] == decoded[5] and len(values["values"]) == 36, quantity["name"])
            known = [x for x in values["values"] if x is not None]
            check(known and min(known) >= values["low"] and max(known) <= values["high"] + 1e-9, quantity["name"])
        for name, file in (("energy", "energy.csv"), ("measure", "measure.csv")):
            with open(f"run/{file}") as stream:
                rows = [line.strip().split(",") for line in stream]
            table = s.ask(f"table 0 {name} 2")
            check(table["columns"] == rows[0] and table["first"] == 2, table["columns"])
            check(table["rows"] == [[float(x) for x in row] for row in rows[3:]], f"{name}: rows")


def test_two_runs():
    with view("run", "other") as v, v.socket() as s:
        check(s.ask("hello")["runs"] == 2, "two runs")
        check([s.ask(f"about {i}")["objects"][0]["vertices"] for i in (0, 1)] == [36, 25], "in order")
        run, objects = decode_geometry(s.ask("geometry 1"))
        frame = decode_frame(s.ask("frame 1 3 -1 -1"), objects, {})
        check(run == 1 and frame["run"] == 1 and len(frame["positions"]) == 75, "numbers of the second")
        check("no run 2" in s.ask("about 2")["text"], "no third")


def test_yarn_file():
    curves = write_bcc()
    with view("yarns.bcc", "--scale", "1cm", "--radius", "0.5mm") as v, v.socket() as s:
        about = s.ask("about 0")
        check(not about["is_run"] and about["frames"] == 1 and about["tables"] == [], about)
        check(about["objects"][0]["kind"] == "yarns" and about["objects"][0]["curves"] == 3, about)
        _, objects = decode_geometry(s.ask("geometry 0"))
        check([c[:2] for c in objects[0]["curves"]] == [(4, 0), (4, 0), (3, 1)], objects[0]["curves"])
        check(all(abs(c[2] - 0.0005) < 1e-9 for c in objects[0]["curves"]), "radius")
        frame = decode_frame(s.ask("frame 0 0 -1 -1"), objects, {})
        # z up becomes y up: the third coordinate of the file, and what was y points the other way.
        expected = [(0.01 * x, 0.01 * z, -0.01 * y) for curve in curves for x, y, z in curve]
        check_positions(frame["positions"], about["step"], expected, "yarns")


def test_growing_run():
    write_scene("long.yaml", duration=1.0, points=12)
    process = start("run", "long.yaml", "-o", "long", "--threads", "1", "--quiet")
    try:
        wait_for("long/.lock")
        with view("long") as v, v.socket() as s:  # waits for the first frame
            about = s.ask("about 0")
            frames, growing = about["frames"], about["growing"]
            check(frames >= 1, about)
            decoded, last = {}, -1
            _, objects = decode_geometry(s.ask("geometry 0"))
            while growing:
                message = s.receive()
                check(message["type"] == "grown" and message["frames"] >= frames, message)
                frames, growing = message["frames"], message["growing"]
                s.send(f"frame 0 {frames - 1} {last} -1")
                while isinstance(answer := s.receive(), dict):
                    frames, growing = answer["frames"], answer["growing"]
                last = struct.unpack_from("<I", answer, 8)[0]
                decoded[last] = decode_frame(answer, objects, decoded)["positions"]
            check(process.wait(timeout=60) == 0 and frames == 51, f"{frames} frames at the end")
            check(s.ask("about 0")["growing"] is False, "ended")
    finally:
        stop(process)


def test_a_run_without_frames_is_waited_for():
    os.makedirs("early")
    shutil.copy("run/.lock", "early/.lock")  # what a run writes first
    process = subprocess.Popen([HEDDLE, "view", "early"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    check("early: no frames yet" in line, line)
    check(process.poll() is None, "it should wait")
    check(stop(process, signal.SIGINT) == 0 and process.stdout.read() == "", "Ctrl-C while it waits")
    process.stdout.close()
    process.stderr.close()


def test_bad_uses():
    before = tree(".")
    os.makedirs("empty", exist_ok=True)
    with open("notes.txt", "w") as out:
        out.write("hello\n")
    for arguments, words in ((["missing"], "missing"), (["empty"], "holds no run"), (["notes.txt"], "notes.txt"),
                             ([], "missing argument"), (["run", "run", "run"], "unexpected argument"),
                             (["run", "--port", "70000"], "--port needs"), (["run", "--port", "x"], "--port needs"),
                             (["run", "--host", "192.0.2.1"], "not an address of this machine"),
                             (["run", "--host", "no.such.host.invalid"], "--host no.such.host.invalid"),
                             (["yarns.bcc", "--scale", "-1"], "--scale")):
        result = heddle("view", *arguments, code=2)
        check(words in result.stderr and result.stdout == "", f"{arguments}: {result.stderr}")
    os.remove("notes.txt")
    check(tree(".") == before, "files were written")
    check("--host" in heddle("view", "--help").stdout, "--help")


def test_port_in_use():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = heddle("view", "run", "--port", port, code=3)
        check(f"port {port} of 127.0.0.1 is in use" in result.stderr and result.stdout == "", result.stderr)
    with view("run", "--port", port) as v:
        check(v.port == port, "the port that was asked for")


def test_other_addresses():
    with view("run", "--host", "0.0.0.0") as v:
        check(v.address.startswith("http://0.0.0.0:") and v.said("warning: everybody"), v.errors)
        v.host = "127.0.0.1"
        check(v.get(f"/{v.token}/")[0] == 200, "by its number")
        check(v.get(f"/{v.token}/", host=f"{socket.gethostname()}:{v.port}")[0] == 200, "by its name")
        check(v.get(f"/{v.token}/", host=f"evil.example:{v.port}")[0] == 403, "by another name")
        with v.socket() as s:
            check(s.ask("hello")["type"] == "welcome", "socket")
    if not os.path.exists("/proc/net/if_inet6"):
        return
    with view("run", "--host", "::1") as v:
        check(v.host == "[::1]" and v.said("Ctrl-C") and "warning" not in v.errors, v.address)
        check(v.get(f"/{v.token}/")[0] == 200, "IPv6")


def test_signals():
    for number in (signal.SIGINT, signal.SIGTERM):
        with view("run") as v, v.socket() as s:
            s.send("hello")
            begin = time.monotonic()
            check(v.finish(number) == 0, "exit code")
            check(time.monotonic() - begin < 5, "it should end at once")


def resident(process):
    """Memory in kB."""
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def test_unread_answers():
    """Clients that never read keep one message each waiting, not all that they asked for."""
    n = 300
    with open("wide.obj", "w") as out:
        out.writelines(f"v {i % n} 0 {i // n}\n" for i in range(n * n))
        out.writelines(f"f {i} {i + 1} {i + n + 1} {i + n}\n" for i in range(1, n * (n - 1)) if i % n)
    with view("wide.obj") as v, v.socket() as good:
        size = len(good.ask("geometry 0"))
        check(size > 2 * (n - 1) ** 2 * 12, size)
        before = resident(v.process)
        deaf = [v.socket(receive_buffer=4096) for _ in range(8)]
        for s in deaf:
            s.send(*16 * ["geometry 0"])
        for _ in range(3):
            check(len(good.ask("geometry 0")) == size, "a good client is served")
        more = 1024 * (resident(v.process) - before)
        # All that was asked for would be 128 messages; one each, growing buffers and slack make 40.
        check(more < 40 * size, f"{more} bytes for 8 clients, a message has {size}")
        for s in deaf:
            s.stream.close()


def test_crowd():
    """A hundred connections that say nothing: the oldest strangers go, who has the token comes through."""
    with view("run") as v:
        held = [v.socket() for _ in range(15)]
        crowd = [v.connect() for _ in range(100)]
        begin = time.monotonic()
        check(v.get(f"/{v.token}/")[0] == 200, "the page")
        with v.socket() as s:
            check(s.ask("hello")["type"] == "welcome", "a socket")
            check(refusal(v) == 503, "more than sixteen")
        check(time.monotonic() - begin < 4.5, "before silent strangers are sent away after 5 s")
        for s in held:
            check(s.ask("hello")["type"] == "welcome", "all others are still there")
            s.stream.close()
        for stranger in crowd:
            stranger.close()
        quiet = v.connect()
        check(quiet.recv(10) == b"", "a stranger who says nothing is sent away")
        quiet.close()


def torment(viewer, stop_event):
    """What bad clients do, over and over."""
    garbage = os.urandom(3000)
    host = f"Host: {viewer.host}:{viewer.port}\r\n"
    while not stop_event.is_set():
        for data in (garbage, b"GET / HT", f"GET /{viewer.token}/socket HTTP/1.1\r\n{host}Upgrade: websocket\r\n\r\n".encode(),
                     b"GET / HTTP/1.1\r\nX-Test: " + 200000 * b"a", f"GET /{viewer.token}/ HTTP/1.1\r\n{host}\r\n".encode()):
            try:
                with viewer.connect() as s:
                    s.sendall(data)
            except OSError:
                pass
        for frames in (garbage, Socket.frame(TEXT, 100000 * b"a"), b"\x81\xff" + 8 * b"\x7f" + garbage, 1000 * b"\xff",
                       Socket.frame(TEXT, b"hello", masked=False), TOO_MANY * Socket.frame(TEXT, b"frame 0 0 -1 -1"),
                       Socket.frame(TEXT, b"frame 0 2000000000 1 1"), Socket.frame(TEXT, b"\xff\xfe\x00")):
            try:
                with viewer.socket() as s:
                    s.stream.sendall(frames)
                    s.stream.settimeout(0.05)
                    s.stream.recv(1000)
            except (OSError, Refused, Closed):
                pass


def patiently(action, seconds=30):
    """What an honest client does in a crowd: it tries again, as the page does."""
    end = time.monotonic() + seconds
    while True:
        try:
            return action()
        except (OSError, Refused, Closed):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def ask_once(viewer, question):
    with viewer.socket() as s:
        return s.ask(question)


def test_bad_clients_do_not_disturb_a_run():
    scene = write_scene("watched.yaml", duration=0.8, points=12)
    heddle("run", scene, "-o", "alone", "--threads", "1", "--quiet")
    process = start("run", scene, "-o", "watched", "--threads", "1", "--quiet")
    try:
        wait_for("watched/.lock")
        with view("watched") as v:
            stop_event = threading.Event()
            threads = [threading.Thread(target=torment, args=(v, stop_event), daemon=True) for _ in range(3)]
            for thread in threads:
                thread.start()
            try:
                crowd = [patiently(v.connect) for _ in range(100)]
                deaf = patiently(lambda: v.socket(receive_buffer=4096))
                deaf.send(*16 * ["geometry 0"])
                code = process.wait(timeout=120)
                about = patiently(lambda: ask_once(v, "about 0"))
            finally:
                stop_event.set()
                for thread in threads:
                    thread.join(timeout=30)
            check(code == 0, f"the run ended with {code}")
            check(about["frames"] == 41, f"a good client sees {about['frames']} frames")
            check(patiently(lambda: v.get(f"/{v.token}/"))[0] == 200, "and the page")
            for s in [*crowd, deaf.stream]:
                s.close()
    finally:
        stop(process)
    check_same_run("alone", "watched")
    check(sorted(os.listdir("alone")) == sorted(os.listdir("watched")), "nothing was left in the run")


def test_a_build_without_server():
    if HAS_SERVER:
        return "this build has one"
    write_bcc()
    check("this build has no server" in heddle("view", "yarns.bcc", code=2).stderr, "it says so")
    return None


if __name__ == "__main__":
    HAS_SERVER = "libwebsockets" in heddle("--version").stdout
    main({name: value for name, value in globals().items() if HAS_SERVER or name == "test_a_build_without_server"})
