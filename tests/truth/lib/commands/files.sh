quick find find tree -type f -size +1k -newermt 2001-01-01 -exec wc -l {} +
quick xargs sh -c 'find tree -name "f*" | sort | xargs -n 2 -P 2 cksum | sort'
slow ls ls -lR --time-style=+%s tree
slow du sh -c 'du -b --apparent-size tree | sort -n'
slow copies sh -c 'cp -a tree t2; rm -rf t2/c; mv t2 t3; ln t3/a/b/f1 hard; stat -c "%n %s %h" hard t3/a/b/f1'
slow install sh -c 'install -Dm640 text d/e/f; stat -c "%a %s" d/e/f; readlink -f tree/c/l1 | sed "s|.*/||"'
slow curl-file sh -c 'curl -s "file://$PWD/text" | md5sum'
slow dpkg dpkg-query -W -f '${Package} ${Status}\n' coreutils libc6
