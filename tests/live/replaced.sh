#!/bin/bash
# A program keeps its names and its build-id when its file was replaced while it ran, as packages do, or lies in a container.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
trap 'kill $pid 2>/dev/null; rm -rf "$work"' EXIT
build_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
orders=$(program orders) build=$(build_of "$(program orders)")

# named WHAT NAME PID: a recording of the process has names, and the build that runs.
named() {
    local mode
    for mode in sampled plain; do
        [[ $modes = *$mode* ]] || continue
        [ $mode = plain ] && options=--plain || options=
        status 0 "$1, $mode" "$gait" record -q $options -p "$3" --duration 0.5 -o "$work/data"
        "$gait" report --no-pager "$work/data" >"$work/shown" 2>&1
        grep -q 'shop::' "$work/shown" || { bad "$1, $mode: functions have no names"; head -n 12 "$work/shown"; }
        ! grep -q '(deleted)' "$work/shown" || bad "$1, $mode: the mark of the kernel is taken for a name"
        "$gait" info "$work/data" | grep -q "$2 $build" || bad "$1, $mode: the build is not $build"
    done
}
# Until it is executed there is another program to attach to, which is about to become this one.
start() {
    nice -n 10 "$1" 100000000 >/dev/null & pid=$!
    until [ "$(readlink /proc/$pid/exe)" = "$1" ]; do sleep 0.01; done
    sleep 0.2
}

cp "$orders" "$work/svc"
start "$work/svc"
"$gait" record -q -p $pid --duration 0.1 -o "$work/try" 2>"$work/stderr" || skip "cannot attach here: $(head -n 1 "$work/stderr")"
cp /bin/true "$work/new"
mv "$work/new" "$work/svc"
named replaced "$work/svc" $pid
rm "$work/svc"
named removed "$work/svc" $pid
kill $pid

# A file that is really called so.
cp "$orders" "$work/svc (deleted)"
start "$work/svc (deleted)"
"$gait" record -q -p $pid --duration 0.5 -o "$work/data"
"$gait" info "$work/data" | grep -qF "$work/svc (deleted) $build" || bad 'a name that ends in " (deleted)" was cut'
kill $pid

# Another root in a mount namespace of its own.
mkdir -p "$work/root/opt" "$work/root/old" "$work/root/proc"
cp "$orders" "$work/root/opt/contained"
for file in $(ldd "$orders" /bin/sh /bin/umount | grep -o '/[^ ]*\.so[^ ]*' | sort -u); do
    mkdir -p "$work/root$(dirname "$file")" && cp "$file" "$work/root$file"
done
cp /bin/umount "$work/root/umount"
cat >"$work/enter" <<S
mount --bind $work/root $work/root && cd $work/root && mount -t proc proc proc && pivot_root . old && /umount -l /old && exec /opt/contained 100000000
S
unshare -m sh "$work/enter" >/dev/null 2>"$work/stderr" &
pid=$!
sleep 0.7
if kill -0 $pid 2>/dev/null; then
    named 'in a container' /opt/contained $pid
    kill $pid
else
    echo "no mount namespace can be made here: its part was SKIPPED ($(head -n 1 "$work/stderr"))"
fi
finish
