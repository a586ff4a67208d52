#!/bin/bash
# `make deb` makes a package that records from wherever it is unpacked, and says what it needs.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
for need in dpkg-deb:dpkg dpkg-shlibdeps:dpkg-dev; do
    command -v "${need%%:*}" >/dev/null || skip "SKIPPED: ${need%%:*} is not installed (apt-get install ${need#*:})"
done
mode=${built##*/}
make -s MODE="$mode" deb >"$work/make" 2>&1 || { cat "$work/make"; bad 'make deb'; finish; }
version=$("$gait" --version | sed 's/gait //')
deb=$built/gait_${version}_amd64.deb
[ -e "$deb" ] || { bad "there is no $deb"; finish; }

# The same commit gives the same bytes.
cp "$deb" "$work/first.deb"
make -s MODE="$mode" deb >/dev/null 2>&1
cmp -s "$deb" "$work/first.deb" || bad 'two builds of the package differ'

dpkg-deb -x "$deb" "$work/root" || bad 'dpkg-deb -x'
same version "$version" "$(dpkg-deb -f "$deb" Version)"
# Every library that the binaries name is in a package that it depends on.
depends=$(dpkg-deb -f "$deb" Depends)
for library in $(objdump -p "$work/root/usr/bin/gait" "$work/root/usr/lib/gait/libgait.so" | sed -n 's/^ *NEEDED *//p' | sort -u); do
    path=$(ldconfig -p | sed -n "s/^\t$library (libc6,x86-64.*=> //p" | head -n 1)
    package=$(dpkg -S "$(realpath "$path")" "$path" 2>/dev/null | head -n 1 | sed 's/:.*//')
    [[ $depends = *"$package"* ]] || bad "$library is of $package, which is not among: $depends"
done
(cd "$work/root" && dpkg-deb -e "$deb" "$work/control" && md5sum --quiet -c "$work/control/md5sums") || bad 'md5sums'
for command in $("$gait" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    gzip -t "$work/root/usr/share/man/man1/gait-$command.1.gz" || bad "gait-$command.1.gz"
done
[ -s "$work/root/usr/share/doc/gait/copyright" ] || bad 'no copyright'
cmp -s completions/gait.bash "$work/root/usr/share/bash-completion/completions/gait" || bad 'no completion'
cmp -s completions/_gait "$work/root/usr/share/zsh/vendor-completions/_gait" || bad 'no completion for zsh'
cmp -s completions/gait.fish "$work/root/usr/share/fish/vendor_completions.d/gait.fish" || bad 'no completion for fish'

grep -q '^ExecStart=/usr/bin/gait watch ' "$work/root/usr/lib/systemd/system/gait-watch.service" || bad 'no unit of systemd'
sed "s|/var/lib/gait|$work|; s|hottest=3|name=no-such-program|" "$work/root/usr/share/doc/gait/examples/watch.conf" >"$work/watch.conf"
"$work/root/usr/bin/gait" watch --config "$work/watch.conf" --rounds 1 -q 2>"$work/watch" || { bad 'the example of a configuration'; cat "$work/watch"; }

# It finds its agent beside it, in ../lib/gait, and records; its own build, not that of this folder.
packed=$work/root/usr/bin/gait
cd "$work" || exit 1
for mode in $modes; do
    env -u GAIT_LIB PATH=/usr/bin:/bin "$packed" record $(options_of $mode) -o data -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' 2>stderr ||
        { bad "$mode: the unpacked program does not record"; cat stderr; }
    readable data
    "$packed" report data 2>stderr | grep -q dash || { bad "$mode: nothing to report"; cat stderr; }
done
"$packed" doctor --json | grep -q "\"libgait.so\", *\"value\": *\"$work/root/usr/lib/gait/libgait.so\"" || bad 'the agent is not that of the package'
[ ! -e "$work/root/usr/bin/libgait.so" ] || bad 'the agent is beside the program'

if command -v lintian >/dev/null; then
    lintian --fail-on none "$deb" 2>/dev/null >lint
    grep -v 'bogus-mail-host' lint | grep -E '^[EW]:' && bad 'lintian'
fi
finish
