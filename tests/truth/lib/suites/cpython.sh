# CPython 3.11's own tests, a module a test. Those that need a network, a display, much memory or minutes are left out.

suite_ready() {
    [ -e /usr/lib/python3.11/test/test_signal.py ] || { echo 'CPython: package libpython3.11-testsuite is not installed'; return 1; }
}

suite_tests() {
    printf '%s\n' test_signal test_threadsignals test_thread test_threading test_subprocess test_faulthandler test_fork1 test_wait3 \
        test_wait4 test_posix test_eintr test_mmap test_ctypes test_select test_selectors test_poll test_epoll test_pty test_popen test_pipes \
        test_queue test_sched test_gc test_weakref test_generators test_coroutines test_contextlib test_exceptions test_exception_group \
        test_traceback test_sys_settrace test_sys_setprofile test_cprofile test_json test_re test_struct test_array test_bytes test_unicode \
        test_math test_cmath test_float test_int test_long test_fractions test_statistics test_random test_decimal test_hashlib test_hmac \
        test_zlib test_bz2 test_gzip test_zipimport test_tarfile test_sqlite3 test_copy test_pickle test_marshal test_dict test_set test_list \
        test_tuple test_heapq test_bisect test_itertools test_functools test_operator test_collections test_enum test_dataclasses test_typing \
        test_ast test_compile test_peepholer test_dis test_inspect test_tokenize test_fileio test_tempfile test_shutil test_glob test_csv \
        test_configparser test_xml_etree test_minidom test_pyexpat test_urlparse test_base64 test_binascii test_uuid test_time test_calendar \
        test_locale test_codecs test_unicodedata test_sys test_runpy test_resource test_cmd_line test_atexit test_repl test_socketpair \
        test_audit test_context test_descr test_super test_memoryview test_buffer test_picklebuffer test_unpack test_grammar test_patma
}

suite_run() {
    local test=$2 to=$3
    shift 3
    "$@" /usr/bin/python3.11 -m test -q --tempdir . --junit-xml x.xml "$test"
    echo "status $?" >>"$to"
    python3 - x.xml >>"$to" <<'P'
import sys, xml.etree.ElementTree as tree
try:
    cases = tree.parse(sys.argv[1]).iter("testcase")
except Exception as problem:
    sys.exit(f"no verdicts: {problem}")
for line in sorted("%s %s" % (case.get("name"), " ".join(below.tag for below in case if below.tag in ("failure", "error", "skipped")) or "ok") for case in cases):
    print(line)
P
}
