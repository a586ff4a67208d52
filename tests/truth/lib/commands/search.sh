with rg
slow ripgrep-counts rg -c --sort path 'word(1|2)\d' tree
slow ripgrep-threads sh -c 'rg -j3 --no-heading -n "7.*word7 " tree text | sort | md5sum'
slow ripgrep-pcre sh -c 'rg -P -o "(?<=word)\d+(?= 1)" text | md5sum; rg -U "word1\n" text; rg "(" text; echo $?'
slow ripgrep-replace sh -c 'rg -N "word(\d+)" -r "<\$1>" text | md5sum; rg --json -m 2 word13 text | grep -v summary | sed "s/\"elapsed[^}]*}//" | md5sum'
with fdfind
slow fd sh -c 'fdfind -t f . tree | sort; fdfind -e nothing; fdfind -t l . tree -x readlink {} \; | sort -u'
with ack
slow ack sh -c 'ack --nocolor -c "word(1|2)3" tree | sort; ack --nocolor -l word tree | wc -l'
with ag
slow ag sh -c 'ag --nocolor --workers 2 -c word13 tree | sort; ag nothing-like-this tree; echo $?'
with grep
slow grep-fixed sh -c 'seq 1 300 | sed s/^/word/ >list; grep -cFwf list text; grep -cFx -f list text; echo $?'
slow grep-context grep -n -B1 -A2 -m 20 'word13 1' text
slow grep-binary sh -c 'printf "a\0b\nword\n" >bin; grep a bin; grep -a -c . bin; grep -z -o b bin | od -c; grep "[" text; echo $?'
slow grep-tree sh -c 'grep -rl word96 tree | sort; grep -rLi WORD13 tree; grep -Rc word1 tree 2>&1 | sort | tail -n 4'
with find
slow find-expressions sh -c 'find tree \( -name "f[1-4]" -o -type l \) -printf "%y %s %P\n" | sort; find tree -maxdepth 2 -empty; find tree -regex ".*/f[5-9]" -size +2k -exec sh -c "echo \${1##*/}" - {} \; | sort; find -nothing; echo $?'
slow find-deletes sh -c 'find tree -type f -name "f*" -newermt 2000-01-01 -delete; find tree | sort'
slow locate-by-hash sh -c 'find tree -type f -exec md5sum {} + | sort | awk "{ print \$1 }" | uniq -c | sort -rn | head -n 5'
