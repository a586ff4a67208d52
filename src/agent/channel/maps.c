#include "agent/channel/maps.h"

#include "agent/base/descriptor.h"
#include "agent/base/process.h"
#include "agent/channel/plans.h"
#include "agent/channel/sequences.h"
#include "walk/base/sys.h"

#include <fcntl.h>
#include <sys/syscall.h>

enum { LINE_MAX_BYTES = 4096 + 256, READ_BYTES = 1 << 14, REFRESH_MS = 10 };

/* One line of /proc/self/maps. */
struct mapping {
    uint64_t start, end, offset, device, inode;
    bool readable, writable, executable, shared;
    const char *path;
    uint32_t path_bytes;
    bool jit; /* told without a file: its bytes are nobody's but the process's */
};

static const char *parse_number(const char *at, uint32_t base, uint64_t *ret)
{
    uint64_t value = 0;
    for (;; at++) {
        uint32_t digit = (uint32_t)(*at >= 'a' ? *at - 'a' + 10 : *at - '0');
        if (*at < '0' || (*at > '9' && *at < 'a') || digit >= base) /* ':' is none */
            break;
        value = value * base + digit;
    }
    *ret = value;
    return at;
}

/* The kernel writes the one character that would end the line as "\\012", and nothing else so.
 * Returns the new end. */
static char *newlines_restore(char *at, const char *end)
{
    char *to = at;
    while (at < end) {
        bool newline = end - at >= 4 && __builtin_memcmp(at, "\\012", 4) == 0;
        *to++ = newline ? '\n' : *at;
        at += newline ? 4 : 1;
    }
    *to = 0;
    return to;
}

/* The line ends in a newline, which is replaced by a zero. */
static struct mapping parse_line(char *begin, const char *end)
{
    const char *line = begin;
    struct mapping map = {0};
    uint64_t minor;
    line = parse_number(line, 16, &map.start);
    line = parse_number(line + 1, 16, &map.end);
    map.readable = line[1] == 'r';
    map.writable = line[2] == 'w';
    map.executable = line[3] == 'x';
    map.shared = line[4] == 's';
    line = parse_number(line + 6, 16, &map.offset);
    line = parse_number(line + 1, 16, &map.device);
    line = parse_number(line + 1, 16, &minor);
    map.device = map.device << 20 | minor;
    line = parse_number(line + 1, 10, &map.inode);
    while (line < end && *line == ' ')
        line++;
    map.path = line;
    if (map.executable) /* others are passed over */
        end = newlines_restore(begin + (line - begin), end);
    map.path_bytes = (uint32_t)(end - line);
    return map;
}

static bool path_is(const struct mapping *map, const char *text)
{
    uint32_t n = 0;
    while (text[n])
        n++;
    return map->path_bytes == n && __builtin_memcmp(map->path, text, n) == 0;
}

/* Memory behind these names is written through other mappings: JITs that map their code twice. */
static bool path_is_memory(const struct mapping *map)
{
    static const char *const starts[] = {"/memfd:", "/dev/shm/", "/dev/zero", "/SYSV"};
    for (uint32_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        uint32_t n = 0;
        while (starts[i][n])
            n++;
        if (map->path_bytes >= n && __builtin_memcmp(map->path, starts[i], n) == 0)
            return true;
    }
    return false;
}

/* Only what can be read can be copied: the page of old system calls, say, cannot. */
static uint32_t mapping_refusal(const struct mapping *map)
{
    if (!map->readable)
        return LOSS_at_anonymous;
    return LOSS_N;
}

static enum region_kind mapping_kind(const struct mapping *map)
{
    if (map->writable || map->shared || path_is_memory(map))
        return REGION_WRITTEN;
    if (path_is(map, "[vdso]") || (map->path_bytes && map->path[0] == '/'))
        return REGION_LASTING;
    return REGION_GUARDED;
}

