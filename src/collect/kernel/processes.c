#include "collect/kernel/processes.h"

#include "collect/perf/perf_record.h"
#include "collect/perf/proc.h"
#include "profile/profile.h"

#include <string.h>

void processes_init(struct processes *processes, struct profile *profile)
{
    *processes = (struct processes){.profile = profile};
    files_init(&processes->files, profile);
    map_init(&processes->pids, sizeof(uint32_t));
}

void processes_release(struct processes *processes)
{
    for (size_t i = 0; i < processes->n; i++) {
        mappings_release(&processes->at[i]->mappings);
        stack_past_release(&processes->at[i]->past);
        mem_free(processes->at[i]);
    }
    vec_release(processes);
    map_release(&processes->pids);
    files_release(&processes->files);
}

/* ---- mappings */

/* Code that lies in no file of anybody's making but the process's own. */
static bool is_jit(const char *path)
{
    static const char *const made[] = {
        "//anon",      "[heap]",    "[stack]", "/memfd:", "/dev/zero",
        "anon_inode:", "/dev/shm/", "/SYSV",   "[anon"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strncmp(path, made[i], strlen(made[i])) == 0)
            return true;
    return !*path;
}

static void process_map(struct processes *processes, struct process *process,
                        const struct perf_mapping *mapping)
{
    uint64_t start = mapping->start, end = start + mapping->bytes;
    if (start >= end || mapping->offset > UINT64_MAX / 2)
        return;
    struct mapping put = {.start = start, .end = end};
    if (is_jit(mapping->path) && process->walked) /* the agent's copies, mostly */
        return;
    if (is_jit(mapping->path)) {
        process->jit = true;
        put.module = profile_module_jit(processes->profile, process->pid);
    } else {
        put.file = files_get(&processes->files, mapping, (int)process->pid);
        put.module = put.file->module;
        put.shift = mapping->offset - start;
        if (put.file->readable)
            put.shift += mappings_link_shift(&put.file->image, (struct foff){mapping->offset},
                                             mapping->bytes);
    }
    mappings_put(&process->mappings, put);
}

void processes_map(struct processes *processes, const struct perf_mapping *mapping)
{
    process_map(processes, processes_get(processes, mapping->ids.pid), mapping);
}

/* ---- coming and going */

/* The process of that number; a new one has nothing mapped. */
static struct process *process_get(struct processes *processes, uint32_t pid, bool *ret_new)
{
    uint32_t index = map_add(&processes->pids, &pid);
    *ret_new = index == processes->n;
    if (*ret_new) {
        struct process *made = mem_alloc(sizeof *made);
        made->pid = pid;
        mappings_init(&made->mappings, processes->profile, (int)pid);
        *vec_push(processes) = made;
        processes->seen++;
    }
    return processes->at[index];
}

struct adoption {
    struct processes *processes;
    struct process *process;
};

static void adopt(void *closure, const struct perf_mapping *mapping)
{
    struct adoption *adoption = closure;
    process_map(adoption->processes, adoption->process, mapping);
}

struct process *processes_get(struct processes *processes, uint32_t pid)
{
    bool fresh;
    struct process *process = process_get(processes, pid, &fresh);
    struct adoption adoption = {processes, process};
    if (fresh)
        proc_read_maps((int)pid, adopt, &adoption);
    return process;
}

void processes_reread(struct processes *processes, uint32_t pid, bool walked)
{
    bool fresh;
    struct process *process = process_get(processes, pid, &fresh);
    struct adoption adoption = {processes, process};
    process->walked = walked;
    proc_read_maps((int)pid, adopt, &adoption);
}

void processes_fork(struct processes *processes, const struct perf_task *task)
{
    bool fresh;
    if (task->pid == task->parent_pid) {
        struct process *process = processes_get(processes, task->pid);
        process->threads += process->threads > 0;
        return;
    }
    const struct process *parent = processes_get(processes, task->parent_pid);
    struct process *child = process_get(processes, task->pid, &fresh);
    processes->seen += !fresh;
    child->jit = parent->jit;
    child->walked = false;
    child->bare = 0;
    child->threads = 1;
    mappings_copy(&child->mappings, &parent->mappings);
    stack_past_release(&child->past);
}

void processes_exit(struct processes *processes, const struct perf_task *task)
{
    uint32_t index = map_find(&processes->pids, &task->pid);
    struct process *process = index == MAP_NONE ? NULL : processes->at[index];
    if (!process || !process->threads || --process->threads)
        return;
    stack_past_release(&process->past);
    mappings_release(&process->mappings);
    mappings_clear(&process->mappings);
}

void processes_exec(struct processes *processes, uint32_t pid)
{
    bool fresh;
    struct process *process = process_get(processes, pid, &fresh);
    process->jit = process->walked = false;
    process->bare = 0;
    mappings_clear(&process->mappings);
    stack_past_release(&process->past);
}
