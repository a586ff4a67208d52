#include "walk/cache/unit.h"

bool unit_superblock(struct unit_log *log, const struct wire_superblock *id,
                     const struct shape *shape, const struct payload *payload)
{
    uint32_t n_payload = payload ? payload->n : 0;
    uint32_t bytes = (uint32_t)(sizeof(struct wire_superblock) +
                                shape->n_segments * sizeof(struct wire_segment) +
                                n_payload * sizeof(struct wire_payload));
    struct wire_superblock *unit = unit_mark(log) ? unit_take(log, bytes) : NULL;
    if (!unit)
        return false;
    *unit = (struct wire_superblock){.kind = UNIT_SUPERBLOCK,
                                     .bytes = bytes,
                                     .first_exit = id->first_exit,
                                     .counter = id->counter,
                                     .n_segments = (uint16_t)shape->n_segments,
                                     .n_exits = (uint16_t)shape_exits(shape),
                                     .n_payload = (uint16_t)n_payload,
                                     .left_out = payload ? (uint16_t)payload->left_out : 0};
    struct wire_segment *segments = (struct wire_segment *)(unit + 1);
    for (uint32_t i = 0; i < shape->n_segments; i++)
        segments[i] = shape->segments[i];
    struct wire_payload *items = (struct wire_payload *)(segments + shape->n_segments);
    for (uint32_t i = 0; i < n_payload; i++)
        items[i] = payload->items[i];
    unit_publish(log, bytes, 0); /* its counters are taken already */
    return true;
}