/* Whether the newest that the tool knows about these addresses is this mapping. */
static bool already_told(const struct mapping *map)
{
    for (uint32_t i = agent.n_told; i-- > 0;) {
        const struct told_map *told = &agent.told[i];
        if (map->jit && told->jit && told->start <= map->start && told->end >= map->end)
            return true;
        if (told->start < map->end && told->end > map->start)
            return !map->jit && !told->jit && told->start == map->start && told->end == map->end &&
                   told->offset == map->offset && told->inode == map->inode;
    }
    return false;
}

static void tell(const struct mapping *map)
{
    struct channel *channel = agent.channel;
    uint32_t bytes = (uint32_t)(sizeof(struct wire_map) + map->path_bytes + 7) & ~7u;
    if (already_told(map) || CHANNEL_MAPS_BYTES - agent.maps_bytes < bytes)
        return;
    if (agent.n_told == REGIONS_MAX)
        agent.n_told = 0; /* they are told once more */
    agent.told[agent.n_told++] =
        (struct told_map){map->start, map->end, map->offset, map->inode, map->jit};
    uint8_t *at = (uint8_t *)channel + CHANNEL_MAPS_AT + agent.maps_bytes;
    *(struct wire_map *)(void *)at = (struct wire_map){.bytes = bytes,
                                                       .path_bytes = map->path_bytes,
                                                       .start = map->start,
                                                       .end = map->end,
                                                       .offset = map->offset,
                                                       .device = map->device,
                                                       .inode = map->inode,
                                                       .after_walk = channel->interrupts};
    for (uint32_t i = 0; i < map->path_bytes; i++)
        at[sizeof(struct wire_map) + i] = (uint8_t)map->path[i];
    agent.maps_bytes += bytes;
    __atomic_store_n(&channel->maps_bytes, agent.maps_bytes, __ATOMIC_RELEASE);
}

static void take_line(struct regions *regions, char *line, const char *end)
{
    struct mapping map = parse_line(line, end);
    if (!map.executable || regions->n == REGIONS_MAX || cache_contains(agent.cache, map.start))
        return;
    uint32_t refusal = mapping_refusal(&map);
    enum region_kind kind = mapping_kind(&map);
    regions->at[regions->n++] =
        (struct region){.start = map.start, .end = map.end, .refusal = refusal, .kind = kind};
    map.jit = kind != REGION_LASTING && (map.path[0] != '/' || path_is_memory(&map));
    if (map.jit) {
        map.path = "[jit]";
        map.path_bytes = 5;
        map.offset = map.start;
        map.device = map.inode = 0;
    }
    if (refusal != LOSS_N)
        return;
    tell(&map);
    if (kind == REGION_LASTING && map.path[0] == '/')
        sequences_find(regions, map.path, map.start, map.offset);
}

void maps_read(struct regions *regions)
{
    static char buffer[READ_BYTES + LINE_MAX_BYTES];
    long fd = descriptor_open(AT_FDCWD, "/proc/self/maps", O_RDONLY);
    if (sys_failed(fd))
        return;
    regions->n = regions->n_sequences = 0;
    uint32_t held = 0;
    for (;;) {
        long got = sys3(SYS_read, fd, (long)(buffer + held), READ_BYTES);
        if (got <= 0)
            break;
        char *line = buffer, *end = buffer + held + got;
        for (char *at = buffer + held; at < end; at++) {
            if (*at != '\n')
                continue;
            *at = 0;
            take_line(regions, line, at);
            line = at + 1;
        }
        held = (uint32_t)(end - line);
        if (held > LINE_MAX_BYTES)
            held = 0;
        __builtin_memmove(buffer, line, held);
    }
    descriptor_shut(fd);
    agent.maps_read_tsc = sys_tsc();
}

void maps_refresh(struct regions *regions)
{
    /* A sample may be declined, and the next finds them; an exact run would end here. */
    bool exact = agent.options.mode != RECORD_SAMPLED;
    if (exact || sys_tsc() - agent.maps_read_tsc > REFRESH_MS * agent.ticks_per_ms)
        maps_read(regions);
    plans_await();
}
