#!/usr/bin/python3 -B
"""afdo.py FILE: the functions of a profile for gcc -fauto-profile, as text; versions 1, 2 and 3."""
import struct
import sys


class Reader:
    def __init__(self, path):
        self.data, self.at = open(path, 'rb').read(), 0
        assert self.u32() == 0x67636461, 'magic'
        self.version = self.u32()
        assert self.version in (1, 2, 3), f'version {self.version}'
        assert self.u32() == 0, 'stamp'
        if self.version == 3:
            assert self.u32() == 0xa8000000, 'summary'
            self.summary = [self.u64() for _ in range(6)]
            self.cutoffs = [(self.u32(), self.u64(), self.u64()) for _ in range(self.summary[5])]
        assert self.u32() == 0xaa000000, 'names'
        self.u32()
        if self.version == 3:
            self.files = [self.text() for _ in range(self.u32())]
        self.names = []
        for _ in range(self.u32()):
            self.names.append(self.text())
            if self.version == 3:
                file = self.u32()
                assert file == 0xffffffff or file < len(self.files), file
        assert len(set(self.names)) == len(self.names), 'a name twice'
        assert self.u32() == 0xac000000, 'functions'
        self.u32()
        self.functions = [self.function() for _ in range(self.u32())]
        assert self.u32() == 0xae000000, 'modules'
        self.u32()
        assert self.u32() == 0, 'modules'

    def u32(self):
        value, = struct.unpack_from('<I', self.data, self.at)
        self.at += 4
        return value

    def u64(self):
        return self.u32() | self.u32() << 32

    def text(self):
        n = self.u32()
        n = n * 4 if self.version == 1 else n
        assert n, 'a text of no bytes'
        raw = self.data[self.at:self.at + n]
        self.at += n
        assert len(raw) == n and b'\0' in raw and (self.version == 1 or raw.index(b'\0') == n - 1), raw
        return raw.rstrip(b'\0').decode()

    def function(self):
        head = self.u64()
        if self.version == 3:
            self.u64()
        return head, self.instance()

    def instance(self):
        name, n_counts, n_calls = self.names[self.u32()], self.u32(), self.u32()
        counts, calls = {}, {}
        for _ in range(n_counts):
            offset, n, count = self.u32(), self.u32(), self.u64()
            targets = {}
            for _ in range(n):
                assert self.u32() == 7, 'histogram'
                index = self.u64()
                assert index, 'a target that is the empty name'
                targets[self.names[index]] = self.u64()
            assert offset not in counts, f'{name}: {offset:x} twice'
            counts[offset] = count, targets
        for _ in range(n_calls):
            offset, inner = self.u32(), self.instance()
            assert (offset, inner[0]) not in calls, f'{name}: {offset:x} {inner[0]} twice'
            calls[offset, inner[0]] = inner
        return name, counts, calls


def show(instance, depth=0, to=sys.stdout):
    name, counts, calls = instance
    for offset, (count, targets) in sorted(counts.items()):
        print('  ' * depth, f'{offset >> 16}.{offset & 0xffff}: {count}', *(f'{t}:{n}' for t, n in targets.items()), file=to)
    for (offset, inner), body in sorted(calls.items()):
        print('  ' * depth, f'{offset >> 16}.{offset & 0xffff}: {inner}', file=to)
        show(body, depth + 1, to)


if __name__ == '__main__':
    for head, instance in Reader(sys.argv[1]).functions:
        print(f'{instance[0]}: {head}')
        show(instance, 1)
