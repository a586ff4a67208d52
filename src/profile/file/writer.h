/* A growing file, from inside: what its parts in writer.c and journal.c share. */
#pragma once

#include "profile/batch.h"
#include "profile/file/decode.h"
#include "profile/file/encode.h"

struct profile_writer {
    struct batch_sink sink; /* first: profile_writer_batch casts it back */
    char *path;             /* in total.arena */
    int fd;
    bool special; /* no regular file: append only, nothing to rename */
    uint64_t size;
    uint64_t rewrite_above; /* file size */
    bool behind;            /* the file lacks more than encoder.out has: only a rewrite can help */
    bool unwritten;         /* all but the head is in total alone */

    /* What was appended and is not in total yet, as it is in the file. Making sums is left for when
     * they are needed: short recordings have ended by then, and done in one go, with all sums in
     * the cache, it costs long ones no more than a little with every batch. */
    struct encoder encoder; /* out */
    size_t written;         /* of out: in the file */
    size_t folded;          /* of out: in total; not 0 only if that could not be written */

    struct profile total;     /* modules and facts of all, the rest without out */
    struct decoder decoder;   /* adds out to total */
    struct numbering in_file; /* of total's modules; those that are in the file or in out */
    size_t facts_in_file;     /* likewise */

    struct profile *delta;          /* whose batches come here, or NULL */
    struct numbering delta_modules; /* numbers in the file of delta's modules */
    struct map keys[TABLES];        /* that batches introduced; the index is the number */
    uint32_t generation;            /* changes when keys lose their numbers, never 0 */
};

/* Numbers in the file for those of delta's modules that have none yet in ret_numbers; new ones go
 * to encoder.out. */
void writer_modules(struct profile_writer *writer, const struct profile *delta,
                    struct numbering *ret_numbers);

/* The batch's tables become chunks of encoder.out, and are empty. */
void profile_writer_batch(struct batch_sink *sink, struct batch *batch);
