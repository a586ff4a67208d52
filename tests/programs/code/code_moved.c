/* Code that moves: mremap of a page of it, a file mapped over it, a copy at a fixed address,
 * unmapped and mapped again with something else. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };
int one(void);
int two(void);
__asm__(".text\n.balign 4096\none: mov $1,%eax\n ret\n.balign 4096\ntwo: mov $2,%eax\n "
        "ret\n.balign 4096\n");

static uint64_t call_often(void *code)
{
    int (*function)(void);
    memcpy(&function, &code, sizeof function);
    uint64_t sum = 0;
    for (int i = 0; i < 1000000; i++)
        sum += (uint64_t)function();
    return sum;
}

static int file_of(const void *from)
{
    char path[] = "/tmp/gait-code-XXXXXX";
    int fd = mkstemp(path);
    unlink(path);
    if (fd < 0 || write(fd, from, PAGE) != PAGE)
        abort();
    return fd;
}

int main(void)
{
    int files[2] = {file_of((void *)one), file_of((void *)two)};
    void *at = (void *)0x710000000, *to = (void *)0x720000000;
    for (int i = 0; i < 10; i++) {
        if (mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, files[i & 1], 0) != at)
            abort();
        printf("%d: %lu", i, call_often(at));
        if (i % 3 == 0) {
            if (mremap(at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
                abort();
            printf(", moved %lu", call_often(to));
        } else if (i % 3 == 1)
            munmap(at, PAGE);
        puts("");
    }
    return 0;
}
