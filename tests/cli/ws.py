# SPDX-License-Identifier: MIT
"""The viewer's side of docs/protocol.md in plain Python: a server to start, HTTP, WebSocket, decoders."""
import base64
import hashlib
import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time

from support import HEDDLE, check

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # of RFC 6455
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Viewer:
    """`heddle view` in a process of its own; use in a with statement."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([HEDDLE, "view", *map(str, arguments)], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.errors = ""
        self.drain = threading.Thread(target=self._read_errors, daemon=True)
        self.drain.start()
        self.address = self.process.stdout.readline().strip()
        m = re.fullmatch(r"http://(.+):(\d+)/([0-9a-f]{32})/", self.address)
        check(m, f"no address: {self.address!r}, {self.finish() if not self.address else ''} {self.errors}")
        self.host, self.port, self.token = m[1], int(m[2]), m[3]

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors += line

    def said(self, text, seconds=20):
        """Whether a text comes on stderr."""
        end = time.monotonic() + seconds
        while text not in self.errors and time.monotonic() < end:
            time.sleep(0.01)
        return text in self.errors

    def finish(self, number=None):
        """Its exit code, after a signal if one is given."""
        if number is not None and self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        self.drain.join(timeout=10)
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        code = self.finish(signal.SIGINT)
        more = self.process.stdout.read()
        self.process.stdout.close()
        self.process.stderr.close()
        if kind is None:
            check(code == 0, f"exit code {code}: {self.errors}")
            check(more == "", f"more than the address on stdout: {more!r}")
            check("Sanitizer" not in self.errors and "runtime error" not in self.errors, self.errors)

    @property
    def origin(self):
        return f"http://{self.host}:{self.port}"

    def connect(self):
        return socket.create_connection((self.host.strip("[]"), self.port), timeout=30)

    def raw(self, data):
        """Sends bytes, reads until the server ends the connection."""
        with self.connect() as s:
            found = b""
            try:
                s.sendall(data)
                while piece := s.recv(65536):
                    found += piece
            except (ConnectionResetError, BrokenPipeError):
                pass
            return found

    def get(self, path, method="GET", host=None, more=""):
        """Status (0: connection ended without an answer), headers in lower case, body."""
        host = f"{self.host}:{self.port}" if host is None else host
        host = f"Host: {host}\r\n" if host else ""
        answer = self.raw(f"{method} {path} HTTP/1.1\r\n{host}{more}\r\n".encode("latin-1"))
        head, _, body = answer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        if not lines[0]:
            return 0, {}, b""
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        return int(lines[0].split()[1]), headers, body

    def socket(self, **more):
        return Socket(self, **more)


class Refused(Exception):
    """The handshake failed; args[0] is the status."""


class Closed(Exception):
    """The server closed the WebSocket; args are code and reason."""


class Socket:
    """A WebSocket. Where origin, host or protocol is None, the header is left out."""

    def __init__(self, viewer, token=None, origin="own", host="own", protocol="heddle-1", receive_buffer=None):
        self.stream = socket.socket()
        self.stream.settimeout(30)
        if receive_buffer:
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.stream.connect((viewer.host, viewer.port))
        self.buffer = bytearray()
        key = base64.b64encode(os.urandom(16)).decode()
        host = f"{viewer.host}:{viewer.port}" if host == "own" else host
        lines = [f"GET /{token or viewer.token}/socket HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        lines += [f"Host: {host}"] if host is not None else []
        origin = viewer.origin if origin == "own" else origin
        lines += [f"Origin: {origin}"] if origin is not None else []
        lines += [f"Sec-WebSocket-Protocol: {protocol}"] if protocol is not None else []
        self.stream.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = self._head()
        status = int(head.split()[1]) if head else 0
        if status != 101:
            self.stream.close()
            raise Refused(status)
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        check(f"sec-websocket-accept: {accept.lower()}" in head.lower(), head)
        check("sec-websocket-protocol: heddle-1" in head.lower(), head)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()

    def _head(self):
        while b"\r\n\r\n" not in self.buffer:
            try:
                piece = self.stream.recv(65536)
            except ConnectionResetError:
                piece = b""
            if not piece:
                return ""
            self.buffer += piece
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        return head.decode("latin-1")

    def _take(self, size):
        while len(self.buffer) < size:
            try:
                piece = self.stream.recv(1 << 20)
            except ConnectionResetError:
                piece = b""
            if not piece:
                raise Closed(0, "end of stream")
            self.buffer += piece
        taken = bytes(self.buffer[:size])
        del self.buffer[:size]
        return taken

    @staticmethod
    def frame(opcode, payload, final=True, masked=True):
        size = len(payload)
        head = bytes([opcode | (0x80 if final else 0)])
        mask_bit = 0x80 if masked else 0
        if size < 126:
            head += bytes([mask_bit | size])
        elif size < 65536:
            head += bytes([mask_bit | 126]) + struct.pack(">H", size)
        else:
            head += bytes([mask_bit | 127]) + struct.pack(">Q", size)
        if not masked:
            return head + payload
        mask = os.urandom(4)
        key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        return head + mask + (int.from_bytes(payload, "big") ^ key).to_bytes(size, "big")

    def send(self, *texts):
        """Requests, all in one piece."""
        self.stream.sendall(b"".join(self.frame(TEXT, text.encode()) for text in texts))

    def receive(self):
        """The next message: a dict of JSON, or bytes."""
        data, kind = bytearray(), None
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            check(second & 0x80 == 0 and first & 0x70 == 0, f"bad frame {first:x} {second:x}")
            if size == 126:
                (size,) = struct.unpack(">H", self._take(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self._take(8))
            payload = self._take(size)
            opcode = first & 0x0F
            if opcode == CLOSE:
                code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
                raise Closed(code, payload[2:].decode())
            if opcode == PING:
                self.stream.sendall(self.frame(PONG, payload))
                continue
            if opcode == PONG:
                continue
            kind = opcode or kind
            data += payload
            if first & 0x80:
                return json.loads(data) if kind == TEXT else bytes(data)

    def ask(self, text):
        """The answer to a request; what the server says unasked is passed over."""
        self.send(text)
        while True:
            message = self.receive()
            if isinstance(message, bytes) or message["type"] != "grown":
                return message

    def closing(self):
        """Code and reason with which the server closes, whatever it sends before."""
        try:
            while True:
                self.receive()
        except Closed as closed:
            return closed.args


def decode_geometry(data):
    """A list of objects: kind, vertex count, triangles, curves, own vertices."""
    magic, run, count = struct.unpack_from("<4sII", data)
    check(magic == b"hdg1", magic)
    objects, at = [], 12
    for _ in range(count):
        kind, vertices, triangles, curves = struct.unpack_from("<4I", data, at)
        at += 16
        corners = struct.unpack_from(f"<{3 * triangles}I", data, at)
        at += 12 * triangles
        lines = [struct.unpack_from("<IIfI", data, at + 16 * i) for i in range(curves)]
        at += 16 * curves
        own = struct.unpack_from(f"<{3 * vertices}f", data, at) if kind == 1 else ()
        at += 4 * len(own)
        objects.append({"kind": kind, "vertices": vertices, "triangles": corners, "curves": lines, "own": own})
    check(at == len(data), f"geometry: {len(data) - at} bytes left over")
    return run, objects


def integers(data, at, size):
    """Zigzag integers of variable length."""
    found, value, shift = [], 0, 0
    for byte in data[at:at + size]:
        value |= (byte & 0x7F) << shift
        if byte & 0x80:
            shift += 7
        else:
            found.append((value >> 1) ^ -(value & 1))
            value = shift = 0
    check(shift == 0, "a number that does not end")
    return found


def predicted(objects):
    """For each vertex of sheets and yarns: how it is predicted without a reference, and whether it is the
    first of its object."""
    kinds = []
    for o in objects:
        if o["kind"] == 0:
            kinds += [("last" if k else "first", k == 0) for k in range(o["vertices"])]
        elif o["kind"] == 2:
            start = True
            for count, _, _, _ in o["curves"]:
                for k in range(count):
                    kinds.append((("first", "last")[k] if k < 2 else "line", start))
                    start = False
    return kinds


def decode_frame(data, objects, references):
    """A frame; references maps frame numbers to positions decoded before."""
    magic, run, frame, reference, quantity, low, high, size, value_size, bodies, time = struct.unpack_from(
        "<4sIIiiffIIId", data)
    check(magic == b"hdf1", magic)
    at = struct.calcsize("<4sIIiiffIIId")
    poses = struct.unpack_from(f"<{7 * bodies}d", data, at)
    at += 56 * bodies
    check(at + size + value_size == len(data), f"frame {frame}: {at} + {size} + {value_size} != {len(data)}")
    steps = integers(data, at, size)
    kinds = predicted(objects)
    check(len(steps) == 3 * len(kinds), f"frame {frame}: {len(steps)} numbers, {len(kinds)} vertices")
    r = references[reference] if reference >= 0 else None
    q = []
    for k, (kind, is_first) in enumerate(kinds):
        for c in range(3):
            i = 3 * k + c
            if r is not None:
                guess = r[i] + (0 if is_first else q[i - 3] - r[i - 3])
            elif k == 0:
                guess = 0
            elif kind == "line":
                guess = 2 * q[i - 3] - q[i - 6]
            else:
                guess = q[i - 3]
            q.append(guess + steps[i])
    values, last = [], 0
    for step in integers(data, at + size, value_size):
        last += step
        values.append(None if last == 4095 else low + (high - low) * last / 4094)
    return {"run": run, "frame": frame, "reference": reference, "quantity": quantity, "time": time,
            "poses": poses, "positions": q, "values": values, "low": low, "high": high}
