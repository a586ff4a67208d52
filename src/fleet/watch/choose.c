#include "fleet/watch/choose.h"

#include "base/called.h"
#include "base/clock.h"
#include "base/intern.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct process_key {
    uint64_t pid, start;
};

void watch_memory_init(struct watch_memory *memory)
{
    *memory = (struct watch_memory){0};
    map_init(&memory->processes, sizeof(struct process_key));
}

void watch_memory_release(struct watch_memory *memory)
{
    map_release(&memory->processes);
    vec_release(memory);
}

/* ---- what /proc says; what cannot be read is not there any more */

struct facts {
    int pid, parent;
    uint64_t start;
    double cpu_s;
    uid_t uid;
    bool closed; /* nothing but its name may be read */
    char comm[64], exe[4096], cgroup[4096];
    const char *program; /* in exe or comm */
};

static bool text_read(int pid, const char *file, char *to, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    FILE *from = fopen(path, "re");
    size_t n = from ? fread(to, 1, room - 1, from) : 0;
    if (from)
        fclose(from);
    to[n] = 0;
    return n > 0;
}

/* Fields behind the name, which may hold anything. */
static bool stat_read(struct facts *facts)
{
    enum { KERNEL_THREAD = 0x200000 }; /* PF_KTHREAD */
    char text[1024], state;
    unsigned long user, system;
    unsigned flags;
    unsigned long long start;
    if (!text_read(facts->pid, "stat", text, sizeof text))
        return false;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open)
        return false;
    snprintf(facts->comm, sizeof facts->comm, "%.*s", (int)(close - open - 1), open + 1);
    if (sscanf(close + 1,
               " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu",
               &state, &facts->parent, &flags, &user, &system, &start) != 6 ||
        state == 'Z' || flags & KERNEL_THREAD)
        return false;
    facts->start = start;
    facts->cpu_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

static bool exe_read(struct facts *facts)
{
    bool told = called_file(facts->pid, facts->exe, sizeof facts->exe);
    facts->closed = !told && errno == EACCES;
    return told || facts->closed;
}

static bool facts_read(int pid, struct facts *facts)
{
    char path[64];
    struct stat stat_;
    facts->pid = pid;
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (!exe_read(facts) || stat(path, &stat_) < 0 || !stat_read(facts))
        return false;
    facts->uid = stat_.st_uid;
    text_read(pid, "cgroup", facts->cgroup, sizeof facts->cgroup);
    bool as_called = facts->closed || called_so(pid, facts->exe, facts->comm);
    facts->program = as_called ? facts->comm : called_name(facts->exe);
    return true;
}

/* ---- rules */

/* A line of /proc/PID/cgroup is "0::/system.slice/x.service". */
static bool cgroup_fits(const char *glob, const struct facts *facts)
{
    char lines[sizeof facts->cgroup], *rest = NULL;
    memcpy(lines, facts->cgroup, sizeof lines);
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *path = strchr(line, '/');
        if (path && fnmatch(glob, path, 0) == 0)
            return true;
    }
    return false;
}

static bool user_fits(const char *glob, const struct facts *facts)
{
    const struct passwd *user = getpwuid(facts->uid);
    char number[24];
    snprintf(number, sizeof number, "%u", facts->uid);
    return fnmatch(glob, user ? user->pw_name : number, 0) == 0;
}

static bool rule_fits(const struct watch_rule *rule, const struct facts *facts)
{
    if (rule->name && fnmatch(rule->name, called_name(facts->exe), 0) != 0 &&
        fnmatch(rule->name, facts->comm, 0) != 0)
        return false;
    return (!rule->cgroup || cgroup_fits(rule->cgroup, facts)) &&
           (!rule->user || user_fits(rule->user, facts));
}

/* The first rule that fits, unless it is to be left alone. */
static const struct watch_rule *rule_find(const struct watch_rules *rules,
                                          const struct facts *facts)
{
    const struct watch_rule *found = NULL;
    for (size_t i = 0; i < rules->n; i++) {
        const struct watch_rule *rule = &rules->at[i];
        if (!rule_fits(rule, facts))
            continue;
        if (rule->leave)
            return NULL;
        found = found ? found : rule;
    }
    return found;
}

/* ---- choosing */

struct candidate {
    struct watched process;
    const struct watch_rule *rule;
    uint32_t rank; /* among those of its service */
};
struct candidates {
    VEC(struct candidate);
};

/* New ones first, so that a service that was started again is seen soon; but of the hottest a rule
 * means those that work, however old. */
static bool early(const struct candidate *candidate)
{
    return candidate->process.fresh && !candidate->rule->hottest;
}

static int candidate_compare(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (early(x) != early(y))
        return early(x) ? -1 : 1;
    if (x->process.cpu_s != y->process.cpu_s)
        return x->process.cpu_s > y->process.cpu_s ? -1 : 1;
    return x->process.pid - y->process.pid;
}

static struct watch_seen *seen_of(struct watch_memory *memory, int pid, uint64_t start)
{
    struct process_key key = {(uint64_t)pid, start};
    uint32_t index = map_add(&memory->processes, &key);
    if (index == memory->n)
        *vec_push(memory) = (struct watch_seen){0};
    return &memory->at[index];
}

static double now_s(void)
{
    return 1e-9 * (double)clock_ns(CLOCK_MONOTONIC);
}

