#include "walk/base/unit_log.h"

#include "wire/channel.h"

#include <stddef.h>

void unit_log_open(struct unit_log *log, uint8_t *base, uint64_t room, uint64_t *published,
                   uint64_t *counters, uint64_t max_counters)
{
    *log = (struct unit_log){.base = base,
                             .room = room,
                             .published = published,
                             .counters = counters,
                             .max_counters = max_counters,
                             .n_counters = log->n_counters,
                             .ahead = {.on = log->ahead.on}};
}

void *unit_take(struct unit_log *log, uint32_t bytes)
{
    if (log->room - log->bytes < bytes) {
        log->full = true;
        return NULL;
    }
    if (log->room - log->bytes > 2 * AHEAD_BYTES)
        ahead_of(&log->ahead, log->base, log->bytes + bytes);
    return log->base + log->bytes;
}

void unit_publish(struct unit_log *log, uint32_t bytes, uint32_t counters)
{
    log->n_counters += counters;
    *log->counters = log->n_counters;
    log->bytes += bytes;
    __atomic_store_n(log->published, log->bytes, __ATOMIC_RELEASE);
}

bool unit_mark(struct unit_log *log)
{
    if (!log->maps_bytes || *log->maps_bytes == log->maps_marked)
        return true;
    struct wire_maps_mark *mark = unit_take(log, sizeof *mark);
    if (!mark)
        return false;
    log->maps_marked = *log->maps_bytes;
    *mark = (struct wire_maps_mark){
        .kind = UNIT_MAPS, .bytes = sizeof *mark, .maps_bytes = log->maps_marked};
    unit_publish(log, sizeof *mark, 0);
    return true;
}
