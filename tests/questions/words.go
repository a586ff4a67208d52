package main

import (
	"fmt"
	"strings"
	"sync"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func words(n int) int {
	t := 0
	for i := 0; i < n; i++ {
		t += len(strings.Split(fmt.Sprintf("the quick brown fox %d", i), " "))
	}
	return t
}

func main() {
	var group sync.WaitGroup
	for i := 0; i < 4; i++ {
		group.Add(1)
		go func() { fib(36); words(200000); group.Done() }()
	}
	group.Wait()
}
