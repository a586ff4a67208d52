/* vfork and posix_spawn, many times: the child borrows its parent's memory, changes it, and execs
 * or ends. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int written;

static int status_of(pid_t pid)
{
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    return status;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return atoi(argv[1]) * 3;
    unsigned sum = 0;
    for (int i = 0; i < 60; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        pid_t pid;
        switch (i % 3) {
        case 0:
            pid = vfork();
            if (pid == 0) {
                written += i;
                _exit(i);
            }
            break;
        case 1:
            pid = vfork();
            if (pid == 0) {
                written++;
                execl("/proc/self/exe", "again", number, (char *)NULL);
                _exit(127);
            }
            break;
        default: {
            char *words[] = {"again", number, NULL};
            posix_spawn_file_actions_t actions;
            posix_spawn_file_actions_init(&actions);
            posix_spawn_file_actions_addclose(&actions, 0);
            if (posix_spawn(&pid, "/proc/self/exe", &actions, NULL, words, environ))
                abort();
            posix_spawn_file_actions_destroy(&actions);
        }
        }
        sum = sum * 31 + (unsigned)status_of(pid);
    }
    pid_t pid = vfork();
    if (pid == 0) {
        execl("/nonexistent", "nothing", (char *)NULL);
        _exit(99);
    }
    printf("%u, %d written, %d\n", sum, written, status_of(pid));
    return 0;
}
