#!/bin/bash
# gait view where something is missing or comes at an odd time: each is said, with what to do. gait record --view.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
damages=yes
ldconfig -p | grep -q 'libmicrohttpd\.so\.12' || skip 'libmicrohttpd12 is not installed (apt-get install libmicrohttpd12)'
unset DISPLAY WAYLAND_DISPLAY
orders=$(program orders)
"$gait" record -q -F 2000 --seed 1 -o "$work/a.data" -- "$orders" 200 >/dev/null || bad record

# address FILE: waits for an address in it.
address() {
    local _
    for _ in $(seq 200); do grep -qs '^http://.*/$' "$1" && break; sleep 0.05; done
    grep -m 1 '^http://.*/$' "$1" || { bad "no address"; cat "$1"; }
}
answers() { /usr/bin/python3 -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1] + "api/info").read()' "$1" 2>/dev/null; }
ended() { # WHAT STATUS PROCESS
    wait "$3"
    same "$1: status" "$2" $?
}

# --- record --view: the program's output and status are its own, the address goes to stderr.
"$gait" record -q -F 2000 --view -o "$work/v.data" -- sh -c "$orders 50; exit 3" >"$work/out" 2>"$work/err" &
view=$!
url=$(address "$work/err")
answers "$url" || bad 'record --view does not answer'
"$orders" 50 | cmp -s - "$work/out" || bad 'record --view: other output than the program'\''s'
kill -INT "$view"
ended 'record --view' 3 "$view"
grep -q 'showing .*v.data' "$work/err" || bad 'record --view does not name the file'
# A program that is killed is shown, too, and gait ends as it did.
"$gait" record -q -F 2000 --view -o "$work/k.data" -- sh -c "$orders 50; kill -TERM \$\$" >/dev/null 2>"$work/err" &
view=$!
answers "$(address "$work/err")" || bad 'record --view of a killed program does not answer'
kill -TERM "$view"
ended 'record --view of a killed program' 143 "$view"
status 127 'record --view of nothing' "$gait" record --view -o "$work/n.data" -- "$work/no such program"

# --- no libmicrohttpd: said before anything is recorded; a file can be written.
mkdir "$work/lib"
echo 'no library' >"$work/lib/libmicrohttpd.so.12"
status 1 'no libmicrohttpd' env LD_LIBRARY_PATH="$work/lib" "$gait" view "$work/a.data"
says 'apt-get install libmicrohttpd12'
status 125 'record --view without libmicrohttpd' env LD_LIBRARY_PATH="$work/lib" "$gait" record --view -o "$work/n.data" -- touch "$work/ran"
says 'apt-get install libmicrohttpd12'
[ ! -e "$work/ran" ] || bad 'the program ran before that was said'
status 0 'html without libmicrohttpd' env LD_LIBRARY_PATH="$work/lib" "$gait" export --format html -o "$work/a.html" "$work/a.data"

