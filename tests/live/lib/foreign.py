#!/usr/bin/python3
"""Writes a program of 32 bits that ends with 4: foreign.py FILE."""
import os
import struct
import sys

BASE, HEADERS = 0x8048000, 52 + 32
code = b"\xb8\x01\0\0\0\xbb\x04\0\0\0\xcd\x80"  # mov $1,%eax; mov $4,%ebx; int $0x80
size = HEADERS + len(code)
ident = b"\x7fELF\x01\x01\x01" + bytes(9)
header = struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, BASE + HEADERS, 52, 0, 0, 52, 32, 1, 0, 0, 0)
segment = struct.pack("<IIIIIIII", 1, 0, BASE, BASE, size, size, 5, 0x1000)
with open(sys.argv[1], "wb") as f:
    f.write(ident + header + segment + code)
os.chmod(sys.argv[1], 0o755)
