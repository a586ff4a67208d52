#!/bin/bash
# Runs with others
# The pages of gait view in a real browser: what they show, what they ask for, and what hostile names do.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
for need in chromium:chromium chromedriver:chromium-driver; do
    command -v "${need%%:*}" >/dev/null || skip "${need%%:*} is not installed (apt-get install ${need#*:})"
done
/usr/bin/python3 -c 'import selenium' 2>/dev/null || skip 'selenium is not installed (apt-get install python3-selenium)'
ldconfig -p | grep -q 'libmicrohttpd\.so\.12' || skip 'libmicrohttpd12 is not installed (apt-get install libmicrohttpd12)'
"$gait" record -q -F 2000 --seed 1 -o "$work/a.data" -- "$(program habits)" 30000000 >/dev/null || bad record
# Screenshots stay: they are what a person looks at when a check fails.
shots=${GAIT_SHOTS:-$out/ui-shots}
mkdir -p "$shots"
HOME=$work timeout 100 /usr/bin/python3 -B tests/ui/pages.py "$gait" "$work" "$shots" || bad 'pages'
finish
