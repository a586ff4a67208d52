/* string_sets [ROUNDS]: glibc's functions for strings and memory, in short and long, at odd places.
 * Every round does the same. The last is between two signals to itself that nobody minds: a tracer
 * can tell it apart. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <wchar.h>

enum { BYTES = 4096, SIGNAL = 28 /* SIGWINCH */ };
static char one[BYTES] __attribute__((aligned(4096))), two[BYTES] __attribute__((aligned(4096)));
static wchar_t wide[256] __attribute__((aligned(64)));

/* Without libc, whose code is counted. */
static void mark(void)
{
    long pid, result;
    __asm__ volatile("syscall" : "=a"(pid) : "a"(SYS_getpid) : "rcx", "r11", "memory");
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_kill), "D"(pid), "S"(SIGNAL)
                     : "rcx", "r11", "memory");
}

static uint64_t copies(size_t n, size_t at)
{
    memset(one + at, 'a' + (int)(n % 20), n);
    memcpy(two + at + 1, one + at, n);
    memmove(two + at + 5, two + at, n);
    memmove(two + at, two + at + 3, n);
    one[at + n] = two[at + n] = 0;
    strcpy(two + at, one + at);
    strncpy(two + at, one + at, n / 2);
    strcat(strcpy(two, "x"), one + at);
    return (uint64_t)(stpcpy(two + at, one + at) - two) + (uint64_t)(unsigned char)two[at + n / 2];
}

/* Only signs: how far apart strings are differs from one set of functions to another. */
static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static uint64_t searches(size_t n, size_t at)
{
    uint64_t sum = strlen(one + at) * 3 + strnlen(one + at, n / 2);
    one[at + n / 2] = '#';
    sum = sum * 31 + (uint64_t)(strchr(one + at, '#') - one);
    sum = sum * 31 + (uint64_t)(strrchr(one + at, '#') - one);
    sum = sum * 31 + (uint64_t)(strchrnul(one + at, '!') - one);
    sum = sum * 31 + (uint64_t)((char *)memchr(one + at, '#', n + 1) - one);
    sum = sum * 31 + (uint64_t)((char *)memrchr(one + at, '#', n + 1) - one);
    sum = sum * 31 + (uint64_t)((char *)rawmemchr(one + at, '#') - one);
    sum = sum * 31 + (uint64_t)(strstr(one + at, "#") - one);
    sum = sum * 31 + strspn(one + at, "abcdefghijklmnopqrst") + strcspn(one + at, "#!");
    sum = sum * 31 + (uint64_t)(strpbrk(one + at, "!#") - one);
    sum = sum * 31 + (uint64_t)(sign(strcmp(one + at, two + at)) + 2);
    sum = sum * 31 + (uint64_t)(sign(strncmp(one + at, two + at, n)) + 2);
    sum = sum * 31 + (uint64_t)(sign(memcmp(one + at, two + at, n)) + 2);
    sum = sum * 31 + (uint64_t)(sign(strcasecmp(one + at, two + at)) + 2);
    sum = sum * 31 + (uint64_t)(sign(strncasecmp(one + at, two + at, n)) + 2);
    return sum;
}

static uint64_t wides(size_t n)
{
    wmemset(wide, L'w', n);
    wide[n] = 0;
    return wcslen(wide) + (uint64_t)(wcschr(wide, L'w') - wide) + wcsnlen(wide, n / 2) +
           (uint64_t)(sign(wcscmp(wide, wide + 1)) + 2) + (wmemchr(wide, L'x', n) ? 1 : 0);
}

__attribute__((noinline)) static uint64_t round_of_all(void)
{
    static const size_t sizes[] = {1,  2,  3,  7,  8,  15,  16,  17,  31,  32, 33,
                                   47, 63, 64, 65, 96, 127, 128, 129, 200, 255};
    uint64_t sum = 0;
    memset(one, 0, BYTES);
    memset(two, 0, BYTES);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sum = sum * 31 + copies(sizes[i], 1 + i % 5);
        sum = sum * 31 + searches(sizes[i], 1 + i % 5);
        sum = sum * 31 + wides(sizes[i]);
    }
    memcpy(two, one, BYTES - 64);
    memmove(one + 32, one, BYTES - 64);
    return sum * 31 + (uint64_t)(unsigned char)one[BYTES / 2];
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    uint64_t sum = 0;
    for (int i = 1; i < rounds; i++)
        sum = round_of_all();
    mark();
    uint64_t last = round_of_all();
    mark();
    printf("%lx, %s\n", last, rounds > 1 && sum != last ? "not always" : "always");
    return 0;
}
