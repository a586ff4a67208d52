/* stepper COMMAND...: how often each instruction runs natively, between the first and the second
 * SIGWINCH that the command gets, by single steps of ptrace. Lines of "MODULE OFFSET COUNT"; an
 * instruction that repeats itself counts once. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLACES = 1 << 16, MAPS = 256 };

static struct {
    uint64_t pc, count;
} places[PLACES];

static struct {
    uint64_t start, end, base;
    char name[256];
} maps[MAPS];
static unsigned n_maps;

static void count(uint64_t pc)
{
    uint64_t at = pc * 0x9e3779b97f4a7c15 >> 48;
    while (places[at].pc && places[at].pc != pc)
        at = (at + 1) % PLACES;
    places[at].pc = pc;
    places[at].count++;
}

static void maps_read(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && n_maps < MAPS && fgets(line, sizeof line, file)) {
        unsigned long start, end, offset;
        char rights[8], name[256] = "-";
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, rights, &offset, name) < 4)
            continue;
        const char *slash = strrchr(name, '/');
        maps[n_maps].start = start, maps[n_maps].end = end, maps[n_maps].base = start - offset;
        snprintf(maps[n_maps++].name, sizeof maps->name, "%s", slash ? slash + 1 : name);
    }
    if (file)
        fclose(file);
}

static void print(void)
{
    for (unsigned i = 0; i < PLACES; i++)
        for (unsigned j = 0; places[i].pc && j < n_maps; j++)
            if (places[i].pc >= maps[j].start && places[i].pc < maps[j].end)
                printf("%s %lx %lu\n", maps[j].name, places[i].pc - maps[j].base, places[i].count);
}

/* The signal that stopped it; -1: it ended. */
static int go(pid_t pid, int how, int signal)
{
    int status;
    if (ptrace(how, pid, NULL, (void *)(long)signal) || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFSTOPPED(status) ? WSTOPSIG(status) : -1;
}

static int steps(pid_t pid)
{
    struct user_regs_struct regs;
    uint64_t before = 0;
    maps_read(pid);
    for (int signal = 0;;) {
        ptrace(PTRACE_GETREGS, pid, NULL, &regs);
        if (regs.rip != before)
            count(regs.rip);
        before = regs.rip;
        signal = go(pid, PTRACE_SINGLESTEP, signal);
        if (signal == SIGWINCH || signal == -1)
            return signal;
        if (signal == SIGTRAP)
            signal = 0;
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) { /* run like the other programs, it has nothing to do */
        puts("stepper COMMAND...");
        return 0;
    }
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status, signal;
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        return 2;
    while ((signal = go(pid, PTRACE_CONT, 0)) != SIGWINCH)
        if (signal == -1)
            return 2;
    if (steps(pid) != SIGWINCH)
        return 2;
    print();
    fflush(stdout); /* the command has the same */
    while (go(pid, PTRACE_CONT, 0) != -1)
        continue;
    return 0;
}
