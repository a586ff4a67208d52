#include "collect/exact/path_bursts.h"

#include "collect/channel/banks.h"
#include "collect/channel/share.h"
#include "collect/exact/exact_process.h"

#include <math.h>
#include <string.h>

struct burst_key {
    uint64_t path;
    uint32_t function, zero;
};

void path_bursts_init(struct path_bursts *bursts)
{
    *bursts = (struct path_bursts){0};
    map_init(&bursts->keys, sizeof(struct burst_key));
}

void path_bursts_release(struct path_bursts *bursts)
{
    burst_fit_release(&bursts->fit);
    map_release(&bursts->keys);
}

/* ---- reading */

static void part_add(struct path_bursts *bursts, const struct wire_burst_path *part)
{
    struct burst_key key = {.path = part->path, .function = part->function};
    uint32_t path = map_add(&bursts->keys, &key);
    if (path == bursts->fit.paths.n)
        *vec_push(&bursts->fit.paths) = (struct burst_path){.alone = NAN};
    *vec_push(&bursts->fit.parts) = (struct burst_part){path, part->passages};
}

/* One, at most so long; how long it is, 0: it makes no sense. */
static uint64_t burst_read(struct path_bursts *bursts, const unsigned char *at, uint64_t bytes)
{
    struct wire_burst burst;
    if (bytes < sizeof burst)
        return 0;
    memcpy(&burst, at, sizeof burst);
    uint64_t all = sizeof burst + (uint64_t)burst.n * sizeof(struct wire_burst_path);
    if (!burst.n || !burst.ticks || all > bytes)
        return 0;
    *vec_push(&bursts->fit.bursts) = (struct burst){
        .ticks = (double)burst.ticks, .first = (uint32_t)bursts->fit.parts.n, .n = burst.n};
    for (uint32_t i = 0; i < burst.n; i++) {
        struct wire_burst_path part;
        memcpy(&part, at + sizeof burst + i * sizeof part, sizeof part);
        part_add(bursts, &part);
    }
    return all;
}

static void bank_read(struct path_bursts *bursts, const unsigned char *bank)
{
    struct wire_bursts head;
    const unsigned char *at = bank + NODES_AT + sizeof head;
    memcpy(&head, bank + NODES_AT, sizeof head);
    if (head.bytes > BURSTS_BYTES - sizeof head) {
        bursts->garbled++;
        return;
    }
    for (uint64_t left = head.bytes; left;) {
        uint64_t bytes = burst_read(bursts, at, left);
        if (!bytes) {
            bursts->garbled++;
            return;
        }
        at += bytes;
        left -= bytes;
    }
}

void path_bursts_read(struct path_bursts *bursts, const struct exact_process *process)
{
    uint64_t slots = share_load(&process->channel->n_threads);
    bank_read(bursts, (const unsigned char *)process->channel + CHANNEL_COUNTERS_AT);
    for (uint32_t i = 0; i < slots && i < CHANNEL_THREADS; i++) {
        const void *bank = banks_map(process->banks, i);
        if (bank)
            bank_read(bursts, bank);
    }
}

/* ---- what they tell */

static struct burst_path *path_find(const struct path_bursts *bursts, uint32_t function,
                                    uint64_t path)
{
    struct burst_key key = {.path = path, .function = function};
    uint32_t at = map_find(&bursts->keys, &key);
    return at == MAP_NONE ? NULL : &bursts->fit.paths.at[at];
}

void path_bursts_alone(struct path_bursts *bursts, uint32_t function, uint64_t path,
                       const struct wire_measured *alone)
{
    struct burst_path *known = path_find(bursts, function, path);
    if (known && alone->passages)
        known->alone = (double)alone->ticks / (double)alone->passages;
}

void path_bursts_solve(struct path_bursts *bursts)
{
    const struct burst_fit *fit = &bursts->fit;
    for (size_t b = 0; b < fit->bursts.n; b++)
        bursts->ticks += fit->bursts.at[b].ticks;
    burst_fit_solve(&bursts->fit);
    for (size_t i = 0; i < fit->parts.n; i++)
        bursts->alone += fit->parts.at[i].passages * fit->paths.at[fit->parts.at[i].path].alone;
}

static uint64_t whole(double value)
{
    return value < 0x1p62 ? (uint64_t)llround(fmax(value, 0)) : UINT64_C(1) << 62;
}

/* Into how many stretches its calls divide a passage; of one that was not measured alone it is not
 * known, and taken to have none. */
static double stretches_of(const struct wire_measured *alone)
{
    return alone->passages ? (double)alone->looks / (double)alone->passages : 1;
}

/* As if so many passages had been measured whose mean and deviation are these
 * (analysis/paths/path_ticks.c reads it so). */
static void measured_set(struct wire_measured *measured, double stretches, double ticks,
                         double deviation)
{
    double n = (double)measured->passages, groups = (double)measured->bursts;
    measured->looks = whole(n * stretches);
    measured->ticks = whole(ticks * n);
    measured->squares = whole(n * (ticks * ticks + deviation * deviation * (groups - 1)));
}

void path_bursts_apply(const struct path_bursts *bursts, uint32_t function, uint64_t path,
                       struct wire_measured *measured)
{
    const struct burst_path *known = path_find(bursts, function, path);
    double stretches = stretches_of(measured);
    if (known && known->bursts) {
        measured->passages += whole(known->passages);
        measured->bursts += known->bursts;
        measured_set(measured, stretches, known->ticks, known->deviation);
    } else if (measured->passages && bursts->alone > 0) { /* cut down as others are */
        double alone = (double)measured->ticks / (double)measured->passages;
        double ticks = alone * fmin(bursts->ticks / bursts->alone, 1);
        measured_set(measured, stretches, ticks, alone - ticks);
    }
}
