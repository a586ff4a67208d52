use std::collections::HashMap;
mod text { pub fn words(n: usize) -> std::collections::HashMap<String, usize> { let mut m = std::collections::HashMap::new(); for i in 0..n { for w in format!("the quick brown fox {}", i % 1000).split(' ') { *m.entry(w.to_string()).or_insert(0) += 1; } } m } }
trait Shape { fn area(&self) -> f64; }
struct Disc(f64); struct Box2(f64, f64);
impl Shape for Disc { fn area(&self) -> f64 { (0..200).fold(0.0, |a, i| a + self.0 * (i as f64).sqrt()) } }
impl Shape for Box2 { fn area(&self) -> f64 { self.0 * self.1 } }
fn sum(v: &[Box<dyn Shape>]) -> f64 { v.iter().map(|s| s.area()).sum() }
fn main() { let n: usize = std::env::args().nth(1).unwrap().parse().unwrap(); let v: Vec<Box<dyn Shape>> = (0..1000).map(|i| if i % 3 == 0 { Box::new(Disc(i as f64)) as Box<dyn Shape> } else { Box::new(Box2(1.0, 2.0)) }).collect(); let mut t = 0.0; let mut m: HashMap<String, usize> = HashMap::new(); for _ in 0..n { t += sum(&v); m.extend(text::words(2000)); } println!("{} {}", t, m.len()); }
