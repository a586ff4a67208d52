package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
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
	case "preempts":
		done := make(chan uint64)
		for i := 0; i < 4; i++ {
			go func(n int) { done <- compute(30000000 + n) }(i)
		}
		s := uint64(0)
		for i := 0; i < 4; i++ {
			runtime.GC()
			s ^= <-done
		}
		fmt.Println(s)
	case "deadlock":
		<-make(chan int)
	}
}
