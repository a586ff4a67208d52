/* What the parts of sightings.c share while they read a program's code. */
#pragma once

#include "export/gcda/called_copies.h"
#include "export/gcda/inline_chain.h"
#include "export/gcda/instances.h"
#include "export/gcda/sightings.h"
#include "export/gcda/statements.h"

/* One instruction, or one beginning of a statement. */
struct gathered {
    uint32_t function; /* of all objects' */
    uint32_t group, column, discriminator;
    uint32_t instance;              /* 0, or 1 + number of gathering.instances */
    const struct inline_node *copy; /* which copy of the function */
    uint32_t block;                 /* of the code */
    uint8_t kind;                   /* enum sighting_kind */
    uint8_t dealt;                  /* how often it was given from callee to caller */
    bool own;                       /* of the function's own code, not of a copy */
    uint64_t count;
    uint64_t ways[2]; /* of branches */
    uint32_t to[2][WAY_LINES], to_discriminator[2];
    uint32_t bytes[2];
    uint32_t next[2]; /* of branches: the block of the code that each way leads to */
};

struct gathering {
    struct sightings_of *result;
    const struct objects *objects;
    const struct code_counts *code;
    struct chains chains;
    const struct line_groups **groups; /* for each function of all objects */
    struct statements statements;
    struct gathered_list {
        VEC(struct gathered);
    } records;
    struct instances instances;
    struct called_copies copies;
    struct indirect_calls indirect;
    struct value_counters *values;
    bool *meets;       /* of each block of the code: it has several before it */
    uint64_t *arrived; /* at each block of the code, from its function */
};

/* From records to sightings. */
void records_sum(struct gathering *gathering);
