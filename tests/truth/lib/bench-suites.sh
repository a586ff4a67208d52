# What the sources of bench programs bring along to test themselves with, for tests/harm/identical.sh.

# suite_unpack PACKAGE: its unpacked source becomes the folder that the next commands start in.
suite_unpack() {
    folder=$work/suite-$1
    [ -d "$folder" ] || { mkdir "$folder" && source_unpack "$1" "$folder/$1" >/dev/null 2>&1; }
}

# suite_built PROGRAM: a bench program that cannot be built here is told, and its commands are left out.
suite_built() {
    bench/build "$1" >"$work/build.log" 2>&1 && return
    absent="$absent bench-program-$1"
    return 1
}

commands_suites() {
    local n
    required=''
    if suite_built bzip2 && suite_unpack bzip2; then
        for n in 1 2 3; do
            slow bzip2-sample$n-unpacks sh -c "$(program_binary bzip2) -dc bzip2/sample$n.bz2 | cmp - bzip2/sample$n.ref && echo same"
            slow bzip2-sample$n-packs sh -c "$(program_binary bzip2) -$n -c bzip2/sample$n.ref | cmp - bzip2/sample$n.bz2 && echo same"
        done
    fi
    if suite_built xz && suite_unpack xz-utils; then
        slow xz-good-files sh -c "for f in xz-utils/tests/files/good-*.xz xz-utils/tests/files/good-*.lzma; do $(program_binary xz) -dc \$f | md5sum; done"
        slow xz-bad-files sh -c "for f in xz-utils/tests/files/bad-*.xz; do $(program_binary xz) -dc \$f | md5sum; done"
        slow xz-listed sh -c "$(program_binary xz) -lvv xz-utils/tests/files/good-*.xz"
    fi
    if suite_built zstd && suite_unpack libzstd; then
        slow zstd-golden sh -c "for f in libzstd/tests/golden-*/*; do $(program_binary zstd) -qdc \$f | md5sum; $(program_binary zstd) -q -19 -c \$f | md5sum; done"
    fi
    if suite_built gzip && suite_unpack gzip; then
        for n in helin-segv hufts keep list memcpy-abuse mixed null-suffix-clobber stdin trailing-nul unpack-invalid; do
            slow gzip-test-$n sh -c "mkdir bin && ln -s $(program_binary gzip) bin/gzip && cd gzip/tests && export PATH=\$PWD/../../bin:\$PATH abs_top_srcdir=.. srcdir=. LC_ALL=C VERBOSE=yes && sed -i 's/^path_prepend_.*//' $n && sh ./$n >/dev/null 2>&1; echo \$?"
        done
    fi
    if suite_built brotli && suite_unpack brotli; then
        slow brotli-testdata sh -c "for f in brotli/tests/testdata/*.compressed; do $(program_binary brotli) -dc <\$f | md5sum; done"
    fi
    folder=$work/files
    if suite_built lua; then
        slow lua-closures "$(program_binary lua)" -e 'local t = {} for i = 1, 300 do t[i] = function(x) return x * i end end local s = 0 for i = 1, 300 do s = s + t[i](i) end print(s, string.format("%q", "a\nb"), #table.concat({1, 2, 3}, ","))'
        slow lua-coroutines "$(program_binary lua)" -e 'local function gen(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end local s = 0 for x in gen(50000) do s = s + x end print(s) print(pcall(error, {code = 2})) print(select("#", table.unpack({}, 1, 200)))'
        slow lua-fails "$(program_binary lua)" -e 'print(pcall(string.rep, "x", -1)) error("as meant")'
        slow lua-patterns "$(program_binary lua)" -e 'local n = 0 for line in io.lines("text") do for a, b in line:gmatch("(%d+) (word%d)") do n = n + a end end print(n, ("x"):rep(5, ","))'
        slow lua-collects "$(program_binary lua)" -e 'for i = 1, 200 do local t = setmetatable({}, {__gc = function() N = (N or 0) + 1 end}) end collectgarbage() print(N) os.exit(4, true)'
    fi
}