# --- a browser: opened if there is a display, by a process that has nothing of the server's; its absence is said.
mkdir "$work/bin" "$work/runtime"
view_with() { # PATH; waits until the file "opened" or the word in stderr is there
    rm -f "$work/opened"
    DISPLAY=:9 XDG_RUNTIME_DIR="$work/runtime" PATH=$1 "$gait" view "$work/a.data" >"$work/url" 2>"$work/err" &
    view=$!
    url=$(address "$work/url")
    for _ in $(seq 200); do [ -s "$work/opened" ] || grep -q 'browser' "$work/err" && break; sleep 0.05; done
    kill "$view"
    ended 'view with a display' 0 "$view"
}
# It gets a file that only this user can read and that leads to the address, which no command line has.
printf '#!/bin/sh\n{ echo "$1"; stat -c %%a "$1" "${1%%/*}"; cat "$1"; echo; for line in /proc/[0-9]*/cmdline; do tr "\\0" " " <"$line" 2>/dev/null; done | tr "\\n" " "; echo; grep -E "SigBlk|SigIgn" /proc/self/status; ls /proc/self/fd; } >%s.new; mv %s.new %s\n' "$work/opened" "$work/opened" "$work/opened" >"$work/bin/xdg-open"
chmod +x "$work/bin/xdg-open"
view_with "$work/bin:$PATH"
door=$(head -n 1 "$work/opened")
case $door in "$work"/runtime/gait-view-*/view.html) ;; *) bad "the browser opens $door" ;; esac
same 'modes of file and folder' '600 700' "$(sed -n '2,3p' "$work/opened" | xargs)"
grep -q "content=\"0; url=$url\"" "$work/opened" || { bad 'the file does not lead to the address'; cat "$work/opened"; }
token=${url%/} token=${token##*/}
lines=$(sed -n '/^$/,$p' "$work/opened")
case $lines in *"gait view"*) ;; *) bad 'no command lines were read' ;; esac
case $lines in *"$token"*) bad 'a command line has the token' ;; esac
[ ! -e "${door%/*}" ] || bad 'the file is left behind'
grep -q 'SigBlk:.*0000000000000000' "$work/opened" || bad "the browser has blocked signals: $(cat "$work/opened")"
grep -q browser "$work/err" && bad 'a complaint about a browser that was opened'
printf '#!/bin/sh\nexit 3\n' >"$work/bin/xdg-open"
view_with "$work/bin:$PATH"
grep -q 'no browser was opened (xdg-open failed): open the address yourself' "$work/err" || { bad 'a browser that fails'; cat "$work/err"; }
rm "$work/bin/xdg-open"
for word in sed grep; do ln -s "$(command -v $word)" "$work/bin/"; done
view_with "$work/bin"
grep -q 'xdg-open is not installed' "$work/err" || { bad 'no xdg-open'; cat "$work/err"; }

# A place where no folder can be made: the next one is used.
for place in "$work/none" relative; do
    printf '#!/bin/sh\necho "$1" >%s\n' "$work/opened" >"$work/bin/xdg-open"
    chmod +x "$work/bin/xdg-open"
    rm -f "$work/opened"
    DISPLAY=:9 XDG_RUNTIME_DIR=$place TMPDIR="$work/runtime" PATH="$work/bin:$PATH" "$gait" view "$work/a.data" >"$work/url" 2>"$work/err" &
    view=$!
    address "$work/url" >/dev/null
    for _ in $(seq 200); do [ -s "$work/opened" ] && break; sleep 0.05; done
    kill "$view"
    ended "view with XDG_RUNTIME_DIR=$place" 0 "$view"
    case $(cat "$work/opened") in "$work"/runtime/gait-view-*) ;; *) bad "XDG_RUNTIME_DIR=$place: $(cat "$work/opened")" ;; esac
done

# --- two at once, on ports of their own; one that was started with nohup stays when the terminal goes.
"$gait" view "$work/a.data" >"$work/one" 2>/dev/null &
one=$!
nohup "$gait" view "$work/a.data" >"$work/two" 2>/dev/null &
two=$!
first=$(address "$work/one") second=$(address "$work/two")
[ "$first" != "$second" ] || bad 'two servers with one address'
kill -HUP "$one" "$two"
ended 'SIGHUP' 0 "$one"
answers "$second" || bad 'nohup: ended by SIGHUP'
kill -TERM "$two"
ended 'nohup, SIGTERM' 0 "$two"
# SIGTERM while questions are being answered: no child is left.
"$gait" view "$work/a.data" >"$work/url" 2>/dev/null &
view=$!
url=$(address "$work/url")
for by in line edge loop block call instruction; do
    /usr/bin/python3 -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1])' "${url}api/report?by=$by" 2>/dev/null &
    asking="$asking $!"
done
sleep 0.1
children=$(pgrep -P "$view")
kill -TERM "$view"
ended 'SIGTERM while it answers' 0 "$view"
wait $asking 2>/dev/null
for child in $children; do kill -0 "$child" 2>/dev/null && bad "child $child was left"; done

# --- profiles that are not there, damaged, of nothing.
(cd "$work" && status 2 'no gait.data' "$gait" view && says 'gait record -- PROGRAM')
says 'gait record -- PROGRAM'
status 2 'a folder' "$gait" view "$work"
status 2 'a text' "$gait" view tests/views/view.sh
: >"$work/empty"
status 2 'an empty file' "$gait" view "$work/empty"
status 2 'a damaged profile' "$gait" view --diff "$work/a.data" "$work/empty"
says 'empty'
finish
