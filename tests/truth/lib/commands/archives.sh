quick tar tar --sort=name --owner=0 --group=0 --mtime=@0 -cf - tree
slow tar-round sh -c 'tar cf x.tar tree; mkdir y; tar xf x.tar -C y; diff -r tree y/tree && find y | sort'
slow gzip sh -c 'gzip -9nc text | gzip -dc | cmp - text && echo same'
slow gzip-bad sh -c 'gzip -c text | head -c 5000 | gzip -dc | md5sum'
with 7z
slow sevenzip sh -c '7z a -mmt=2 -bso0 -bsp0 x.7z tree text >/dev/null; 7z l -ba x.7z | wc -l; 7z e -so x.7z text | md5sum; 7z t text >/dev/null 2>&1; echo $?'
with lzop
slow lzop sh -c 'lzop -9 -c text | lzop -dc | cmp - text && echo same; head -c 99 text | lzop -dc; echo $?'
with lzip
slow lzip sh -c 'lzip -6 -c text | md5sum; lzip -c text | lzip -tv; lzip -c text | head -c 2000 | lzip -dc | md5sum'
with brotli
slow brotli sh -c 'for q in 1 5 9 11; do brotli -q $q -c text | md5sum; done; brotli -c text | brotli -dc | cmp - text && echo same; brotli -dc text; echo $?'
with unzip zip
slow zip sh -c 'zip -qrX x.zip tree; unzip -Z1 x.zip | sort'
slow zip-broken sh -c 'zip -qX x.zip text; head -c 20000 x.zip >y.zip; unzip -tq x.zip; unzip -tq y.zip; echo $?; zip -qe -P secret z.zip text; unzip -qp -P secret z.zip | md5sum; unzip -qp -P wrong z.zip; echo $?; zipinfo -1 x.zip'
with tar
slow tar-options sh -c 'tar --sort=name --mtime=@0 --owner=a:1 --group=b:2 --numeric-owner --format=pax --pax-option=delete=atime,delete=ctime -cf - tree | md5sum; tar cf x.tar tree; tar rf x.tar text; tar tvf x.tar --wildcards "*f1" | wc -l; tar --delete -f x.tar text; tar df x.tar; tar xf text; echo $?; tar czf - tree | tar tzf - | wc -l; tar cJf - tree | tar xJOf - tree/a/b/f1 | md5sum'
slow tar-incremental sh -c 'tar cf a.tar -g snap tree; echo new >tree/new; tar cf b.tar -g snap tree; tar tf b.tar | grep -c f1; tar tf b.tar | grep new; tar -M -L 20 --tape-length=20 -cf p1 text </dev/null; echo $?'
with xz
slow xz sh -c 'xz -T1 -6c text | md5sum; xz -T2 --block-size=64KiB -c text | xz -dc | md5sum'
slow xz-filters sh -c 'for o in --x86 --delta=dist=4; do xz -c $o --lzma2=preset=3,dict=64KiB text | md5sum; done; xz --format=lzma -c text | xz -dc | cmp - text && echo same; xz -c --check=sha256 text | xz -l --robot /dev/stdin 2>&1 | tail -n 1 | cut -f1-3; xz -dc text; echo $?; xz --memlimit-decompress=1KiB -t text; echo $?'
with zstd
slow zstd sh -c 'zstd -q -19 -c text | md5sum; zstd -q -T2 -3 -c text | zstd -dc | md5sum'
slow zstd-bad sh -c 'head -c 999 text | zstd -dc'
slow zstd-dictionary sh -c 'zstd -q --train tree/a/b/* --maxdict=2000 -o d; for f in tree/a/b/f1 tree/a/b/f8; do zstd -q -D d -c $f | zstd -q -D d -dc | cmp - $f && echo same; done; zstd -q --long=20 --ultra -22 -c text | md5sum; zstd -q -b1 -i0 text 2>&1 | wc -l; zstd -lq text; echo $?'
with lz4
slow lz4 sh -c 'lz4 -9 -c -q text | md5sum'
with bzip2
slow bzip2 sh -c 'bzip2 -9c text | md5sum; bzip2 -1c text | bzip2 -tv'
