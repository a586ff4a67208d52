"""compare.py PERF GAIT: what `perf report -D` (PERF) says of records of hardware is what `gait import --records` (GAIT) does.

Every part that perf prints must have the same value; perf leaves out what has no meaning. Prints how many were compared."""
import re
import sys

EVENTS = {"EXCEPTION-GEN": 0, "RETIRED": 1, "L1D-ACCESS": 2, "L1D-REFILL": 3, "TLB-ACCESS": 4, "TLB-REFILL": 5, "NOT-TAKEN": 6,
          "MISPRED": 7, "LLC-ACCESS": 8, "LLC-REFILL": 9, "REMOTE-ACCESS": 10, "ALIGNMENT": 11, "SVE-PARTIAL-PRED": 17, "SVE-EMPTY-PRED": 18}
PAGES = {"4KB": (0,), "16KB": (1,), "2MB": (1, 2), "1GB": (2, 3)}  # some processors count otherwise


def fail(why):
    sys.exit("records: " + why)


def gait_records(path):
    records = []
    for line in open(path):
        offset, origin, *parts = line.split()
        records.append((int(offset, 16), origin, [(k, int(v, 16)) for k, v in (p.split("=") for p in parts)]))
    return records


def perf_samples(path):
    """By offset: [(name, value)]."""
    samples, parts = {}, []
    for line in open(path, errors="replace"):
        if re.match(r"(ibs_|ic_ibs_|Ibs)\w+:\t", line):
            name, rest = line.rstrip().split(":\t", 1)
            if name.startswith("Ibs"):
                parts.append((name, int(rest.split()[0], 16)))
            else:
                parts += [(k, int(v)) for k, v in re.findall(r"([A-Z]\w*) +(\d+)\b(?!KB|MB|GB)", rest)]
                parts += [(k, PAGES[v]) for k, v in re.findall(r"(L1TlbPgSz) (\w+)", rest) if v in PAGES]
        at = re.search(r" (0x[0-9a-f]+) \[0x[0-9a-f]+\]: PERF_RECORD_SAMPLE", line)
        if at:
            here = samples[int(at[1], 16)] = parts
            parts = []
        weight = re.match(r"\.\.\. weight: (\d+)(?:,0x([0-9a-f]+),0x([0-9a-f]+))?", line)
        if weight:
            here += [("var1_dw", int(weight[1])), ("var2_w", int(weight[2], 16))]
            if int(weight[3], 16):  # perf before 6.3 has no name for it on x86, and prints 0
                here.append(("var3_w", int(weight[3], 16)))
        source = re.match(r" \. data_src: 0x([0-9a-f]+)", line)
        if source:
            here.append(("data_src", int(source[1], 16)))
    return samples


def packet(said):
    """(names, mask, value) that the packet's payload must have under the mask."""
    word, *rest = said.split()
    low = (1 << 56) - 1
    if word in ("PC", "TGT"):
        level, ns = int(rest[1][2:]), int(rest[2][3:])
        return (word,), low | 7 << 61, int(rest[0], 16) | level << 61 | ns << 63
    if word == "VA":
        return (word,), (1 << 64) - 1, int(rest[0], 16)
    if word == "PA":
        return (word,), low | 1 << 63, int(rest[0], 16) | int(rest[1][3:]) << 63
    if word == "LAT":
        return (rest[1],), (1 << 64) - 1, int(rest[0])
    if word == "EV":
        return (word,), sum(1 << b for b in EVENTS.values()), sum(1 << EVENTS[e] for e in rest)
    if word in ("DATA-SOURCE", "TS"):
        return (word,), (1 << 64) - 1, int(rest[0]) % (1 << 64)
    if word == "CONTEXT":
        return (word,), (1 << 64) - 1, int(rest[0], 16)
    if word == "B":
        return (word,), 3, (1 if "COND" in rest else 0) | (2 if "IND" in rest else 0)
    if word in ("LD", "ST"):
        return ("LD-ST",), 1, int(word == "ST")
    if word == "END":
        return (word,), 0, 0
    return ("OTHER", "LD-ST", "B"), 0, 0  # what class it is depends on more bits than are told


def perf_packets(path):
    packets = []
    trace = False
    for line in open(path, errors="replace"):
        trace = "ARM SPE data" in line or (trace and line.startswith("."))
        said = re.match(r"\.  [0-9a-f]{8}:  (?:[0-9a-f]{2} )+ +(\S.*)$", line) if trace else None
        if said and said[1] != "PAD":
            packets.append(said[1])
    return packets


def compare_spe(perf, records):
    told = [part for _, _, parts in records for part in parts]
    if len(perf) != len(told):
        fail("perf has %d packets, gait %d" % (len(perf), len(told)))
    for said, (name, value) in zip(perf, told):
        names, mask, wanted = packet(said)
        if name not in names or value & mask != wanted:
            fail("perf: %s; gait: %s %#x" % (said, name, value))
    print("%d packets of %d records" % (len(told), len(records)))


def compare_samples(perf, records):
    names, compared = set(), 0
    if len(perf) != len(records):
        fail("perf has %d samples, gait %d" % (len(perf), len(records)))
    for offset, origin, parts in records:
        mine = dict(parts)
        for name, value in perf[offset]:
            if mine.get(name) not in (value if isinstance(value, tuple) else (value,)):
                fail("%#x: %s of %s is %s, gait says %s" % (offset, name, origin, value, mine.get(name)))
            names.add((origin, name))
            compared += 1
    print("%d values of %d names in %d records" % (compared, len(names), len(records)))


records = gait_records(sys.argv[2])
if not records:
    fail("gait has none")
if all(origin == "spe" for _, origin, _ in records):
    compare_spe(perf_packets(sys.argv[1]), records)
else:
    compare_samples(perf_samples(sys.argv[1]), records)
