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
