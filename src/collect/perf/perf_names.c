#include "collect/perf/perf_names.h"

#include "base/err.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
} known[] = {
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
};
enum { KNOWN_N = sizeof known / sizeof *known };

const char *perf_name_known(size_t index)
{
    return index < KNOWN_N ? known[index].name : NULL;
}

bool perf_name_is_clock(const struct perf_event_name *event)
{
    return event->type == PERF_TYPE_SOFTWARE &&
           (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool perf_name_shares(const struct perf_event_name *a, const struct perf_event_name *b)
{
    bool apart = (a->exclude_user && b->exclude_kernel) || (a->exclude_kernel && b->exclude_user);
    return a->type == b->type && a->config == b->config && !apart && !perf_name_is_clock(a) &&
           (a->type == PERF_TYPE_SOFTWARE || a->type == PERF_TYPE_TRACEPOINT);
}

static bool find_known(const char *name, struct perf_event_name *event)
{
    for (size_t i = 0; i < KNOWN_N; i++)
        if (!strcmp(known[i].name, name)) {
            event->type = known[i].type;
            event->config = known[i].config;
            return true;
        }
    return false;
}

/* ---- caches: CACHE-OPERATION[-misses] */

static bool find_cache(const char *name, struct perf_event_name *event)
{
    static const struct {
        const char *name;
        uint64_t number;
    } caches[] = {{"L1-dcache-", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache-", PERF_COUNT_HW_CACHE_L1I},
                  {"LLC-", PERF_COUNT_HW_CACHE_LL},        {"dTLB-", PERF_COUNT_HW_CACHE_DTLB},
                  {"iTLB-", PERF_COUNT_HW_CACHE_ITLB},     {"branch-", PERF_COUNT_HW_CACHE_BPU},
                  {"node-", PERF_COUNT_HW_CACHE_NODE}},
      operations[] = {{"load", PERF_COUNT_HW_CACHE_OP_READ},
                      {"store", PERF_COUNT_HW_CACHE_OP_WRITE},
                      {"prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH}};
    for (size_t c = 0; c < sizeof caches / sizeof *caches; c++) {
        size_t length = strlen(caches[c].name);
        if (strncmp(name, caches[c].name, length))
            continue;
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
            size_t more = strlen(operations[o].name);
            const char *rest = name + length + more;
            if (strncmp(name + length, operations[o].name, more))
                continue;
            bool miss = !strcmp(rest, "-misses");
            if (!miss && strcmp(rest, "s") && strcmp(rest, "es"))
                return false;
            event->type = PERF_TYPE_HW_CACHE;
            event->config = caches[c].number | operations[o].number << 8 |
                            (uint64_t)(miss ? PERF_COUNT_HW_CACHE_RESULT_MISS
                                            : PERF_COUNT_HW_CACHE_RESULT_ACCESS)
                                << 16;
            return true;
        }
    }
    return false;
}

static bool find_raw(const char *name, struct perf_event_name *event)
{
    char *end;
    if (*name != 'r' || !name[1] || strspn(name + 1, "0123456789abcdefABCDEF") != strlen(name + 1))
        return false;
    errno = 0;
    event->config = strtoull(name + 1, &end, 16);
    event->type = PERF_TYPE_RAW;
    return !errno;
}

/* ---- what the kernel tells in files */

static bool file_line(const char *path, char *line, size_t room)
{
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, room - 1);
    if (n <= 0)
        return false;
    line[n] = 0;
    line[strcspn(line, "\n")] = 0;
    return true;
}

static bool file_number(const char *path, uint64_t *ret)
{
    char line[64], *end;
    if (!file_line(path, line, sizeof line))
        return false;
    *ret = strtoull(line, &end, 0);
    return end != line && !*end;
}

static bool safe_name(const char *name)
{
    return *name && *name != '.' && !strchr(name, '/');
}

/* Spreads the value over the bits that the PMU's format file names: "config1:0-7,32-35". */
static bool term_spread(const char *format, uint64_t value, struct perf_event_name *event)
{
    uint64_t *to = !strncmp(format, "config:", 7)    ? &event->config
                   : !strncmp(format, "config1:", 8) ? &event->config1
                   : !strncmp(format, "config2:", 8) ? &event->config2
                                                     : NULL;
    if (!to)
        return false;
    for (const char *at = strchr(format, ':') + 1; *at;) {
        char *end;
        unsigned long low = strtoul(at, &end, 10), high = low;
        if (end == at)
            return false;
        if (*end == '-')
            high = strtoul(end + 1, &end, 10);
        if (high > 63 || low > high)
            return false;
        for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
            *to |= (value & 1) << bit;
        at = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return false;
    }
    return !value;
}

static bool terms_parse(const char *pmu, char *terms, bool alias, struct perf_event_name *event,
                        struct err *err);

static bool term_parse(const char *pmu, char *term, bool alias, struct perf_event_name *event,
                       struct err *err)
{
    char path[512], line[256], *value = strchr(term, '=');
    if (value)
        *value++ = 0;
    if (!safe_name(term))
        return err_set(err, ERR_USAGE, "-e %s: '%s' is no term", event->text, term);
    snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/events/%s", pmu, term);
    if (!value && alias && file_line(path, line, sizeof line))
        return terms_parse(pmu, line, false, event, err);
    char *end = NULL;
    uint64_t number = value ? strtoull(value, &end, 0) : 1;
    if (value && (end == value || *end))
        return err_set(err, ERR_USAGE, "-e %s: '%s' is no number", event->text, value);
    snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/format/%s", pmu, term);
    if (!strcmp(term, "config") || !strcmp(term, "config1") || !strcmp(term, "config2"))
        snprintf(line, sizeof line, "%s:0-63", term);
    else if (!file_line(path, line, sizeof line))
        return err_set(err, ERR_USAGE, "-e %s: %s has neither an event nor a term '%s'",
                       event->text, pmu, term);
    return term_spread(line, number, event) ||
           err_set(err, ERR_USAGE, "-e %s: %s does not fit into %s", event->text,
                   value ? value : "1", line);
}

static bool terms_parse(const char *pmu, char *terms, bool alias, struct perf_event_name *event,
                        struct err *err)
{
    char *save = NULL;
    for (char *term = strtok_r(terms, ",", &save); term; term = strtok_r(NULL, ",", &save))
        if (!term_parse(pmu, term, alias, event, err))
            return false;
    return true;
}

/* PMU/TERMS/ */
static bool pmu_parse(char *name, struct perf_event_name *event, struct err *err)
{
    char path[256];
    char *terms = strchr(name, '/');
    *terms++ = 0;
    char *end = strchr(terms, '/');
    if (!safe_name(name) || !end || end[1])
        return err_set(err, ERR_USAGE, "-e %s: expected PMU/TERM=VALUE,.../", event->text);
    *end = 0;
    snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type", name);
    uint64_t type;
    if (!file_number(path, &type))
        return err_set(err, ERR_USAGE, "-e %s: this machine has no PMU '%s'; see gait list",
                       event->text, name);
    event->type = (uint32_t)type;
    return terms_parse(name, terms, true, event, err);
}

/* SYSTEM:NAME */
static bool tracepoint_parse(char *name, struct perf_event_name *event, struct err *err)
{
    static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    char path[512];
    char *point = strchr(name, ':');
    *point++ = 0;
    if (!safe_name(name) || !safe_name(point))
        return err_set(err, ERR_USAGE, "-e %s: expected SYSTEM:TRACEPOINT", event->text);
    event->type = PERF_TYPE_TRACEPOINT;
    errno = 0;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        snprintf(path, sizeof path, "%s/events/%s/%s/id", roots[i], name, point);
        if (file_number(path, &event->config))
            return true;
    }
    return err_set(err, ERR_USAGE,
                   "-e %s: no such tracepoint, or tracefs (/sys/kernel/tracing) is not mounted or "
                   "not readable",
                   event->text);
}

/* ---- all */

bool perf_name_next(const char **list, char ret_name[PERF_NAME_ROOM], struct err *err)
{
    const char *at = *list;
    for (bool inside = false; *at && (inside || *at != ','); at++)
        inside ^= *at == '/';
    size_t n = (size_t)(at - *list);
    if (!n || (*at && !at[1]))
        return err_set(err, ERR_USAGE, "-e: expected EVENT,EVENT,...; a name is empty");
    if (n >= PERF_NAME_ROOM)
        return err_set(err, ERR_USAGE, "-e %.40s: not the name of an event", *list);
    memcpy(ret_name, *list, n);
    ret_name[n] = 0;
    *list = *at ? at + 1 : at;
    return true;
}

/* Cuts ":u", ":k" or ":uk" off. What stands behind the last colon of a tracepoint is its name. */
static void modifier_cut(char *name, struct perf_event_name *event)
{
    char *colon = strrchr(name, ':');
    if (!colon || !colon[1] || strspn(colon + 1, "uk") != strlen(colon + 1))
        return;
    bool user = strchr(colon + 1, 'u'), kernel = strchr(colon + 1, 'k');
    event->exclude_user = !user;
    event->exclude_kernel = !kernel;
    *colon = 0;
}

bool perf_name_parse(const char *text, struct perf_event_name *ret_event, struct err *err)
{
    struct perf_event_name event = {0};
    char name[sizeof event.text];
    if (!*text || strlen(text) >= sizeof name)
        return err_set(err, ERR_USAGE, "-e %.40s: not the name of an event", text);
    strcpy(event.text, text);
    strcpy(name, text);
    if (strchr(name, '/')) {
        char *last = strrchr(name, '/');
        modifier_cut(last, &event);
        if (!pmu_parse(name, &event, err))
            return false;
    } else {
        modifier_cut(name, &event);
        if (strchr(name, ':')) {
            if (!tracepoint_parse(name, &event, err))
                return false;
        } else if (!find_known(name, &event) && !find_cache(name, &event) &&
                   !find_raw(name, &event)) {
            return err_set(err, ERR_USAGE, "-e %s: no such event; see gait list", text);
        }
    }
    *ret_event = event;
    return true;
}
