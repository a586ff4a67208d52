/* jit: makes code at run time, tells profilers its name the way JIT compilers do, and spends its
 * CPU time there. jit quiet: without a word. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* mov $300000000,%eax; 1: dec %eax; jnz 1b; ret */
static const unsigned char code[] = {0xb8, 0x00, 0xa3, 0xe1, 0x11, 0xff, 0xc8, 0x75, 0xfc, 0xc3};

int main(int argc, char **argv)
{
    char path[64];
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return 1;
    memcpy(at, code, sizeof code);
    if (mprotect(at, 4096, PROT_READ | PROT_EXEC))
        return 1;
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    if (argc < 2 || strcmp(argv[1], "quiet") != 0) {
        FILE *map = fopen(path, "w");
        if (!map)
            return 1;
        fprintf(map, "%lx %zx made_at_run_time\n", (unsigned long)at, sizeof code);
        fclose(map);
    }
    void (*made)(void);
    memcpy(&made, &at, sizeof made);
    made();
    usleep(300000); /* a recorder looks a few times a second */
    return unlink(path) && argc < 2;
}
