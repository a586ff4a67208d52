#!/bin/bash
# A full disk: it is said, the program is not harmed, and nothing that was whole is lost.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
disk=$work/disk
mkdir "$disk"
mount -t tmpfs -o size=256k none "$disk" 2>/dev/null || skip 'no tmpfs may be mounted here; output.sh tries a limit on file sizes'
trap 'umount "$disk"; rm -rf "$work"' EXIT
busy='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; echo "sum $i"; exit 7'
# fill BYTES: leaves so many bytes free, rounded to pages.
fill() { rm -f "$disk/filler"; dd if=/dev/zero of="$disk/filler" bs=4096 count=$(($(df --output=avail -B 4096 "$disk" | tail -n 1) - ($1 + 4095) / 4096)) status=none; }

for mode in $modes; do
    rm -f "$disk"/*
    "$gait" record -q -o "$disk/data" -- true
    cp "$disk/data" "$work/before"

    # Full from the start: not even the head of the file finds room, so nothing is started.
    fill 0
    status 125 "$mode, full from the start" "$gait" record $(options_of $mode) -o "$disk/data" -- touch "$work/started"
    says "$disk/data"
    says 'No space left on device'
    [ ! -e "$work/started" ] || bad "$mode: the program was started though its profile cannot be written"
    cmp -s "$work/before" "$disk/data" || bad "$mode, full from the start: the older profile is not whole"

    # Full while it runs: the program goes on; what was appended stays and can be read.
    fill 4096
    status 125 "$mode, full later" "$gait" record $(options_of $mode) -o "$disk/data" -- sh -c "$busy"
    says 'No space left on device'
    says 'could not be written'
    same "$mode, full later: the program ran" 'sum 300000' "$(cat "$work/stdout")"
    readable "$disk/data"
    cmp -s "$work/before" "$disk/data.old" || bad "$mode, full later: the older profile is not whole"
    [ "$(ls "$disk" | xargs)" = 'data data.old filler' ] || bad "$mode: left behind: $(ls "$disk" | xargs)"
done

# merge writes beside and renames: what was there stays.
rm -f "$disk"/*
"$gait" record -q -F 2000 -o "$work/large" -- sh -c "$busy" >/dev/null
cp "$work/before" "$disk/sum"
fill 4096
status 1 'merge' "$gait" merge -o "$disk/sum" "$work/large" "$work/large"
says 'No space left on device'
cmp -s "$work/before" "$disk/sum" || bad 'merge: the older profile is not whole'

# A view that cannot be written says so.
"$gait" record -q --plain -F 2000 -o "$work/plain" -- sh -c "$busy" >/dev/null
for view in report 'report --json' 'report --by line' info 'info --json' verify "compare $work/plain" "diff $work/plain" \
    "diff --json $work/plain" 'annotate --json -i' contexts 'contexts --json' 'export --format collapsed'; do
    data=$work/large
    case $view in compare*) view="compare $work/large" ;; *) data=$work/plain ;; esac
    for to in /dev/full "$disk/view"; do
        fill 0
        "$gait" $view "$data" >"$to" 2>"$work/stderr"
        same "$view >${to##*/}: status" 1 $?
        says 'No space left on device'
    done
done
finish
