with tcc
slow tcc sh -c 'tcc -o out source.c && ./out | tail -n 2; tcc -c broken.c; echo $?'
slow tcc-runs tcc -run source.c
with nasm
slow nasm sh -c 'nasm -f elf64 -o x.o loop.asm && ld -o x x.o && ./x; echo $?; echo "mov eax, [" | nasm -f bin -o y /dev/stdin; echo $?'
with flex
slow flex sh -c 'flex -o x.c words.l && gcc -O1 -w -o out x.c && ./out <text; flex -C -t words.l | wc -c'
with bison
slow bison sh -c 'bison -o x.c sums.y && gcc -w -o out x.c && printf "1+2*3\n(4-5)*6\n7+\n8\n" | ./out; bison --report=all -o y.c sums.y && grep -c State y.output; echo "%%" | bison -o z.c /dev/stdin; echo $?'
with gperf
slow gperf sh -c 'awk "!s[\$2]++ { print \$2 }" text | gperf -m 5 | md5sum'
with re2c
slow re2c sh -c 'printf "/*!re2c re2c:yyfill:enable=0; re2c:define:YYCTYPE=char; [0-9]+ { return 1; } [a-z]+ { return 2; } * { return 0; } */" | re2c -s - | grep -v "re2c" | md5sum'
with ragel
slow ragel sh -c 'printf "%%%%{ machine m; main := ([a-z]+ [0-9]* %%{ n++; } space)*; }%%%%\n%%%% write data;\n" >x.rl; ragel -G2 -o - x.rl | md5sum'
with gfortran
slow gfortran sh -c 'gfortran -O2 -o out hello.f90 && ./out; gfortran -fsyntax-only broken.c; echo "end program x" >y.f90; gfortran -c y.f90; echo $?'
slow gfortran-openmp sh -c 'printf "integer :: i, s\ns = 0\n!\$omp parallel do reduction(+:s) num_threads(3)\ndo i = 1, 100000\ns = s + mod(i, 7)\nend do\nprint *, s\nend\n" >x.f90; gfortran -O1 -fopenmp -o out x.f90 && ./out'
with gnatmake
slow gnat sh -c 'gnatmake -q -o out hello.adb && ./out; echo "procedure x is begin null end;" >x.adb; gcc -c x.adb; echo $?'
with fpc
slow pascal sh -c 'fpc -v0 -O2 -oout Hello.pas >/dev/null && ./out'
with gdc
slow gdc sh -c 'gdc -O1 -o out hello.d && ./out'
with gccgo
slow gccgo sh -c 'sed "s/20000000/2000000/" hello.go >x.go; gccgo -O1 -o out x.go && ./out compute && ./out routines; ./out panics'
with gcc
slow gcc-openmp sh -c 'printf "#include <stdio.h>\nint main(void) { long s = 0;\n#pragma omp parallel for reduction(+:s) num_threads(4)\nfor (long i = 0; i < 3000000; i++) s += i %% 7; printf(\"%%ld\\\\n\", s); }\n" >x.c; gcc -O1 -fopenmp -o out x.c && ./out'
slow gcc-nested-functions sh -c 'printf "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { int n = 0; int c(const void *a, const void *b) { n++; return *(int *)a - *(int *)b; } int v[200]; for (int i = 0; i < 200; i++) v[i] = i * 79 %% 211; qsort(v, 200, sizeof *v, c); printf(\"%%d %%d\\\\n\", v[0], n > 0); }\n" >x.c; gcc -O1 -z execstack -o out x.c 2>/dev/null && ./out'
slow gcc-static sh -c 'gcc -O2 -static -o out source.c && ./out | md5sum'
slow gcc-profile sh -c 'gcc -O1 --coverage -o out source.c && ./out >/dev/null && gcov -t out-source.c | grep -c "#####\|-:"; gcc -O1 -pg -o prof source.c && ./prof | md5sum; gprof -b -p prof gmon.out 2>/dev/null | grep -c " f$"'
slow gcc-strong sh -c 'gcc -O2 -fstack-protector-all -fcf-protection=full -fstack-clash-protection -D_FORTIFY_SOURCE=2 -fsplit-stack -o out source.c && ./out | md5sum'
slow gcc-smashed sh -c 'printf "#include <string.h>\n#include <stdio.h>\n__attribute__((noinline)) void f(const char *s) { char b[8]; strcpy(b, s); puts(b); }\nint main(int c, char **v) { f(v[1]); }\n" >x.c; gcc -O0 -U_FORTIFY_SOURCE -fstack-protector-all -o out x.c; ./out short; ./out "much longer than eight bytes"; echo $?'
slow gcc-instruments-functions sh -c 'printf "static int n;\nvoid __attribute__((no_instrument_function)) __cyg_profile_func_enter(void *f, void *c) { n++; }\nvoid __attribute__((no_instrument_function)) __cyg_profile_func_exit(void *f, void *c) { n++; }\nint g(int x) { return x < 2 ? x : g(x - 1) + g(x - 2); }\nint main(void) { return (g(12) + n) & 63; }\n" >x.c; gcc -O0 -finstrument-functions -o out x.c && ./out; echo $?'
with clang
slow clang-opt sh -c 'clang -O0 -Xclang -disable-O0-optnone -S -emit-llvm -o x.ll source.c; opt -S -passes=mem2reg,instcombine,simplifycfg x.ll | grep -v "^;\|^source\|^target" | md5sum; llc -O2 -o - x.ll | grep -c call; lli x.ll | tail -n 1'
slow clang-coverage sh -c 'clang -fprofile-instr-generate -fcoverage-mapping -o out source.c && LLVM_PROFILE_FILE=x.raw ./out | md5sum; ls x.raw'
slow clang-tidy-like sh -c 'clang --analyze -Xclang -analyzer-output=text checked.c 2>&1 | grep -c warning; clang -Weverything -fsyntax-only source.c 2>&1 | tail -n 1'
slow clang-safe-stack sh -c 'clang -O1 -fsanitize=safe-stack -o out source.c && ./out | md5sum; clang -O1 -flto -fvisibility=hidden -fsanitize=cfi -o out2 source.c -fuse-ld=lld 2>/dev/null && ./out2 | md5sum; true'
with ctags
slow ctags sh -c 'ctags --languages=C,C++,Python,Java -f - source.c source.cc source.py Hello.java | md5sum; ctags -x source.c'
with cppcheck
slow cppcheck sh -c 'cppcheck -q --enable=warning,style checked.c source.cc 2>&1 | sort'
with indent
slow indent sh -c 'indent -st -kr source.c; astyle --style=kr <source.cc 2>/dev/null | md5sum'
with ninja
slow ninja sh -c 'printf "rule c\n command = sleep 0.0\$n; echo \$out >\$out\nbuild a: c\n n = 3\nbuild b: c a\n n = 1\nbuild d: c a b\n n = 2\n" >build.ninja; ninja -j2 --quiet d; cat a b d; ninja -t graph | grep -c label; ninja nothing; echo $?'
with meson ninja
slow meson sh -c 'meson setup b >/dev/null 2>&1 && ninja -C b --quiet >/dev/null 2>&1 && ./b/x | tail -n 1'
with cmake
slow cmake-builds sh -c 'printf "cmake_minimum_required(VERSION 3.10)\nproject(x C)\nadd_executable(x source.c)\n" >CMakeLists.txt; cmake -S . -B b >/dev/null 2>&1; cmake --build b >/dev/null 2>&1; ./b/x | tail -n 1; cmake -S tree -B c >/dev/null 2>&1; echo $?'
with make
slow make-functions sh -c 'printf "x := \$(sort c b a)\ny = \$(foreach i,\$x,\$i\$i)\nall: \$(addsuffix .o,\$x)\n\t@echo \$y \$(words \$x) \$(shell echo s) \$^\n%%.o:\n\t@echo making \$@; touch \$@\n.PHONY: all\n" >Makefile; make -s all; make -q all; echo $?; make -n -B all; make nothing; echo $?; true'
