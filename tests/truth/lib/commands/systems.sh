with expect
slow expect sh -c 'printf "log_user 0\nspawn sh -c {read x; echo got \$x; exit 4}\nsend hello\\\\r\nexpect {got hello} { puts matched } timeout { puts late }\nset r [wait]\nputs [lindex \$r 3]\n" >x.exp; expect x.exp'
with parallel
slow gnu-parallel sh -c 'PARALLEL_HOME=$PWD/p parallel --will-cite -j 3 -k "echo {} \$(({} * {}))" ::: 1 2 3 4 5 6 2>/dev/null; PARALLEL_HOME=$PWD/p parallel --will-cite -j 2 "exit {}" ::: 0 1 0 2 2>/dev/null; echo $?'
with sponge
slow moreutils sh -c 'sort text | sponge text; head -n 2 text; seq 1 5 | pee "wc -l" "tail -n 1"; false | true; mispipe false true; echo $?; echo x | ifne cat; combine text and text | wc -l'
with rsync
slow rsync sh -c 'rsync -a tree/ copy; echo change >>tree/a/b/f1; rsync -ai --checksum tree/ copy | cut -c1-2,12-; diff -r tree copy && echo same; rsync -a nothing copy; echo $?'
with cpio
slow cpio sh -c 'find tree | sort | cpio -o --quiet -H newc --reproducible | md5sum; find tree | cpio -o --quiet >x; mkdir y; cd y; cpio -id --quiet <../x; find . | sort | tail -n 2; head -c 300 ../text | cpio -i; echo $?'
with strace
slow strace-counts sh -c 'strace -qq -f -c -o trace sh -c "ls tree; true" ; awk "{ print \$NF }" trace | grep -c execve'
slow strace-injects sh -c 'strace -qq -f -o trace -e inject=unlink,unlinkat:error=EPERM rm text; echo $?; ls text'
with ltrace
slow ltrace sh -c 'ltrace -o trace ./out-debug | tail -n 1; echo $?'
with gdb
slow gdb-python gdb -q -batch -nx -ex 'python print(gdb.parse_and_eval("6 * 7"))' -ex 'disassemble f' ./out-debug
slow gdb-steps sh -c 'gdb -q -batch -nx -ex "set startup-with-shell off" -ex "break f if n == 3" -ex run -ex "finish" -ex "watch -l n" -ex "delete" -ex "stepi 50" -ex "info breakpoints" -ex kill ./out-debug 2>&1 | grep -v "rocess\|0x\|atchpoint" | head -n 12'
with
slow flock flock text sh -c 'flock -n text echo locked || echo busy; exit 2'
slow prlimit prlimit --nofile=64 --stack=1048576 sh -c 'ulimit -n; ulimit -s; i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done; echo $i'
slow limit-cpu sh -c 'ulimit -t 1; while :; do :; done; echo never'
slow limit-memory sh -c 'ulimit -v 4000000; perl -e "my \$x = q(x) x 100_000_000; print length \$x, qq(\n)"; echo $?'
slow limit-core sh -c 'ulimit -c 0; sh -c "kill -ABRT \$\$"; echo $?'
slow limit-file sh -c 'ulimit -f 8; cat text text >out; echo $?; ls -s out | cut -d" " -f1'
slow limit-stack sh -c 'ulimit -s 256; perl -e "sub f { \$_[0] ? f(\$_[0] - 1) + 1 : 0 } no warnings; print f(2000), qq(\n)"; sort text | md5sum'
slow unshare sh -c 'unshare -r sh -c "id -u; echo in" 2>/dev/null || echo refused'
slow chroot-like env -C tree -u HOME sh -c 'pwd | sed "s|.*/||"; echo ${HOME-none}; ls'
slow chrt sh -c 'chrt -b 0 sh -c "chrt -p \$\$" | sed "s/.*: //; s/pid [0-9]*//"'
slow ionice ionice -c 3 sh -c 'ionice; seq 1 20000 | md5sum'
slow setarch setarch x86_64 -R sh -c 'setarch --show 2>/dev/null | head -n 1; uname -m; perl -e "print 6 * 7, qq(\n)"'
slow seccomp-bash sh -c 'setpriv --no-new-privs sh -c "grep NoNewPrivs /proc/self/status; seq 1 9 | tail -n 1"'
slow timeout-ladder sh -c 'timeout -k 0.2 0.2 sh -c "trap \"\" TERM; sleep 3 & wait; sleep 3"; echo $?; timeout -s INT 0.2 sh -c "trap \"echo int; exit 7\" INT; sleep 2 & wait"; echo $?; timeout --preserve-status 0.1 sleep 2; echo $?'
slow closed-stdout sh -c 'seq 1 100000 >&-; echo $? >&2; cat text >/dev/full; echo $? >&2; sort text >/dev/full; echo $? >&2'
slow closed-stdin sh -c 'exec <&-; cat; echo $?; sort | wc -l; read x; echo $?'
slow descriptors-high bash -c 'exec 200>out 255<text; echo through >&200; head -n 1 <&255; cat out; ls /proc/self/fd | sort -n | head -n 3; exec 900<text; head -c 5 <&900'
slow many-arguments sh -c 'seq 1 60000 | xargs echo | md5sum; seq 1 300 | xargs -s 400 echo | wc -l; seq 1 5 | xargs -I{} sh -c "exit {}"; echo $?'
slow large-environment sh -c 'export BIG=$(seq -s, 1 9000); sh -c "echo \${#BIG}"; env | awk "{ n += length } END { print (n > 40000) }"; perl -e "print length \$ENV{BIG}, qq(\n)"'
slow fifo sh -c 'mkfifo p; (seq 1 5000 | sort >p) & tail -n 2 p; wait; (exec 3<>p; echo x >&3; read y <&3; echo $y)'
slow proc-self sh -c 'cat /proc/self/comm; tr "\0" " " </proc/self/cmdline; readlink /proc/self/exe | sed "s|.*/||"; grep -c . /proc/self/limits'
slow signals-inherited sh -c 'trap "" INT QUIT; sh -c "kill -INT \$\$; kill -QUIT \$\$; echo lives; grep SigIgn /proc/self/status"; perl -e "print \$SIG{INT}, qq(\n)"'
slow interpreter-chain sh -c 'printf "#!/usr/bin/env -S perl -l\nprint \"args @ARGV\"; exit 6" >s; chmod +x s; ./s a b; echo $?; printf "#!./s one\n" >t; chmod +x t; ./t two; echo $?; printf "#!/nothing\n" >u; chmod +x u; ./u; echo $?; printf "echo no bang" >v; chmod +x v; ./v'
slow run-parts sh -c 'mkdir d; printf "#!/bin/sh\necho one; exit 1\n" >d/a; printf "#!/bin/sh\necho two\n" >d/b; chmod +x d/*; run-parts d; echo $?; run-parts --exit-on-error d; echo $?'
slow date-zones sh -c 'for z in UTC Asia/Tokyo America/New_York; do TZ=$z date -d @1000000000 +%FT%T%z; done; date -d "2001-02-30"; echo $?; LC_ALL=C.UTF-8 cal 2 2004 2>/dev/null | head -n 3'
slow locale-c-utf8 env LC_ALL=C.UTF-8 sh -c 'printf "äöü\nÄÖ\n" | wc -m; printf "é\ne\nf\n" | sort; printf "äb" | sed "s/./x/g"; echo; printf "\xff\n" | grep -c .; printf "ÄÖ" | awk "{ print tolower(\$0), length }"'
