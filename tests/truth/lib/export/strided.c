/* Goes down the columns of a large table, a few rows at a time from anywhere: the address of each
 * load goes on by a row, and no processor learns that in time. */
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 64, LINES = 1091, ROW = LINES * LINE, ROWS = 3000, RUN = 12 };

static long column(const char *table, long rows)
{
    long sum = 0;
#pragma clang loop unroll(disable)
    for (long i = 0; i < rows; i++)
        sum = sum * 3 + (*(const long *)(table + i * ROW) ^ *(const long *)(table + i * ROW + 8));
    return sum;
}

__attribute__((noinline)) long walk(const char *table, long rows)
{
    __asm__ volatile("");
    return column(table, rows);
}

int main(int argc, char **argv)
{
    char *table = malloc((size_t)ROW * ROWS);
    unsigned long sum = 0, turns = argc > 1 ? strtoul(argv[1], NULL, 0) : 3, random = 1;
    for (size_t i = 0; i < (size_t)ROW * ROWS; i += LINE)
        table[i] = (char)(i >> 6);
    for (unsigned long t = 0; t < turns; t++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned long from = (random >> 33) % (ROWS - RUN), line = (random >> 20) % LINES;
        sum += (unsigned long)walk(table + from * ROW + line * LINE, RUN);
    }
    printf("%lu\n", sum);
    free(table);
    return 0;
}
