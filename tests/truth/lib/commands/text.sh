quick reads-stdin cat
quick digests-stdin sha256sum
quick sort sort -k3,3n -k1,1 text
quick sort-threads sort --parallel=2 -S 1M text
quick grep grep -cE '(7|9)+ word(1|2)' text
quick grep-no-match grep nothing-like-this text
quick sed sed -E 's/([0-9]+) (word[0-9]+)/\2-\1/; /word13/d; y/w/W/' text
quick awk awk '{ n[$2] += $1 * $3 % 13 } END { for (k in n) print k, n[k] | "sort"; close("sort"); exit 5 }' text
slow awk-functions awk 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } BEGIN { print f(21); printf "%.12f %s\n", exp(1) * sin(2), substr("abcdef", 2, 3) }'
slow awk-getline awk 'BEGIN { while (("sort -n text" | getline line) > 0) n += length(line); print n; "date -d @0 -u +%Y" | getline y; print y }'
slow tr tr 'a-z' 'A-Z'
slow cut cut -d' ' -f2,3 text
slow paste paste -sd, text
slow join sh -c 'sort text >a; sort -r text | sort >b; join a b | md5sum'
slow comm sh -c 'sort text >a; sed 5d a >b; comm -3 a b'
slow uniq sh -c 'cut -d" " -f2 text | sort | uniq -c | sort -k1,1n -k2'
slow numbered nl -ba -w8 text
slow folded fold -w 13 text
slow formatted fmt -w 60 text
slow pages pr -3 -l 40 -D '' text
slow octal od -A x -t x4z -N 20000 text
slow hexdump hexdump -C -n 5000 text
slow xxd sh -c 'xxd text | xxd -r | cmp - text && echo same'
slow base64 sh -c 'base64 text | base64 -d | md5sum'
slow md5 md5sum text
slow b2sum b2sum text
slow sha512 sha512sum text tree/a/b/f1 nonexistent
slow cksum cksum text
slow backwards tac text
slow reversed rev text
slow split sh -c 'split -n l/7 text part-; wc -l part-*'
slow csplit sh -c 'csplit -s -f cut- text 100 500 "/word13/"; wc -c cut-*'
slow factors factor 1234567890123457 18446744073709551557 600851475143
slow numfmt numfmt --to=iec 123456 1048576 99999999999
slow dd sh -c 'dd if=text bs=777 skip=3 count=20 2>/dev/null | md5sum'
slow tsort sh -c 'awk "NR < 900 { print \$2, \"x\" \$3 }" text | tsort | wc -l'
slow shuffled shuf --random-source=text -n 50 text
slow diff sh -c 'sed "s/word13/WORD/; 700,720d" text >b; diff -u text b | tail -n +3'
slow patch sh -c 'cp text b; sed "s/word13/WORD/" text >c; diff text c >p; patch -s b p; cmp b c && echo patched'
slow word-counts wc -lwmcL text
slow iconv iconv -f latin1 -t utf-16 text
slow long-lines sh -c 'tr "\n" " " <text | grep -o "word[0-9]*1 [0-9]*" | head -n 400'
slow grep-perl grep -oP '(?<=word)\d+(?= 1)' text
slow grep-backwards grep -E -n '(.)(.).*\2\1 ' text
slow sed-program sed -n ':a;N;$!ba;s/\n/ /g;s/word/w/gp' text
slow localised env LC_ALL=C.UTF-8 sort -f text
slow file-types file text tree /bin/ls
slow numbers seq -f %.3f 1 0.37 900
