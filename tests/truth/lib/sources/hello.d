import std.stdio, std.algorithm, std.range, std.parallelism;
void main()
{
    writeln(iota(1, 20_000).map!(x => x * x % 97).filter!(x => x & 1).sum);
    writeln(taskPool.reduce!"a + b"(iota(1, 100_000L)));
    try { int[] a; writeln(a[3]); } catch (Throwable) { writeln("range"); }
}