static void alone_since_now(struct watch_seen *seen, double cpu_s)
{
    seen->alone_cpu_s = cpu_s;
    seen->alone_s = now_s();
}

/* Rounds may follow each other closely: a moment says nothing. */
static bool is_idle(const struct watch_config *config, const struct watch_seen *seen, double cpu_s)
{
    const double least_s = 0.001;
    double elapsed_s = now_s() - seen->alone_s;
    return elapsed_s >= config->every_s / 2 &&
           (cpu_s - seen->alone_cpu_s) * config->seconds < least_s * elapsed_s;
}

static const char *user_name(struct arena *arena, uid_t uid)
{
    const struct passwd *user = getpwuid(uid);
    return user ? arena_string(arena, user->pw_name) : arena_format(arena, "user %u", uid);
}

static void closed_note(const struct facts *facts, struct watch_choice *choice)
{
    if (choice->closed++)
        return;
    choice->closed_first =
        (struct watched){.pid = facts->pid, .name = arena_string(&choice->arena, facts->program)};
    choice->closed_user = user_name(&choice->arena, facts->uid);
}

static void consider(const struct watch_config *config, struct watch_memory *memory, int pid,
                     struct candidates *candidates, struct watch_choice *choice)
{
    struct facts facts = {0};
    if (pid == getpid() || !facts_read(pid, &facts) || facts.parent == getpid())
        return;
    const struct watch_rule *rule = rule_find(&config->rules, &facts);
    if (!rule)
        return;
    if (facts.closed) {
        closed_note(&facts, choice);
        return;
    }
    struct watch_seen *seen = seen_of(memory, pid, facts.start);
    struct candidate *candidate = vec_push(candidates);
    *candidate = (struct candidate){
        .rule = rule,
        .process = {.pid = pid,
                    .start = facts.start,
                    .cpu_s = facts.cpu_s - seen->cpu_s,
                    .fresh = !seen->recorded,
                    .name = arena_string(&choice->arena, facts.program)},
    };
    candidate->process.service = rule->service ? rule->service : candidate->process.name;
    candidate->process.idle = seen->recorded && is_idle(config, seen, facts.cpu_s);
    seen->cpu_s = facts.cpu_s;
    alone_since_now(seen, facts.cpu_s);
    seen->there = true;
}

/* Forgets processes that have ended. */
static void memory_sweep(struct watch_memory *memory)
{
    struct watch_memory swept;
    watch_memory_init(&swept);
    for (uint32_t i = 0; i < memory->n; i++) {
        if (!memory->at[i].there)
            continue;
        map_add(&swept.processes, map_key(&memory->processes, i));
        struct watch_seen *seen = vec_push(&swept);
        *seen = memory->at[i];
        seen->there = false;
    }
    watch_memory_release(memory);
    *memory = swept;
}

static void candidates_sort(struct candidates *candidates)
{
    if (candidates->n)
        qsort(candidates->at, candidates->n, sizeof *candidates->at, candidate_compare);
}

/* In the order of their CPU time: what rules for the hottest leave out goes. */
static void hottest_keep(struct candidates *candidates)
{
    size_t kept = 0;
    for (size_t i = 0; i < candidates->n; i++) {
        const struct watch_rule *rule = candidates->at[i].rule;
        uint32_t before = 0;
        for (size_t k = 0; k < kept && rule->hottest; k++)
            before += candidates->at[k].rule == rule;
        if (!rule->hottest || before < rule->hottest)
            candidates->at[kept++] = candidates->at[i];
    }
    candidates->n = kept;
}

static void ranks_set(struct candidates *candidates)
{
    struct intern services;
    struct {
        VEC(uint32_t);
    } counts = {0};
    intern_init(&services);
    for (size_t i = 0; i < candidates->n; i++) {
        uint32_t service = intern_number(&services, candidates->at[i].process.service);
        if (service == counts.n)
            *vec_push(&counts) = 0;
        candidates->at[i].rank = counts.at[service]++;
    }
    vec_release(&counts);
    intern_release(&services);
}

void watch_choose(const struct watch_config *config, struct watch_memory *memory,
                  struct watch_choice *ret_choice)
{
    struct candidates candidates = {0};
    *ret_choice = (struct watch_choice){0};
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));)
        if (*entry->d_name >= '1' && *entry->d_name <= '9')
            consider(config, memory, atoi(entry->d_name), &candidates, ret_choice);
    if (proc)
        closedir(proc);
    memory_sweep(memory);
    candidates_sort(&candidates);
    hottest_keep(&candidates);
    ranks_set(&candidates);
    candidates_sort(&candidates);
    for (size_t i = 0; i < candidates.n; i++)
        if (!candidates.at[i].process.idle)
            *vec_push(ret_choice) = candidates.at[i].process;
    vec_release(&candidates);
}

void watch_choice_release(struct watch_choice *choice)
{
    vec_release(choice);
    arena_release(&choice->arena);
}

void watch_recorded(struct watch_memory *memory, const struct watched *process)
{
    struct watch_seen *seen = seen_of(memory, process->pid, process->start);
    struct facts facts = {.pid = process->pid};
    seen->recorded = true;
    /* What attaching to it took is no work of its own. */
    if (stat_read(&facts) && facts.start == process->start)
        alone_since_now(seen, facts.cpu_s);
}
