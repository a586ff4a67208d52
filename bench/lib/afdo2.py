#!/usr/bin/python3 -B
"""afdo2.py IN OUT: a profile for gcc -fauto-profile of version 1, as Debian's create_gcov writes it, as version 2, which gcc 10 to 15 read.
They differ in how names are written: in version 1 padded to words of four bytes, in version 2 as long as they are."""

import struct
import sys

MAGIC, NAMES, HEAD = 0x67636461, 0xAA000000, 5 * 4


def main(source, target):
    with open(source, "rb") as file:
        data = file.read()
    magic, version, stamp, tag, _, count = struct.unpack_from("<6I", data)
    if (magic, version, tag) != (MAGIC, 1, NAMES):
        sys.exit(f"{source}: not a profile of version 1")
    at, names = HEAD + 4, b""
    for _ in range(count):
        size = 4 * struct.unpack_from("<I", data, at)[0]
        name = data[at + 4:at + 4 + size].rstrip(b"\0") + b"\0"
        names += struct.pack("<I", len(name)) + name
        at += 4 + size
    with open(target, "wb") as file:
        file.write(struct.pack("<6I", magic, 2, stamp, tag, 0, count) + names + data[at:])


main(*sys.argv[1:])
