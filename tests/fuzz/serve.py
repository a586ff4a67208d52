#!/usr/bin/python3 -B
"""serve.py OUTDIR SECONDS [SEED]: odd requests to gait view, from several threads at once.

Addresses and parameters that are nearly right, broken HTTP, connections that are closed while they wait. The server
must not end, grow or leave children; its children, which run the commands, must not crash. With OUTDIR of MODE=dbg
sanitizers look on: what they say is a finding. `make fuzz-serve FUZZ_SECONDS=600`."""
import collections
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

THREADS = 6
CHILDREN_MOST = 8      # those that run, and those that have just ended
GROWTH_MOST = 1 << 30  # of the server, with a sanitizer's bookkeeping

out, seconds = os.path.abspath(sys.argv[1]), float(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 32)
gait = out + '/gait'
counts = collections.Counter()
findings = []
NUMBERS = ['0', '1', '-1', '7', '100', '4294967295', '4294967296', '18446744073709551615', '18446744073709551616', '1e9', '1e999',
           '-0', '0x10', 'nan', 'inf', '+5', ' 3', '3 ', '1%', '99999999999999999999999']
WORDS = ['function', 'line', 'edge', 'block', 'call', 'loop', 'instruction', 'inline', 'count', 'time', 'wait', 'orders', 'libc.so.6', 'main',
         'shop::Customers::find', 'shop::*', '*', '?', '[', '[a', '\\', '', '--help', '-h', '--', '-', '-o', '--json', '/etc/passwd', '../../etc/passwd',
         'orders+0x1890', 'orders+0x', 'orders+0xffffffffffffffff', '+0x1', '[kernel]+0xffffffff81000000', '%s%n', '\u2028', '\u00e9', '</script>',
         '<!--', '\x01\x02', "'\"`$(id)", 'a' * 300, 'a' * 4096, 'a' * 5000, '*' * 60, '[!' * 50, 'intel', 'att', 'before', 'after', 'yes']


# Values that make sense, so that commands get beyond their options.
SENSIBLE = {'by': ['function', 'line', 'edge', 'block', 'call', 'loop', 'instruction', 'inline'], 'weight': ['time', 'count'], 'syntax': ['intel', 'att'],
            'limit': ['0', '1', '7', '100'], 'depth': ['1', '3'], 'min': ['0.1', '5'], 'sort': ['time', 'count', 'self', 'total'], 'module': ['orders', 'libc.so.6'],
            'of': ['before', 'after'], 'above': ['1', '0.5'], 'below': ['1', '2', '5'], 'show': ['0', '1', '2'], 'from': ['0', '100'], 'to': ['50', '1000'],
            'blocks': ['5', '100']}
FLAGS = {'top-down', 'bottom-up', 'flat', 'by-thread', 'kernel', 'cpu-time', 'sites', 'unfolded', 'no-inline', 'raw', 'inferred', 'all', 'source'}


