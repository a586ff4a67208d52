"""branches.py PROGRAM OUT COUNTS: runs it step by step, and writes what perf record -b of a machine with 32 branch
records would have kept of it, with a sample at every 23rd taken branch; and to COUNTS, how often each branch of the
program's own code is in these records: FROM TO N."""
import collections
import ctypes
import os
import re
import signal
import struct
import subprocess
import sys

EVERY, DEPTH, ID = 23, 32, 1
TRACEME, SINGLESTEP, PEEKUSER = 0, 9, 3
RIP = 16 * 8
ADDR_NO_RANDOMIZE = 0x0040000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def follows(program):
    """Of each instruction of the file the one behind it, by objdump; none of what always branches."""
    at, always = [], set()
    for line in subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        head, colon, text = line.partition(":\t")
        if colon:
            at.append(int(head, 16))
            if {"jmp", "call", "ret"} & set(text.replace("*", " ").split()[:3]):
                always.add(at[-1])
    return {one: behind for one, behind in zip(at, at[1:]) if one not in always}


def start(program):
    child = os.fork()
    if not child:
        null = os.open("/dev/null", os.O_WRONLY)
        os.dup2(null, 1)
        libc.personality(ADDR_NO_RANDOMIZE)
        libc.ptrace(TRACEME, 0, None, None)
        os.execv(program, [program])
    os.waitpid(child, 0)
    return child


def base_of(child, program):
    with open(f"/proc/{child}/maps") as maps:
        for line in maps:
            fields = line.split()
            if fields[-1] == program and fields[1][2] == "x":
                begin, end = (int(part, 16) for part in fields[0].split("-"))
                return begin, end, int(fields[2], 16)
    sys.exit("not mapped")


def steps(child):
    while True:
        yield libc.ptrace(PEEKUSER, child, RIP, None)
        libc.ptrace(SINGLESTEP, child, None, None)
        _, status = os.waitpid(child, 0)
        if not os.WIFSTOPPED(status):
            return
        if os.WSTOPSIG(status) != signal.SIGTRAP:
            sys.exit(f"signal {os.WSTOPSIG(status)}")


def samples_of(child, text, next_of):
    """The last branches of every sample, newest first. What is not in the file takes each jump of more than 15 bytes
    for a branch."""
    begin, end, offset = text
    shift = offset - begin  # objdump's addresses are the file's: linked at 0
    last, recent, n = None, collections.deque(maxlen=DEPTH), 0
    for at in steps(child):
        if last is not None:
            inside = begin <= last < end
            on = next_of.get(last + shift) == at + shift if inside else 0 <= at - last <= 15
            if not on and at != last:  # a step of what repeats itself is no branch
                recent.appendleft((last, at))
                n += 1
                if n % EVERY == 0:
                    yield at, list(recent)
        last = at


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def build_id(program):
    """As older perf writes it: filled up with zeros, of a length that is not said."""
    notes = subprocess.run(["readelf", "-n", program], stdout=subprocess.PIPE, check=True, text=True).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", notes)
    body = struct.pack("<I", 0xFFFFFFFF) + bytes.fromhex(found.group(1)).ljust(24, b"\0") if found else b""
    name = program.encode() + b"\0"
    return record(0, 2, body + name + b"\0" * (-len(name) % 8)) if found else b""


def write(path, program, text, samples):
    begin, end, offset = text
    name = program.encode() + b"\0"
    name += b"\0" * (-len(name) % 8)
    tail = struct.pack("<IIQ", 100, 100, 1)
    data = record(3, 0x2000, struct.pack("<II", 100, 100) + b"program\0" + tail)
    data += record(1, 2, struct.pack("<IIQQQ", 100, 100, begin, end - begin, offset) + name + tail)
    for i, (ip, branches) in enumerate(samples):
        body = struct.pack("<QIIQQ", ip, 100, 100, 1000 + i, len(branches))
        data += record(9, 2, body + b"".join(struct.pack("<QQQ", *branch, 2) for branch in branches))
    kind = 1 | 2 | 4 | 1 << 11  # IP, TID, TIME, BRANCH_STACK
    attr = struct.pack("<IIQQQQQ", 4, 128, 0x20C4, EVERY, kind, 0, 1 << 18) + struct.pack("<IIQQQ", 0, 0, 0, 0, 1 | 8)
    attr += b"\0" * (128 - len(attr))
    built = build_id(program)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ4Q", 104, 144, 112, 144, 256, len(data), 0, 0, 4 if built else 0, 0, 0, 0)
    with open(path, "wb") as out:
        out.write(head + struct.pack("<Q", ID) + attr + struct.pack("<QQ", 104, 8) + data)
        if built:
            out.write(struct.pack("<QQ", 256 + len(data) + 16, len(built)) + built)


def main():
    program, out, counts = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3]
    next_of = follows(program)
    child = start(program)
    text = base_of(child, program)
    samples = list(samples_of(child, text, next_of))
    write(out, program, text, samples)
    seen = collections.Counter(branch for _, branches in samples for branch in branches)
    shift = text[2] - text[0]
    with open(counts, "w") as to:
        for (at, target), n in sorted(seen.items()):
            if text[0] <= at < text[1] and text[0] <= target < text[1]:
                print(f"{at + shift:#x} {target + shift:#x} {n}", file=to)
    print(len(samples))


main()
