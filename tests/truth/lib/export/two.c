int even(int n);
int two(int n);
int odd(int n);

__attribute__((noinline)) int odd(int n)
{
    return n ? even(n - 1) : 0;
}

__attribute__((noinline)) static int helper(int n)
{
    int bits = 0;
    while (n) {
        bits += n & 1;
        n >>= 1;
    }
    return bits;
}

int two(int n)
{
    return helper(n) + helper(n * 3);
}
