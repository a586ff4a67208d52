/* Threads that fork and end at once: the child goes on alone, from a thread with many calling
 * contexts that its parent no longer has. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 8 };

__attribute__((noinline)) static uint64_t level0(uint64_t value)
{
    return value * 31 + 7;
}
#define LEVEL(this, next)                                                                          \
    __attribute__((noinline)) static uint64_t this(uint64_t value)                                 \
    {                                                                                              \
        uint64_t one = next(value * 3);                                                            \
        return one ^ next(value + 1);                                                              \
    }
LEVEL(level1, level0)
LEVEL(level2, level1)
LEVEL(level3, level2)
LEVEL(level4, level3)
LEVEL(level5, level4)
LEVEL(level6, level5)
LEVEL(level7, level6)
LEVEL(level8, level7)
LEVEL(level9, level8)
LEVEL(level10, level9)

static int channel[2];

static void *forks(void *argument)
{
    uint64_t sum = level10((uint64_t)argument);
    pid_t child = fork();
    if (child)
        return (void *)(uintptr_t)child;
    sum += level10(sum);
    if (write(channel[1], &sum, sizeof sum) != sizeof sum)
        _exit(1);
    _exit(0);
}

int main(void)
{
    for (uint64_t i = 0; i < FORKS; i++) {
        pthread_t thread;
        void *child;
        uint64_t sum = 0;
        int status;
        if (pipe(channel) || pthread_create(&thread, NULL, forks, (void *)(i + 1)))
            return 1;
        pthread_join(thread, &child);
        close(channel[1]);
        ssize_t bytes = read(channel[0], &sum, sizeof sum);
        waitpid((pid_t)(uintptr_t)child, &status, 0);
        printf("%zd bytes, %lx, status %d\n", bytes, sum, status);
        close(channel[0]);
    }
    return 0;
}
