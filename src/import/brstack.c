#include "import/brstack.h"

#include "base/err.h"
#include "import/branch_records.h"
#include "import/import.h"
#include "program/elf/image.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_BYTES = 104,
    ATTR_BYTES = 80, /* up to the kind of branches and the registers behind it */
    DATA_BYTES_AT = 48,
    FEATURES_AT = 72,
    FEATURE_EVENTS = 12,
    LINE_MOST = 8192, /* of mappings: paths are shorter */
    BRANCHES_MOST = 2048,
    NAME_MOST = 64,
    PAGE = 4096,
};

static const uint64_t WRONG_PATH = UINT64_C(1) << 24;

struct record {
    uint64_t from, to, flags;
};

struct script {
    struct import_bytes *out;
    bool has_pids; /* else all is of process 1 */
    uint64_t mapped, samples, bad;
    char event[NAME_MOST];
    /* Of the lines since the last sample or blank line: */
    uint32_t pid, tid;
    uint64_t ip;
    bool has_pid, has_ip;
    uint64_t times; /* 0: not told */
    struct record records[BRANCHES_MOST];
    uint64_t n;
};

/* ---- bytes */

static void bytes_put(struct script *script, const void *bytes, size_t n)
{
    struct import_bytes *out = script->out;
    vec_room(out, out->n + n);
    memcpy(out->at + out->n, bytes, n);
    out->n += n;
}

static void u32_put(struct script *script, uint64_t value)
{
    uint32_t half = (uint32_t)value;
    bytes_put(script, &half, sizeof half);
}

static void u64_put(struct script *script, uint64_t value)
{
    bytes_put(script, &value, sizeof value);
}

/* With its zero, filled up to whole words. */
static void text_put(struct script *script, const char *text, size_t n)
{
    static const char zeros[8] = {0};
    bytes_put(script, text, n);
    bytes_put(script, zeros, 8 - n % 8);
}

static size_t record_begin(struct script *script, uint32_t type, uint16_t misc)
{
    struct perf_event_header header = {.type = type, .misc = misc};
    size_t at = script->out->n;
    bytes_put(script, &header, sizeof header);
    return at;
}

static void record_end(struct script *script, size_t at)
{
    uint16_t bytes = (uint16_t)(script->out->n - at);
    memcpy(script->out->at + at + offsetof(struct perf_event_header, size), &bytes, sizeof bytes);
}

