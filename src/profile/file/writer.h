/* The inside of a growing file, shared by writer.c and journal.c. */
#pragma once

#include "profile/batch.h"
#include "profile/file/decode.h"
#include "profile/file/encode.h"
#include "profile/file/kept_pack.h"
#include "profile/places.h"

struct profile_writer {
    struct batch_sink sink; /* first: profile_writer_batch casts it back */
    char *path;             /* in total.arena */
    int fd;
    bool special; /* not a regular file: append only, no rename */
    uint64_t size;
    uint64_t rewrite_above; /* file size */
    bool behind;            /* the file lacks more than encoder.out has: it must be rewritten */
    bool unwritten;         /* all but the head is only in total */

    /* Appended bytes that are not in total yet, as in the file. Summing is left until needed: short
     * recordings end before that, and for long ones doing it in one go, with the sums in the cache,
     * costs no more than with each batch. */
    struct encoder encoder; /* out */
    size_t written;         /* of out: in the file */
    size_t folded;          /* of out: in total; nonzero only if writing failed */

    struct profile total;     /* modules and facts of everything, counts without out */
    struct decoder decoder;   /* adds out to total */
    struct numbering in_file; /* numbers of total's modules that are in the file or in out */
    size_t facts_in_file;     /* likewise */

    struct kept_packs packs; /* of total.kept */

    bool notes_places;
    struct places places; /* of total's modules; without those of batches and of total */

    uint64_t *ret_rows; /* NULL, or gets the number of rows of each table in the file */

    struct profile *delta;          /* its batches come here; or NULL */
    struct numbering delta_modules; /* numbers in the file of delta's modules */
    struct map keys[TABLES];        /* keys that batches introduced; the index is the number */
    uint32_t generation;            /* changes when keys lose their numbers; never 0 */
};

/* Extends ret_numbers to all modules of delta; new modules go to encoder.out. */
void writer_modules(struct profile_writer *writer, const struct profile *delta,
                    struct numbering *ret_numbers);

/* Moves the batch's tables to encoder.out as chunks. */
void profile_writer_batch(struct batch_sink *sink, struct batch *batch);
