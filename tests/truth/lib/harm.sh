# What tests/harm/harm.sh runs: programs that a profiler may harm. Each takes about 0.3 s natively, prints the same every
# time, and starts in a folder with the sources of tests/truth/lib/sources.
#   with PROGRAM...        what the next ones need besides their first word
#   harm NAME COMMAND...

# Sources of programs that once noticed gait, kept beside the project; some of them were the first to.
reproducers=${REPRODUCERS:-../shared/reproducers}

# built NAME COMPILER WORD...: compiles to ./NAME; what cannot be built is absent.
built() { command -v "$2" >/dev/null && "${@:2}" -o "$folder/$1" 2>>"$folder/built.log"; }

harm_signals() {
    local program
    for program in tests/truth/lib/harm/*.c; do
        built "$(basename "$program" .c)" gcc -O2 -g -D_GNU_SOURCE -pthread "$program"
    done
    harm stack-classical ./alternate 0
    harm stack-1k ./alternate 1024
    harm stack-2k ./alternate 2048
    harm stack-4k-odd ./alternate 4096 odd
    harm stack-disarmed ./alternate 2048 disarm
    harm stack-of-thread ./alternate 2048 thread
    harm preempted ./preempt
    harm storm ./storm
    harm swaps ./swaps
    harm nested ./nested
    harm timers ./timers
    harm waits ./waits
    # Whatever tests/programs has about signals, stacks and code that changes.
    for program in $(find tests/programs -regextype egrep -regex '.*/(signal|coroutine|exception|jit|code|clone|children)[^/]*\.cc?' | sort); do
        program=$(basename "${program%.*}")
        [ -x "$out/programs/$program" ] || make -s "$out/programs/$program" || continue
        ln -sf "$(realpath "$out/programs/$program")" "$folder/p-$program"
        harm "p-$program" "./p-$program"
    done
}

# reproducer NAME [ARGUMENT...]: what it prints and how it ends; its standard error says how often it was interrupted.
reproducer() {
    [ -x "$folder/r-$1" ] && harm "r-$1" sh -c "./r-$* 2>/dev/null; echo \$?"
}

harm_reproducers() {
    local source name
    [ -d "$reproducers" ] || { echo "no $reproducers: the reproducers in it are NOT tested; REPRODUCERS=DIR says where they are"; return; }
    for source in "$reproducers"/*.c; do
        name=r-$(basename "$source" .c)
        built "$name" gcc -O2 -g -pthread -mrtm -DLEAF=0 "$source" -lm || built "$name" gcc -O2 -g -pthread -march=native -mrtm -DLEAF=0 "$source" -lm ||
            echo "$source does not compile: NOT tested"
    done
    reproducer alt8k
    reproducer altsmall 0
    reproducer apreempt
    reproducer apreempt2
    reproducer avx512
    reproducer forever
    reproducer isa
    reproducer isa2
    reproducer orphan
    reproducer storm
    reproducer storm3
    reproducer tsx
    # It writes over the memory that it shares with the tool: the tool must live, and so must the program.
    harm r-hostile sh -c './r-hostile 3 0 0.5 | sed "s/[0-9]*//"'
}

harm_go() {
    harm go-routines ./hello-go routines
    harm go-preempts ./hello-go preempts
    harm go-signals ./hello-go signals
    harm go-garbage env GOGC=5 ./hello-go compute
    harm go-static ./hello-go-static routines
    harm haskell-threads ./hello-hs threads +RTS -N2
}

harm_sanitizers() {
    local compiler kind name
    for compiler in gcc clang; do
        for kind in address thread undefined memory; do
            name=$compiler-$kind
            built "$name" "$compiler" -g -O1 -pthread "-fsanitize=$kind" tests/truth/lib/sources/checked.c || continue
            harm "$name" env ASAN_OPTIONS=detect_leaks=0 setarch -R "./$name"
            # ThreadSanitizer delays signals: nested.c does not end with it natively.
            [ "$kind" != thread ] || continue
            built "$name-signals" "$compiler" -g -O1 -pthread -D_GNU_SOURCE "-fsanitize=$kind" tests/truth/lib/harm/nested.c &&
                harm "$name-signals" env ASAN_OPTIONS=detect_leaks=0:handle_segv=0:use_sigaltstack=0 TSAN_OPTIONS=handle_segv=0 MSAN_OPTIONS=handle_segv=0 UBSAN_OPTIONS=handle_segv=0 setarch -R "./$name-signals"
        done
    done
    built asan-wrong gcc -g -O1 -pthread -fsanitize=address tests/truth/lib/sources/checked.c &&
        harm asan-finds sh -c './asan-wrong beyond 2>err; echo $?; grep -o heap-buffer-overflow err | head -n 1'
}

