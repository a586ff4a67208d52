/* clone without CLONE_THREAD: processes that share memory, or files, or neither, on stacks of their
 * own. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 256 << 10 };
static volatile unsigned long shared = 1;

static int body(void *argument)
{
    unsigned long n = (unsigned long)argument;
    for (unsigned long i = 0; i < 100000; i++)
        shared = shared * 31 + n;
    if (n % 4 == 3)
        close(0);
    return (int)n;
}

int main(void)
{
    static const int ways[] = {0,
                               CLONE_VM,
                               CLONE_VM | CLONE_FILES | CLONE_FS,
                               CLONE_FILES,
                               CLONE_VM | CLONE_SIGHAND | CLONE_FILES,
                               CLONE_VM | CLONE_VFORK};
    char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED)
        abort();
    for (unsigned long i = 0; i < 24; i++) {
        int status, flags = ways[i % 6];
        pid_t pid = clone(body, stack + STACK, flags | SIGCHLD, (void *)i);
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            abort();
        printf("%lu: %x, %lx\n", i, (unsigned)status, shared);
    }
    printf("stdin is %s\n", lseek(0, 0, SEEK_CUR) == -1 ? "closed or a pipe" : "open");
    return 0;
}
