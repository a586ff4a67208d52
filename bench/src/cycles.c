/* How many cycles of the core a program's user code takes, without a counter of cycles.
 *
 *     cycles LOG CMD...      runs CMD once and adds a line to LOG: cycles in all, user nanoseconds, kernel nanoseconds
 *
 * A chain of additions takes a cycle each; timed before and behind the program it tells the pace of the core, which is not that of any
 * clock. The kernel knows to the nanosecond what a process took in all, and how much of it was user code only by ticks: so the line
 * has all of it in cycles, and whoever sums the lines of many runs knows the share. */
#include "pace.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: cycles LOG CMD...\n");
        return 129;
    }
    double before = pace();
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    struct rusage usage;
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
        perror("cycles");
        return 125;
    }
    double cycles = (double)(ns_of(usage.ru_utime) + ns_of(usage.ru_stime)) * (before + pace()) / 2;
    FILE *log = fopen(argv[1], "ae");
    if (!log ||
        fprintf(log, "%.0f %llu %llu\n", cycles, (unsigned long long)ns_of(usage.ru_utime),
                (unsigned long long)ns_of(usage.ru_stime)) < 0 ||
        fclose(log) != 0) {
        perror(argv[1]);
        return 125;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
