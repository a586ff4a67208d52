/* A tree of forks, five deep: each process works, waits for its children and adds up what they say.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t toil(uint64_t x)
{
    for (int i = 0; i < 30000; i++)
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static uint32_t grow(int depth, uint64_t seed)
{
    uint32_t sum = (uint32_t)toil(seed);
    if (depth == 0)
        return sum;
    int ends[2];
    if (pipe(ends))
        abort();
    for (uint64_t i = 0; i < 3; i++) {
        pid_t pid = fork();
        if (pid < 0)
            abort();
        if (pid == 0) {
            uint32_t below = grow(depth - 1, seed * 3 + i + 1);
            if (write(ends[1], &below, sizeof below) != sizeof below)
                abort();
            _exit((int)i + 1);
        }
    }
    for (int i = 0; i < 3; i++) {
        uint32_t below;
        int status;
        if (read(ends[0], &below, sizeof below) != sizeof below || wait(&status) < 0)
            abort();
        sum += below + (uint32_t)status;
    }
    close(ends[0]), close(ends[1]);
    return sum;
}

int main(void)
{
    printf("%x\n", grow(4, 1));
    return 0;
}
