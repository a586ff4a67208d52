function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function words(k) { let t = 0; for (let i = 0; i < k; i++) t += ("the quick brown fox " + i).split(" ").map(w => w.length).reduce((a, b) => a + b, 0); return t; }
function main() { let s = 0; for (let i = 0; i < +process.argv[2]; i++) { s += fib(27); s += words(40000); } console.log(s); }
main();
