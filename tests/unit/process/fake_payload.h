/* A superblock of two segments that records words besides its exits, and where it is mapped. */
#pragma once

#include "fake_code.h"

static const struct wire_map mapped = {.start = 0x1000, .end = 0x9000, .offset = 0x100};

static const struct wire_segment two[] = {
    {.start = 0x1000, .target = 0x1100, .bytes = 10, .instructions = 4, .last_bytes = 2},
    {.start = 0x100a, .bytes = 3, .instructions = 2, .end = SEGMENT_RETURN, .last_bytes = 1},
};

struct with_payload {
    struct wire_superblock header;
    struct wire_segment segments[2];
    struct wire_payload items[3];
};

static inline struct with_payload good_payload(uint32_t first_exit)
{
    return (struct with_payload){
        .header = {.kind = UNIT_SUPERBLOCK,
                   .bytes = sizeof(struct with_payload),
                   .first_exit = first_exit,
                   .n_segments = 2,
                   .n_exits = 2,
                   .n_payload = 3},
        .segments = {two[0], two[1]},
        .items = {{.instruction = 0, .kind = PAYLOAD_ADDRESS, .words = 1, .access = 1},
                  {.instruction = 0, .kind = PAYLOAD_VECTOR, .words = 2, .detail = 3},
                  {.instruction = 5, .offset = 2, .kind = PAYLOAD_POP, .words = 1, .access = 1}}};
}
