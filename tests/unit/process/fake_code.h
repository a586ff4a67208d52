/* What one process has mapped and translated, read out of a channel that is filled by hand. */
#pragma once

#include "process/units.h"
#include "fake.h"
#include "profile/profile.h"

#include <unistd.h>

struct fake_code {
    struct fake fake;
    struct profile profile;
    struct mappings mappings;
    struct units units;
};

/* One module is mapped, "/no/module". */
static inline void fake_code_open(struct fake_code *code, struct wire_map map)
{
    fake_open(&code->fake);
    profile_init(&code->profile);
    mappings_init(&code->mappings, &code->profile, getpid());
    mappings_add(&code->mappings, &map, "/no/module");
    units_init(&code->units, &code->mappings);
}

static inline void fake_code_close(struct fake_code *code)
{
    units_release(&code->units);
    mappings_release(&code->mappings);
    profile_release(&code->profile);
    fake_close(&code->fake);
}

/* All that was published so far, whatever comes of it. */
static inline void fake_code_read(struct fake_code *code)
{
    units_read(&code->units, fake_section(&code->fake, CHANNEL_UNITS_AT),
               code->fake.channel->units_bytes);
}

/* The same, and all of it makes sense. */
static inline void fake_code_read_good(struct fake_code *code)
{
    fake_code_read(code);
    assert_int_equal(code->units.garbled, 0);
}

/* A loop: a call, its body, and the way back, with four exits and seven counters.
 *   1000: 4 instructions, jcc 1100; 100a: 3 instructions, call 2000
 *   2000: 5 instructions, ret
 *   1012: 2 instructions, jmp 1000 */
static inline void fake_loop(struct fake *fake, uint32_t first_exit, uint32_t counter)
{
    const struct wire_segment a[] = {
        {.start = 0x1000, .target = 0x1100, .bytes = 10, .instructions = 4, .last_bytes = 2},
        {.start = 0x100a,
         .target = 0x2000,
         .bytes = 8,
         .instructions = 3,
         .end = SEGMENT_CALL,
         .last_bytes = 5},
    };
    const struct wire_segment b = {
        .start = 0x2000, .bytes = 12, .instructions = 5, .end = SEGMENT_RETURN, .last_bytes = 1};
    const struct wire_segment c = {.start = 0x1012,
                                   .target = 0x1000,
                                   .bytes = 4,
                                   .instructions = 2,
                                   .end = SEGMENT_JUMP,
                                   .last_bytes = 2};
    fake_superblock(fake, first_exit, counter, 2, a);
    fake_superblock(fake, first_exit + 2, counter + 3, 1, &b);
    fake_superblock(fake, first_exit + 3, counter + 5, 1, &c);
}
