"""Writes files as perf would, with records of hardware that say anything at all.

    make.py ibs OUT SEED N FAMILY MODEL     op and fetch samples of AMD's IBS
    make.py spe OUT SEED N                  packets of Arm's SPE
    make.py pebs OUT SEED N                 weights and data sources of Intel's PEBS
"""
import random
import struct
import sys

IP, TID, TIME, ADDR, CPU, PERIOD, RAW, IDENTIFIER = (1 << b for b in (0, 1, 2, 3, 7, 8, 10, 16))
DATA_SRC, WEIGHT_STRUCT = 1 << 15, 1 << 24
BRANCH_TARGET, FETCH_EXTENDED, DATA4, ZEN4 = 1 << 5, 1 << 9, 1 << 10, 1 << 11


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    raw = s.encode() + b"\0"
    n = (len(raw) + 63) // 64 * 64
    return struct.pack("<I", n) + raw + b"\0" * (n - len(raw))


def pmus(pairs):
    return struct.pack("<I", len(pairs)) + b"".join(struct.pack("<I", t) + text(n) for t, n in pairs)


def pmu_caps(pmus_with):
    out = struct.pack("<I", len(pmus_with))
    for name, caps in pmus_with:
        out += struct.pack("<I", len(caps))
        for key, value in caps:
            out += text(key) + text(value)
        out += text(name)
    return out


