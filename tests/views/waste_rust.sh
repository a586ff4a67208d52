#!/bin/bash
# gait waste of a Rust program: memory that is filled twice is found, in the thread that the program starts, by its Rust name and line; none in
# a twin that fills it once. The same when two threads fill memory of their own: the windows of each see that the other does not touch it. If
# the other reads it all the time, next to nothing is called dead.
cd "$(dirname "$0")/../.." || exit 1
. tests/live/lib/live.sh
command -v rustc >/dev/null || skip 'no rustc: apt install rustc'
cat >"$work/fill.rs" <<'RS'
#[inline(never)]
fn fill(buffer: &mut [u64], value: u64, twice: bool) {
    if twice {
        for slot in buffer.iter_mut() {
            unsafe { std::ptr::write_volatile(slot, 0) }
        }
    }
    for slot in buffer.iter_mut() {
        unsafe { std::ptr::write_volatile(slot, value) }
    }
}
#[inline(never)]
fn sum(buffer: &[u64]) -> u64 {
    buffer.iter().fold(0, |a, b| a.wrapping_mul(3) ^ b)
}
static mut SHARED: [u64; 256] = [0; 256];
fn shared() -> &'static mut [u64] {
    unsafe { std::slice::from_raw_parts_mut(std::ptr::addr_of_mut!(SHARED) as *mut u64, 256) }
}
#[inline(never)]
fn look() -> u64 {
    shared().iter().fold(0, |a, b| a ^ unsafe { std::ptr::read_volatile(b) })
}
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let (threads, twice) = (words[1].parse::<u64>().unwrap(), words[2] != "once");
    let read = words[2] == "read";
    let begin = std::sync::Arc::new(std::sync::Barrier::new(threads as usize));
    let all: Vec<_> = (0..threads)
        .map(|n| {
            let begin = begin.clone();
            std::thread::spawn(move || {
                // The one that reads has run for a while before the other begins to fill.
                for _ in 0..if read && n > 0 { 1000000 } else { 0 } {
                    std::hint::black_box(look());
                }
                begin.wait();
                let (mut buffer, mut all) = (vec![0u64; 256], 0u64);
                for i in 0..1500000u64 {
                    if read {
                        if n > 0 {
                            all ^= look();
                        } else {
                            fill(shared(), i, twice);
                        }
                        continue;
                    }
                    fill(&mut buffer, i + n + 1, twice);
                    all = all.wrapping_add(sum(&buffer));
                }
                all
            })
        })
        .collect();
    println!("{}", all.into_iter().map(|t| t.join().unwrap()).fold(0u64, u64::wrapping_add));
}
RS
rustc -O -g -o "$work/fill" "$work/fill.rs" 2>"$work/log" || { cat "$work/log"; bad 'the test program could not be built'; finish; }
for case in '1 twice' '1 once' '2 twice' '2 read'; do
    "$gait" record -q --overhead 10% --seed 1 --events edge,call,stack,address,value -o "$work/data" -- "$work/fill" $case >/dev/null || bad "record $case: status $?"
    "$gait" waste --json "$work/data" >"$work/${case/ /-}" || bad "waste $case: status $?"
done
/usr/bin/python3 -B - "$work" <<'PY' || bad 'findings'
import json, sys
def dead(case):
    rows = [r for r in json.load(open(f'{sys.argv[1]}/{case}'))['rows'] if r['kind'] == 'dead-store' and 'fill' in r['first_function']]
    print(case, len(rows), sum(r['share'] for r in rows))
    return rows
planted = dead('1-twice')
assert planted and 0.08 < sum(r['share'] for r in planted) < 0.4, planted
assert all(r['of'] > 0.8 and r['first_function'] == 'fill::fill' for r in planted), planted
assert not dead('1-once')
assert 0.08 < sum(r['share'] for r in dead('2-twice')) < 0.4
assert sum(r['share'] for r in dead('2-read')) < 0.02
PY
finish
