#include "fleet/watch/choose.h"

#include <dirent.h>
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
    char comm[64], exe[4096], cgroup[4096];
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
    char text[1024], state;
    unsigned long user, system;
    unsigned long long start;
    if (!text_read(facts->pid, "stat", text, sizeof text))
        return false;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || close < open)
        return false;
    snprintf(facts->comm, sizeof facts->comm, "%.*s", (int)(close - open - 1), open + 1);
    if (sscanf(close + 1,
               " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu",
               &state, &facts->parent, &user, &system, &start) != 5 ||
        state == 'Z')
        return false;
    facts->start = start;
    facts->cpu_s = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

static bool facts_read(int pid, struct facts *facts)
{
    char path[64];
    struct stat stat_;
    facts->pid = pid;
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t n = readlink(path, facts->exe, sizeof facts->exe - 1);
    if (n <= 0) /* a thread of the kernel, or somebody else's */
        return false;
    facts->exe[n] = 0;
    snprintf(path, sizeof path, "/proc/%d", pid);
    if (stat(path, &stat_) < 0 || !stat_read(facts))
        return false;
    facts->uid = stat_.st_uid;
    text_read(pid, "cgroup", facts->cgroup, sizeof facts->cgroup);
    return true;
}

/* ---- rules */

static const char *exe_name(const struct facts *facts)
{
    const char *slash = strrchr(facts->exe, '/');
    return slash ? slash + 1 : facts->exe;
}

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
    if (rule->name && fnmatch(rule->name, exe_name(facts), 0) != 0 &&
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
};
struct candidates {
    VEC(struct candidate);
};

/* Those that were never recorded first, then the hottest. */
static int candidate_compare(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->process.fresh != y->process.fresh)
        return x->process.fresh ? -1 : 1;
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

static void consider(const struct watch_config *config, struct watch_memory *memory, int pid,
                     struct candidates *candidates, struct arena *arena)
{
    struct facts facts = {0};
    if (pid == getpid() || !facts_read(pid, &facts) || facts.parent == getpid())
        return;
    const struct watch_rule *rule = rule_find(&config->rules, &facts);
    if (!rule)
        return;
    struct watch_seen *seen = seen_of(memory, pid, facts.start);
    struct candidate *candidate = vec_push(candidates);
    *candidate = (struct candidate){
        .rule = rule,
        .process = {.pid = pid,
                    .start = facts.start,
                    .cpu_s = facts.cpu_s - seen->cpu_s,
                    .fresh = !seen->recorded,
                    .name = arena_string(arena, exe_name(&facts)),
                    .service = rule->service},
    };
    seen->cpu_s = facts.cpu_s;
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

void watch_choose(const struct watch_config *config, struct watch_memory *memory,
                  struct watch_choice *ret_choice)
{
    struct candidates candidates = {0};
    *ret_choice = (struct watch_choice){0};
    DIR *proc = opendir("/proc");
    for (struct dirent *entry; proc && (entry = readdir(proc));)
        if (*entry->d_name >= '1' && *entry->d_name <= '9')
            consider(config, memory, atoi(entry->d_name), &candidates, &ret_choice->arena);
    if (proc)
        closedir(proc);
    memory_sweep(memory);
    if (candidates.n)
        qsort(candidates.at, candidates.n, sizeof *candidates.at, candidate_compare);
    for (size_t i = 0; i < candidates.n; i++) {
        const struct watch_rule *rule = candidates.at[i].rule;
        uint32_t before = 0;
        for (size_t k = 0; k < i; k++)
            before += candidates.at[k].rule == rule;
        if (!rule->hottest || before < rule->hottest)
            *vec_push(ret_choice) = candidates.at[i].process;
    }
    vec_release(&candidates);
}

void watch_choice_release(struct watch_choice *choice)
{
    vec_release(choice);
    arena_release(&choice->arena);
}

void watch_recorded(struct watch_memory *memory, const struct watched *process)
{
    seen_of(memory, process->pid, process->start)->recorded = true;
}
