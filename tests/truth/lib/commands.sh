# What tests/truth/identical.sh runs, each in a fresh copy of a folder that holds text, tree/ and the sources and
# programs of prepare_sources; standard input is text.
#   quick NAME COMMAND...   in every run
#   slow  NAME COMMAND...   with GAIT_LONG=1
# A command that is not installed is told and left out.

python=/usr/bin/python3

commands_shells() {
    quick pipes sh -c 'seq 1 20000 | sort -rn | sed -n 5p; ls /nonexistent-thing | wc -l; echo oops >&2; exit 3'
    quick exits-with-143 sh -c 'exit 143'
    quick dies-of-term sh -c 'echo before; kill -TERM $$; echo after'
    quick dies-of-segv sh -c 'kill -SEGV $$'
    quick dies-of-kill sh -c 'echo before; kill -KILL $$'
    quick dies-of-pipe sh -c 'trap - PIPE; yes | head -n 1; kill -PIPE $$'
    quick empty-environment env -i /bin/sh -c 'echo $PATH; env | wc -l'
    quick bash-traps bash -c 'trap "echo got usr1" USR1; trap "echo bye" EXIT; (sleep 0.05; kill -USR1 $$) & wait; wait; f() { ((${1} < 2)) && echo 1 || echo $(($(f $(($1 - 1))) + 1)); }; f 12'
    slow dies-of-trap sh -c 'kill -TRAP $$'
    slow dies-of-prof sh -c 'echo x; kill -PROF $$'
    slow stops-and-goes-on bash -c '(kill -STOP $BASHPID; echo went on; exit 5) & p=$!; sleep 0.1; kill -CONT $p; wait $p; echo $?'
    slow dash-loop dash -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; echo $i'
    slow dash-functions dash -c 'f() { [ $1 -le 0 ] && return 7; f $(($1 - 1)); }; f 900; echo $?'
    slow bash-arrays bash -c 'declare -A a; for ((i = 0; i < 4000; i++)); do a[k$((i % 97))]+=$i; done; for k in "${!a[@]}"; do echo "$k ${#a[$k]}"; done | sort'
    slow bash-coproc bash -c 'coproc { while read -r x; do echo $((x * x)); done; }; for i in 1 2 3 4 5; do echo $i >&${COPROC[1]}; read -r y <&${COPROC[0]}; echo $y; done'
    slow bash-substitutions bash -c 'diff <(sort text | head -n 50) <(sort -r text | head -n 50) | md5sum; cat <<<"here $((6 * 7))"; paste <(seq 1 5) <(seq 6 10)'
    slow bash-waits bash -c 'for i in 1 2 3; do (exit $i) & p="$p $!"; done; s=0; for i in $p; do wait $i; s=$((s * 10 + $?)); done; echo $s'
    slow bash-regex bash -c 'n=0; while read -r a b c; do [[ $b =~ ^word(1|2)[0-9]$ ]] && n=$((n + a)); done <text; echo $n'
    slow bash-forks bash -c 'for i in $(seq 1 150); do x=$(echo $i); s=$((s + x)); done; echo $s'
    slow bash-read-timeout bash -c 'read -t 0.05 x < <(sleep 1); echo $?'
    slow bash-err-trap bash -c 'set -E; trap "echo failed at \$LINENO" ERR; f() { false; }; f; (exit 4); echo $?'
    slow busybox-shell busybox sh -c 'for i in 1 2 3; do echo $i | busybox sed s/./x/; done; busybox md5sum text'
    slow subshells sh -c '( ( ( (echo deep; exit 5); echo $?; exit 6); echo $?; exit 7); echo $?)'
    slow background-outlives sh -c '(sleep 0.1; echo late) & echo early; wait'
    slow nohup nohup sh -c 'kill -HUP $$; echo survived'
    slow setsid setsid -w sh -c 'echo in a session; exit 9'
    slow nice nice -n 5 sh -c 'nice'
    slow stdbuf stdbuf -oL sh -c 'echo a; echo b; env | grep -c stdbuf'
    slow timeout-status timeout 5 sh -c 'exit 17'
    slow taskset taskset -c 0 sh -c 'taskset -p $$ | sed s/.*:// '
    quick timeout timeout 0.3 sleep 5
}

