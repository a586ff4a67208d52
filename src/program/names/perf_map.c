#include "program/names/perf_map.h"

#include "base/err.h"
#include "base/scope.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- lines */

struct line {
    const char *at, *end;
};

static void blanks_skip(struct line *line)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
        line->at++;
}

/* NULL if it is a number, else what is wrong. */
static const char *number_read(struct line *line, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (line->end - line->at > 2 && line->at[0] == '0' && (line->at[1] | 32) == 'x')
        line->at += 2;
    if (line->at == line->end || !isxdigit((unsigned char)*line->at))
        return "is not a hexadecimal number";
    for (; line->at < line->end && isxdigit((unsigned char)*line->at); line->at++) {
        if (value >> 60)
            return "has more than 64 bits";
        char c = *line->at;
        value = value << 4 | (uint64_t)(isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
    }
    if (line->at < line->end && *line->at != ' ' && *line->at != '\t')
        return "is not a hexadecimal number";
    *ret_value = value;
    return NULL;
}

static void bad_note(struct perf_map *map, const char *path, size_t number, const char *what,
                     const char *why)
{
    if (!map->n_bad++)
        map->first_bad = arena_format(&map->arena, "%s: line %zu: %s %s", path, number, what, why);
}

uint32_t perf_map_claim(struct perf_map *map, struct avma start, uint64_t bytes, const char *name,
                        size_t n)
{
    uint32_t index = (uint32_t)map->names.n;
    *vec_push(&map->claims) = (struct stretch){start.v, start.v + bytes, index};
    *vec_push(&map->names) = arena_string_n(&map->arena, name, n);
    return index;
}

static void line_add(struct perf_map *map, const char *path, size_t number, struct line line)
{
    uint64_t start = 0, bytes = 0;
    blanks_skip(&line);
    if (line.at == line.end)
        return;
    const char *why = number_read(&line, &start);
    if (why) {
        bad_note(map, path, number, "the address", why);
        return;
    }
    blanks_skip(&line);
    if ((why = number_read(&line, &bytes))) {
        bad_note(map, path, number, "the size", why);
        return;
    }
    if (start + bytes < start) {
        bad_note(map, path, number, "the size", "reaches beyond the end of memory");
        return;
    }
    blanks_skip(&line);
    while (line.end > line.at && isspace((unsigned char)line.end[-1]))
        line.end--;
    if (line.at == line.end) {
        bad_note(map, path, number, "the name", "is missing");
        return;
    }
    perf_map_claim(map, (struct avma){start}, bytes, line.at, (size_t)(line.end - line.at));
}

/* By the first byte of each: one that lies inside another took nobody's place. */
static void reused_mark(struct perf_map *map)
{
    const struct stretches *claims = &map->claims;
    map->reused.n = 0;
    for (size_t i = 0; i < map->names.n; i++)
        *vec_push(&map->reused) = false;
    for (size_t i = 0; i < claims->n; i++) {
        const struct stretch *claim = &claims->at[i], *now;
        now = stretches_find(map->stretches.at, map->stretches.n, claim->start);
        if (now && strcmp(map->names.at[now->value], map->names.at[claim->value]) != 0)
            map->reused.at[now->value] = true;
    }
}

void perf_map_parse(struct perf_map *map, const char *path, const char *text, size_t bytes)
{
    *map = (struct perf_map){0};
    size_t number = 0;
    for (const char *at = text, *end = text + bytes; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        struct line line = {at, newline ? newline : end};
        /* A compiler that was killed while it wrote: what is there may be half a name. */
        if (newline)
            line_add(map, path, number + 1, line);
        else
            bad_note(map, path, number + 1, "the line", "does not end");
        at = line.end + 1;
    }
    perf_map_settle(map);
}

void perf_map_settle(struct perf_map *map)
{
    map->stretches.n = 0;
    stretches_paint(&map->claims, &map->stretches);
    reused_mark(map);
}

/* ---- the file */

enum { BYTES_MAX = 1 << 30 };

bool perf_map_read(struct perf_map *map, const char *path, struct err *err)
{
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat stat;
    if (fd < 0 || fstat(fd, &stat) < 0)
        return err_errno(err, "%s: cannot open", path);
    if (!S_ISREG(stat.st_mode))
        return err_set(err, ERR_FORMAT, "%s: not a regular file", path);
    /* The program's own file decides what is asked for here: a sparse one must not cost all memory.
     */
    if (stat.st_size > BYTES_MAX)
        return err_set(err, ERR_FORMAT, "%s: %lld bytes: no map of code is so large", path,
                       (long long)stat.st_size);
    struct text {
        VEC(char);
    } text = {0};
    vec_reserve(&text, (size_t)stat.st_size + 1);
    /* The file may grow while we read, but no further than it was is asked for. */
    for (ssize_t got = 1; got > 0 && text.n < (size_t)stat.st_size; text.n += (size_t)got) {
        got = read(fd, text.at + text.n, (size_t)stat.st_size - text.n);
        if (got < 0) {
            vec_release(&text);
            return err_errno(err, "%s: cannot read", path);
        }
    }
    perf_map_parse(map, path, text.at, text.n);
    vec_release(&text);
    return true;
}

void perf_map_release(struct perf_map *map)
{
    vec_release(&map->names);
    vec_release(&map->claims);
    vec_release(&map->stretches);
    vec_release(&map->reused);
    arena_release(&map->arena);
}

/* The id that the process has for itself: the last of "NSpid:". */
static int namespace_pid(int pid)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "re");
    int inner = pid;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "NSpid:", 6) == 0) {
            char *last = strrchr(line, '\t');
            inner = last ? (int)strtol(last, NULL, 10) : pid;
            break;
        }
    if (file)
        fclose(file);
    return inner > 0 ? inner : pid;
}

bool perf_map_path(int pid, char *ret_path, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/root/tmp/perf-%d.map", pid, namespace_pid(pid));
    /* A process that is gone has no root any more; its map stays. */
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "/tmp/perf-%d.map", pid);
    if (access(path, R_OK) != 0 || strlen(path) >= room)
        return false;
    snprintf(ret_path, room, "%s", path);
    return true;
}

const char *perf_map_find(const struct perf_map *map, struct avma at, struct avma *ret_start,
                          uint64_t *ret_bytes)
{
    const struct stretch *found = stretches_find(map->stretches.at, map->stretches.n, at.v);
    if (!found)
        return NULL;
    *ret_start = (struct avma){found->start};
    *ret_bytes = found->end - found->start;
    return map->names.at[found->value];
}

uint32_t perf_map_index(const struct perf_map *map, struct avma at)
{
    const struct stretch *found = stretches_find(map->stretches.at, map->stretches.n, at.v);
    return found ? found->value : PERF_MAP_NONE;
}

bool perf_map_reused(const struct perf_map *map, struct avma at)
{
    const struct stretch *found = stretches_find(map->stretches.at, map->stretches.n, at.v);
    return found && map->reused.at[found->value];
}
