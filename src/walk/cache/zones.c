#include "walk/cache/zones.h"

#include "walk/base/sys.h"

#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { ZONE_TRIES = 256, ZONE_ORDERLY = 32 };

/* How far a zone may be from the code it serves: displacements reach 2 GiB, and operands of the
 * code may lie on its far side. If everything within REACH_NEAR is taken, as around a JIT, whose
 * operands lie beside it, further will do: code that refers to more is refused (shape.c). */
enum reach { REACH_NEAR = 1 << 30, REACH_FAR = 0x78000000 };
/* And from other copies that it jumps to: two zones may lie on two sides of the code. */
enum { REACH_BESIDE = 0x7fffffff - 2 * ZONE_BYTES };

static bool within(uint64_t a, uint64_t b, int64_t reach)
{
    int64_t distance = (int64_t)(a - b);
    return distance < reach && distance > -reach;
}

static bool zone_serves(const struct zone *zone, const struct zone_wish *wish, enum reach reach)
{
    return within(zone->runs_at, wish->pc, reach) &&
           (!wish->beside || within(zone->runs_at, wish->beside, REACH_BESIDE));
}

/* Addresses to try. Code below 2 GiB is a program at a fixed address, with the heap growing after
 * it: far above. Else below the code, away from the heap of a PIE and the kernel's next mappings;
 * not at a round distance, which programs with fixed mappings use. */
static uint64_t zone_candidate(uint64_t pc, uint32_t attempt, enum reach reach)
{
    if (pc < UINT64_C(1) << 31)
        return (pc & ~UINT64_C(0xfffff)) + UINT64_C(0x30000000) + ((uint64_t)attempt << 21);
    uint64_t step = UINT64_C(0x11d00000) + ((uint64_t)(attempt / 2) << 22);
    if (attempt >= ZONE_ORDERLY) /* JITs reserve much around their code: anywhere in reach */
        step = (attempt * UINT64_C(0x9E3779B1) % 0x3c0) << 20;
    if (reach == REACH_FAR)
        step = REACH_NEAR + (uint64_t)(attempt / 2) * UINT64_C(0x700000);
    uint64_t base = pc & ~UINT64_C(0xfffff);
    return attempt & 1 ? base + step : base - step;
}

