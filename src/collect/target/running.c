#include "collect/target/running.h"

#include "base/err.h"
#include "base/vec.h"
#include "collect/target/attachable.h"
#include "collect/target/cpu_times.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 500000000 };

struct process {
    int pid;
    uint64_t before, used; /* CPU time, ns */
};
struct processes {
    VEC(struct process);
};

static uint64_t cpu_ns(int pid)
{
    struct cpu_times times = {0};
    return cpu_times_process(pid, &times) ? times.user_ns + times.kernel_ns : 0;
}

/* 0: none, or not known. */
static int parent_of(int pid)
{
    char path[32], text[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = 0;
    if (file)
        fclose(file);
    const char *name_end = strrchr(text, ')');
    return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static bool is_ours(int pid)
{
    for (int at = getpid(); at > 0; at = parent_of(at))
        if (at == pid)
            return true;
    return pid == 1;
}

static void processes_list(struct processes *processes)
{
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (!*end && pid > 0 && !is_ours((int)pid))
            *vec_push(processes) = (struct process){(int)pid, cpu_ns((int)pid), 0};
    }
    if (folder)
        closedir(folder);
}

static int busiest_first(const void *a, const void *b)
{
    const struct process *x = a, *y = b;
    if (x->used != y->used)
        return x->used > y->used ? -1 : 1;
    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

struct running running_find(int *ret_pids, size_t room)
{
    struct running running = {0};
    struct processes processes = {0};
    processes_list(&processes);
    nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL);
    for (size_t i = 0; i < processes.n; i++) {
        uint64_t now = cpu_ns(processes.at[i].pid);
        processes.at[i].used = now > processes.at[i].before ? now - processes.at[i].before : 0;
    }
    if (processes.n)
        qsort(processes.at, processes.n, sizeof *processes.at, busiest_first);
    for (size_t i = 0; i < processes.n && processes.at[i].used; i++) {
        struct err ignored;
        if (!attachable_check(processes.at[i].pid, &ignored))
            running.refused++;
        else if (running.n == room)
            running.too_many++;
        else
            ret_pids[running.n++] = processes.at[i].pid;
    }
    vec_release(&processes);
    return running;
}
