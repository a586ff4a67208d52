with Rscript
slow r-computes Rscript --vanilla -e 'set.seed(7); x <- matrix(rnorm(2500), 50); cat(format(det(x), digits = 8), "\n"); print(summary(lm(mpg ~ wt + hp, mtcars))$r.squared); print(head(sort(table(strsplit("mississippi", "")[[1]]), decreasing = TRUE)))'
slow r-fails Rscript --vanilla -e 'r <- tryCatch(stop("as meant"), error = function(e) conditionMessage(e), finally = cat("finally\n")); print(r); stop("not caught")'
slow r-apply Rscript --vanilla -e 'print(sapply(split(mtcars$mpg, mtcars$cyl), mean)); f <- function(n) if (n < 2) n else f(n - 1) + f(n - 2); print(f(18)); print(sum(Reduce(`+`, 1:1000, accumulate = TRUE)))'
slow r-fft Rscript --vanilla -e 'print(round(Mod(fft(sin(1:64)))[1:5], 6)); print(integrate(dnorm, -2, 2)$value); print(optimize(function(x) (x - 2)^2, c(0, 5))$minimum)'
with gp
slow pari-computes sh -c 'echo "print(factor(2^101-1)); print(polroots(x^3-2)); print(primepi(100000)); error(7)" | gp -q -f -s 32M'
slow pari-integrates sh -c 'echo "default(realprecision, 60); print(intnum(x=0,1,exp(-x^2))); print(zeta(3)); print(lindep([Pi, atan(1)]))" | gp -q -f -s 64M'
with z3
slow z3-solves z3 problem.smt2
slow z3-bad sh -c 'echo "(assert (= 1 true)) (check-sat" | z3 -in'
with minisat
slow minisat sh -c 'minisat -verb=0 problem.cnf model; echo $?; cat model'
with glpsol
slow glpk sh -c 'glpsol --lp problem.lp -o out | grep -v "Time used\|Memory used\|GLPK"; grep -A9 Column out'
with cbc
slow cbc sh -c 'cbc problem.lp solve solution out | grep -i "objective value" | sed "s/ - .* seconds//"; tail -n 3 out'
with bc
slow bc-pi sh -c 'echo "scale=200; 4*a(1); 2^400; sqrt(2)" | bc -l'
slow bc-functions sh -c 'echo "define f(n) { if (n < 2) return n; return f(n-1) + f(n-2) } f(16); for (i = 0; i < 5; i++) i ^ 20; length(2^500); 1/0" | bc -q'
with dc
slow dc-macros dc -e '[d1-d0<F*]sF 30lFxp 2 64^p 16o 255p 5k 2vp [la1+dsap10>L]sL0sa lLx c z p'
with calc
slow calc-big calc -p 'fact(80); isqrt(10^60); gcd(2^60-1, 2^45-1)'
with units
slow units units -t '3 miles/hour' 'm/s'
with primesieve
slow primesieve-threads primesieve 1e8 --quiet -t2 -c
with datamash
slow datamash sh -c 'datamash -W -s -g 2 count 1 mean 3 median 1 <text | head -n 30'
with mlr
slow miller sh -c 'mlr --inidx --ifs " " --ojson stats1 -a p50,sum,count -f 1,3 -g 2 then sort -f 2 then head -n 5 text'
with recsel
slow recutils sh -c 'printf "a: 1\nb: x\n\na: 2\nb: y\n" >r.rec; recsel -e "a > 1" r.rec; recset -f b -s z r.rec; recfix --check r.rec; rec2csv r.rec'
with /usr/games/gnugo
slow gnugo sh -c 'printf "boardsize 9\nkomi 5.5\nplay b e5\ngenmove w\ngenmove b\nestimate_score\nquit\n" | /usr/games/gnugo --mode gtp --seed 7 --level 1'
with /usr/games/stockfish
slow stockfish sh -c 'printf "setoption name Threads value 1\nposition startpos moves e2e4\ngo depth 7\n" >in; (cat in; sleep 1.5; echo quit) | /usr/games/stockfish | sed -n "s/^bestmove/&/p"'
with bwa samtools
slow bwa-samtools sh -c 'awk "BEGIN { s = 7; print \">r\"; for (i = 0; i < 300; i++) { l = \"\"; for (k = 0; k < 60; k++) { s = (s * 1103515245 + 12345) % 2147483648; l = l substr(\"ACGT\", int(s / 65536) % 4 + 1, 1) } print l } }" >r.fa; awk "NR > 1 && NR % 10 == 2 { print \"@q\" NR \"\n\" \$0 \"\n+\n\" \$0 }" r.fa >q.fq; bwa index r.fa 2>/dev/null; bwa mem -t 2 r.fa q.fq 2>/dev/null | samtools sort -@ 2 2>/dev/null | samtools view | md5sum'
