#include <stdio.h>
int main(void)
{
    unsigned s = 1;
    for (int i = 0; i < 40000000; i++) {
        s = s * 1664525u + 1013904223u;
        if (s >> 31)
            s ^= (unsigned)i;
    }
    printf("%u\n", s);
    return 0;
}