static void attr_put(struct script *script)
{
    u32_put(script, PERF_TYPE_HARDWARE);
    u32_put(script, ATTR_BYTES);
    u64_put(script, PERF_COUNT_HW_CPU_CYCLES);
    u64_put(script, 1); /* the period: what the text counts are samples */
    u64_put(script,
            PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK);
    for (int i = 0; i < 4; i++) /* read format, flags, wakeup and breakpoint */
        u64_put(script, 0);
    u64_put(script, 0);
    u64_put(script, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
}

static void head_put(struct script *script)
{
    const uint64_t attr = ATTR_BYTES + 16, data = HEAD_BYTES + attr;
    const uint64_t words[] = {
        HEAD_BYTES, attr, HEAD_BYTES, attr, data, 0, 0, 0, UINT64_C(1) << FEATURE_EVENTS, 0, 0, 0};
    bytes_put(script, "PERFILE2", 8);
    bytes_put(script, words, sizeof words);
    attr_put(script);
    u64_put(script, 0);
    u64_put(script, 0);
}

/* The name of the event, as a feature behind the records. */
static void tail_put(struct script *script)
{
    uint64_t data = script->out->n - HEAD_BYTES - ATTR_BYTES - 16;
    size_t n = strlen(script->event), name = n + 8 - n % 8;
    memcpy(script->out->at + DATA_BYTES_AT, &data, sizeof data);
    u64_put(script, script->out->n + 16);
    u64_put(script, 8 + ATTR_BYTES + 8 + name);
    u32_put(script, 1);
    u32_put(script, ATTR_BYTES);
    attr_put(script);
    u32_put(script, 0);
    u32_put(script, name);
    text_put(script, script->event, n);
}

/* ---- records */

static void map_put(struct script *script, uint32_t pid, uint64_t start, uint64_t bytes,
                    uint64_t offset, const char *path, size_t n)
{
    size_t at = record_begin(script, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
    u32_put(script, pid);
    u32_put(script, pid);
    u64_put(script, start);
    u64_put(script, bytes);
    u64_put(script, offset);
    text_put(script, path, n);
    record_end(script, at);
    script->mapped++;
}

/* The line as a string of its own, so that nothing reads on behind it. */
static bool line_copy(char *copy, size_t room, const char *line, const char *end)
{
    size_t n = (size_t)(end - line);
    if (n >= room)
        return false;
    memcpy(copy, line, n);
    copy[n] = 0;
    return true;
}

/* PERF_RECORD_MMAP2 100/100: [0x4000(0x1000) @ 0x1000 08:01 7 0]: r-xp /usr/bin/ls */
static void map_take(struct script *script, const char *line, const char *end)
{
    char copy[LINE_MOST];
    int pid, used = 0;
    unsigned long long start, bytes, offset;
    if (!line_copy(copy, sizeof copy, line, end) ||
        sscanf(copy, "%*s %d/%*d: [%llx(%llx) @ %llx%n", &pid, &start, &bytes, &offset, &used) != 4)
        return;
    const char *rights = strstr(copy + used, "]: "),
               *path = rights ? strchr(rights + 3, ' ') : NULL;
    if (path && pid != -1 && memchr(rights + 3, 'x', (size_t)(path - rights - 3)))
        map_put(script, script->has_pids ? (uint32_t)pid : 1, start, bytes, offset, path + 1,
                strlen(path + 1));
}

/* PERF_RECORD_FORK(101:101):(100:100) */
static void fork_take(struct script *script, const char *line, const char *end)
{
    char copy[LINE_MOST];
    unsigned pid, tid, parent;
    if (!script->has_pids || !line_copy(copy, sizeof copy, line, end) ||
        sscanf(copy, "PERF_RECORD_FORK(%u:%u):(%u:", &pid, &tid, &parent) != 3)
        return;
    size_t at = record_begin(script, PERF_RECORD_FORK, 0);
    u32_put(script, pid);
    u32_put(script, parent);
    u32_put(script, tid);
    u32_put(script, parent);
    u64_put(script, 0);
    record_end(script, at);
}

static void sample_put(struct script *script)
{
    size_t at = record_begin(script, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    u64_put(script, script->has_ip ? script->ip : script->records[0].to);
    u32_put(script, script->has_pid ? script->pid : 1);
    u32_put(script, script->has_pid ? script->tid : 1);
    u64_put(script, script->times ? script->times : 1);
    u64_put(script, script->n);
    bytes_put(script, script->records, script->n * sizeof *script->records);
    record_end(script, at);
    script->samples++;
}

/* ---- words */

static const char *word_end(const char *at)
{
    while (*at && !isspace((unsigned char)*at))
        at++;
    return at;
}

static const char *word_next(const char *at)
{
    while (*at && *at != '\n' && isspace((unsigned char)*at))
        at++;
    return at;
}

/* 0x4005c8 or 0x4005c8(/path/of/file+0x5c8), and a slash. */
static const char *address_take(const char *at, uint64_t *ret_address)
{
    char *end;
    if (strncmp(at, "0x", 2) != 0 || !isxdigit((unsigned char)at[2]))
        return NULL;
    *ret_address = strtoull(at, &end, 16);
    if (*end == '(') {
        while (*end && *end != ')' && *end != '\n')
            end++;
        end += *end == ')';
    }
    return *end == '/' ? end + 1 : NULL;
}

/* FROM/TO/P/-/-/CYCLES/TYPE/SPECULATION. */
static bool branch_take(const char *at, struct record *ret_record)
{
    struct record record = {0};
    const char *end, *flags = address_take(at, &record.from);
    flags = flags ? address_take(flags, &record.to) : NULL;
    if (!flags)
        return false;
    end = word_end(flags);
    if (memmem(flags, (size_t)(end - flags), "/SPEC_WRONG_PATH", 16))
        record.flags |= WRONG_PATH;
    *ret_record = record;
    return true;
}

static bool is_branch(const char *at)
{
    struct record ignored;
    return branch_take(at, &ignored);
}

/* ---- lines */

static const char *branches_find(const char *line)
{
    for (const char *at = word_next(line); *at && *at != '\n'; at = word_next(word_end(at)))
        if (is_branch(at))
            return at;
    return NULL;
}

static bool hex_take(const char *at, const char *end, uint64_t *ret_value)
{
    char *stop;
    if (at == end || !isxdigit((unsigned char)*at))
        return false;
    *ret_value = strtoull(at, &stop, 16);
    return stop == end;
}

static bool number_take(const char *at, const char *end, uint32_t *ret_value)
{
    char *stop;
    if (at == end || !isdigit((unsigned char)*at))
        return false;
    *ret_value = (uint32_t)strtoul(at, &stop, 10);
    return stop == end;
}

/* A processor, [001], or a time, 77.123456: */
static bool is_when(const char *at)
{
    const char *end = word_end(at);
    bool digits = isdigit((unsigned char)(*at == '[' ? at[1] : at[0]));
    return digits && (*at == '[' || (end[-1] == ':' && memchr(at, '.', (size_t)(end - at))));
}

/* 100/101, or 100 before a processor or a time. */
static bool process_take(struct script *script, const char *at, const char *end)
{
    uint32_t pid, tid;
    const char *slash = memchr(at, '/', (size_t)(end - at));
    if (slash ? !number_take(at, slash, &pid) || !number_take(slash + 1, end, &tid)
              : !number_take(at, end, &pid) || !is_when(word_next(end)))
        return false;
    script->pid = pid;
    script->tid = slash ? tid : pid;
    return true;
}

/* What stands before the branches: process, event and address, if they are there. The address comes
 * last, alone or behind the event; a word before the process is its name, even one like "dead". */
static void head_take(struct script *script, const char *line, const char *end)
{
    bool first = true, behind = false, had = script->has_ip;
    for (const char *at = word_next(line); at < end && *at && *at != '\n';) {
        const char *stop = word_end(at);
        uint64_t value;
        if (!script->has_pid && process_take(script, at, stop)) {
            script->has_pid = true;
            script->has_ip = had;
        }
        if (stop[-1] == ':' && stop - at > 1 && !isdigit((unsigned char)*at)) {
            snprintf(script->event, sizeof script->event, "%.*s", (int)(stop - 1 - at), at);
            behind = true;
        } else if (!script->has_ip && (first || behind) && hex_take(at, stop, &value)) {
            const char *after = word_next(stop);
            bool alone = first && (after >= end || !isdigit((unsigned char)*after));
            script->has_ip = behind || alone;
            script->ip = value;
        }
        first = false;
        at = word_next(stop);
    }
}

static void sample_take(struct script *script, const char *at)
{
    script->n = 0;
    for (; *at && *at != '\n'; at = word_next(word_end(at))) {
        if (script->n == BRANCHES_MOST || !branch_take(at, &script->records[script->n])) {
            script->bad++;
            break;
        }
        script->n++;
    }
    sample_put(script);
}

static void sample_forget(struct script *script)
{
    script->has_pid = script->has_ip = false;
    script->times = 0;
}

/* A number alone, without blanks before it: so many samples are as the next one. */
static bool times_take(struct script *script, const char *line, const char *end)
{
    char *stop;
    if (!isdigit((unsigned char)*line))
        return false;
    uint64_t times = strtoull(line, &stop, 10);
    if (stop != end || !times)
        return false;
    script->times = times < BRANCH_TIMES_MOST ? times : BRANCH_TIMES_MOST;
    return true;
}

static void line_take(struct script *script, const char *line, const char *end)
{
    const char *event = memmem(line, (size_t)(end - line), "PERF_RECORD_", 12);
    if (event && strncmp(event, "PERF_RECORD_MMAP", 16) == 0) {
        map_take(script, event, end);
    } else if (event) {
        fork_take(script, event, end);
    } else if (*word_next(line) == '\n' || !*word_next(line)) {
        sample_forget(script);
    } else if (!times_take(script, line, end)) {
        const char *branches = branches_find(line);
        head_take(script, line, branches ? branches : end);
        if (branches) {
            sample_take(script, branches);
            sample_forget(script);
        }
    }
}

/* Whether the first sample says whose it is. */
static bool pids_find(struct script *script, const char *text)
{
    for (const char *line = text; *line; line += *line == '\n') {
        const char *end = line + strcspn(line, "\n"), *branches = branches_find(line);
        if (!memmem(line, (size_t)(end - line), "PERF_RECORD_", 12))
            head_take(script, line, branches ? branches : end);
        if (branches || end == line) {
            bool has = script->has_pid;
            sample_forget(script);
            if (branches)
                return has;
        }
        line = end;
    }
    return false;
}

/* ---- the whole */

static bool binary_map(struct script *script, const char *binary, struct err *err)
{
    struct image image;
    if (!binary)
        return err_set(err, ERR_USAGE,
                       "branches without mappings: print them with perf script --show-mmap-events, "
                       "or name the program with --binary");
    char *path = realpath(binary, NULL);
    if (!path)
        return err_errno(err, "%s", binary);
    bool ok = image_open(&image, path, err);
    for (size_t i = 0; ok && i < image.segments.n; i++) {
        const struct segment *segment = &image.segments.at[i];
        uint64_t in = segment->start.v % PAGE;
        if (segment->executable)
            map_put(script, 1, segment->start.v - in, segment->memory_bytes + in,
                    segment->offset.v - in, path, strlen(path));
    }
    if (ok)
        image_close(&image);
    free(path);
    return ok;
}

bool brstack_is(const char *head)
{
    if (strstr(head, "PERF_RECORD_"))
        return true;
    for (const char *line = head; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (branches_find(line))
            return true;
    return false;
}

bool brstack_convert(struct import_bytes *ret_bytes, uint64_t *ret_bad, const char *text,
                     const char *binary, struct err *err)
{
    struct import_bytes bytes = {0};
    struct script *script = mem_alloc(sizeof *script);
    *script = (struct script){.out = &bytes, .event = "branches"};
    script->has_pids = pids_find(script, text);
    head_put(script);
    bool maps = strstr(text, "PERF_RECORD_MMAP");
    script->has_pids &= maps;
    bool ok = maps || binary_map(script, binary, err);
    for (const char *line = text; ok && *line; line += *line == '\n') {
        const char *end = line + strcspn(line, "\n");
        line_take(script, line, end);
        if (!script->has_pids)
            script->has_pid = false;
        line = end;
    }
    tail_put(script);
    *ret_bad = script->bad;
    mem_free(script);
    if (ok)
        *ret_bytes = bytes;
    else
        vec_release(&bytes);
    return ok;
}
