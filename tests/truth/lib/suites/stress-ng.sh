# stress-ng's stressors, each with --verify: it checks its own results.

suite_ready() { command -v stress-ng >/dev/null || { echo 'stress-ng is not installed'; return 1; }; }

suite_tests() {
    printf '%s\n' access alarm atomic bad-altstack branch brk bsearch cache cap chdir chmod clock clone close context copy-file cpu crypt \
        daemon dekker dentry dev-shm dir dup env epoll eventfd exec exit-group far-branch fault fcntl fifo flock fork fp fpunch fstat funccall \
        funcret futex getdent getrandom goto handle hash heapsort hrtimers hsearch icache inotify io itimer kill l1cache lease link list lockf \
        lockofd longjmp lsearch madvise malloc matrix matrix-3d membarrier memcpy memfd memthrash mergesort mincore misaligned mknod mlock mmap \
        mmapfork mprotect mq mremap msg msync munmap nanosleep nop null open opcode peterson personality pidfd pipe pkey poll prctl \
        pthread ptrace pty qsort radixsort regs remap rename resched revio rlimit schedpolicy seal seccomp seek sem sem-sysv sendfile shellsort \
        shm shm-sysv sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigpipe sigq sigrt sigsegv sigsuspend sigtrap skiplist sleep \
        sockpair spawn splice stack stackmmap str stream switch symlink sync-file sysinfo tee timer timerfd tree trig tsc tsearch unlink urandom \
        utime vdso vecfp vecmath vecshuf vecwide vfork vm vm-segv wait wcs x86syscall xattr yield zero zlib zombie
}

suite_run() {
    local test=$2 to=$3
    shift 3
    "$@" stress-ng --temp-path . --no-rand-seed --verify --timeout 30 "--$test" 1 "--$test-ops" "$(stressor_operations "$test")" >out 2>&1
    echo "status $?" >>"$to"
    sed -nE 's/^stress-ng: (fail|error): *\[[0-9]+\] //p' out | sed 's/[0-9a-fx]\{4,\}//g' | sort -u >>"$to"
    cat out
}

# As many as take some tenths of a second natively.
stressor_operations() {
    case $1 in
    cpu | matrix* | crypt | zlib | hash | heapsort | mergesort | qsort | radixsort | shellsort | bsearch | hsearch | lsearch | tsearch | tree | list | skiplist | str | wcs | trig) echo 3 ;;
    clone | daemon | exec | fork | spawn | vfork | pthread | zombie | wait | exit-group | opcode | bad-altstack | sigabrt | vm-segv | pty | ptrace | x86syscall) echo 20 ;;
    stream | memthrash | vm | mmap | mmapfork | malloc | memrate | icache | l1cache | cache | dentry | dir | getdent | copy-file | mknod | chmod | stack) echo 2 ;;
    *) echo 200 ;;
    esac
}
