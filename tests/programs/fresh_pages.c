/* Two functions that run the same instructions, in turns: one on memory that it is the first to
 * touch, so that the kernel serves a fault every few thousand instructions, the other on one page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { PAGES = 4096, PAGE = 4096, N = 600 };

static unsigned state = 1;

#define PART(name)                                                                                 \
    __attribute__((noipa, aligned(1024))) static void name(unsigned char *page)                    \
    {                                                                                              \
        unsigned s = state;                                                                        \
        for (int i = 0; i < N; i++) {                                                              \
            s = s * 1664525 + 1013904223;                                                          \
            page[i] += (unsigned char)(s >> 24);                                                   \
        }                                                                                          \
        state = s;                                                                                 \
    }
PART(fresh)
PART(warm)

int main(int argc, char **argv)
{
    static unsigned char page[PAGE];
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    for (int r = 0; r < rounds; r++) {
        unsigned char *pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            return 1;
        madvise(pages, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
        for (int i = 0; i < PAGES; i++)
            fresh(pages + (size_t)i * PAGE);
        munmap(pages, (size_t)PAGES * PAGE);
        for (int i = 0; i < PAGES; i++)
            warm(page);
    }
    printf("%u\n", state);
    return 0;
}
