with php
slow php-arrays php -r '$a = []; for ($i = 0; $i < 30000; $i++) $a["k" . $i % 97][] = $i * 7919 % 1009; ksort($a); foreach ($a as $k => $v) echo $k, " ", array_sum($v), "\n";'
slow php-regex php -r 'echo preg_match_all("/(\d)(\d)\\2\\1/", file_get_contents("text")), "\n", preg_replace_callback("/word(\d+)/", fn($m) => $m[1] * 2, "word4 word5"), "\n";'
slow php-generators php -r 'function g($n) { for ($i = 0; $i < $n; $i++) { $x = yield $i => $i * $i; if ($x) echo "sent $x\n"; } return "end"; } $g = g(1000); $s = 0; foreach ($g as $k => $v) $s += $v; echo $s, $g->getReturn(), "\n";'
slow php-throws php -r 'try { intdiv(1, 0); } catch (DivisionByZeroError $e) { echo $e->getMessage(), "\n"; } finally { echo "finally\n"; } throw new RuntimeException("as meant");'
slow php-fibers php -r '$f = new Fiber(function ($x) { while ($x < 50) $x = Fiber::suspend($x * 2); return "done $x"; }); $r = $f->start(1); while (!$f->isTerminated()) $r = $f->resume($r + 1); echo $f->getReturn(), "\n";'
slow php-jit php -d opcache.enable_cli=1 -d opcache.jit_buffer_size=16M -d opcache.jit=1255 -r 'function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); } echo fib(24), "\n"; $s = 0; for ($i = 0; $i < 1000000; $i++) $s = ($s * 31 + $i) % 1000003; echo $s, "\n";'
slow php-fatal php -r 'echo "before\n"; nothing_like_this();'
slow php-memory php -d memory_limit=8M -r 'echo "x\n"; $a = []; while (true) $a[] = str_repeat("x", 10000);'
slow php-json php -r '$d = ["a" => [1, 2.5, null, true], "b" => str_repeat("é", 100)]; echo md5(json_encode($d)), json_encode(json_decode("[1,{\"x\":2}]", true)), "\n"; var_dump(json_decode("{bad"), json_last_error_msg());'
slow php-lint php -l source.c