commands_text() {
    quick reads-stdin cat
    quick digests-stdin sha256sum
    quick sort sort -k3,3n -k1,1 text
    quick sort-threads sort --parallel=2 -S 1M text
    quick grep grep -cE '(7|9)+ word(1|2)' text
    quick grep-no-match grep nothing-like-this text
    quick sed sed -E 's/([0-9]+) (word[0-9]+)/\2-\1/; /word13/d; y/w/W/' text
    quick awk awk '{ n[$2] += $1 * $3 % 13 } END { for (k in n) print k, n[k] | "sort"; close("sort"); exit 5 }' text
    slow awk-functions awk 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } BEGIN { print f(21); printf "%.12f %s\n", exp(1) * sin(2), substr("abcdef", 2, 3) }'
    slow awk-getline awk 'BEGIN { while (("sort -n text" | getline line) > 0) n += length(line); print n; "date -d @0 -u +%Y" | getline y; print y }'
    slow tr tr 'a-z' 'A-Z'
    slow cut cut -d' ' -f2,3 text
    slow paste paste -sd, text
    slow join sh -c 'sort text >a; sort -r text | sort >b; join a b | md5sum'
    slow comm sh -c 'sort text >a; sed 5d a >b; comm -3 a b'
    slow uniq sh -c 'cut -d" " -f2 text | sort | uniq -c | sort -k1,1n -k2'
    slow numbered nl -ba -w8 text
    slow folded fold -w 13 text
    slow formatted fmt -w 60 text
    slow pages pr -3 -l 40 -D '' text
    slow octal od -A x -t x4z -N 20000 text
    slow hexdump hexdump -C -n 5000 text
    slow xxd sh -c 'xxd text | xxd -r | cmp - text && echo same'
    slow base64 sh -c 'base64 text | base64 -d | md5sum'
    slow md5 md5sum text
    slow b2sum b2sum text
    slow sha512 sha512sum text tree/a/b/f1 nonexistent
    slow cksum cksum text
    slow backwards tac text
    slow reversed rev text
    slow split sh -c 'split -n l/7 text part-; wc -l part-*'
    slow csplit sh -c 'csplit -s -f cut- text 100 500 "/word13/"; wc -c cut-*'
    slow factors factor 1234567890123457 18446744073709551557 600851475143
    slow numfmt numfmt --to=iec 123456 1048576 99999999999
    slow dd sh -c 'dd if=text bs=777 skip=3 count=20 2>/dev/null | md5sum'
    slow tsort sh -c 'awk "NR < 900 { print \$2, \"x\" \$3 }" text | tsort | wc -l'
    slow shuffled shuf --random-source=text -n 50 text
    slow diff sh -c 'sed "s/word13/WORD/; 700,720d" text >b; diff -u text b | tail -n +3'
    slow patch sh -c 'cp text b; sed "s/word13/WORD/" text >c; diff text c >p; patch -s b p; cmp b c && echo patched'
    slow word-counts wc -lwmcL text
    slow iconv iconv -f latin1 -t utf-16 text
    slow long-lines sh -c 'tr "\n" " " <text | grep -o "word[0-9]*1 [0-9]*" | head -n 400'
    slow grep-perl grep -oP '(?<=word)\d+(?= 1)' text
    slow grep-backwards grep -E -n '(.)(.).*\2\1 ' text
    slow sed-program sed -n ':a;N;$!ba;s/\n/ /g;s/word/w/gp' text
    slow ed-script sh -c 'printf "%s\n" "1,5p" "/word42/p" "g/word7 /d" "\$=" "w out" q | ed -s text; md5sum out'
    slow vim-script sh -c 'vim -es -u NONE -c "%s/word/W/g" -c "sort n" -c "w! out" -c "qa!" text; md5sum out'
    slow bc bc -l -q <<<''
    slow bc-pi sh -c 'echo "scale=200; 4*a(1); 2^400; sqrt(2)" | bc -l'
    slow jq sh -c 'awk "{ print \"{\\\"a\\\":\" \$1 \",\\\"b\\\":\\\"\" \$2 \"\\\"}\" }" text | jq -c "select(.a % 7 == 0) | .b" | sort | uniq -c'
    slow xmllint sh -c '(echo "<r>"; awk "{ print \"<i n=\\\"\" \$1 \"\\\">\" \$2 \"</i>\" }" text; echo "</r>") | xmllint --xpath "count(//i[@n > 20000])" -'
    slow groff sh -c 'printf ".TH X 1\n.SH NAME\nx \\- y\n.PP\nsome text\n" | groff -man -Tascii'
    slow localised env LC_ALL=C.UTF-8 sort -f text
    slow file-types file text tree /bin/ls
    slow numbers seq -f %.3f 1 0.37 900
}

