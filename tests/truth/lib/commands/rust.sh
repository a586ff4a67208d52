slow rust-compute ./hello-rs compute
slow rust-threads ./hello-rs threads
slow rust-panics sh -c './hello-rs panics 2>&1 | sed "s/([0-9]*)//"'
slow rustc-version rustc --version
slow rustc-compiles sh -c 'rustc -C opt-level=1 -o out hello.rs && ./out compute'
