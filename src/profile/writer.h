/* A growing file, from inside: what its parts in writer.c and journal.c share. */
#pragma once

#include "profile/batch.h"
#include "profile/encode.h"

/* Keys of one table that batches have introduced in the file, by their index in total. */
struct writer_numbers {
    VEC(uint32_t); /* the key's number in the file, MAP_NONE: it has none */
    uint32_t next;
};

struct profile_writer {
    char *path; /* in total.arena */
    int fd;
    bool special; /* no regular file: append only, nothing to rename */
    uint64_t size;
    uint64_t rewrite_above; /* file size */
    struct profile total;
    struct numbering in_file; /* of total's modules; those that are in the file or in encoder.out */
    size_t facts_in_file;     /* likewise */
    struct encoder encoder;   /* out: what is to be appended */
    bool behind;              /* the file lacks more than that: only a rewrite can help */
    struct profile *delta;    /* whose batches come here, or NULL */
    struct numbering in_total; /* of delta's modules */
    struct writer_numbers edges, ranges, points;
};

/* Brings numbers of delta's modules in total up to date, and total's modules into encoder.out. */
void writer_modules(struct profile_writer *writer, const struct profile *delta,
                    struct numbering *in_total);

/* Adds the batch to total and to encoder.out, and empties its tables. */
void profile_writer_batch(struct profile_writer *writer, struct batch *batch);
/* The file has been rewritten: no key has a number. */
void writer_numbers_forget(struct profile_writer *writer);