class Fuzz:
    def __init__(self, rng, at, routes, functions):
        self.rng, self.at, self.routes, self.functions = rng, at, routes, functions

    def value(self):
        rng = self.rng
        pick = rng.random()
        if pick < 0.3:
            return rng.choice(NUMBERS)
        if pick < 0.5 and self.functions:
            return rng.choice(self.functions)
        if pick < 0.9:
            return rng.choice(WORDS)
        return ''.join(chr(rng.choice((rng.randrange(1, 128), rng.randrange(1, 0xd800)))) for _ in range(rng.randrange(1, 40)))

    def address(self):
        """The path and query of a request, mostly of this server."""
        rng = self.rng
        route = rng.choice(list(self.routes)) if rng.random() < 0.95 else rng.choice(['', 'record', 'about', 'report/', '../info', 'a' * 99])
        names = [name.lstrip('!') for name in self.routes.get(route, [])] + ['of']
        params = []
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 6, 40))):
            name = rng.choice(names) if rng.random() < 0.93 else rng.choice(WORDS)
            sensible = '' if name in FLAGS else rng.choice(SENSIBLE.get(name) or self.functions)
            params.append((name, sensible if rng.random() < 0.9 else self.value() if rng.random() < 0.8 else ''))
        query = urllib.parse.urlencode(params)
        for _ in range(rng.choice((0,) * 9 + (1, 2))):  # broken on the way
            at = rng.randrange(len(query) + 1)
            query = query[:at] + rng.choice(['%', '%00', '%zz', '&', '&&', '=', '?', '#', ';', '%ff', '%E2%80', '+', '\\']) + query[at:]
        path = self.at.path if rng.random() < 0.95 else rng.choice(['/', '//', '/a/', self.at.path[:-3] + '/', self.at.path.upper(), ''])
        return path + rng.choice(['api/'] * 18 + ['', 'api', 'API/', 'api//', 'app.js/', '%2e%2e/', 'api/%2e%2e/']) + route + ('?' + query if query else '')

    def request(self):
        """The bytes of a request."""
        rng = self.rng
        method = rng.choice(['GET'] * 30 + ['POST', 'HEAD', 'PUT', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'G', '', 'GET GET'])
        host = rng.choice([self.at.netloc] * 20 + ['localhost:%d' % self.at.port, 'example.com', '', self.at.netloc + '.', '127.0.0.1'])
        lines = [f'{method} {self.address()} {rng.choice(["HTTP/1.1"] * 20 + ["HTTP/1.0", "HTTP/2.0", "HTTP/9", "", "X"])}', 'Host: ' + host]
        for _ in range(rng.choice((0, 0, 0, 1, 2, 400))):
            lines.append(rng.choice(['Origin: http://' + self.at.netloc, 'Origin: null', 'Range: bytes=0-5', 'Connection: close', 'Connection: upgrade',
                                     'Expect: 100-continue', 'Content-Length: 5', 'Content-Length: -1', 'Content-Length: 99999999999999999999',
                                     'Transfer-Encoding: chunked', 'Host: again', 'Cookie: ' + 'a=b;' * 20, 'X: ' + 'y' * rng.choice((1, 1000, 40000)),
                                     ': no name', 'no colon', ' folded', 'A: \x00', 'Accept-Encoding: gzip']))
        text = '\r\n'.join(lines) + '\r\n\r\n'
        data = bytearray(text.encode('utf-8', 'surrogateescape'))
        if rng.random() < 0.1:
            data += rng.choice([b'hello', b'5\r\nhello\r\n0\r\n\r\n', b'ffffffffffffffffff\r\n', bytes(rng.randrange(256) for _ in range(200))])
        if rng.random() < 0.1:
            for _ in range(rng.randrange(1, 4)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.05:
            del data[rng.randrange(len(data)):]
        return bytes(data)


def receive(connection):
    """All that is answered until there is nothing for a while."""
    data = b''
    while True:
        piece = connection.recv(65536)
        if not piece:
            return data
        data += piece
        head, _, body = data.partition(b'\r\n\r\n')
        for line in head.split(b'\r\n'):
            if line.lower().startswith(b'content-length:') and len(body) >= int(line.split(b':')[1]):
                return data


def send(fuzz):
    """One connection with one or a few requests."""
    rng = fuzz.rng
    requests = [fuzz.request() for _ in range(rng.choice((1, 1, 1, 1, 2, 5)))]
    leaves = rng.random() < 0.2  # before the answer, or with half a request
    with socket.create_connection((fuzz.at.hostname, fuzz.at.port), timeout=10) as connection:
        connection.sendall(b''.join(requests) if not leaves or rng.random() < 0.7 else requests[0][:rng.randrange(200)])
        counts['requests'] += len(requests)
        if rng.random() < 0.05:
            connection.shutdown(socket.SHUT_WR)
        # What promises more than it sends is never answered.
        connection.settimeout(rng.choice((0.001, 0.02, 0.2)) if leaves else 0.3 if b'ontent-Length' in requests[0] or b'chunked' in requests[0] else 10)
        try:
            answer = receive(connection)
        except (TimeoutError, ConnectionResetError, BrokenPipeError) as error:
            counts['left' if leaves else type(error).__name__] += 1
            return
    counts[answer[9:12].decode('latin1') or 'no answer'] += 1
    # What a child said before it died is in the answer. Answers of 200 may quote anybody's source.
    for word in (b'=====', b'Sanitizer', b'runtime error', b'analysis crashed', b'without saying why', b'broken invariant'):
        if word in answer and not answer.startswith(b'HTTP/1.1 200'):
            findings.append((requests[0][:300], answer[-400:]))
            return


def worker(number, at, routes, functions, end):
    fuzz = Fuzz(random.Random(seed * 1000 + number), at, routes, functions)
    while time.monotonic() < end and len(findings) < 20:
        try:
            send(fuzz)
        except ConnectionRefusedError:
            return
        except OSError as error:
            counts[type(error).__name__] += 1


def memory(pid):
    with open(f'/proc/{pid}/statm') as statm:
        return int(statm.read().split()[1]) * os.sysconf('SC_PAGESIZE')


def children(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children') as listed:
            return len(listed.read().split())
    except OSError:
        return 0


def ask(at, route):
    connection = socket.create_connection((at.hostname, at.port), timeout=120)
    connection.sendall(f'GET {at.path}api/{route} HTTP/1.0\r\nHost: {at.netloc}\r\n\r\n'.encode())
    with connection:
        return json.loads(receive(connection).partition(b'\r\n\r\n')[2])


def main():
    work = tempfile.mkdtemp()
    data, said = work + '/a.data', work + '/stderr'
    subprocess.run([gait, 'record', '-q', '-F', '2000', '--seed', '1', '--events', 'edge,call,stack,value,latency,address', '-o', data, '--', out + '/programs/orders', '200'], check=True,
                   stdout=subprocess.DEVNULL)
    with open(said, 'w') as stderr:
        server = subprocess.Popen([gait, 'view', '--no-open', data], stdout=subprocess.PIPE, stderr=stderr, text=True)
    at = urllib.parse.urlsplit(server.stdout.readline().strip())
    routes = ask(at, 'about')['routes']
    functions = [row[key] for row in ask(at, 'report?by=function')['rows'] for key in ('address', 'name')]
    threads = ask(at, 'info')['threads']
    for name in 'pid', 'tid':
        SENSIBLE[name] = [str(thread[name]) for thread in threads]
    first, most_children, end = memory(server.pid), 0, time.monotonic() + seconds
    threads = [threading.Thread(target=worker, args=(i, at, routes, functions, end), daemon=True) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads) and server.poll() is None and time.monotonic() < end + 90:
        most_children = max(most_children, children(server.pid))
        time.sleep(0.05)
    alive = server.poll() is None
    grown = memory(server.pid) - first if alive else 0
    good = alive and ask(at, 'about')['routes'] == routes
    if alive:
        server.terminate()
    status = server.wait(120)
    with open(said) as stderr:
        text = stderr.read()
    print(f'seed {seed}, {seconds:.0f} s:', dict(counts), f'most children {most_children}, grown by {grown >> 20} MiB')
    for request, answer in findings:
        print('finding:', request, '\n  answer:', answer)
    bad = findings or not good or status or 'Sanitizer' in text or 'runtime error' in text or most_children > CHILDREN_MOST or grown > GROWTH_MOST
    if bad:
        print('FAILED: alive', alive, 'answers', good, 'status', status, '\n', text[-4000:])
    subprocess.run(['rm', '-rf', work], check=True)
    sys.exit(bool(bad))


main()
