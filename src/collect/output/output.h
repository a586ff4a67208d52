/* The profile of a recording as it grows. Data that cannot be written is kept for the next append;
 * the last error is reported at the end. */
#pragma once

#include "keep/gather.h"
#include "collect/output/jit_places.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct gather_ahead;
struct profile_writer;

struct output {
    const char *path;
    bool existed; /* and was moved to PATH.old */
    struct profile_writer *writer;
    struct keep_wish keep;
    struct gather_ahead *ahead;
    uint64_t began_ns, ahead_due_ns; /* of it; when it is told again what has run */
    size_t without_lines;            /* modules whose lines would have taken too long to read */
    size_t left_out;                 /* modules of which nothing is kept: there was no time */
    uint64_t cpu_ns;                 /* of the program: names cost a share of it */
    uint64_t rows[TABLES];           /* of the closed file */
    char error[512];                 /* "" while all went well */
};

/* Fills in command, time, machine and version. */
void output_describe(struct profile *head, const char *command);

bool output_open(struct output *output, const char *path, const struct profile *head,
                 const struct keep_wish *keep, struct err *err);
/* Nothing was recorded: restores what was there. */
void output_undo(struct output *output);
/* Appends `delta` and empties it. `last`: output_close comes next. */
void output_append(struct output *output, struct profile *delta, bool last);
/* Adds to `ret` the names of code made at run time that was appended so far. */
void output_name_jit(struct output *output, struct profile *ret, enum jit_sources sources);
/* While the program runs, now and then: reads of its files what output_close will keep, in
 * a thread that takes no time from anybody. */
void output_look_ahead(struct output *output);
/* CPU time of that thread. */
uint64_t output_ahead_ns(const struct output *output);
/* Releases the writer. `whole`: the file is rewritten, which makes it smaller but takes time.
 * `patience`: how long reading what is kept of files may take (keep/gather.h). Returns the size. */
uint64_t output_close(struct output *output, bool whole, struct gather_wish patience);
/* The size of the file now. */
uint64_t output_bytes(const struct output *output);