commands_files() {
    quick tar tar --sort=name --owner=0 --group=0 --mtime=@0 -cf - tree
    quick find find tree -type f -size +1k -newermt 2001-01-01 -exec wc -l {} +
    quick xargs sh -c 'find tree -name "f*" | sort | xargs -n 2 -P 2 cksum | sort'
    slow tar-round sh -c 'tar cf x.tar tree; mkdir y; tar xf x.tar -C y; diff -r tree y/tree && find y | sort'
    slow zip sh -c 'zip -qrX x.zip tree; unzip -Z1 x.zip | sort'
    slow ls ls -lR --time-style=+%s tree
    slow du sh -c 'du -b --apparent-size tree | sort -n'
    slow copies sh -c 'cp -a tree t2; rm -rf t2/c; mv t2 t3; ln t3/a/b/f1 hard; stat -c "%n %s %h" hard t3/a/b/f1'
    slow install sh -c 'install -Dm640 text d/e/f; stat -c "%a %s" d/e/f; readlink -f tree/c/l1 | sed "s|.*/||"'
    slow gzip sh -c 'gzip -9nc text | gzip -dc | cmp - text && echo same'
    slow bzip2 sh -c 'bzip2 -9c text | md5sum; bzip2 -1c text | bzip2 -tv'
    slow xz sh -c 'xz -T1 -6c text | md5sum; xz -T2 --block-size=64KiB -c text | xz -dc | md5sum'
    slow zstd sh -c 'zstd -q -19 -c text | md5sum; zstd -q -T2 -3 -c text | zstd -dc | md5sum'
    slow lz4 sh -c 'lz4 -9 -c -q text | md5sum'
    slow zstd-bad sh -c 'head -c 999 text | zstd -dc'
    slow gzip-bad sh -c 'gzip -c text | head -c 5000 | gzip -dc | md5sum'
    slow openssl-digest openssl dgst -sha3-256 text
    slow openssl-cipher sh -c 'openssl enc -aes-256-ctr -K 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff -iv 000102030405060708090a0b0c0d0e0f -in text | md5sum'
    slow openssl-bad sh -c 'openssl rsa -in text 2>&1 | sed "s/^[0-9A-F]*://"'
    slow curl-file sh -c 'curl -s "file://$PWD/text" | md5sum'
    slow dpkg dpkg-query -W -f '${Package} ${Status}\n' coreutils libc6
    slow image sh -c 'convert -size 64x64 gradient:red-blue -resize 32x32 ppm:- | md5sum'
    slow git-history sh -c 'export GIT_AUTHOR_DATE=@0+0000 GIT_COMMITTER_DATE=@0+0000 GIT_CONFIG_GLOBAL=/dev/null; git -c init.defaultBranch=m init -q r; cd r; git config user.name n; git config user.email e; for i in 1 2 3 4 5; do head -n $((i * 50)) ../text >f; git add f; git commit -qm c$i; done; git log --format="%H %s"; git diff --stat HEAD~3; git blame -s f | md5sum; git gc -q; git fsck; git grep -c word7'
    slow git-merge sh -c 'export GIT_AUTHOR_DATE=@0+0000 GIT_COMMITTER_DATE=@0+0000 GIT_CONFIG_GLOBAL=/dev/null; git -c init.defaultBranch=m init -q r; cd r; git config user.name n; git config user.email e; cp ../text f; git add f; git commit -qm a; git checkout -qb b; sed -i 1s/^/B/ f; git commit -qam b; git checkout -q m; sed -i 1s/^/M/ f; git commit -qam m; git merge -q b; git status --short; git diff | head -n 20'
}

