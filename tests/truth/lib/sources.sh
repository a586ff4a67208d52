# prepare_sources FOLDER [all]: copies the small programs of tests/truth/lib/sources there; with "all" those that need
# a compiler are built, natively. What a machine cannot build is absent, and so are the commands that run it.

prepare_sources() {
    cp tests/truth/lib/sources/* "$1"
    [ "$2" = all ] || return 0
    (
        cd "$1" || exit 1
        export GOCACHE=$PWD/../gocache GOFLAGS=-mod=mod
        gcc -O0 -g -o out-debug source.c 2>/dev/null
        ! command -v javac >/dev/null || javac ./*.java
        ! command -v rustc >/dev/null || rustc -O -o hello-rs hello.rs
        ! command -v ghc >/dev/null || ghc -v0 -O1 -threaded -rtsopts -outputdir ../ghc -o hello-hs hello.hs
        ! command -v go >/dev/null || {
            go build -o hello-go hello.go
            CGO_ENABLED=0 go build -o hello-go-static hello.go
            printf 'module hello\ngo 1.19\n' >go.mod
        }
    )
}
