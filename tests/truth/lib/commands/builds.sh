quick compiler gcc -O1 -Wall -S -o - source.c
slow gcc-runs sh -c 'gcc -O2 -o out source.c && ./out | md5sum'
slow gcc-levels sh -c 'for o in 0 1 2 3 s; do gcc -O$o -S -o - source.c | md5sum; done'
slow gcc-error gcc -c -o out broken.c
slow gcc-preprocesses sh -c 'gcc -E source.c | wc -l'
slow gcc-lto sh -c 'gcc -O2 -flto -o out source.c && ./out | md5sum'
slow gxx sh -c 'g++ -O1 -o out source.cc && ./out'
slow gxx-assembly g++ -O2 -S -o - source.cc
slow gxx-error g++ -fsyntax-only broken.cc
slow clang clang -O2 -S -o - source.c
slow clang-runs sh -c 'clang -O1 -o out source.c && ./out | md5sum'
slow clang-cxx sh -c 'clang++ -O2 -S -o - source.cc | md5sum'
slow clang-error clang -fsyntax-only broken.c
slow clang-tree sh -c 'clang -fsyntax-only -Xclang -ast-dump source.c 2>&1 | sed "s/0x[0-9a-f]*//g" | md5sum'
slow assembler sh -c 'gcc -O2 -S -o x.s source.c; as -o x.o x.s; objdump -d x.o | tail -n +4'
slow linker sh -c 'gcc -c -o x.o source.c; gcc -o x x.o; readelf -h x | grep Type; nm x | wc -l; strip x; size x | tail -n 1 | cut -f1-3'
slow archives sh -c 'gcc -c -o x.o source.c; ar rcsD x.a x.o; ar t x.a; nm x.a | grep -c T'
slow objdump sh -c 'objdump -d /bin/true | md5sum'
slow readelf readelf -Wa /bin/true
slow nm nm -D /bin/ls
slow strings strings -n 8 /bin/ls
slow make-parallel sh -c 'for i in 1 2 3 4 5 6; do printf "t%d:\n\t@sleep 0.0%d; echo t%d >t%d\n" $i $i $i $i; done >Makefile; printf "all: t1 t2 t3 t4 t5 t6\n\t@cat t?\n" >>Makefile; make -s -j3 all'
slow make-fails sh -c 'printf "all:\n\t@exit 3\n" >Makefile; make all'
slow cmake-script sh -c 'echo "foreach(i RANGE 300) math(EXPR s \"\${i} * 3\") endforeach() message(STATUS \${s})" >x.cmake; cmake -P x.cmake'
slow gdb-batch gdb -q -batch -nx -ex 'print 6 * 7' -ex 'info line main' ./out-debug
slow gdb-runs sh -c 'gdb -q -batch -nx -ex "set startup-with-shell off" -ex "break f" -ex run -ex "bt 1" -ex "continue 20" -ex kill ./out-debug 2>&1 | sed "s/process [0-9]*//"'
slow strace-writes strace -qq -e trace=write -e signal=none -o trace sh -c 'echo hello'
slow strace-follows sh -c 'strace -f -qq -e trace=exit_group -e signal=none -o trace sh -c "(exit 3); exit 4"; echo $?; grep -c exit_group trace'