static bool reserve(uint64_t at, uint64_t bytes)
{
    long reserved = sys6(SYS_mmap, (long)at, (long)bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (reserved != (long)at && !sys_failed(reserved))
        sys3(SYS_munmap, reserved, (long)bytes, 0);
    return reserved == (long)at;
}

/* Maps zone number n again, executable, at the reserved address: mremap with an old size of zero
 * maps shared memory again without a descriptor. */
static bool zone_map(struct zones *zones, uint64_t at, uint32_t use)
{
    uint8_t *writable = zones->arena + (size_t)zones->n * ZONE_BYTES;
    long moved =
        sys6(SYS_mremap, (long)writable, 0, ZONE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, (long)at, 0);
    if (moved != (long)at ||
        sys_failed(sys3(SYS_mprotect, (long)at, ZONE_BYTES, PROT_READ | PROT_EXEC))) {
        sys3(SYS_munmap, (long)at, ZONE_BYTES, 0);
        return false;
    }
    zones->at[zones->n++] = (struct zone){
        .runs_at = at, .writable = writable, .use = use, .ahead = {.on = zones->keeps_land}};
    return true;
}

/* On land that is kept. */
static bool zone_map_kept(struct zones *zones, const struct zone_wish *wish, enum reach reach)
{
    for (uint32_t i = 0; i < zones->n_lands; i++) {
        struct zone_land *land = &zones->lands[i];
        struct zone candidate = {.runs_at = land->at};
        if (!land->left || !zone_serves(&candidate, wish, reach))
            continue;
        land->left--;
        land->at += ZONE_BYTES;
        if (zone_map(zones, candidate.runs_at, wish->use))
            return true;
    }
    return false;
}

/* Where nothing is, for so many zones; those behind the first are kept. */
static bool zone_map_new(struct zones *zones, const struct zone_wish *wish, enum reach reach,
                         uint32_t land)
{
    for (uint32_t attempt = 0; attempt < ZONE_TRIES; attempt++) {
        struct zone candidate = {.runs_at = zone_candidate(wish->pc, attempt, reach)};
        if (!zone_serves(&candidate, wish, reach) ||
            !reserve(candidate.runs_at, (uint64_t)land * ZONE_BYTES))
            continue;
        if (land > 1)
            zones->lands[zones->n_lands++] =
                (struct zone_land){candidate.runs_at + ZONE_BYTES, land - 1};
        if (zone_map(zones, candidate.runs_at, wish->use))
            return true;
    }
    return false;
}

/* The writable alias costs resident pages again. Full zones are hardly written to; their aliases
 * come back when needed. */
static void zones_close(struct zones *zones, const struct zone_wish *wish)
{
    for (uint32_t i = 0; i < zones->n; i++) {
        struct zone *zone = &zones->at[i];
        if (zone->use == wish->use && zone_serves(zone, wish, REACH_NEAR))
            zone->closed |= ZONE_BYTES - zone->used < wish->room;
        if (zone->closed)
            sys3(SYS_madvise, (long)zone->writable, ZONE_BYTES, MADV_DONTNEED);
    }
}

static struct zone *zones_get_within(struct zones *zones, const struct zone_wish *wish,
                                     enum reach reach)
{
    for (uint32_t i = 0; i < zones->n; i++) {
        struct zone *zone = &zones->at[i];
        if (zone->use == wish->use && zone_serves(zone, wish, reach) &&
            ZONE_BYTES - zone->used >= wish->room)
            return zone;
    }
    if (zones->n == ZONES_MAX)
        return NULL;
    zones_close(zones, wish);
    bool keeps = zones->keeps_land && zones->n_lands < ZONE_LANDS;
    bool mapped = zone_map_kept(zones, wish, reach) ||
                  (keeps && zone_map_new(zones, wish, reach, ZONE_LAND)) ||
                  zone_map_new(zones, wish, reach, 1);
    return mapped ? &zones->at[zones->n - 1] : NULL;
}

struct zone *zones_get(struct zones *zones, const struct zone_wish *wish)
{
    struct zone *near = zones_get_within(zones, wish, REACH_NEAR);
    return near ? near : zones_get_within(zones, wish, REACH_FAR);
}

struct code_cursor zone_cursor(struct zone *zone)
{
    if (zone->use != ZONE_COLD)
        zone->used = (zone->used + 15) & ~15u;
    return (struct code_cursor){.at = zone->writable + zone->used,
                                .shift = (int64_t)zone->runs_at - (int64_t)zone->writable};
}

void zones_advance(struct zones *zones, struct zone *zone, const struct code_cursor *cursor)
{
    uint32_t used = (uint32_t)(cursor->at - zone->writable);
    zones->code_bytes += used - zone->used;
    zone->used = used;
    if (used < ZONE_BYTES - 2 * AHEAD_BYTES)
        ahead_of(&zone->ahead, zone->writable, used);
}

const struct zone *zones_find(const struct zones *zones, uint64_t cache_pc)
{
    for (uint32_t i = 0; i < zones->n; i++)
        if (cache_pc - zones->at[i].runs_at < ZONE_BYTES)
            return &zones->at[i];
    return NULL;
}

void zones_clear(struct zones *zones)
{
    for (uint32_t i = 0; i < zones->n; i++) {
        zones->at[i].used = 0;
        zones->at[i].closed = false;
    }
}

void zones_unmap(struct zones *zones)
{
    for (uint32_t i = 0; i < zones->n; i++)
        sys3(SYS_munmap, (long)zones->at[i].runs_at, ZONE_BYTES, 0);
    for (uint32_t i = 0; i < zones->n_lands; i++)
        if (zones->lands[i].left)
            sys3(SYS_munmap, (long)zones->lands[i].at, (long)zones->lands[i].left * ZONE_BYTES, 0);
    zones->n_lands = 0;
    if (zones->arena)
        sys3(SYS_munmap, (long)zones->arena, ZONES_ARENA_BYTES, 0);
    zones->n = 0;
}