def write(path, events, data, features):
    """events: (type, config, period, sample type, precise), with ids 1, 2, ..."""
    head, each = 104, 128 + 16
    ids = b"".join(struct.pack("<Q", i + 1) for i in range(len(events)))
    attrs_at = head + len(ids)
    data_at = attrs_at + each * len(events)
    attrs = b""
    for i, (kind, config, period, sample_type, precise) in enumerate(events):
        attr = struct.pack("<IIQQQQQ", kind, 128, config, period, sample_type, 0, 1 << 18 | precise << 15)
        attrs += attr + b"\0" * (128 - len(attr)) + struct.pack("<QQ", head + 8 * i, 8)
    bits, table, blob = [0] * 4, b"", b""
    at = data_at + len(data) + 16 * len(features)
    for k in sorted(features):
        bits[k // 64] |= 1 << k % 64
        table += struct.pack("<QQ", at + len(blob), len(features[k]))
        blob += features[k]
    start = b"PERFILE2" + struct.pack("<8Q", head, each, attrs_at, len(attrs), data_at, len(data), 0, 0)
    with open(path, "wb") as out:
        out.write(start + struct.pack("<4Q", *bits) + ids + attrs + data + table + blob)


def words(rng, n):
    """All bits alike, or few of them, or many."""
    return [rng.getrandbits(64) if rng.random() < 0.5 else rng.getrandbits(64) & rng.getrandbits(64) for _ in range(n)]


def ibs(path, rng, n, family, model):
    op, fetch, sample_type = 11, 12, IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW
    # All that perf knows have branch targets and latencies of the TLB of fetches: it takes the words behind the others for them.
    zen4 = (family, model) >= (25, 16)
    data = record(3, 0, struct.pack("<II", 100, 100) + b"test\0\0\0\0" + struct.pack("<IIQQQ", 100, 100, 1, 0, 1))
    for i in range(n):
        is_op = rng.random() < 0.6
        caps = 0x1F | BRANCH_TARGET | FETCH_EXTENDED | rng.choice((0, DATA4)) | (ZEN4 if zen4 else 0)
        if is_op:
            regs = words(rng, 7 + bool(caps & BRANCH_TARGET) + bool(caps & DATA4))
            regs[0] |= 3 << 17  # enabled and valid, or perf says nothing of it
        else:
            regs = words(rng, 3 + bool(caps & FETCH_EXTENDED))
            regs[0] |= 3 << 48
        raw = struct.pack("<I", caps) + struct.pack("<%dQ" % len(regs), *regs)
        raw = struct.pack("<I", len(raw)) + raw
        raw += b"\0" * (-len(raw) % 8)
        body = struct.pack("<QQIIQIIQ", 1 if is_op else 2, regs[1], 100, 100, 1000 + i, 3, 0, 100000) + raw
        data += record(9, 2, body)
    features = {6: text("x86_64"), 9: text("AuthenticAMD,%d,%d,1" % (family, model)), 16: pmus([(4, "cpu"), (op, "ibs_op"), (fetch, "ibs_fetch")])}
    if zen4:
        features[31] = pmu_caps([("ibs_op", [("zen4_ibs_extensions", "1")])])
    write(path, [(op, 0, 100000, sample_type, 0), (fetch, 0, 100000, sample_type, 0)], data, features)


def spe_record(rng):
    def packet(header, size):
        return bytes([header | {1: 0, 2: 0x10, 4: 0x20, 8: 0x30}[size]]) + rng.getrandbits(8 * size).to_bytes(size, "little")
    out = []
    for index in rng.sample(range(4), rng.randint(1, 4)):
        out.append(packet(0x80 | index, 8))          # an address: the size is part of 0xb0
    for index in rng.sample(range(3), rng.randint(0, 3)):
        out.append(packet(0x88 | index, 2))          # a counter: part of 0x98
    if rng.random() < 0.8:
        out.append(packet(0x42, rng.choice((1, 2, 4))))
    if rng.random() < 0.5:
        out.append(packet(0x43, rng.choice((1, 2))))
    if rng.random() < 0.5:
        out.append(packet(0x44 | rng.randint(0, 2), 4))  # a context: part of 0x64
    if rng.random() < 0.8:
        kind = rng.randint(0, 2)
        out.append(packet(0x48 | kind, 1) if kind < 2 else bytes([0x4A, rng.randint(0, 3)]))
    rng.shuffle(out)
    if rng.random() < 0.3:
        out.insert(rng.randint(0, len(out)), b"\0" * rng.randint(1, 9))
    return b"".join(out) + (packet(0x41, 8) if rng.random() < 0.7 else b"\x01")


def spe(path, rng, n):
    kind, sample_type = 13, IP | TID | TIME | CPU | IDENTIFIER
    aux = b"".join(spe_record(rng) for _ in range(n))
    aux += b"\0" * (-len(aux) % 8)
    data = record(70, 0, struct.pack("<IIQQ", 4, 0, kind, 0))
    data += record(71, 0, struct.pack("<QQQIIII", len(aux), 0, 0x1234, 0, 100, 0, 0)) + aux
    data += record(11, 0, struct.pack("<QQQ", 0, len(aux), 0) + struct.pack("<IIQIIQ", 100, 100, 1, 0, 0, 1))
    write(path, [(kind, 0x300000001, 1024, sample_type, 0)], data,
          {6: text("aarch64"), 16: pmus([(kind, "arm_spe_0")]), 18: struct.pack("<Q", 0)})


def pebs(path, rng, n):
    sample_type = IDENTIFIER | IP | TID | TIME | ADDR | CPU | PERIOD | DATA_SRC | WEIGHT_STRUCT
    data = record(3, 0, struct.pack("<II", 100, 100) + b"test\0\0\0\0" + struct.pack("<IIQQQ", 100, 100, 1, 0, 1))
    for i in range(n):
        data += record(9, 0x4002, struct.pack("<QQIIQQIIQQQ", 1, rng.getrandbits(47), 100, 100, 1000 + i, rng.getrandbits(47), 3, 0, 2003,
                                              *words(rng, 2)))
    write(path, [(4, 0x1CD, 2003, sample_type, 2)], data,
          {6: text("x86_64"), 9: text("GenuineIntel,6,143,8"), 16: pmus([(4, "cpu")])})


if __name__ == "__main__":
    what, path, seed, count, *rest = sys.argv[1:]
    {"ibs": ibs, "spe": spe, "pebs": pebs}[what](path, random.Random(int(seed)), int(count), *map(int, rest))
