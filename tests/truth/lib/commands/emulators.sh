with qemu-x86_64
slow qemu-true qemu-x86_64 /bin/echo through qemu
slow qemu-sort qemu-x86_64 /usr/bin/sort -n -k3 tree/a/b/f5
slow qemu-shell qemu-x86_64 /bin/sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); done; echo $i; (exit 5); echo $?; kill -TERM $$'
slow qemu-threads qemu-x86_64 /usr/bin/xz -T2 -c tree/a/b/f8
slow qemu-program qemu-x86_64 ./out-debug
slow qemu-one-step sh -c 'qemu-x86_64 -one-insn-per-tb /bin/true 2>/dev/null || qemu-x86_64 -singlestep /bin/true; echo $?'
slow qemu-static qemu-x86_64-static ./out-debug
slow qemu-signals qemu-x86_64 /usr/bin/perl -e '$SIG{USR1} = sub { $n++ }; kill USR1 => $$ for 1..20; print "$n\n"; $SIG{ALRM} = sub { print "alarm\n"; exit 3 }; alarm 1; 1 while 1'
with busybox
slow busybox-tools sh -c 'busybox seq 1 500 | busybox sort -rn | busybox head -n 3; busybox awk "{ n += \$1 } END { print n }" text; busybox tar c tree | busybox tar t | sort | head -n 3; busybox gzip -c text | busybox gunzip | busybox md5sum; busybox nothing; echo $?'
slow busybox-ash busybox ash -c 'trap "echo bye" EXIT; f() { local x=$1; [ $x -gt 0 ] && f $((x - 1)); echo -n $x; }; f 20; echo; busybox true & wait $!; echo $?; kill -USR1 $$'
with valgrind
slow valgrind-memcheck sh -c 'valgrind -q --error-exitcode=9 ./out-debug >/dev/null; echo $?'
slow valgrind-none valgrind -q --tool=none /bin/echo through valgrind
slow valgrind-callgrind sh -c 'valgrind -q --tool=callgrind --callgrind-out-file=cg ./out-debug 2>/dev/null | tail -n 1; grep -c "^fn=" cg | awk "{ print (\$1 > 50) }"'
