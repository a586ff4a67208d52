# Small programs in many languages, for tests/truth/lib/commands.sh. prepare_sources FOLDER [all]: writes them; with
# "all" those that need a compiler are built, natively.

prepare_sources() {
    cat >"$1/source.c" <<'C'
#include <stdio.h>
static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
int main(void) { int unused; for (int i = 0; i < 20; i++) printf("%d %d\n", i, f(i)); return 0; }
C
    [ "$2" = all ] || return 0
    echo 'int main(void) { return undeclared + ; }' >"$1/broken.c"
    cat >"$1/source.cc" <<'C'
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
template <int N> struct F { static constexpr long value = F<N - 1>::value + F<N - 2>::value; };
template <> struct F<1> { static constexpr long value = 1; };
template <> struct F<0> { static constexpr long value = 0; };
int main()
{
    std::map<std::string, int> m;
    std::vector<int> v;
    for (int i = 0; i < 2000; i++)
        m["k" + std::to_string(i % 97)] += i, v.push_back(i * 7919 % 1009);
    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 31 != b % 31 ? a % 31 < b % 31 : a < b; });
    std::cout << F<60>::value << ' ' << m["k13"] << ' ' << v[1000] << ' '
              << std::regex_replace(std::string("aaxbbx"), std::regex("[a-b]+"), "<$&>") << '\n';
    try { m.at("none"); } catch (const std::out_of_range &) { std::cout << "out of range\n"; }
    return 3;
}
C
    echo 'template <class T> void f(T t) { t.none(); } int main() { f(1); undeclared(); }' >"$1/broken.cc"
    cat >"$1/source.py" <<'P'
"""
>>> fib(10)
55
>>> [n for n in range(5)]
[0, 1, 2, 3, 4]
"""
import collections, functools, itertools


@functools.lru_cache(None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Tree:
    def __init__(self, *below):
        self.below = below

    def __iter__(self):
        for b in self.below:
            yield from b if isinstance(b, Tree) else [b]


if __name__ == "__main__":
    print(fib(90), list(Tree(1, Tree(2, Tree(3)), 4)), collections.Counter("mississippi").most_common(2))
    print(sum(1 for p in itertools.permutations(range(7)) if p[0] < p[1]))
P
    cat >"$1/Hello.java" <<'J'
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Hello {
    static long compute(int n) {
        long s = 1;
        for (int i = 0; i < n; i++) s = s * 31 + (i ^ (s >>> 7));
        return s;
    }
    public static void main(String[] a) throws Exception {
        switch (a[0]) {
        case "brief":
            System.out.println(compute(100000));
            break;
        case "compute":
            System.out.println(compute(20000000) + " " + IntStream.range(0, 100000).boxed().collect(Collectors.groupingBy(i -> i % 7, TreeMap::new, Collectors.counting())));
            break;
        case "threads":
            ExecutorService e = Executors.newFixedThreadPool(4);
            List<Future<Long>> f = new ArrayList<>();
            for (int i = 0; i < 16; i++) { final int n = i; f.add(e.submit(() -> compute(100000 + n))); }
            long s = 0;
            for (Future<Long> x : f) s ^= x.get();
            e.shutdown();
            System.out.println(s);
            break;
        case "throws":
            int caught = 0;
            for (int i = 0; i < 20000; i++) try { Object o = null; if (i % 2 == 0) o.hashCode(); else throw new IllegalStateException("x"); } catch (RuntimeException x) { caught++; }
            int[] z = new int[3];
            try { z[caught] = 1; } catch (ArrayIndexOutOfBoundsException x) { System.out.println(x.getMessage()); }
            try { deep(0); } catch (StackOverflowError x) { System.out.println("overflow"); }
            throw new RuntimeException("not caught " + caught);
        case "garbage":
            long sum = 0;
            for (int i = 0; i < 300; i++) { byte[][] b = new byte[100][]; for (int k = 0; k < 100; k++) b[k] = new byte[10000]; sum += b.length; }
            System.out.println(sum);
            break;
        case "exits":
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
            System.exit(7);
        }
    }
    static int deep(int n) { return deep(n + 1) + 1; }
}
J
    cat >"$1/hello.go" <<'G'
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

func compute(n int) uint64 {
	s := uint64(1)
	for i := 0; i < n; i++ {
		s = s*31 + (uint64(i) ^ s>>7)
	}
	return s
}

func main() {
	switch os.Args[1] {
	case "compute":
		m := map[string]int{}
		for i := 0; i < 100000; i++ {
			m[fmt.Sprint(i%977)] += i
		}
		fmt.Println(compute(20000000), len(m), m["13"])
	case "routines":
		var w sync.WaitGroup
		c := make(chan uint64, 8)
		for i := 0; i < 200; i++ {
			w.Add(1)
			go func(n int) { defer w.Done(); c <- compute(10000 + n) }(i)
		}
		go func() { w.Wait(); close(c) }()
		s := uint64(0)
		for x := range c {
			s ^= x
		}
		fmt.Println(s)
	case "panics":
		func() {
			defer func() { fmt.Println("recovered", recover()) }()
			var p *int
			fmt.Println(*p)
		}()
		os.Exit(11)
	case "signals":
		c := make(chan os.Signal, 100)
		signal.Notify(c, syscall.SIGUSR1)
		for i := 0; i < 50; i++ {
			syscall.Kill(os.Getpid(), syscall.SIGUSR1)
			<-c
			compute(100000)
		}
		fmt.Println("all came")
	}
}
G
    cat >"$1/hello.rs" <<'R'
use std::collections::BTreeMap;
use std::thread;

fn compute(n: u64) -> u64 {
    let mut s: u64 = 1;
    for i in 0..n {
        s = s.wrapping_mul(31).wrapping_add(i ^ s >> 7);
    }
    s
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("compute") => {
            let mut m = BTreeMap::new();
            for i in 0..100000u64 {
                *m.entry(format!("{}", i % 977)).or_insert(0) += i;
            }
            println!("{} {} {}", compute(5000000), m.len(), m["13"]);
        }
        Some("threads") => {
            let t: Vec<_> = (0..8).map(|i| thread::spawn(move || compute(100000 + i))).collect();
            println!("{}", t.into_iter().map(|x| x.join().unwrap()).fold(0, |a, b| a ^ b));
        }
        Some("panics") => {
            let r = thread::spawn(|| if compute(3) > 0 { panic!("in a thread") }).join();
            println!("joined, failed: {}", r.is_err());
            let v: Vec<u8> = vec![];
            println!("{}", v[compute(1) as usize]);
        }
        _ => std::process::exit(9),
    }
}
R
    (
        cd "$1" || exit 1
        gcc -O0 -g -o out-debug source.c 2>/dev/null
        ! command -v javac >/dev/null || javac Hello.java
        ! command -v go >/dev/null || { GOCACHE=$PWD/../gocache go build -o hello-go hello.go && printf 'module hello\ngo 1.19\n' >go.mod; }
        ! command -v rustc >/dev/null || rustc -O -o hello-rs hello.rs
    )
}
