# SPDX-License-Identifier: MIT
"""Reads PNG files of the kind heddle writes: true colour, 8 or 16 bits."""
import struct
import zlib


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def unfilter(kind, line, above, step):
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        add = (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind] if kind else 0
        line[i] = (line[i] + add) & 255
    return line


def read_png(path):
    """(width, height, bits, rows): each row a list of numbers from 0 to 1, three a pixel."""
    with open(path, "rb") as stream:
        data = stream.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path}: not a PNG"
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if kind == b"IHDR":
            width, height, bits, color = struct.unpack(">IIBB", body[:10])
            assert color == 2 and bits in (8, 16), (color, bits)
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    raw, step = zlib.decompress(packed), 3 * bits // 8
    stride = width * step
    rows, above = [], bytearray(stride)
    for y in range(height):
        begin = y * (stride + 1)
        above = unfilter(raw[begin], bytearray(raw[begin + 1:begin + 1 + stride]), above, step)
        numbers = above if bits == 8 else struct.unpack(f">{3 * width}H", bytes(above))
        rows.append([n / (255 if bits == 8 else 65535) for n in numbers])
    return width, height, bits, rows
