slow go-compute ./hello-go compute
slow go-routines ./hello-go routines
slow go-panics ./hello-go panics
slow go-signals ./hello-go signals
slow gofmt gofmt hello.go
slow go-vet go vet hello.go
with go
slow go-tests sh -c 'printf "package hello\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Run(\"b\", func(t *testing.T) { t.Parallel() }) }\nfunc TestC(t *testing.T) { t.Skip() }\n" >a_test.go; mkdir m; mv a_test.go m; cd m; printf "module m\ngo 1.19\n" >go.mod; GOCACHE=$PWD/c GOFLAGS=-mod=mod go test -v . 2>&1 | sed "s/[0-9.]*s)*$//"'
slow go-nocgo-garbage env GOGC=5 GODEBUG=asyncpreemptoff=0 ./hello-go compute
slow go-one-processor env GOMAXPROCS=1 ./hello-go routines
slow go-preempts ./hello-go preempts
slow go-deadlock sh -c './hello-go deadlock 2>&1 | head -n 1; ./hello-go deadlock 2>/dev/null; echo $?'
slow go-static ./hello-go-static routines
