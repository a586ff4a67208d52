#include <stdio.h>
static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
int main(void) { int unused; for (int i = 0; i < 20; i++) printf("%d %d\n", i, f(i)); return 0; }
