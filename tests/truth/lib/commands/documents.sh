with pandoc
slow pandoc-html pandoc -f markdown -t html page.md
slow pandoc-others sh -c 'for t in latex rst man org docbook json; do pandoc -f markdown -t $t page.md | md5sum; done; pandoc -f html -t nothing page.md; echo $?'
with cmark
slow cmark sh -c 'cmark page.md; for i in 1 2 3 4 5; do cat page.md; done | cmark -t xml | md5sum'
with asciidoctor
slow asciidoctor sh -c 'printf "= Title\n\n== Part\n\n* a\n* b\n\n----\ncode\n----\n" | asciidoctor -e -o - -'
with xsltproc
slow xsltproc xsltproc page.xsl page.xml
slow xsltproc-bad xsltproc page.xsl text
with xmlstarlet
slow xmlstarlet sh -c 'xmlstarlet sel -t -m "//i" -s A:N:- "@n" -v "concat(@n, .)" -n page.xml; xmlstarlet ed -u "//i[@n=1]/@n" -v 9 page.xml; xmlstarlet val -w text; echo $?'
with tidy
slow tidy sh -c 'echo "<p>un<b>closed <i>x</b>" | tidy -q -wrap 0 --tidy-mark no; echo $?'
with xmllint
slow xmllint sh -c '(echo "<r>"; awk "{ print \"<i n=\\\"\" \$1 \"\\\">\" \$2 \"</i>\" }" text; echo "</r>") | xmllint --xpath "count(//i[@n > 20000])" -'
slow xmllint-formats sh -c 'xmllint --format page.xml; xmllint --c14n page.xml; echo "<a><b></a>" | xmllint --noout -; echo $?; xmllint --html --noout page.md 2>&1 | head -n 3'
with aspell
slow aspell sh -c 'echo "somme wrods are wrang" | aspell -l en -a; echo teh | aspell list -l en'
with man
slow man-page sh -c 'printf ".TH X 1 2001-01-01 a b\n.SH NAME\nx \\- y\n.TP\n.B z\nlong text here\n" >x.1; MANWIDTH=60 man -l ./x.1 | cat'
with groff
slow groff sh -c 'printf ".TH X 1\n.SH NAME\nx \\- y\n.PP\nsome text\n" | groff -man -Tascii'
slow groff-tables sh -c 'printf ".TS\nbox;\nl|n.\na\t1.5\nb\t22.25\n.TE\n.EQ\nx sup 2 over y\n.EN\n" | groff -t -e -Tascii | sed "/^$/d"'
with vim
slow vim-script sh -c 'vim -es -u NONE -c "%s/word/W/g" -c "sort n" -c "w! out" -c "qa!" text; md5sum out'
slow vim-regex sh -c 'vim -es -u NONE -N -c "set re=1" -c "%s/\v(\d)(\d)\2\1/<&>/ge" -c "g/word13/m0" -c "normal ggdd" -c "w! out" -c "qa!" text; md5sum out'
slow vim-script-language sh -c 'printf "function! F(n)\n return a:n < 2 ? a:n : F(a:n - 1) + F(a:n - 2)\nendfunction\nput =F(14)\nput =string(sort([3,1,2]))\nw! out\ncq 5\n" >x.vim; vim -es -u NONE -S x.vim; echo $?; cat out'
with ed
slow ed-script sh -c 'printf "%s\n" "1,5p" "/word42/p" "g/word7 /d" "\$=" "w out" q | ed -s text; md5sum out'
slow ed-errors sh -c 'printf "/nothing/\nH\n99999p\n,s/word1/W/\n1,3p\nq\nq\n" | ed text'
with jq
slow jq sh -c 'awk "{ print \"{\\\"a\\\":\" \$1 \",\\\"b\\\":\\\"\" \$2 \"\\\"}\" }" text | jq -c "select(.a % 7 == 0) | .b" | sort | uniq -c'
slow jq-program sh -c 'jq -n "[range(3000)] | map(select(. % 7 == 0)) | group_by(. % 5) | map({k: .[0], n: length, s: add}), ([limit(20; 1 | recurse(. * 2 % 1009 + 1))] | length)"; echo "{bad" | jq .; echo $?; jq -n "error(\"as meant\")"; echo $?'
with gawk
slow gawk-features gawk 'BEGIN { PROCINFO["sorted_in"] = "@ind_num_asc"; for (i = 0; i < 5000; i++) a[i % 97][i] = i; for (k in a) n += length(a[k]); print n, strtonum("0x1f"), gensub(/(a)(b)/, "\\2\\1", "g", "abab"); "exit 3" | getline; print close("exit 3"); printf "%'"'"'d %c\n", 12345, 65; exit 4 }'
slow gawk-big gawk -M 'BEGIN { PREC = 200; print 2^300, sqrt(2); x = 1; for (i = 1; i < 60; i++) x *= i; print x }'
slow gawk-csv gawk -v FPAT='([^,]*)|("[^"]+")' 'BEGIN { $0 = "a,\"b,c\",d"; print NF, $2 } /word1[0-3]/ { n[$2]++ } END { asorti(n, s); for (i = 1; i in s; i++) print s[i], n[s[i]] }' text
slow gawk-coprocess gawk 'BEGIN { c = "sort -n"; for (i = 50; i > 0; i--) print i * 7919 % 101 |& c; close(c, "to"); while ((c |& getline x) > 0) s = s x " "; print s; print close(c) }'
slow gawk-profile sh -c 'gawk -o- "{ if (\$1 > 5) print \$2; else n++ } END { print n }"; gawk --lint "BEGIN { x[1]; print y }" 2>&1; gawk "BEGIN { print 1 +* 2 }"; echo $?'
with mawk
slow mawk mawk '{ n[$2] += $1; if (match($0, /[0-9]7[0-9]/)) m += RSTART } END { for (k in n) t += n[k]; print t, m; exit 2 }' text
with m4
slow m4 sh -c 'printf "define(f, \`ifelse(eval(\$1 < 2), 1, \$1, \`eval(f(decr(\$1)) + f(eval(\$1 - 2)))'"'"')'"'"')f(15)\nforloop\ntranslit(abc, a-c, x-z) syscmd(echo hi) esyscmd(seq 1 3) m4exit(3)" | m4; echo $?; echo "define(x" | m4; echo $?'
