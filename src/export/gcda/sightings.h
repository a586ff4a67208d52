/* What a profile says about places of the source, by the functions of gcc's notes.
 *
 * A function of the notes holds all of its code: its own, clones, parts and copies inlined
 * elsewhere. It also holds what gcc inlined into it before it wrote the notes: an instruction
 * belongs to the outermost function of its inline stack whose notes have its line. Copies of a
 * place are added up; several instructions of one copy are not. */
#pragma once

#include "export/job/code.h"
#include "export/gcda/first_runs.h"
#include "export/gcda/targets.h"
#include "export/gcda/value_counters.h"
#include "gcov/fit.h"
#include "gcov/objects.h"

struct sightings_of {
    struct sightings *functions; /* for each function of each object; see sightings_at */
    uint32_t *first;             /* of each object */
    bool *seen;                  /* of each object: the program has code of it */
    size_t n_functions;
    struct indirect_targets targets; /* of indirect calls */
    struct value_counters values;
    struct first_runs runs;
    uint64_t executed, explained; /* instructions: all, and those whose function has notes */
};

bool sightings_gather(struct sightings_of *sightings, const struct objects *objects,
                      const struct code_counts *code, struct err *err);
void sightings_release(struct sightings_of *sightings);

static inline const struct sightings *sightings_at(const struct sightings_of *sightings,
                                                   uint32_t object, uint32_t function)
{
    return &sightings->functions[sightings->first[object] + function];
}
