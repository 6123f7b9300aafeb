# SPDX-License-Identifier: MIT
"""Stores (frames, checkpoints) taken apart and put together again with the right checksum: what a reader would meet
if a file were wrong from the start, and not damaged."""
import struct

MASK = (1 << 64) - 1
SIZES = {"f64": 8, "f32": 4, "i32": 4, "i64": 8, "u64": 8, "u8": 1}
INTEGERS = (0, 1, -1, 2, 3, 7, 255, 65536, 2**31 - 1, -2**31)
NUMBERS = (0.0, -1.0, 1e300, float("nan"), float("inf"), -0.0, 1e-320, 0.5)


def mix(h, word):
    h = (h ^ word) * 0x9E3779B97F4A7C15 & MASK
    return h ^ h >> 32


def hash_of(seed, data):
    """As src/base/hash.c has it."""
    h = mix(seed, 0x6865646466616272)
    whole = len(data) // 8
    for word in struct.unpack_from(f"<{whole}Q", data):
        h = mix(h, word)
    h = mix(h, int.from_bytes(data[8 * whole:], "little"))
    return mix(mix(h, len(data)), 0)


def unpack(data):
    """[name, type, bytes] of each array."""
    head = data[:data.index(b"\nend ")].decode().split("\n")[1:]
    found = []
    for line in head:
        _, name, kind, count, offset = line.split()
        found.append([name, kind, data[int(offset):int(offset) + int(count) * SIZES[kind]]])
    return found


def round_up(size):
    return (size + 63) // 64 * 64


def head_of(arrays, start):
    lines, offset = ["heddle-store 1"], start
    for name, kind, data in arrays:
        lines.append(f"array {name} {kind} {len(data) // SIZES[kind]} {offset:>10}")
        offset = round_up(offset + len(data))
    return "\n".join(lines + [f"end {offset + 22:>10}", ""]).encode()


def pack(arrays):
    start = round_up(len(head_of(arrays, 0)))
    head = head_of(arrays, start).ljust(start, b"\0")
    h, out = hash_of(0, head), [head]
    for _, _, data in arrays:
        h = hash_of(h, data)
        out.append(data.ljust(round_up(len(data)), b"\0"))
    return b"".join(out) + f"hash {h:016x}\n".encode()


def change(rng, data):
    """The same store with a few arrays that say something else, and the checksum of that."""
    arrays = unpack(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        k = rng.randrange(len(arrays))
        name, kind, content = arrays[k]
        size = SIZES[kind]
        way = rng.randrange(6)
        count = len(content) // size
        if way <= 2 and count:
            at = size * rng.randrange(count)
            arrays[k][2] = content[:at] + value(rng, kind) + content[at + size:]
        elif way == 3:
            arrays[k][2] = content[:size * rng.randrange(count + 1)]
        elif way == 4:
            arrays[k][2] = content + value(rng, kind) * rng.choice((1, 2, 100))
        elif len(arrays) > 1:
            del arrays[k]
    return pack(arrays)


def value(rng, kind):
    if kind in ("f64", "f32"):
        x = rng.choice(NUMBERS)
        return struct.pack("<d" if kind == "f64" else "<f", x if kind == "f64" or abs(x) < 1e38 else 1e38)
    x = rng.choice(INTEGERS)
    return (x & (1 << 8 * SIZES[kind]) - 1).to_bytes(SIZES[kind], "little")
