/* Answers of gait symbols as text, for many addresses at once. Threads make blocks of answers; the
 * blocks are written in order. */
#pragma once

#include "base/parallel.h"
#include "base/vec.h"
#include "program/names/demangle.h"
#include "program/source.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct binary;

enum { ANSWER_FRAMES_MAX = 256 };

/* The memory of one thread. */
struct answerer {
    struct source_memory memory;
    struct map readable_known; /* pointer to a linkage name -> index */
    struct readables {
        VEC(struct readable);
    } readable;
    struct source_frame frames[ANSWER_FRAMES_MAX];
};

struct readable {
    const char *text;
    size_t bytes;
};

/* Threads mostly need the same names, so each name is demangled once. A name's hash selects its
 * demangler, so that threads seldom wait for each other. */
enum { DEMANGLERS = 64 };
struct shared_demangler {
    pthread_mutex_t lock;
    struct demangler demangler; /* guarded by lock */
};

struct answers {
    const struct binary *binary; /* by binary_open_whole */
    bool linkage, no_inlines;
    struct answerer *answerers[PARALLEL_MAX];
    struct shared_demangler demanglers[DEMANGLERS];
    struct answer_blocks {
        VEC(struct answer_text);
    } blocks;
};

struct answer_text {
    VEC(char);
};

void answers_init(struct answers *answers, const struct binary *binary, bool linkage,
                  bool no_inlines);
void answers_release(struct answers *answers);

/* Writes the frames of each address, and an empty line. */
void answers_write(struct answers *answers, const uint64_t *addresses, size_t n, FILE *to);

/* The frames of one address, in the answerer's memory, for other formats than answers_write's.
 * answers_name is the name that answers_write would print. */
size_t answers_frames(struct answers *answers, struct answerer *answerer, uint64_t address);
const char *answers_name(struct answers *answers, struct answerer *answerer,
                         const struct source_frame *frame, size_t *ret_bytes);
struct answerer *answers_answerer(struct answers *answers, unsigned worker);
