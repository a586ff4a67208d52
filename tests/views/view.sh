#!/bin/bash
# gait view: what it serves is what commands print; who does not know the address gets nothing; bad input is said.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
damages=yes
ldconfig -p | grep -q 'libmicrohttpd\.so\.12' || skip 'libmicrohttpd12 is not installed (apt-get install libmicrohttpd12)'
"$gait" record -q -F 2000 --seed 1 -o "$work/a.data" -- "$(program habits)" 3000000 >/dev/null || bad record
cp "$work/a.data" "$work/b.data"

# serve OPTION...: its address in $url, its process in $server.
serve() {
    rm -f "$work/url"
    env -u DISPLAY -u WAYLAND_DISPLAY "$gait" view "$@" >"$work/url" 2>"$work/serve.err" &
    server=$!
    for _ in $(seq 100); do [ -s "$work/url" ] && break; sleep 0.05; done
    url=$(cat "$work/url")
    [[ $url =~ ^http://127\.0\.0\.1:[0-9]+/[a-z2-7]{32}/$ ]] || { bad "no address: '$url'"; cat "$work/serve.err"; finish; }
}
# ended SIGNAL: the server ends with 0.
ended() {
    kill -"$1" "$server"
    wait "$server"
    same "status after $1" 0 $?
}

serve --no-open "$work/a.data"
for view in report 'report --by line' 'report --by edge' contexts info 'contexts --bottom-up'; do
    "$gait" $view --json "$work/a.data" >"$work/json+${view// /+}"
done
/usr/bin/python3 -B - "$url" "$work" <<'EOF' || bad 'answers'
import http.client, json, sys, urllib.parse
url, work = sys.argv[1:]
at = urllib.parse.urlsplit(url)
bad = 0
def ask(path, method='GET', host=at.netloc, headers={}):
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    for name, value in {'Host': host, **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, dict(answer.getheaders()), answer.read()
def check(what, good):
    global bad
    if not good:
        print('not so:', what)
        bad = 1
for query, view in (('report', 'report'), ('report?by=line', 'report+--by+line'), ('report?by=edge', 'report+--by+edge'),
                    ('contexts', 'contexts'), ('contexts?bottom-up=', 'contexts+--bottom-up'), ('info', 'info')):
    status, headers, body = ask(at.path + 'api/' + query)
    check(query, status == 200 and body == open(f'{work}/json+{view}', 'rb').read())
    check(query + ' again', ask(at.path + 'api/' + query)[2] == body)
status, headers, body = ask(at.path)
check('page', status == 200 and b'app.js' in body)
check('policy', "script-src 'self';" in headers['Content-Security-Policy'] and 'unsafe' not in headers['Content-Security-Policy'])
check('nosniff', headers['X-Content-Type-Options'] == 'nosniff')
def refused(what, want, answer, sentence):
    status, headers, body = answer
    try:
        said = json.loads(body)['error']
    except ValueError:
        said = repr(body)
    check(f'{what}: {status} {said}', status == want and sentence in said)
other = at.path[:-2] + ('a/' if at.path[-2] != 'a' else 'b/')
refused('no token', 403, ask('/'), 'token')
refused('wrong token', 403, ask(other), 'token')
refused('half a token', 403, ask(at.path[:9]), 'token')
refused('wrong token, data', 403, ask(other + 'api/info'), 'token')
refused('other host', 403, ask(at.path, host='example.com'), 'Host')
refused('other port', 403, ask(at.path, host='127.0.0.1:1'), 'Host')
refused('other origin', 403, ask(at.path, headers={'Origin': 'http://example.com'}), 'Origin')
refused('POST', 405, ask(at.path, 'POST', headers={'Content-Length': '0'}), 'GET')
refused('HEAD is no GET', 405, (ask(at.path, 'HEAD')[0], {}, b'{"error": "GET"}'), 'GET')
refused('no such file', 404, ask(at.path + '../../etc/passwd'), 'no such')
refused('no such route', 404, ask(at.path + 'api/record'), 'no such')
refused('an option that names a file', 400, ask(at.path + 'api/report?symfs=/'), 'no parameter symfs')
refused('a value that looks like an option', 400, ask(at.path + 'api/report?by=--symfs=/'), '--by')
refused('a bad value', 400, ask(at.path + 'api/report?by=nothing'), 'expected function')
refused('no such function', 422, ask(at.path + 'api/annotate?function=no_such'), 'no_such')
refused('a function that looks like an option', 422, ask(at.path + 'api/annotate?function=--help'), '--help')
refused('NUL', 400, ask(at.path + 'api/report?by=line%00x'), 'parameter')
refused('many parameters', 400, ask(at.path + 'api/report?' + '&'.join(f'a{i}=1' for i in range(40))), 'parameter')
refused('diff of one', 400, ask(at.path + 'api/diff'), '--diff')
check('a long address', ask(at.path + 'api/report?by=' + 'x' * 60000)[0] in (413, 414, 431))
check('still there', ask(at.path + 'api/info')[0] == 200)
# Requests that never become complete keep nobody out for long, though they have all connections.
import socket, time
halves = [socket.create_connection((at.hostname, at.port)) for i in range(64)]
for half in halves:
    half.send(b'GET / HTTP/1.1\r\nX: ')
asked = time.monotonic()
check('after requests that are not complete', ask(at.path + 'api/info')[0] == 200)
waited = time.monotonic() - asked
check(f'an answer after {waited:.1f} s: at most 20', waited < 20)
sys.exit(bad)
EOF
# A second server on its port is refused.
port=${url#http://127.0.0.1:} port=${port%%/*}
status 1 'port in use' "$gait" view --no-open --port "$port" "$work/a.data"
says "port $port is in use"
ended INT

serve --no-open --diff "$work/a.data" "$work/b.data"
"$gait" diff --json "$work/a.data" "$work/b.data" >"$work/diff"
/usr/bin/python3 -c 'import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(sys.argv[1]).read())' "${url}api/diff" | cmp - "$work/diff" || bad 'diff'
ended TERM

status 2 'no profile' "$gait" view --no-open "$work/none"
says 'none'
head -c 20 "$work/a.data" >"$work/cut.data"
status 2 'cut profile' "$gait" view --no-open "$work/cut.data"
says 'cut.data'
status 129 'two files' "$gait" view "$work/a.data" "$work/b.data"
says '--diff BEFORE AFTER'
status 129 'diff of one' "$gait" view --diff "$work/a.data"
status 129 'port 0' "$gait" view --port 0 "$work/a.data"
if [ "$(id -u)" != 0 ] && [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)" -gt 80 ]; then
    status 1 'port 80' "$gait" view --no-open --port 80 "$work/a.data"
    says 'needs root'
fi
finish
