#!/usr/bin/python3 -B
"""afdo.py gcc|clang IN OUT: a profile of version 1, as Debian's create_gcov writes it, as that compiler reads it.
gcc 10 to 15 read version 2, which writes names as long as they are; in version 1 they are padded to words of four bytes. clang reads version 1
if it is called that of gcc 4.7. (create_llvm_prof 0.19 would be the tool for clang, but where names of inlined functions should be it
writes bytes of memory that is no longer theirs.)"""

import struct
import sys

MAGIC, NAMES, HEAD = 0x67636461, 0xAA000000, 5 * 4


def main(compiler, source, target):
    with open(source, "rb") as file:
        data = file.read()
    magic, version, stamp, tag, _, count = struct.unpack_from("<6I", data)
    if (magic, version, tag) != (MAGIC, 1, NAMES):
        sys.exit(f"{source}: not a profile of version 1")
    if compiler == "clang":
        data = data[:4] + b"*704" + data[8:]
    else:
        at, names = HEAD + 4, b""
        for _ in range(count):
            size = 4 * struct.unpack_from("<I", data, at)[0]
            name = data[at + 4:at + 4 + size].rstrip(b"\0") + b"\0"
            names += struct.pack("<I", len(name)) + name
            at += 4 + size
        data = struct.pack("<6I", magic, 2, stamp, tag, 0, count) + names + data[at:]
    with open(target, "wb") as file:
        file.write(data)


main(*sys.argv[1:])