harm_jits() {
    harm node-compute node -e 'let s = 0; for (let i = 0; i < 5e6; i++) s = (s * 31 + i) % 1000003; console.log(s)'
    harm node-garbage node --max-semi-space-size=1 -e 'let a = []; for (let i = 0; i < 400000; i++) { a.push({ i, s: "k" + i }); if (a.length > 5000) a = a.slice(2500); } console.log(a.length)'
    harm node-worker node -e 'const { Worker } = require("worker_threads"); new Worker("let s = 0; for (let i = 0; i < 1e6; i++) s += i % 7; require(\"worker_threads\").parentPort.postMessage(s)", { eval: true }).on("message", console.log)'
    harm java-compute java -Xshare:auto -cp . Hello compute
    harm java-threads java -cp . Hello threads
    harm java-throws sh -c 'java -cp . Hello throws 2>&1'
    harm java-garbage java -XX:+UseSerialGC -Xmx64m -cp . Hello garbage
    harm luajit-traces luajit -e 'local s = 0 for i = 1, 3e7 do s = (s * 31 + i) % 1000003 end print(s)'
    harm luajit-errors luajit -e 'local n = 0 for i = 1, 200000 do if not pcall(error, i) then n = n + 1 end end print(n)'
    harm luajit-callbacks luajit -e 'local ffi = require("ffi") ffi.cdef[[void qsort(void *, size_t, size_t, int (*)(const int *, const int *));]] local a = ffi.new("int[20000]") for i = 0, 19999 do a[i] = i * 7919 % 20011 end ffi.C.qsort(a, 20000, 4, function(x, y) return x[0] - y[0] end) print(a[0], a[9999])'
    harm pypy-compute pypy3 -c 'print(sum((i * i) % 7 for i in range(1000000)))'
    harm pypy-threads pypy3 -c 'import threading; r = []; t = [threading.Thread(target=lambda n=n: r.append(sum(range(n * 90000)))) for n in range(4)]; [x.start() for x in t]; [x.join() for x in t]; print(sorted(r))'
    harm erlang-compute erl -noshell -eval 'io:format("~p~n", [lists:foldl(fun(X, A) -> (A * 31 + X) rem 1000003 end, 1, lists:seq(1, 300000))]), halt().'
    harm erlang-processes erl -noshell -eval 'S = self(), [spawn(fun() -> S ! lists:sum(lists:seq(1, N)) end) || N <- lists:seq(1, 500)], io:format("~p~n", [lists:sum([receive X -> X end || _ <- lists:seq(1, 500)])]), halt().'
    harm sbcl-compute sbcl --noinform --non-interactive --no-userinit --eval '(progn (defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (format t "~a~%" (fib 27)))'
    harm sbcl-garbage sbcl --noinform --non-interactive --no-userinit --eval '(let ((h (make-hash-table :test (quote equal)))) (dotimes (i 60000) (setf (gethash (format nil "k~a" (mod i 997)) h) (list i i))) (sb-ext:gc :full t) (format t "~a~%" (hash-table-count h)))'
    harm guile-compute guile --no-auto-compile -c '(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (display (fib 24)) (newline)'
    harm php-jit php -d opcache.enable_cli=1 -d opcache.jit_buffer_size=16M -d opcache.jit=1255 -r '$s = 0; for ($i = 0; $i < 5000000; $i++) $s = ($s * 31 + $i) % 1000003; echo $s, "\n";'
    harm ruby-yjit ruby --yjit -e 'def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2); puts fib(24)'
}

harm_others() {
    harm ruby-threads ruby -e 't = 4.times.map { |n| Thread.new { (1..100000).sum { |x| x * n } } }; p t.map(&:value)'
    harm ruby-fibers ruby -e 'f = Fiber.new { i = 0; loop { Fiber.yield i += 1 } }; 100000.times { f.resume }; p f.resume'
    harm qemu-sort qemu-x86_64 /usr/bin/sort -n -k3 text
    harm qemu-perl qemu-x86_64 /usr/bin/perl -e '$SIG{USR1} = sub { $n++ }; kill USR1 => $$ for 1..50; print "$n\n"; print unpack("%32C*", "x" x 5000), "\n"'
    harm ffmpeg-encodes ffmpeg -nostdin -v error -f lavfi -i testsrc=size=320x240:rate=10:duration=2 -c:v mpeg4 -threads 1 -bitexact -flags +bitexact -f md5 -
    harm ffmpeg-threads ffmpeg -nostdin -v error -f lavfi -i mandelbrot=size=128x96:rate=5:end_pts=5 -frames:v 10 -threads 4 -pix_fmt rgb24 -f framemd5 -
    harm python-signals /usr/bin/python3 -c 'import signal
n = [0]
signal.signal(signal.SIGPROF, lambda *a: n.__setitem__(0, n[0] + 1))
signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
s = 0
for i in range(1500000): s = (s * 31 + i) % 1000003
signal.setitimer(signal.ITIMER_PROF, 0)
print(s, n[0] > 0)'
    harm perl-alarms perl -MTime::HiRes=setitimer,ITIMER_REAL -e '$SIG{ALRM} = sub { $n++ }; setitimer(ITIMER_REAL, 0.001, 0.001); for (1..2000000) { $s = ($s * 31 + $_) % 1000003 } setitimer(ITIMER_REAL, 0); print "$s ", $n > 0, "\n"'
    harm gdb-breaks sh -c 'gdb -q -batch -nx -ex "set startup-with-shell off" -ex "break f" -ex run -ex "continue 200" -ex kill ./out-debug 2>&1 | sed "s/process [0-9]*//"'
    harm strace-follows sh -c 'strace -f -qq -e trace=exit_group -e signal=none -o trace sh -c "(exit 3); exit 4"; echo $?'
}
