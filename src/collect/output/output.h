/* The profile of a recording as it grows. Data that cannot be written is kept for the next append;
 * the last error is reported at the end. */
#pragma once

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct profile_writer;

struct output {
    const char *path;
    bool existed; /* and was moved to PATH.old */
    struct profile_writer *writer;
    struct keep_wish keep;
    size_t without_lines;  /* modules whose lines would have taken too long to read */
    uint64_t rows[TABLES]; /* of the closed file */
    char error[512];       /* "" while all went well */
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
void output_name_jit(struct output *output, struct profile *ret);
/* Releases the writer. `whole`: the file is rewritten, which makes it smaller but takes time.
 * `quick`: names are kept as far as that does not take long. Returns the size. */
uint64_t output_close(struct output *output, bool whole, bool quick);
/* The size of the file now. */
uint64_t output_bytes(const struct output *output);
