/* Any bytes as gcc's notes, its counts and its dumps: read without harm. What was read as notes can
 * be given counts, which flow; what was read as counts is the same once written and read again. */
#include "gcov/block_places.h"
#include "gcov/counts.h"
#include "gcov/discriminators.h"
#include "gcov/fit.h"
#include "gcov/smooth.h"
#include "gcov/spread.h"
#include "gcov/valued.h"

#include "base/err.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void function_try(const struct notes_function *function)
{
    struct line_groups groups;
    struct sightings seen = {0};
    line_groups_make(&groups, function, NULL);
    for (uint32_t g = 0; g < groups.n; g++) {
        struct sighting sighting = {.group = g,
                                    .count = 3 * g + function->ident % 1000,
                                    .kind = (uint8_t)(g % SIGHTING_ARRIVAL),
                                    .discriminator = g % 4,
                                    .home = g / 2,
                                    .ways = {g, 2 * g}};
        for (uint32_t i = 0; i < WAY_LINES; i++)
            sighting.to[0][i] = sighting.to[1][i] = i && i < groups.n ? i : GROUP_NONE;
        *vec_push(&seen) = sighting;
    }
    uint64_t *arcs = mem_alloc((function->arcs.n + 1) * sizeof *arcs);
    uint64_t *again = mem_alloc((function->arcs.n + 1) * sizeof *again);
    uint64_t *counters = mem_alloc((function->arcs.n + 1) * sizeof *counters);
    mem_free(discriminators_guess(function));
    struct fit_told told;
    if (arcs_fit(function, &groups, &seen, VOTING_WEIGHED, arcs, &told)) {
        arcs_smooth(function, &groups, &seen, false, arcs);
        gather_counters(function, arcs, counters);
        if (spread_counters(function, counters, again))
            ASSERT(memcmp(arcs, again, function->arcs.n * sizeof *arcs) == 0);
    }
    mem_free(counters);
    mem_free(again);
    mem_free(arcs);
    vec_release(&seen);
    line_groups_release(&groups);
}

static void notes_try(const uint8_t *data, size_t size)
{
    struct notes notes;
    struct err err;
    if (!notes_parse(&notes, data, size, &err))
        return;
    for (size_t i = 0; i < notes.functions.n; i++)
        if (notes.functions.at[i].n_blocks >= 2 && notes.functions.at[i].arcs.n < 2000)
            function_try(&notes.functions.at[i]);
    notes_release(&notes);
}

static void counts_try(const uint8_t *data, size_t size)
{
    struct counts counts, back;
    struct counts_bytes bytes = {0}, again = {0};
    struct err err;
    if (!counts_parse(&counts, data, size, &err))
        return;
    counts_encode(&counts, &bytes);
    ASSERT(counts_parse(&back, bytes.at, bytes.n, &err));
    counts_encode(&back, &again);
    ASSERT(again.n == bytes.n && memcmp(again.at, bytes.at, bytes.n) == 0);
    vec_release(&bytes);
    vec_release(&again);
    counts_release(&counts);
    counts_release(&back);
}

/* The blocks of any dump, beside a graph that has little to do with it. */
static void blocks_try(const uint8_t *data, size_t size)
{
    struct notes_function function = {.n_blocks = 6};
    struct dumped_functions dumped = {0};
    for (uint32_t b = 2; b < function.n_blocks; b++) {
        uint32_t next = b + 1 < function.n_blocks ? b + 1 : NOTES_EXIT;
        *vec_push(&function.arcs) = (struct notes_arc){b, next, 0};
        *vec_push(&function.arcs) = (struct notes_arc){b, NOTES_EXIT, b & 1 ? ARC_FAKE : 0};
        *vec_push(&function.lines) = (struct notes_line){b, b / 2, "a.c"};
    }
    dumped_parse(&dumped, (const char *)data, size);
    for (size_t i = 0; i < dumped.n; i++) {
        struct block_places places = {0};
        struct line_groups groups;
        block_places_find(&places, &function, &dumped.at[i]);
        line_groups_make(&groups, &function, &places);
        line_groups_release(&groups);
        vec_release(&places);
    }
    dumped_release(&dumped);
    vec_release(&function.arcs);
    vec_release(&function.lines);
}

static void dumps_try(const uint8_t *data, size_t size)
{
    struct valued_functions valued = {0};
    valued_list(&valued, (const char *)data, size);
    valued_place(&valued, (const char *)data, size);
    for (size_t i = 0; i < valued.n; i++)
        valued_find(&valued, valued.at[i].name);
    valued_release(&valued);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dumps_try(data, size);
    blocks_try(data, size);
    notes_try(data, size);
    counts_try(data, size);
    return 0;
}
