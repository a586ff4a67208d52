/* The profile of a recording as it grows. Whatever cannot be written is kept for the next time; the
 * last reason why is told at the end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct profile;
struct profile_writer;

struct output {
    const char *path;
    bool existed; /* and was moved to PATH.old */
    struct profile_writer *writer;
    char error[512]; /* "" while all went well */
};

/* What a new profile says first: command, time, machine, version. */
void output_describe(struct profile *head, const char *command);

bool output_open(struct output *output, const char *path, const struct profile *head,
                 struct err *err);
/* Nothing was recorded: as if nothing had been. */
void output_undo(struct output *output);
/* Appends what is new, and empties it. `last`: closing comes next. */
void output_append(struct output *output, struct profile *delta, bool last);
/* Rewrites the file whole; its size. The writer is gone then. */
uint64_t output_close(struct output *output);
/* Of the file as it is. */
uint64_t output_bytes(const struct output *output);