commands_languages() {
    quick perl perl -ne '@f = split; $h{$f[1]} .= chr(65 + $f[0] % 26); END { print map { "$_ " . reverse($h{$_}) =~ s/(.)\1/<$1>/gr . "\n" } sort keys %h; die "done\n" }' text
    quick perl-alarm perl -e '$SIG{ALRM} = sub { $n++; alarm 0 }; use Time::HiRes "ualarm"; ualarm 20000; 1 until $n; print "alarm\n"'
    slow perl-forks perl -e 'for (1..40) { my $p = fork; if (!$p) { exit $_ } waitpid $p, 0; $s += $? >> 8 } print "$s\n"'
    slow perl-pipes perl -e 'open P, "-|", "sort -n text" or die; while (<P>) { $n += length } close P; print "$n\n"; print `echo back; exit 3`, $? >> 8, "\n"'
    slow perl-sockets perl -MSocket -e 'socketpair A, B, AF_UNIX, SOCK_STREAM, 0; if (!fork) { close A; print B "from child $_\n" for 1..50; exit } close B; print while <A>; wait'
    slow perl-signals perl -e '$SIG{USR1} = sub { $n++ }; for (1..500) { kill USR1 => $$ } print "$n\n"; $SIG{CHLD} = sub { 1 while waitpid(-1, 1) > 0 }; for (1..10) { fork or exit } select undef, undef, undef, 0.1; print "done\n"'
    slow perl-timer perl -MTime::HiRes=setitimer,ITIMER_VIRTUAL -e '$SIG{VTALRM} = sub { $n++ }; setitimer(ITIMER_VIRTUAL, 0.002, 0.002); $x++ while $n < 20; print "ticked\n"'
    slow perl-digest perl -MDigest::SHA=sha256_hex -MStorable=freeze,thaw -e '$x = { map { $_ => [1..$_ % 50] } 1..500 }; $Storable::canonical = 1; print sha256_hex(freeze($x)), "\n", scalar @{thaw(freeze($x))->{77}}, "\n"'
    slow perl-eval perl -e 'for (1..2000) { eval { die { n => $_ } if $_ % 3 == 0; $s += $_ }; $t += $@->{n} if ref $@ } print "$s $t\n"; eval "1 +* 2"; print $@'
    slow perl-sort perl -e 'print join(" ", (sort { $a->[0] <=> $b->[0] || $a->[1] cmp $b->[1] } map { [$_ * 7919 % 997, "k$_"] } 1..5000)[0..20]) =~ s/ARRAY\(0x\w+\)/A/gr, "\n"'
    slow perl-exec perl -e 'exec "sh", "-c", "echo \$0 \$1; exit 12", "name", "arg"'
    slow perl-exit-signal perl -e 'kill 9, $$'
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
    slow tcl sh -c 'echo "set s 0; for {set i 0} {\$i < 50000} {incr i} {incr s [expr {\$i % 7}]}; puts \$s; puts [lsort -integer {3 1 2}]; exit 4" | tclsh'
    slow sqlite-script sqlite3 :memory: '.mode csv' 'create table t(a int, b text); with recursive c(x) as (values(1) union all select x + 1 from c where x < 20000) insert into t select x * 7919 % 1009, hex(randomblob(0)) || x from c; create index i on t(a); select a, count(*) n from t group by a having n > 20 limit 5; explain query plan select * from t where a = 5; select json_group_array(a) from (select a from t limit 10); select * from nothing;'
    slow sqlite-file sh -c 'sqlite3 db "create table t(a); begin; insert into t values(1),(2); commit; pragma integrity_check; vacuum;"; sqlite3 db "select sum(a) from t"; md5sum <text >/dev/null; sqlite3 db .dump'
    slow sqlite-windows sqlite3 :memory: 'with recursive c(x) as (values(1) union all select x + 1 from c where x < 3000) select sum(s) from (select x, sum(x) over (order by x rows between 5 preceding and current row) s from c); select printf("%.10f", avg(x * 1.5)) from (with recursive c(x) as (values(1) union all select x + 1 from c where x < 9000) select x from c);'
    slow node-compute node -e 'let s = 0; for (let i = 0; i < 3e6; i++) s = (s * 31 + i) % 1000003; console.log(s, [..."hello"].reverse().join(""))'
    slow node-async node -e 'const f = n => new Promise(r => setTimeout(() => r(n * n), n % 5)); Promise.all([...Array(100).keys()].map(f)).then(r => console.log(r.reduce((a, b) => a + b)))'
    slow node-workers node -e 'const { Worker } = require("worker_threads"); let n = 0; for (let i = 0; i < 3; i++) new Worker("require(\"worker_threads\").parentPort.postMessage([...Array(50000).keys()].reduce((a, b) => a + b % 7, 0))", { eval: true }).on("message", m => { n += m }).on("exit", () => { if (i == 2) setTimeout(() => console.log(n), 300) })'
    slow node-child node -e 'const r = require("child_process").spawnSync("sh", ["-c", "cat; exit 3"], { input: "text" }); console.log(r.status, String(r.stdout)); process.exit(8)'
    slow node-regex node -e 'const t = require("fs").readFileSync("text", "utf8"); console.log(t.match(/(\d)(\d)\2\1/g).length, t.replace(/word(\d+)/g, (m, d) => d * 2).slice(0, 200))'
    slow node-throws node -e 'console.log("before"); process.exitCode = 5; try { null.x } catch (e) { console.log(e.message) } process.abort === undefined || process.exit(6)'
    slow node-crypto node -e 'const c = require("crypto"); console.log(c.createHash("sha512").update("x".repeat(1e6)).digest("hex"), c.pbkdf2Sync("a", "b", 2000, 32, "sha256").toString("hex")); require("zlib").gzip("y".repeat(1e5), (e, b) => console.log(b.length))'
    slow node-wasm node -e 'const b = new Uint8Array([0,97,115,109,1,0,0,0,1,6,1,96,1,127,1,127,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,32,0,32,0,108,11]); WebAssembly.instantiate(b).then(m => { let s = 0; for (let i = 0; i < 100000; i++) s += m.instance.exports.f(i) % 7; console.log(s) })'
    slow java-compute java -cp . Hello compute
    slow java-threads java -cp . Hello threads
    slow java-throws java -cp . Hello throws
    slow java-interpreted java -Xint -cp . Hello brief
    slow java-serial-collector java -XX:+UseSerialGC -Xmx64m -cp . Hello garbage
    slow java-exits java -cp . Hello exits
    slow java-version java -version
    slow go-compute ./hello-go compute
    slow go-routines ./hello-go routines
    slow go-panics ./hello-go panics
    slow go-signals ./hello-go signals
    slow gofmt gofmt hello.go
    slow go-vet go vet hello.go
    slow rust-compute ./hello-rs compute
    slow rust-threads ./hello-rs threads
    slow rust-panics sh -c './hello-rs panics 2>&1 | sed "s/([0-9]*)//"'
    slow rustc-version rustc --version
    slow rustc-compiles sh -c 'rustc -C opt-level=1 -o out hello.rs && ./out compute'
}

