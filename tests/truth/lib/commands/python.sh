quick python-raises $python -c 'import sys; print(sum(i * i for i in range(200000))); sys.stdout.flush(); raise ValueError("as meant")'
quick python-threads $python -c 'import threading; r = []; t = [threading.Thread(target=lambda n=n: r.append(sum(range(n * 90000)))) for n in range(4)]; [x.start() for x in t]; [x.join() for x in t]; print(sorted(r))'
slow python-json $python -c 'import json; d = {str(i): [i, i / 7, None, {"x": "y" * (i % 9)}] for i in range(3000)}; s = json.dumps(d, sort_keys=True); print(len(s), json.loads(s)["77"])'
slow python-regex $python -c 'import re; t = open("text").read(); print(len(re.findall(r"(\d)(\d)\2\1", t)), re.sub(r"word(\d+)", lambda m: str(int(m[1]) * 2), t)[:300])'
slow python-decimal $python -c 'from decimal import *; from fractions import Fraction; getcontext().prec = 300; print(Decimal(2).sqrt(), Decimal(1) / 7); print(sum(Fraction(1, n) for n in range(1, 200)))'
slow python-processes $python -c 'import multiprocessing as m
if __name__ == "__main__":
    with m.Pool(3) as p: print(sum(p.map(abs, range(-2000, 0))))'
slow python-subprocess $python -c 'import subprocess; print(subprocess.run(["sh", "-c", "cat; exit 4"], input=b"x" * 50000, capture_output=True).returncode); print(subprocess.check_output("seq 1 5", shell=True)); p = subprocess.Popen(["sleep", "9"]); p.terminate(); print(p.wait())'
slow python-asyncio $python -c 'import asyncio
async def f(n):
    await asyncio.sleep(0.001 * (n % 5)); return n * n
async def main():
    r = await asyncio.gather(*(f(i) for i in range(200)))
    p = await asyncio.create_subprocess_exec("echo", "child", stdout=asyncio.subprocess.PIPE)
    print(sum(r), (await p.communicate())[0])
asyncio.run(main())'
slow python-signals $python -c 'import signal, os
n = [0]
signal.signal(signal.SIGPROF, lambda *a: n.__setitem__(0, n[0] + 1))
signal.setitimer(signal.ITIMER_PROF, 0.002, 0.002)
x = 0
while n[0] < 20: x += 1
signal.setitimer(signal.ITIMER_PROF, 0)
signal.signal(signal.SIGTRAP, lambda *a: print("trapped")); os.kill(os.getpid(), signal.SIGTRAP)
print(signal.sigwait([signal.SIGUSR2]) if not signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2]) and not os.kill(os.getpid(), signal.SIGUSR2) else None)'
slow python-ctypes $python -c 'import ctypes
c = ctypes.CDLL(None); f = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(lambda a, b: a[0] - b[0])
v = (ctypes.c_int * 500)(*[i * 7919 % 997 for i in range(500)]); c.qsort(v, 500, 4, f); print(list(v)[:20])'
slow python-mmap $python -c 'import mmap, os
m = mmap.mmap(-1, 1 << 20); m[5:10] = b"hello"
if os.fork() == 0: m[5:10] = b"child"; os._exit(0)
print(os.wait()[1], m[5:10])'
slow python-futures $python -c 'from concurrent.futures import *; import hashlib; e = ThreadPoolExecutor(4); print([h[:8] for h in e.map(lambda n: hashlib.sha256(b"x" * n).hexdigest(), range(100000, 500000, 50000))])'
slow python-zlib $python -c 'import zlib, bz2, lzma, hashlib; t = open("text", "rb").read(); print([hashlib.md5(x.compress(t)).hexdigest() for x in (zlib, bz2)], len(lzma.decompress(lzma.compress(t))))'
slow python-sqlite $python -c 'import sqlite3; c = sqlite3.connect(":memory:"); c.execute("create table t(a, b)"); c.executemany("insert into t values(?, ?)", ((i * 7919 % 1009, str(i)) for i in range(5000))); c.create_function("f", 1, lambda x: x * 2); print(c.execute("select sum(f(a)), max(b) from t where a > 500").fetchall())'
slow python-recursion $python -c 'import sys
def f(n): return f(n + 1)
try: f(0)
except RecursionError as e: print(e)
sys.exit("ended with a text")'
slow python-pty $python -c 'import pty, os
pid, fd = pty.fork()
if pid == 0: os.execlp("sh", "sh", "-c", "tty >/dev/null && stty -a | grep -c erase; read x; echo got $x")
os.write(fd, b"typed\n"); out = b""
while True:
    try: b = os.read(fd, 1000)
    except OSError: break
    if not b: break
    out += b
print(out, os.waitpid(pid, 0)[1])'
slow python-sockets $python -c 'import socket, threading
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
def serve():
    c, _ = s.accept()
    while (d := c.recv(4096)): c.sendall(d.upper())
threading.Thread(target=serve, daemon=True).start()
c = socket.create_connection(s.getsockname()); c.sendall(b"hello" * 500); c.shutdown(socket.SHUT_WR); r = b""
while (d := c.recv(4096)): r += d
print(len(r), r[:10])'
slow python-faulthandler sh -c "$python -c 'import faulthandler, ctypes; faulthandler.enable(); print(1, flush=True); ctypes.string_at(1)' 2>&1 | sed 's/0x[0-9a-f]*//'"
slow python-abort $python -c 'import os; print("before", flush=True); os.abort()'
slow python-unittest $python -m unittest -q json.tool
slow python-compiles sh -c "$python -m py_compile source.py; $python -B source.py"
slow python-doctest $python -m doctest -o NORMALIZE_WHITESPACE source.py