commands_builds() {
    quick compiler gcc -O1 -Wall -S -o - source.c
    slow gcc-runs sh -c 'gcc -O2 -o out source.c && ./out | md5sum'
    slow gcc-levels sh -c 'for o in 0 1 2 3 s; do gcc -O$o -S -o - source.c | md5sum; done'
    slow gcc-error gcc -c -o out broken.c
    slow gcc-preprocesses sh -c 'gcc -E source.c | wc -l'
    slow gcc-lto sh -c 'gcc -O2 -flto -o out source.c && ./out | md5sum'
    slow gxx sh -c 'g++ -O1 -o out source.cc && ./out'
    slow gxx-assembly g++ -O2 -S -o - source.cc
    slow gxx-error g++ -fsyntax-only broken.cc
    slow clang clang -O2 -S -o - source.c
    slow clang-runs sh -c 'clang -O1 -o out source.c && ./out | md5sum'
    slow clang-cxx sh -c 'clang++ -O2 -S -o - source.cc | md5sum'
    slow clang-error clang -fsyntax-only broken.c
    slow clang-tree sh -c 'clang -fsyntax-only -Xclang -ast-dump source.c 2>&1 | sed "s/0x[0-9a-f]*//g" | md5sum'
    slow assembler sh -c 'gcc -O2 -S -o x.s source.c; as -o x.o x.s; objdump -d x.o | tail -n +4'
    slow linker sh -c 'gcc -c -o x.o source.c; gcc -o x x.o; readelf -h x | grep Type; nm x | wc -l; strip x; size x | tail -n 1 | cut -f1-3'
    slow archives sh -c 'gcc -c -o x.o source.c; ar rcsD x.a x.o; ar t x.a; nm x.a | grep -c T'
    slow objdump sh -c 'objdump -d /bin/true | md5sum'
    slow readelf readelf -Wa /bin/true
    slow nm nm -D /bin/ls
    slow strings strings -n 8 /bin/ls
    slow make-parallel sh -c 'for i in 1 2 3 4 5 6; do printf "t%d:\n\t@sleep 0.0%d; echo t%d >t%d\n" $i $i $i $i; done >Makefile; printf "all: t1 t2 t3 t4 t5 t6\n\t@cat t?\n" >>Makefile; make -s -j3 all'
    slow make-fails sh -c 'printf "all:\n\t@exit 3\n" >Makefile; make all'
    slow cmake-script sh -c 'echo "foreach(i RANGE 300) math(EXPR s \"\${i} * 3\") endforeach() message(STATUS \${s})" >x.cmake; cmake -P x.cmake'
    slow gdb-batch gdb -q -batch -nx -ex 'print 6 * 7' -ex 'info line main' ./out-debug
    slow gdb-runs sh -c 'gdb -q -batch -nx -ex "set startup-with-shell off" -ex "break f" -ex run -ex "bt 1" -ex "continue 20" -ex kill ./out-debug 2>&1 | sed "s/process [0-9]*//"'
    slow strace-writes strace -qq -e trace=write -e signal=none -o trace sh -c 'echo hello'
    slow strace-follows sh -c 'strace -f -qq -e trace=exit_group -e signal=none -o trace sh -c "(exit 3); exit 4"; echo $?; grep -c exit_group trace'
}

commands_terminals() {
    # What is typed is echoed whenever it comes: nobody types.
    slow script-tty sh -c 'script -qec "tty >/dev/null && echo is a tty; stty size; echo done; exit 6" /dev/null </dev/null'
    slow script-bash sh -c 'script -qec "bash --norc -c \"echo \\\$-; exit 3\"" /dev/null </dev/null'
    slow script-python sh -c "script -qec \"$python -q -c 'import os; print(os.isatty(1))'\" /dev/null </dev/null"
    slow less-pipe sh -c 'less text | head -n 3'
    slow tput env TERM=xterm tput cols
}

commands_all() {
    commands_shells
    commands_text
    commands_files
    commands_languages
    commands_builds
    commands_terminals
}
